"""Bytes to text to lines, whatever the size of the pieces in which they are read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from appraise.lib.problems import InputError
from evaluation.importers import COMMAND_LINE, Limits, SourceFile, decode, read
from evaluation.importers.decode import lines
from evaluation.importers.model import safe_name, with_safe_names
from evaluation.importers.state import ImportState
from tests.importers.bad_inputs import GOOD_TSV

text = st.text(st.sampled_from("ab ü好😀\u2028\u0085\x0c\r\n"), max_size=40)


def numbered(content: str, size: int, *, cr_ends: bool) -> list[tuple[int, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "CHUNK", size)
        file = SourceFile.from_bytes("a", content.encode())
        return list(lines(file, ImportState([file]), cr_ends=cr_ends))


def slow_twin(content: str, *, cr_ends: bool) -> list[str]:
    content = content.replace("\r\n", "\n")
    if cr_ends:
        content = content.replace("\r", "\n")
    return content.removesuffix("\n").split("\n")


@settings(deadline=None)
@given(content=text.filter(bool), size=st.integers(1, 9), cr_ends=st.booleans())
def test_lines_do_not_depend_on_the_pieces(content: str, size: int, cr_ends: bool) -> None:
    expected = list(enumerate(slow_twin(content, cr_ends=cr_ends), 1))
    assert numbered(content, size, cr_ends=cr_ends) == [
        (number, line.removesuffix("\r") if number == len(expected) and not cr_ends else line)
        for number, line in expected
    ]


def test_only_line_feed_and_its_carriage_return_end_a_line_of_text() -> None:
    content = "one\u2028still one\u0085and\x0cthis\r\ntwo\rstill two\n"
    found = numbered(content, 64, cr_ends=False)
    assert found == [(1, "one\u2028still one\u0085and\x0cthis"), (2, "two\rstill two")]


@given(prefix=st.text("aü\n", max_size=20), size=st.integers(1, 7))
def test_a_bad_byte_is_reported_at_its_offset_line_and_column(prefix: str, size: int) -> None:
    data = prefix.encode() + b"\xff" + b"abc"
    file = SourceFile.from_bytes("a", data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "CHUNK", size)
        with pytest.raises(InputError) as caught:
            list(decode.chunks(file, ImportState([file])))
    (problem,) = caught.value.problems
    assert f"offset {len(prefix.encode())} " in problem.message
    assert problem.line == prefix.count("\n") + 1
    assert problem.column == len(prefix) - prefix.rfind("\n")


def test_the_size_cap_is_stated() -> None:
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        read([SourceFile.from_bytes("a.tsv", GOOD_TSV.encode() * 50)], limits=Limits(max_bytes=1000))


def test_gzip_is_read_on_the_command_line_only() -> None:
    file = SourceFile.from_bytes("a.tsv.gz", gzip.compress(GOOD_TSV.encode()))
    assert len(read([file], limits=COMMAND_LINE).items) == 2
    with pytest.raises(InputError, match="gzip archive"):
        read([file])


def test_a_gzip_bomb_meets_the_cap_on_the_unpacked_size() -> None:
    bomb = gzip.compress(b"x" * 5_000_000)
    file = SourceFile.from_bytes("bomb.gz", bomb)
    with pytest.raises(InputError) as caught:
        read([file], format="tsv", limits=Limits(max_bytes=100_000, gzip=True))
    assert caught.value.problems[0].code == "too_large"


def test_a_torn_gzip_file_is_a_coded_error() -> None:
    torn = gzip.compress(GOOD_TSV.encode() * 100)[:-20]
    with pytest.raises(InputError) as caught:
        read([SourceFile.from_bytes("a.gz", torn)], limits=COMMAND_LINE)
    assert caught.value.problems[0].code == "bad_gzip"


@pytest.mark.parametrize("name", ["absent.tsv", ""])
def test_a_file_that_cannot_be_opened_is_a_coded_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        read([SourceFile.from_path(tmp_path / name)])
    assert caught.value.problems[0].code == "unreadable_file"


def test_a_file_is_read_again_whenever_its_items_are_asked_for() -> None:
    found = read([SourceFile.from_bytes("upload.tsv", GOOD_TSV.encode())])
    assert [item.id for item in found.items] == [item.id for item in found.items] == ["1", "2"]


@given(name=st.text(max_size=400))
def test_a_shown_name_is_short_and_harmless(name: str) -> None:
    shown = safe_name(name, 7)
    assert 0 < len(shown) <= 120
    assert shown.isprintable()
    assert "/" not in shown
    assert "\\" not in shown


def test_files_of_one_name_are_told_apart() -> None:
    files = with_safe_names([SourceFile.from_bytes("a.txt", b"1"), SourceFile.from_bytes("a.txt", b"2")])
    assert [file.name for file in files] == ["a.txt", "file-2-a.txt"]
