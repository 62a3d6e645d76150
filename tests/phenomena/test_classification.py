"""What two phrases differ in."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from evaluation.phenomena.classification import Phenomenon, Phenomenon as P, _only_words, classify_pair
from evaluation.voters import TaggedWord, WordClass

CASES = [
    ("the house", "a house", "en", {P.FUNCTION_WORD}),
    ("in the house", "at the house", "en", {P.FUNCTION_WORD}),
    ("houses", "house", "en", {P.INFLECTION}),
    ("der alte Mann", "dem alten Mann", "de", {P.INFLECTION}),
    ("12 cats", "21 cats", "en", {P.NUMBER}),
    ("1,000 people", "1000 people", "en", {P.SPELLING}),
    ("is not good", "is good", "en", {P.NEGATION}),
    ("never went", "went", "en", {P.NEGATION}),
    ("ist nicht da", "ist da", "de", {P.NEGATION}),
    ("Merkel", "Macron", "en", {P.NAME}),
    ("Haus", "Hütte", "de", {P.CHOICE}),
    ("NATO", "UNO", "de", {P.NAME}),
    ("The", "the", "en", {P.SPELLING}),
    ("well ,", "well", "en", {P.SPELLING}),
    ("red big", "big red", "en", {P.ORDER}),
    ("quick", "fast", "en", {P.CHOICE}),
    ("猫", "犬", "ja", {P.CHOICE}),
]


@pytest.mark.parametrize(("first", "second", "language", "expected"), CASES)
def test_examples(first: str, second: str, language: str, expected: set[Phenomenon]) -> None:
    assert set(classify_pair(first.split(), second.split(), language=language)) == expected


def test_words_that_the_reference_has_were_omitted_by_the_other_side() -> None:
    reference = ["the", "old", "man", "sleeps"]
    assert classify_pair(["old"], [], language="en", reference=reference) == (P.OMISSION,)
    assert classify_pair([], ["very"], language="en", reference=reference) == (P.INSERTION,)
    assert classify_pair([], ["very"], language="en") == (P.ONE_SIDED,)


def test_a_lost_negation_is_named_besides_the_omission() -> None:
    assert classify_pair(["not"], [], language="en", reference=["not"]) == (P.OMISSION, P.NEGATION)


def test_a_moved_phrase_is_about_word_order_whatever_its_words() -> None:
    assert classify_pair(["today"], ["today"], language="en", moved=True) == (P.ORDER,)


WORDS = st.lists(
    st.sampled_from(
        ["the", "a", "Not", "not", "12", "1,2", "Paris", "paris", "house", "houses", ",", "went"]
    ),
    max_size=4,
)


@given(WORDS, WORDS, st.booleans())
def test_exchanging_the_sides_changes_nothing_and_something_is_always_said(
    first: list[str], second: list[str], moved: bool
) -> None:
    if not first and not second:
        return
    found = classify_pair(first, second, language="en", moved=moved)
    assert found
    assert found == classify_pair(second, first, language="en", moved=moved)
    assert len(set(found)) == len(found)


@given(WORDS, WORDS)
def test_only_words_that_the_other_side_has_not_are_compared(first: list[str], second: list[str]) -> None:
    one, other = _only_words(first, second)
    assert Counter(one) == Counter(first) - Counter(second)
    assert Counter(other) == Counter(second) - Counter(first)


def test_the_first_word_of_a_sentence_is_no_name_unless_a_reference_says_so() -> None:
    assert classify_pair(["Yesterday"], ["Lately"], language="en") == (P.NAME,)
    assert classify_pair(["Yesterday"], ["Lately"], language="en", begins=True) == (P.CHOICE,)
    reference = ["Yesterday", "Merkel", "spoke"]
    assert classify_pair(["Merkel"], ["Macron"], language="en", begins=True, reference=reference) == (P.NAME,)
    assert classify_pair(["NATO"], ["UNO"], language="en", begins=True) == (P.NAME,)


def words(**tagged: tuple[WordClass, str]) -> dict[str, TaggedWord]:
    return {form: TaggedWord(*about) for form, about in tagged.items()}


FUNCTION, CONTENT, NAME, NUMBER = WordClass.FUNCTION, WordClass.CONTENT, WordClass.NAME, WordClass.NUMBER
TAGGED = [
    ("went", "goes", words(went=(CONTENT, "go"), goes=(CONTENT, "go")), {P.INFLECTION}, {P.CHOICE}),
    ("saw", "see", words(saw=(CONTENT, "saw"), see=(CONTENT, "see")), {P.CHOICE}, {P.CHOICE}),
    ("the can", "the tin", words(can=(CONTENT, "can"), tin=(CONTENT, "tin")), {P.CHOICE}, {P.CHOICE}),
    ("two cats", "three cats", words(two=(NUMBER, "two"), three=(NUMBER, "three")), {P.NUMBER}, {P.CHOICE}),
    ("one cat", "a cat", words(one=(NUMBER, "one"), a=(FUNCTION, "a")), {P.CHOICE}, {P.CHOICE}),
    ("German", "Dutch", words(german=(CONTENT, "german"), dutch=(CONTENT, "dutch")), {P.CHOICE}, {P.NAME}),
    (
        "beyond",
        "over",
        words(beyond=(FUNCTION, "beyond"), over=(FUNCTION, "over")),
        {P.FUNCTION_WORD},
        {P.CHOICE},
    ),
]


@pytest.mark.parametrize(("first", "second", "tags", "by_tags", "by_lists"), TAGGED)
def test_tags_tell_what_lists_cannot(
    first: str,
    second: str,
    tags: dict[str, TaggedWord],
    by_tags: set[Phenomenon],
    by_lists: set[Phenomenon],
) -> None:
    assert set(classify_pair(first.split(), second.split(), language="en", words=tags)) == by_tags
    assert set(classify_pair(first.split(), second.split(), language="en")) == by_lists


@given(WORDS, WORDS)
def test_a_tagger_that_knows_no_word_changes_nothing(first: list[str], second: list[str]) -> None:
    assert classify_pair(first, second, language="en", words={}) == classify_pair(
        first, second, language="en"
    )
