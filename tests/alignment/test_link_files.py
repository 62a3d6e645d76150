"""Pharaoh and A3 files: what they mean, and what is said about broken ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from appraise.lib.problems import InputError, Problem
from evaluation.alignment.link_files import parse_links, read_giza, text_lines
from evaluation.alignment.values import mirror_links

PAIRS = [(["the", "red", "house"], ["das", "rote", "haus"]), (["go"], ["geh", "nun"])]

FORWARD = """\
# Sentence pair (1) source length 3 target length 3 alignment score : 0.01
das rote haus
NULL ({ }) the ({ 1 }) red ({ 2 }) house ({ 3 })
# Sentence pair (2) source length 1 target length 2 alignment score : 0.5
geh nun
NULL ({ 2 }) go ({ 1 })
"""
BACKWARD = """\
# Sentence pair (1) source length 3 target length 3 alignment score : 0.01
the red house
NULL ({ }) das ({ 1 }) rote ({ 2 }) haus ({ 3 })
# Sentence pair (2) source length 2 target length 1 alignment score : 0.5
go
NULL ({ }) geh ({ }) nun ({ 1 })
"""


def problem(call: Callable[[], object]) -> Problem:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.problems[0]


def test_pharaoh_lines_count_from_zero_or_from_one_as_told() -> None:
    assert parse_links("0-0 1-1 2-2", 3, 3) == ((0, 0), (1, 1), (2, 2))
    assert parse_links("1-1 3-3 1-1", 3, 3, base=1) == ((0, 0), (2, 2))


@pytest.mark.parametrize(
    "token", ["3:4", "a-b", "3-", "-1-2", "1--2", "٣-4", "1_0-2", "1-2-3", "0-9999999", "1.0-2"]
)
def test_what_is_not_a_link_is_named_with_its_place(token: str) -> None:
    found = problem(lambda: parse_links(f"0-0 {token}", 3, 3, file="x.align", line=1))
    assert (found.code, found.file, found.line, found.column) == ("alignment_syntax", "x.align", 1, 5)
    assert token in found.message


def test_an_index_beyond_the_sentence_shows_its_length_and_suggests_the_other_base() -> None:
    found = problem(lambda: parse_links("3-3", 3, 3, file="f", line=7))
    assert found.code == "alignment_range"
    assert "3 and 3 tokens" in found.message
    assert "--link-base 1" in found.remedy
    found = problem(lambda: parse_links("0-0", 3, 3, base=1))
    assert "--link-base 0" in found.remedy
    assert "direction" in problem(lambda: parse_links("1-7", 9, 3)).remedy
    assert "belong together" in problem(lambda: parse_links("40-40", 3, 3)).remedy


def test_all_problems_of_a_line_are_reported_together() -> None:
    with pytest.raises(InputError) as caught:
        parse_links("x 9-9", 3, 3)
    assert [p.code for p in caught.value.problems] == ["alignment_syntax", "alignment_range"]


def test_a_base_that_is_neither_0_nor_1_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="link base must be 0 or 1, not 2"):
        parse_links("0-0", 1, 1, base=2)


def test_only_line_ends_end_lines_and_bad_bytes_are_located() -> None:
    assert text_lines("a\u2028b\x85c\x0cd\re\n".encode()) == ["a\u2028b\x85c\x0cd", "e"]
    found = problem(lambda: text_lines(b"ok\n\xff", "f"))
    assert (found.code, found.line) == ("bad_utf8", 2)


def test_a3_files_give_source_target_links_in_either_direction() -> None:
    assert read_giza(FORWARD.encode(), PAIRS) == (((0, 0), (1, 1), (2, 2)), ((0, 0),))
    backward = read_giza(BACKWARD.encode(), [(b, a) for a, b in PAIRS])
    assert [mirror_links(links) for links in backward] == [((0, 0), (1, 1), (2, 2)), ((0, 1),)]


BROKEN_A3 = {
    "a3_triple": (FORWARD.rsplit("\n", 2)[0] + "\n", 4),
    "a3_triple ": ("das rote haus\n", 1),
    "a3_syntax": (FORWARD.replace("red ({ 2 })", "red ({ 2 }"), 3),
    "a3_syntax ": (FORWARD.replace("red ({ 2 })", "red ({ zwei })"), 3),
    "a3_null": (FORWARD.replace("NULL ({ }) the", "the"), 3),
    "a3_length": (FORWARD.replace("source length 3", "source length 4"), 1),
    "a3_duplicate": (FORWARD.replace("red ({ 2 })", "red ({ 1 2 })"), 3),
    "alignment_range": (FORWARD.replace("house ({ 3 })", "house ({ 4 })"), 3),
    "a3_text": (FORWARD.replace("rote haus", "graue haus"), 2),
    "direction_suspect": (BACKWARD, 1),
    "line_count": (FORWARD.split("# Sentence pair (2)")[0], None),
}


@pytest.mark.parametrize("code", BROKEN_A3)
def test_a_broken_a3_file_is_refused_with_place_and_remedy(code: str) -> None:
    text, line = BROKEN_A3[code]
    found = problem(lambda: read_giza(text.encode(), PAIRS, file="x.A3.final"))
    assert (found.code, found.line, found.file) == (code.strip(), line, "x.A3.final")
    assert found.remedy


def test_a_text_that_differs_shows_the_first_difference() -> None:
    found = problem(lambda: read_giza(BROKEN_A3["a3_text"][0].encode(), PAIRS))
    assert found.message == "target word 2 is 'graue', the task has 'rote'"


def problems(call: Callable[[], object]) -> tuple[Problem, ...]:
    try:
        call()
    except InputError as error:
        return error.problems
    return ()


@given(st.binary(max_size=60) | st.text("0123-:# \n(){}NULL", max_size=80).map(str.encode))
def test_any_bytes_are_read_or_refused_by_code(data: bytes) -> None:
    for found in problems(lambda: read_giza(data, PAIRS)):
        assert found.code
        assert found.message


@given(st.text("0123-:# ", max_size=40))
def test_any_line_of_links_is_read_or_refused_by_code(line: str) -> None:
    assert all(found.code for found in problems(lambda: parse_links(line, 3, 3)))


@given(st.integers(0, len(FORWARD)), st.text("({}) 1#\nx", max_size=3), st.integers(0, 3))
def test_a_damaged_a3_file_is_read_or_refused_by_code(place: int, insert: str, cut: int) -> None:
    damaged = FORWARD[:place] + insert + FORWARD[place + cut :]
    assert all(found.remedy for found in problems(lambda: read_giza(damaged.encode(), PAIRS)))
