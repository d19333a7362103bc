"""Transcripts: joined by utterance, with context, and with what may mislead said aloud."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import real

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.registry import read
from metaeval.io.transcript_files import read_transcript_file, utterance_id
from metaeval.io.transcripts import read_folder, read_transcripts

A, B = "1-20-0001", "1-20-0000"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "clean.ref.tsv", f"{A}\tone two\n3-4-0001\tthree\n{B}\tfour\n")
    write(tmp_path / "clean.hyp.s1.tsv", f"{B}\tfor\n{A}\tone two\n3-4-0001\t\n")
    write(tmp_path / "clean.hyp.s2.tsv", f"{A}\tone\n")
    write(tmp_path / "other.ref.tsv", "5-6-0001\tfive\n")
    write(tmp_path / "other.hyp.s1.tsv", "5-6-0001\tfive\n")
    return tmp_path


def test_a_folder_is_read_as_sets_of_references_and_systems(folder: Path) -> None:
    evalset = read(folder)
    assert evalset.systems == ("s1", "s2")
    assert evalset.items == (B, A, "3-4-0001", "5-6-0001")
    assert evalset.references["ref"] == ("four", "one two", "three", "five")
    assert evalset.outputs["s1"] == ("for", "one two", "", "five")
    assert evalset.outputs["s2"] == (None, "one", None, None)


def test_speaker_chapter_and_document_come_from_the_ids(folder: Path) -> None:
    evalset = read(folder)
    assert evalset.item_context["set"] == ("clean", "clean", "clean", "other")
    assert evalset.item_context["speaker"] == ("1", "1", "3", "5")
    assert evalset.item_context["chapter"] == ("20", "20", "4", "6")
    assert [name for name, _ in evalset.documents] == ["1-20", "3-4", "5-6"]


def test_ids_of_another_form_keep_their_order_and_give_no_context(tmp_path: Path) -> None:
    write(tmp_path / "ref.trn", "b (utt2)\n;; a comment\n\na (utt1)\n")
    write(tmp_path / "x.trn", "a(utt1)\n(utt2)\n")
    evalset = read_folder(tmp_path)
    assert evalset.items == ("utt2", "utt1")
    assert evalset.outputs == {"x": ("", "a")}
    assert evalset.item_context == {}


def notes_of(reference: Path, *hypotheses: Path, **options: object) -> tuple[EvalSet, list[str]]:
    notes: list[str] = []
    evalset = read_transcripts(
        reference=reference, hypotheses=hypotheses, note=notes.append, **options  # type: ignore[arg-type] # by name
    )  # fmt: skip
    return evalset, notes


def test_tables_are_joined_by_the_name_of_the_recording(tmp_path: Path) -> None:
    reference = write(tmp_path / "actual.csv", f",path,sentence\n0,a/{A}.flac,ONE TWO\n1,a/{B}.flac,THREE\n")
    system = write(
        tmp_path / "cloud.csv",
        f',files,actual,transcription_en-US\n0,C:\\x\\{A}.flac,ONE TWO,"One, two."\n1,./b/{B}.,THREE,three\n',
    )
    evalset, _ = notes_of(reference, system)
    assert evalset.outputs == {"cloud": ("three", "One, two.")}
    named, _ = notes_of(
        reference, system, id_column=("files", "path"), text_column=("transcription_en-US", "sentence")
    )
    assert named == evalset
    assert read_folder(tmp_path) == evalset


def test_every_trap_is_named(tmp_path: Path) -> None:
    reference = write(tmp_path / "ref.csv", "file,text\na.wav,ONE\nb.wav,TWO\nc.wav,THREE\n")
    system = write(
        tmp_path / "azure.csv",
        "file,text,word_error_rate\na.wav,One.,1.0\nb.wav,,0.5\n,,0.9\n",
    )
    evalset, notes = notes_of(reference, system, skip_unnamed=True)
    assert evalset.outputs == {"azure": ("One.", "", None)}
    advice = "every such word counts as an error unless you score with WER(normalise=yes)"
    right = "it is 1 for 1 of 1 transcripts without an error: it holds 1 - WER"
    assert [note.replace(f"{tmp_path}/", "") for note in notes] == [
        "azure.csv: left out 1 row that names no utterance (line 4)",
        "azure.csv: 1 transcript is empty: all words deleted",
        "azure.csv: no transcript of 1 of 3 utterances: no score",
        f"azure.csv: the column 'word_error_rate' is not used; {right}",
        f"ref.csv: case differs from that of azure; {advice}",
        f"ref.csv: punctuation differs from that of azure; {advice}",
    ]


def test_an_error_rate_that_is_no_number_says_nothing(tmp_path: Path) -> None:
    reference = write(tmp_path / "ref.csv", "file,text\na.wav,one\n")
    system = write(tmp_path / "x.csv", "file,text,wer\na.wav,one,n/a\n")
    assert notes_of(reference, system)[1] == [f"{system}: the column 'wer' is not used"]


def test_an_error_rate_that_is_one_is_only_said_not_to_be_used(tmp_path: Path) -> None:
    reference = write(tmp_path / "ref.csv", "file,text\na.wav,one\n")
    system = write(tmp_path / "x.csv", "file,text,WER\na.wav,one,0\n")
    _, notes = notes_of(reference, system)
    assert notes == [f"{system}: the column 'WER' is not used"]


def test_a_row_without_a_file_is_an_error_with_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "file,text\na.wav,one\n,lost\n")
    with pytest.raises(InputError, match=r"x.csv, line 3: the row names no utterance(.|\n)*--skip-unnamed"):
        read_transcript_file(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.trn", "one two\n", r"x.trn, line 1: found no utterance id, expected: text \(id\)"),
        ("x.trn", "a (u)\nb (u)\n", "line 2: utterance 'u' was on line 1 already"),
        ("x.trn", "\n", "holds no transcripts"),
        ("x.tsv", "", "is empty, expected transcripts"),
        ("x.tsv", "u\ta\tb\n", "line 1: found 3 fields, expected ID <tab> TEXT"),
        ("x.csv", "a,b\n1,2\n", r"line 1: there is no id column\n.*id_column"),
        ("x.csv", "id,b\n1,2\n", r"line 1: there is no text column\n.*text_column"),
        ("x.csv", "id,text\n1,2,3\n", "line 2: found 3 fields, expected 2 as in the header"),
        ("x.csv", 'id,text\n1,"a"b\n', "line 2: the fields cannot be told apart"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_transcript_file(write(tmp_path / name, text))


def test_a_carriage_return_in_the_first_text_is_no_header(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "u1\tone\rtwo\nu2\tthree\n")
    assert list(read_transcript_file(path).rows) == ["u1", "u2"]


def test_a_named_column_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "id,text\n1,2\n")
    with pytest.raises(InputError, match=r"there is no text column 'txt'\n.*Did you mean text"):
        read_transcript_file(path, text_column="txt")
    with pytest.raises(InputError, match="there is no id column 'a' or 'b'"):
        read_transcript_file(path, id_column=("a", "b"))


def test_an_utterance_that_the_reference_lacks_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"line 1: utterance '1-20-0000' is not in other.ref.tsv, whose ids"):
        read_transcripts(reference=folder / "other.ref.tsv", hypotheses=folder / "clean.hyp.s1.tsv")


def test_an_id_that_two_sets_share_is_refused(tmp_path: Path) -> None:
    for name in ("clean", "other"):
        (tmp_path / f"{name}.ref.tsv").write_text("u1\ta b\nu2\tc d\n")
        (tmp_path / f"{name}.hyp.s1.tsv").write_text("u1\ta b\n")
    with pytest.raises(InputError, match=r"other.ref.tsv, line 1: utterance 'u1' is in another set already"):
        read_folder(tmp_path)


def test_systems_are_called_after_their_files_or_as_one_says(folder: Path) -> None:
    reference, file = folder / "other.ref.tsv", folder / "other.hyp.s1.tsv"
    assert read_transcripts(reference=reference, hypotheses={"mine": file}).systems == ("mine",)
    with pytest.raises(InputError, match=r"two files are transcripts of 's1'(.|\n)*Name the systems"):
        read_transcripts(reference=reference, hypotheses=[file, file])
    with pytest.raises(InputError, match="there are no transcripts of systems"):
        read_transcripts(reference=reference, hypotheses=[])


def test_a_folder_may_be_all_hypotheses(tmp_path: Path) -> None:
    reference = write(tmp_path / "ref.trn", "a (u)\n")
    write(tmp_path / "x.trn", "b (u)\n")
    assert read_transcripts(reference=reference, hypotheses=tmp_path, set_name="clean").systems == ("x",)


def test_a_folder_without_references_is_not_taken_for_transcripts(tmp_path: Path) -> None:
    write(tmp_path / "x.trn", "b (u)\n")
    with pytest.raises(InputError, match="the format is not recognised"):
        read(tmp_path)
    with pytest.raises(InputError, match="holds no transcripts: no file is called ref"):
        read_folder(tmp_path)
    write(tmp_path / "ref.trn", "no id\n")
    with pytest.raises(InputError, match="the format is not recognised"):
        read(tmp_path)


def test_only_endings_of_recordings_are_cut_off() -> None:
    cells = ("/a/b.c.wav", "b.c", " u1 ", "x\\y.FLAC", "z.")
    assert [utterance_id(cell) for cell in cells] == ["b.c", "b.c", "u1", "y", "z"]


@pytest.mark.real
def test_the_real_transcripts_say_their_traps(caplog: pytest.LogCaptureFixture) -> None:
    folder = real("asr-librispeech", "cloud")
    with pytest.raises(InputError, match=r"deepspeech.csv, line 2622: the row names no utterance"):
        read_folder(folder)
    evalset = read_folder(folder, skip_unnamed=True)
    assert (evalset.systems, len(evalset.items)) == (("azure", "deepspeech", "google", "watson"), 2620)
    for file in ("deepspeech.csv", "google.csv"):
        assert f"{file}: left out 1 row that names no utterance (line 2622)" in caplog.text
    assert "google.csv: 2 transcripts are empty" in caplog.text
    assert "azure.csv: 6 transcripts are empty" in caplog.text
    for file in ("azure", "deepspeech", "google", "watson"):
        assert f"{file}.csv: the column 'word_error_rate' is not used; it is 1 for" in caplog.text
    assert "case differs from that of azure, deepspeech, google, watson" in caplog.text
    assert "punctuation differs from that of azure, google, watson" in caplog.text


@pytest.mark.real
def test_the_real_transcripts_of_two_sets_are_one_evalset() -> None:
    evalset = read(real("asr-librispeech", "rnnt"))
    assert evalset.systems == ("b1", "b2", "s1", "s2", "s3", "s4", "s5")
    sets = evalset.item_context["set"]
    assert (sets.count("test-clean"), sets.count("test-other")) == (2620, 2939)
    assert len(set(evalset.item_context["speaker"])) == 73
