"""Options of complete mode: case, punctuation, joined differences, long phrases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from evaluation.alignment import Kind, align, load_aligner
from evaluation.alignment.refinements import split_long
from evaluation.alignment.values import mirror_links
from evaluation.tokens import is_punctuation, tokenize
from tests.alignment.test_complete import Row, links_of, new_seeds, random_case, rows, seeds


def test_ignored_case_is_shared() -> None:
    a, b = ["The", "red", "House"], ["the", "blue", "house"]
    assert [kind for _, _, kind in rows(align(a, b, links=links_of("0-0 1-1 2-2"), ignore_case=True))] == [
        "shared", "different", "shared",
    ]  # fmt: skip
    assert all(kind == "different" for _, _, kind in rows(align(a, b, links=links_of("0-0 1-1 2-2"))))


def test_ignored_punctuation_goes_to_a_phrase_beside_it() -> None:
    a, b = tokenize("Well, he said: no!"), tokenize("Well he said - no.")
    assert rows(align(a, b, ignore_punctuation=True)) == [
        ("Well , he said : no !", "Well he said - no .", "shared")
    ]


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ("a so-called win", "a so - called win", True),
        ("he said &quot; no &quot;", "he said “ no ”", True),
        ("up 1.5 percent", "up 1,5 percent", False),  # the mark is part of the number
        ("it's late", "its late", False),
    ],
)
def test_only_punctuation_differs(a: str, b: str, shared: bool) -> None:
    alignment = align(a.split(), b.split(), aligner=load_aligner("lexical", "en"), ignore_punctuation=True)
    assert all(phrase.kind is Kind.SHARED for phrase in alignment.phrases) == shared


def test_one_small_word_in_two_places_is_one_question_where_questions_are_joined() -> None:
    a, b = ["it", "is", "not", "clear", "yet", "whether"], ["it", "is", "not", "yet", "clear", "whether"]
    plain = [row for row in rows(align(a, b)) if row[2] != "shared"]
    joined = [row for row in rows(align(a, b, join=True)) if row[2] != "shared"]
    assert plain == [("ε", "yet", "b_only"), ("yet", "ε", "a_only")]
    assert joined == [("clear yet", "yet clear", "different")]


def test_a_small_word_far_away_is_another_word() -> None:
    a = ["the", "old", "men", "of", "this", "town", "saw", "a", "storm", "come", "over", "sea"]
    b = ["old", "men", "of", "this", "town", "saw", "a", "storm", "come", "over", "the", "sea"]
    assert [row for row in rows(align(a, b, join=True)) if row[2] != "shared"] == [
        ("the", "ε", "a_only"),
        ("ε", "the", "b_only"),
    ]


def test_two_words_in_a_row_are_the_same_words_however_far_away() -> None:
    a = ["could", "see", "the", "old", "men", "of", "this", "town", "whom", "nobody", "had", "met"]
    b = ["the", "old", "men", "of", "this", "town", "whom", "nobody", "had", "met", "could", "see"]
    alignment = align(a, b, links=[(i, i - 2) for i in range(2, 12)], join=True)
    assert rows(alignment) == [
        ("could see", "could see", "shared*"),
        ("the old men of this town whom nobody had met",) * 2 + ("shared",),
    ]


def test_punctuation_that_stands_alone_stays_one_sided() -> None:
    assert rows(align(["!"], [], ignore_punctuation=True)) == [("!", "ε", "a_only")]


tokens = st.lists(st.sampled_from(["a", "b", "C", "c", ",", "."]), max_size=8)


@given(tokens, tokens)
def test_with_punctuation_ignored_every_word_is_still_in_one_phrase(a: list[str], b: list[str]) -> None:
    alignment = align(a, b, ignore_punctuation=True)
    assert [i for p in alignment.phrases if p.a for i in range(*p.a)] == list(range(len(a)))
    assert sorted(j for p in alignment.phrases if p.b for j in range(*p.b)) == list(range(len(b)))
    for phrase in alignment.phrases:
        left = [t for t in a[slice(*phrase.a or (0, 0))] if not is_punctuation(t)]
        right = [t for t in b[slice(*phrase.b or (0, 0))] if not is_punctuation(t)]
        if phrase.a and phrase.b:
            assert (phrase.kind is Kind.SHARED) == (left == right)


JOINED: list[tuple[str, str, list[Row]]] = [
    (
        "we want the general right to vote now",
        "we want universal suffrage now",
        [("the general right to vote", "universal suffrage", "different")],
    ),
    (
        "she chose the very best ones today",
        "she picked best one today",
        [("chose the very", "picked", "different"), ("ones", "one", "different")],
    ),
    ("that works , Anna said .", "that works , said Anna .", [("Anna said", "said Anna", "different")]),
    # words that only one sentence has stand between neighbours that changed places
    (
        "it was built by the Transport Ministry then",
        "it was built by the Ministry of Transport then",
        [("Transport Ministry", "Ministry of Transport", "different")],
    ),
    (
        "she met a Danish minister again",
        "she met a minister of the Danish kingdom again",
        [("Danish minister", "minister of the Danish kingdom", "different")],
    ),
    # one sentence says it before the shared words, the other after them
    (
        "they closed the rural school then",
        "they closed the school in the country then",
        [("rural school", "school in the country", "different")],
    ),
    (
        "we were told it was late",
        "we heard were it was late",
        [("were told", "heard were", "different")],
    ),
    # … but two small words that have nothing in common are two questions
    (
        "he saw the house in spring",
        "he saw house by spring",
        [("the", "ε", "a_only"), ("in", "by", "different")],
    ),
    (
        "he has seen houses in spring",
        "he seen the houses in spring",
        [("has", "ε", "a_only"), ("ε", "the", "b_only")],
    ),
]


@pytest.mark.parametrize(("a", "b", "questions"), JOINED)
def test_neighbouring_differences_join_into_one_question(a: str, b: str, questions: list[Row]) -> None:
    alignment = align(a.split(), b.split(), aligner=load_aligner("lexical", "en"), join=True)
    assert [row for row in rows(alignment) if row[2] != "shared"] == questions


def test_a_long_phrase_is_split_after_a_pause_else_in_the_middle() -> None:
    paused = align(["u", "v", ",", "w", "x", "y"], ["p", "q", ";", "r"], links=[], max_length=4)
    assert [(p.a, p.b) for p in paused.phrases] == [((0, 3), (0, 3)), ((3, 6), (3, 4))]
    even = align(["u", "v", "w", "x"], ["p", "q", "r", "s"], links=[], max_length=2)
    assert [(p.a, p.b) for p in even.phrases] == [((0, 2), (0, 2)), ((2, 4), (2, 4))]


def test_a_long_phrase_is_not_split_across_a_link() -> None:
    blocks = split_long(
        tuple("uvwxy"), tuple("pqrs"), [(0, 5, 0, 4)], [(3, 0), (4, 3)], 4, lambda block: False
    )
    assert blocks == [(0, 4, 0, 3), (4, 5, 3, 4)]


def test_a_phrase_with_one_word_on_a_side_cannot_be_split() -> None:
    assert len(align(["u", "v", "w", "x"], ["p"], links=[], max_length=2).phrases) == 1


def test_a_maximum_length_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="max_length must be at least 1, not 0"):
        align(["x"], ["y"], max_length=0)


@given(st.text("abc", max_size=9), st.text("defa", max_size=9), st.integers(1, 4))
def test_no_two_sided_difference_is_longer_than_the_maximum_unless_one_side_is_a_word(
    a: str, b: str, limit: int
) -> None:
    for phrase in align(a, b, links=[], max_length=limit).phrases:
        if phrase.kind is Kind.DIFFERENT and phrase.a and phrase.b:
            left, right = phrase.a[1] - phrase.a[0], phrase.b[1] - phrase.b[0]
            assert max(left, right) <= limit or min(left, right) == 1


WORDS = dict(zip("abcdeF", ("the", "house", "1995", ",", "a", "of"), strict=True))


@pytest.mark.parametrize("density", ["one-to-one", "sparse", "dense"])
@settings(max_examples=300, deadline=None)
@given(seed=seeds)
def test_cut_as_an_import_cuts_them_two_sentences_may_change_places(density: str, seed: int) -> None:
    check_import_laws(density, seed)


@pytest.mark.slow
@pytest.mark.parametrize("density", ["one-to-one", "sparse", "dense"])
def test_ten_thousand_random_link_sets_cut_as_an_import_cuts_them(density: str) -> None:
    # Plain numbers: of a seed hypothesis can make nothing smaller, and would take twice as long as the laws.
    for seed in new_seeds(10_000):
        check_import_laws(density, seed)


def check_import_laws(density: str, seed: int) -> None:
    """Content words, small words, a number and a mark, under any links."""
    of_a, of_b, links = random_case(seed, density, longest=12)
    a, b = [WORDS[char] for char in of_a], [WORDS[char] for char in of_b]
    one, other = (
        align(x, y, links=given_links, ignore_case=True, ignore_punctuation=True, join=True).phrases
        for x, y, given_links in ((a, b, links), (b, a, mirror_links(links)))
    )
    assert {phrase.mirrored for phrase in other} == set(one)
    assert [i for phrase in one if phrase.a for i in range(*phrase.a)] == list(range(len(a)))
    assert sorted(j for phrase in one if phrase.b for j in range(*phrase.b)) == list(range(len(b)))
