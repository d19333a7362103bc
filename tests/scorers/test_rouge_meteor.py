"""ROUGE and METEOR: their libraries are the oracles."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaeval.errors import InputError, MetaevalError
from metaeval.scorers import meteor
from metaeval.scorers.base import Segment
from metaeval.scorers.registry import parse_text_scorer

rouge = pytest.importorskip("rouge_score.rouge_scorer", reason="the extra 'scorers' is not installed")
nltk = pytest.importorskip("nltk", reason="the extra 'scorers' is not installed")

SEGMENTS = [
    Segment("The cats sat on a mat", "The cat sat on the mat"),
    Segment("mat the on sat cat The", "The cat sat on the mat"),
    Segment("", "The cat"),
    Segment("a", ""),
]


@pytest.mark.parametrize(
    ("name", "kind"), [("ROUGE-1", "rouge1"), ("ROUGE-2", "rouge2"), ("ROUGE-L", "rougeL")]
)
@pytest.mark.parametrize("stemmer", [False, True])
def test_rouge_is_that_of_its_authors(name: str, kind: str, stemmer: bool) -> None:
    oracle = rouge.RougeScorer([kind], use_stemmer=stemmer)
    scorer = parse_text_scorer(f"{name}(stemmer={stemmer})")
    assert scorer.score(SEGMENTS).tolist() == [
        oracle.score(s.reference, s.output)[kind].fmeasure for s in SEGMENTS
    ]


def test_the_signature_of_rouge_names_stemmer_tokenizer_and_version() -> None:
    parse_text_scorer("ROUGE-L").check()
    assert parse_text_scorer("ROUGE-L").signature.startswith("ROUGE-L|stem:no|tok:rouge|version:")


def test_rouge_1_does_not_see_the_order_of_words() -> None:
    assert parse_text_scorer("ROUGE-1").score([SEGMENTS[1]]) == 1


def test_rouge_reads_other_scripts_with_a_tokenizer_of_sacrebleu() -> None:
    pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
    segment = [Segment("我爱你们", "我爱他们")]
    assert parse_text_scorer("ROUGE-1").score(segment) == 0
    assert parse_text_scorer("ROUGE-1(tokenize=zh)").score(segment) == 0.75


def test_rouge_refuses_a_tokenizer_that_does_not_exist_or_cannot_stem() -> None:
    pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
    with pytest.raises(InputError, match=r"there is no tokenizer 'roge'\n.*Did you mean rouge"):
        parse_text_scorer("ROUGE-1(tokenize=roge)").check()
    with pytest.raises(InputError, match="only the package's own tokenizer stems"):
        parse_text_scorer("ROUGE-1(tokenize=zh,stemmer=yes)").check()


def test_meteor_without_wordnet_says_where_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    with pytest.raises(MetaevalError, match=r"METEOR needs WordNet(.|\n)*apt install wordnet-base"):
        parse_text_scorer("METEOR").check()


def test_meteor_finds_synonyms_in_a_folder_of_wordnet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tiny_wordnet(tmp_path)
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    scorer = parse_text_scorer("METEOR")
    synonym, stranger = scorer.score([Segment("a couch", "a sofa"), Segment("a table", "a sofa")])
    assert synonym > 0.9 > 0.5 > stranger
    assert "wordnet:3.0" in scorer.signature


@pytest.mark.skipif(not Path(meteor.DEBIAN, "data.noun").exists(), reason="WordNet is not installed")
def test_meteor_finds_synonyms_in_the_installed_wordnet() -> None:
    assert parse_text_scorer("METEOR").score([Segment("the couch", "the sofa")]) > 0.9


def _tiny_wordnet(folder: Path) -> None:
    """A WordNet with one noun synset, in its file format, without what Debian leaves out."""
    licence = "  1 WordNet 3.0 Copyright 2006 by Princeton University\n"
    offset = len(licence)
    (folder / "data.noun").write_text(
        f"{licence}{offset:08} 06 n 02 sofa 0 couch 0 000 | an upholstered seat  \n", encoding="utf-8"
    )
    (folder / "index.noun").write_text(
        "".join(f"{lemma} n 1 0 1 0 {offset:08}  \n" for lemma in ("couch", "sofa")), encoding="utf-8"
    )
    for pos in ("adj", "adv", "verb"):
        (folder / f"data.{pos}").write_text(licence, encoding="utf-8")
        (folder / f"index.{pos}").write_text("", encoding="utf-8")
    for pos in ("adj", "adv", "noun", "verb"):
        (folder / f"{pos}.exc").write_text("", encoding="utf-8")
