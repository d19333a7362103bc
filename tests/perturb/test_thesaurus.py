"""Thesauri are read from small files of their formats, and from the installed ones where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaeval.errors import InputError
from metaeval.perturb import Output, Perturbed, parse_perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.mythes import MyThes
from metaeval.perturb.words.thesaurus import MYTHES_FOLDER, WORDNET_FOLDER, find_thesaurus
from metaeval.perturb.words.wordnet import WordNet

ENTRIES = [
    ("kuchen", ["-|Torte|Gebäck (Oberbegriff)|Kuchen", "(noun)|Backware"]),
    ("rad", ["-|Velo"]),
]


def mythes(folder: Path, encoding: str = "UTF-8") -> Path:
    data, index = f"{encoding}\n", [encoding, str(len(ENTRIES))]
    for word, meanings in ENTRIES:
        index.append(f"{word}|{len(data.encode(encoding))}")
        data += "\n".join([f"{word}|{len(meanings)}", *meanings]) + "\n"
    (folder / "th_de_XX.dat").write_bytes(data.encode(encoding))
    (folder / "th_de_XX.idx").write_bytes("\n".join(index).encode(encoding))
    return folder / "th_de_XX.idx"


@pytest.mark.parametrize("encoding", ["UTF-8", "ISO8859-1"])
def test_mythes_gives_the_terms_of_all_meanings_without_remarks(tmp_path: Path, encoding: str) -> None:
    thesaurus = MyThes(mythes(tmp_path, encoding))
    assert thesaurus.synonyms("kuchen") == ("Torte", "Backware")
    assert thesaurus.synonyms("rad") == ("Velo",)
    assert thesaurus.synonyms("xyz") == ()


def test_a_thesaurus_is_found_by_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mythes(tmp_path)
    monkeypatch.setenv("METAEVAL_MYTHES", str(tmp_path))
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    found = find_thesaurus("de")
    assert found is not None
    assert found.name == "th_de_XX"
    assert find_thesaurus("en") is None
    assert find_thesaurus("") is None


def test_damaged_files_are_named(tmp_path: Path) -> None:
    index = mythes(tmp_path)
    index.write_text("UTF-8\n1\nkuchen|0\n")
    with pytest.raises(InputError, match="found no entry where the index points") as caught:
        MyThes(index).synonyms("kuchen")
    assert str(index) in str(caught.value)
    index.write_text("UTF-8\n1\nkuchen|99999\n")
    with pytest.raises(InputError, match="found no entry where the index points"):
        MyThes(index).synonyms("kuchen")
    index.with_suffix(".dat").write_text("")
    with pytest.raises(InputError, match="found no entry where the index points"):
        MyThes(index).synonyms("kuchen")
    index.write_text("nonsense\n")
    with pytest.raises(InputError, match="line 1: the first line does not name an encoding"):
        MyThes(index).synonyms("kuchen")


def test_wordnet_gives_the_words_of_all_synsets(tmp_path: Path) -> None:
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"index.{part}").write_text("  1 a licence\n")
        (tmp_path / f"data.{part}").write_text("")
    line = "  1 licence\n"
    entry = f"{len(line):08} 13 n 02 cake 0 layer_cake(p) 0 000 | a gloss\n"
    (tmp_path / "data.noun").write_text(line + entry)
    (tmp_path / "index.noun").write_text(f"  1 a licence\ncake n 1 1 @ 1 0 {len(line):08}\n")
    assert WordNet(tmp_path).synonyms("cake") == ("layer cake",)
    assert WordNet(tmp_path).synonyms("pie") == ()
    (tmp_path / "index.verb").write_text("cake v\n")
    with pytest.raises(InputError, match=r"index.verb: is no index of WordNet\n    cake v\n  Reinstall it."):
        WordNet(tmp_path).synonyms("cake")


@pytest.mark.parametrize(("language", "word"), [("en", "quick"), ("de", "glücklich"), ("ru", "красивый")])
def test_the_installed_thesauri_know_common_words(language: str, word: str) -> None:
    if not list(Path(MYTHES_FOLDER).glob(f"th_{language}_*.idx")):
        pytest.skip(f"the MyThes thesaurus of {language} is not installed")
    result = parse_perturbation("synonym").drawn(Output(word), Lexicon(language), seed=0)
    assert isinstance(result, Perturbed)
    assert result.text != word


def test_the_installed_wordnet_knows_common_words() -> None:
    if not (Path(WORDNET_FOLDER) / "data.noun").exists():
        pytest.skip("WordNet is not installed: apt install wordnet-base")
    assert "auto" in WordNet(Path(WORDNET_FOLDER)).synonyms("car")
