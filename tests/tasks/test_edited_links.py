"""A person's links are read by the rules of the import."""

from __future__ import annotations

from hypothesis import given, strategies as st

from evaluation import tokens
from evaluation.alignment import align, load_aligner
from evaluation.presentation import Stave
from evaluation.tasks.edited_links import (
    Realignment,
    corrected_name,
    is_from_file,
    is_joined,
    links_from_phrases,
    plan_comparison,
)
from evaluation.tasks.planning import PhraseRow, PlannedComparison

WORDS = ["the", "The", "red", "blue", "car", "cars", "on", "Monday", "went", "gone", ","]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
LEXICAL = load_aligner("lexical", "en")


def stave(text: str) -> Stave:
    return Stave(text, tokens.offsets(text, "en"))


def plan(
    a: str, b: str, links: tuple[tuple[int, int], ...], name: str = "lexical-1", *, join: bool = True
) -> PlannedComparison:
    correction = Realignment(links, join)
    return plan_comparison("s1", stave(a), stave(b), correction, aligner=name, rules=None, ask_moved=True)


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens.offsets(text, "en")]


@given(TEXTS, TEXTS)
def test_the_links_of_the_import_give_the_phrases_of_the_import(a: str, b: str) -> None:
    made = align(words(a), words(b), aligner=LEXICAL, ignore_case=True, join=True)
    assert plan(a, b, made.links).alignment.phrases == made.phrases


@given(TEXTS, TEXTS, st.data())
def test_whatever_is_linked_every_word_is_in_one_phrase(a: str, b: str, data: st.DataObject) -> None:
    n, m = len(words(a)), len(words(b))
    link = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
    links = tuple(data.draw(st.lists(link, max_size=12)))
    made = plan(a, b, links, join=data.draw(st.booleans()))
    spans = [row[:2] for row in made.rows if row[0] is not None]
    covered = [i for start, end in spans for i in range(int(start or 0), int(end or 0))]
    assert sorted(covered) == list(range(n))
    # A stored version can be opened and stored again without a change.
    assert plan(a, b, links, made.aligner, join=is_joined(made.aligner)).rows == made.rows


def test_case_counts_only_where_links_came_with_the_file() -> None:
    ours = plan("The car", "the car", ((0, 0), (1, 1)))
    given_links = plan("The car", "the car", ((0, 0), (1, 1)), "given links", join=False)
    assert (len(ours.questions), len(given_links.questions)) == (0, 1)


def test_a_long_name_keeps_how_it_was_corrected() -> None:
    name = corrected_name("lexical " + "x" * 200, join=False)
    assert len(name) == 120
    assert not is_joined(name)
    assert is_joined(corrected_name(name, join=True))
    assert is_from_file(corrected_name("given phrases", join=True))


def test_links_that_stand_for_phrases_bring_the_phrases_back() -> None:
    rows: list[PhraseRow] = [
        [0, 1, 0, 1, "shared", False],
        [1, 3, 1, 2, "different", False],
        [3, 4, None, None, "a_only", False],
    ]
    links = links_from_phrases(rows)
    assert plan("the red car went", "the blue", links, "given phrases", join=False).rows == rows
