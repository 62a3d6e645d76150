"""Reading judgements: what is accepted, and how each fault is reported with its place."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from appraise.lib.problems import InputError, Problem
from evaluation.agreement import Judgements, read_judgements

LABELS = ("x", "y")


def read(tmp_path: Path, text: str | bytes) -> Judgements:
    path = tmp_path / "study.tsv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_judgements(path, LABELS)


def refused(tmp_path: Path, text: str | bytes) -> Problem:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.problems[0].file.endswith("study.tsv")
    return caught.value.problems[0]


def test_plain_rows(tmp_path: Path) -> None:
    j = read(tmp_path, "annotator\titem\tlabel\nann\t1\tx\nbob\t1\ty\n")
    assert (j.annotator_names, j.labels.tolist(), j.items.tolist()) == (("ann", "bob"), [0, 1], [0, 0])


def test_columns_in_any_order_with_sentence_and_others(tmp_path: Path) -> None:
    j = read(tmp_path, "label\tsentence\tnote\titem\tannotator\nx\ts1\t-\t1\tann\ny\ts1\t-\t2\tann\n")
    assert j.sentences.tolist() == [0, 0]
    assert j.items.tolist() == [0, 1]


def test_gzip_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    text = "\ufeffannotator\titem\tlabel\r\nann\t1\tx\r\n"
    assert len(read(tmp_path, gzip.compress(text.encode()))) == 1


def test_a_skipped_item_is_no_judgement(tmp_path: Path) -> None:
    assert len(read(tmp_path, "annotator\titem\tlabel\nann\t1\t\nann\t2\tx\n")) == 1


def test_only_a_header_is_a_study_without_data(tmp_path: Path) -> None:
    assert len(read(tmp_path, "annotator\titem\tlabel\n")) == 0


def test_names_may_hold_any_character_but_the_tab(tmp_path: Path) -> None:
    j = read(tmp_path, 'annotator\titem\tlabel\n"Zoë", 2nd\t"\tx\n')
    assert j.annotator_names == ('"Zoë", 2nd',)


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "empty_file", None, None),
        ("annotator\titem\nann\t1\n", "missing_column", 1, None),
        ("ann\t1\tx\n", "missing_column", 1, None),
        ("annotator\titem\tlabel\titem\nann\t1\tx\t2\n", "bad_header", 1, None),
        ("annotator\titem\tlabel\nann\t1\n", "column_count", 2, 7),
        ("annotator\titem\tlabel\nann\t1\tx\tmore\n", "column_count", 2, 8),
        ("annotator\titem\tlabel\nann\t1\tx\nann\t2\tz\n", "unknown_label", 3, 3),
        ("annotator\titem\tlabel\n\t1\tx\n", "empty_cell", 2, 1),
        ("annotator\titem\tlabel\nann\t\tx\n", "empty_cell", 2, 2),
        ("annotator\titem\tlabel\tsentence\nann\t1\tx\t\n", "empty_cell", 2, 4),
        ("annotator\titem\tlabel\tsentence\na\t1\tx\ts\nb\t1\tx\tt\n", "item_in_two_sentences", 3, 4),
        (b"annotator\titem\tlabel\nann\t1\t\xff\n", "bad_utf8", 2, 7),
        (b"\x1f\x8bnot gzip", "bad_gzip", None, None),
        (gzip.compress(b"", mtime=0)[:10] + b"\xff" * 20, "bad_gzip", None, None),
        (gzip.compress(b"annotator\titem\tlabel\n", mtime=0)[:-9], "bad_gzip", None, None),
    ],
)
def test_faults_carry_their_place(
    tmp_path: Path, text: str | bytes, code: str, line: int | None, column: int | None
) -> None:
    problem = refused(tmp_path, text)
    assert (problem.code, problem.line, problem.column) == (code, line, column)
    assert problem.remedy


def test_all_problems_are_reported_up_to_a_hundred(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "annotator\titem\tlabel\n" + "ann\t1\tz\n" * 500)
    assert len(caught.value.problems) == 100


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unreadable_file: No such file"):
        read_judgements(tmp_path / "absent.tsv", LABELS)
