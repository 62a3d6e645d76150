"""``manage.py score`` on files: what it prints, and what it refuses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

REFERENCE = "the cat sat on the mat\n\nhello world\n"
OUTPUT = "the cat sat on a mat\nempty above\nhello there world\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, content in {
        "ref": REFERENCE,
        "ref2": REFERENCE.upper(),
        "hyp": OUTPUT,
        "src": "x\ny\nz\n",
    }.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(OUTPUT.encode()))
    return tmp_path


def score(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    call_command("score", *map(str, arguments))
    return json.loads(capsys.readouterr().out)


def refusal(*arguments: object) -> str:
    with pytest.raises(CommandError) as caught:
        call_command("score", *map(str, arguments))
    assert caught.value.returncode == 2
    return str(caught.value)


@pytest.mark.parametrize("named", [True, False])
def test_a_path_may_hold_an_equals_sign(files: Path, named: bool, capsys: pytest.CaptureFixture[str]) -> None:
    path = files / "hyp.beam=4"
    path.write_text(OUTPUT)
    given, name = (f"A={path}", "A") if named else (str(path), str(path))
    assert list(score(capsys, "--metrics=wer", "--hyp", given, "--ref", files / "ref")["wer"]["corpus"]) == [
        name
    ]


def test_it_prints_one_document_with_corpus_and_segments(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = score(
        capsys,
        "--metrics",
        "wer,bleu,ter",
        "--hyp",
        f"A={files / 'hyp'}",
        f"B={files / 'ref'}",
        "--ref",
        files / "ref",
    )
    assert list(found) == ["wer", "bleu", "ter"]
    assert found["wer"]["corpus"] == {"A": (1 + 2 + 1) / 8, "B": 0}
    assert found["wer"]["segments"]["A"] == [1 / 6, 1, 1 / 2]
    assert found["wer"]["higher_is_better"] is False
    assert found["bleu"]["corpus"]["B"] == pytest.approx(100)
    assert found["ter"]["signature"].endswith("|refs:1")


def test_packed_files_and_several_references(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = score(
        capsys, "--metrics=wer", "--hyp", files / "packed.gz", "--ref", files / "ref", files / "ref2"
    )
    assert list(found["wer"]["corpus"]) == [str(files / "packed.gz")]
    assert "refs:2" in found["wer"]["signature"]


def test_tokenisation_and_case_reach_the_metrics_that_have_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--hyp", files / "ref2", "--ref", files / "ref"]
    plain = score(capsys, "--metrics=wer,chrf", *common)
    lower = score(capsys, "--metrics=wer,chrf,bleu:tokenize=char", "--lowercase", "--tokenize=intl", *common)
    name = str(files / "ref2")
    assert plain["wer"]["corpus"][name] == 1
    assert lower["wer"]["corpus"][name] == 0
    assert "tok:intl|case:lc" in lower["wer"]["signature"]
    assert "tok:char" in lower["bleu:tokenize=char"]["signature"]
    assert lower["chrf"]["corpus"][name] == 100


def test_workers_change_nothing(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--metrics=bleu,chrf++,ter,nist,meteor", "--hyp", files / "hyp", "--ref", files / "ref"]
    assert score(capsys, *arguments) == score(capsys, *arguments, "--workers=3")


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_systems_are_tested_against_a_baseline(
    files: Path, capsys: pytest.CaptureFixture[str], test: str
) -> None:
    found = score(
        capsys, "--metrics=wer", "--hyp", f"A={files / 'hyp'}", f"B={files / 'ref'}", "--ref", files / "ref",
        "--baseline=A", "--resamples=50", f"--test={test}",
    )  # fmt: skip
    table = found["wer"]["significance"]["systems"]
    assert table["A"]["p"] is None
    assert 0 < table["B"]["p"] <= 1
    assert table["B"]["difference"] == -0.5


def test_the_list_names_what_each_metric_needs(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("score", "--list")
    listed = capsys.readouterr().out.splitlines()
    assert any(line.startswith("wer ") for line in listed)
    entries = {entry["name"]: entry for entry in score(capsys, "--list", "--format=json")}
    assert entries["bleu"]["needs"] == ["reference"]
    assert entries["bleu"]["missing"] is None
    columns = {line.index(entry["title"]) for line, entry in zip(listed, entries.values(), strict=True)}
    assert columns == {max(map(len, entries)) + 1}  # all titles stand below each other


def test_progress_counts_one_system_as_one(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--ref", str(files / "ref"), str(files / "ref2")]
    call_command("score", "--metrics=wer", "--hyp", str(files / "hyp"), *both)
    assert "wer: 1 system, 2 references\n" in capsys.readouterr().err


def test_a_table_for_people(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "score", "--metrics=wer", "--format=text", "--hyp", f"A={files / 'hyp'}", "--ref", str(files / "ref")
    )
    assert "0.5000" in capsys.readouterr().out


def test_the_table_for_people_tells_what_the_tests_found(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    systems = [f"A={files / 'hyp'}", f"B={files / 'ref'}"]
    texts = ["--hyp", *systems, "--ref", str(files / "ref"), "--baseline=A"]
    call_command("score", "--metrics=wer", *texts)
    found = json.loads(capsys.readouterr().out)["wer"]["significance"]["systems"]["B"]
    call_command("score", "--metrics=wer", "--format=text", *texts)
    baseline, other = capsys.readouterr().out.splitlines()[1:]
    assert other.endswith(f"{found['difference']:+.4f} against A, p = {found['p']:.4f} (bootstrap)")
    assert "against" not in baseline


def test_different_line_counts_are_refused_by_name(files: Path) -> None:
    (files / "short").write_text("one\n")
    said = refusal("--metrics=wer", "--hyp", files / "short", "--ref", files / "ref")
    assert said.startswith(f"{files / 'short'}: line_count: expected 3 lines")


def test_a_last_line_without_its_end_counts(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "open").write_bytes(OUTPUT.rstrip("\n").replace("\n", "\r\n").encode())
    assert score(capsys, "--metrics=wer", "--hyp", files / "open", "--ref", files / "ref")["wer"]["segments"][
        str(files / "open")
    ] == [1 / 6, 1, 1 / 2]


def test_other_encodings_are_refused_with_the_place(files: Path) -> None:
    (files / "latin").write_bytes("the cat\nna\xefve\nx\n".encode("latin-1"))
    said = refusal("--metrics=wer", "--hyp", files / "latin", "--ref", files / "ref")
    assert said.startswith(f"{files / 'latin'}:2:3: bad_utf8")
    (files / "marked").write_bytes("\ufeffé".encode() + b"\xff\n")
    said = refusal("--metrics=wer", "--hyp", files / "marked", "--ref", files / "ref")
    assert said.startswith(f"{files / 'marked'}:1:2: bad_utf8")
    (files / "wide").write_bytes(OUTPUT.encode("utf-16"))
    assert "bad_utf8" in refusal("--metrics=wer", "--hyp", files / "wide", "--ref", files / "ref")


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "empty_file"), (b"\x1f\x8b\x08broken", "bad_gzip"), (None, "unreadable_file")]
)
def test_files_that_are_no_text_are_refused(files: Path, content: bytes | None, code: str) -> None:
    if content is not None:
        (files / "bad").write_bytes(content)
    assert code in refusal("--metrics=wer", "--hyp", files / "bad", "--ref", files / "ref")


@pytest.mark.parametrize(("option", "least"), [("workers", 1), ("resamples", 1), ("seed", 0)])
def test_numbers_out_of_bounds_are_refused_by_the_parser(option: str, least: int) -> None:
    with pytest.raises(CommandError, match=f"--{option}: '{least - 1}' is no whole number from {least}"):
        call_command("score", "--metrics=wer", f"--{option}={least - 1}")


def test_senseless_options_are_refused(files: Path) -> None:
    given = ["--hyp", files / "hyp", "--ref", files / "ref"]
    assert "unknown metric" in refusal("--metrics=blue", *given)
    assert "no parameter" in refusal("--metrics=wer:beam=3", *given)
    assert refusal("--metrics=wer", "--hyp", files / "hyp").endswith("needs a reference; add --ref FILE")
    assert "at least one file" in refusal("--metrics=wer")
    assert "at least one metric" in refusal(*given)
    assert "two systems" in refusal(
        "--metrics=wer", "--hyp", files / "hyp", files / "hyp", "--ref", files / "ref"
    )
    assert "is none of" in refusal("--metrics=wer", "--baseline=Z", *given)
    assert "mecab" in refusal("--metrics=bleu", "--tokenize=ja-mecab", *given).lower()
