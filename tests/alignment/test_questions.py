"""Grouping phrases into questions: its laws for any alignment, and cases that a translator would expect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from evaluation.alignment import PhraseAlignment, align, load_aligner
from evaluation.alignment.differences import Difference, is_island, list_differences
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import (
    PhraseGroup,
    QuestionKind,
    group_questions,
    list_runs,
    project_questions,
)
from evaluation.alignment.values import Span
from evaluation.alignment.word_classes import WordClasses, find_classes
from evaluation.tokens import tokenize

ENGLISH = QuestionRules(find_classes("en"))
ALIGNER = load_aligner("lexical", "en")  # here, because its imports must not run inside a strategy

TOKENS = st.lists(
    st.sampled_from(["the", "of", "was", "house", "houses", "garden", "red", "Red", ",", ".", "2030", "not"]),
    max_size=12,
)
SETTINGS = st.builds(
    QuestionRules,
    st.just(find_classes("en")),
    coarseness=st.sampled_from([0.0, 6.0, 13.0, 40.0]),
    limit=st.sampled_from([2, 5, 10]),
    ask_all=st.booleans(),
)


@st.composite
def alignments(draw: st.DrawFn) -> PhraseAlignment:
    """Alignments by the lexical aligner and by arbitrary links, with and without the flags of an import."""
    a, b = draw(TOKENS), draw(TOKENS)
    with_links, case, punctuation = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    links = None
    if a and b and with_links:
        pair = st.tuples(st.integers(0, len(a) - 1), st.integers(0, len(b) - 1))
        links = draw(st.lists(pair, max_size=12))
    return align(a, b, links=links, aligner=ALIGNER, ignore_case=case, ignore_punctuation=punctuation)


def mirror(alignment: PhraseAlignment) -> tuple[PhraseAlignment, dict[int, int]]:
    """The alignment with A and B exchanged, and where each phrase went."""
    order = _order(alignment)
    mirrored = PhraseAlignment(
        alignment.b, alignment.a, (), (), tuple([alignment.phrases[n].mirrored for n in order])
    )
    return mirrored, {old: new for new, old in enumerate(order)}


def _order(alignment: PhraseAlignment) -> list[int]:
    """Phrase numbers in order of B, each A-only phrase after its left neighbour in A."""
    numbered = list(enumerate(alignment.phrases))
    by_end = {p.a[1]: n for n, p in numbered if p.a}
    order = [n for n, p in numbered if p.a and not p.b and p.a[0] == 0]
    order += [n for _, n in sorted([(p.b, n) for n, p in numbered if p.b])]
    for n, p in numbered:
        if p.a and not p.b and p.a[0]:
            order.insert(order.index(by_end[p.a[0]]) + 1, n)
    return order


@given(alignments(), SETTINGS)
def test_a_phrase_is_in_at_most_one_question_and_every_question_differs(
    alignment: PhraseAlignment, rules: QuestionRules
) -> None:
    groups = group_questions(alignment, rules)
    members = [n for group in groups for n in group.phrases]
    assert len(members) == len(set(members))
    for group in groups:
        assert not all(is_island(alignment.phrases[n]) for n in group.phrases)
        assert list(group.phrases) == sorted(group.phrases)


@given(alignments(), SETTINGS)
def test_a_question_has_at_most_two_runs_a_side(alignment: PhraseAlignment, rules: QuestionRules) -> None:
    for group in group_questions(alignment, rules):
        assert len(list_runs(alignment, group.phrases, "a")) <= 2
        assert len(list_runs(alignment, group.phrases, "b")) <= 2


@given(alignments(), SETTINGS)
def test_shared_words_of_a_question_stand_between_two_of_its_differences(
    alignment: PhraseAlignment, rules: QuestionRules
) -> None:
    for group in group_questions(alignment, rules):
        phrases = [alignment.phrases[n] for n in group.phrases]
        for island in filter(is_island, phrases):
            differing = [p for p in phrases if not is_island(p)]
            assert any(_precedes(p.a, island.a) or _precedes(p.b, island.b) for p in differing)
            assert any(_precedes(island.a, p.a) or _precedes(island.b, p.b) for p in differing)


def _precedes(one: Span | None, other: Span | None) -> bool:
    return one is not None and other is not None and one[1] <= other[0]


@given(alignments(), SETTINGS)
def test_exchanging_the_sentences_mirrors_the_questions(
    alignment: PhraseAlignment, rules: QuestionRules
) -> None:
    mirrored, place = mirror(alignment)
    expected = {
        (tuple(sorted(place[n] for n in g.phrases)), g.kind, g.is_whole_sentence)
        for g in group_questions(alignment, rules)
    }
    assert {(g.phrases, g.kind, g.is_whole_sentence) for g in group_questions(mirrored, rules)} == expected


def list_asked(groups: Iterable[PhraseGroup]) -> set[int]:
    """The phrases that are part of a question."""
    return {number for group in groups for number in group.phrases}


@given(alignments(), SETTINGS)
def test_exchanging_all_questions_and_all_other_differences_turns_a_into_b(
    alignment: PhraseAlignment, rules: QuestionRules
) -> None:
    asked = list_asked(group_questions(alignment, rules))
    unasked = {n for n, p in enumerate(alignment.phrases) if n not in asked and not is_island(p)}
    texts = {}  # of the sentence that the exchanges make, by where they stand in B
    for n, p in enumerate(alignment.phrases):
        if (p.b and (n in asked or n in unasked)) or (p.a and p.b):
            texts[p.b] = alignment.b[slice(*p.b)]
    assert [token for span in sorted(texts) for token in texts[span]] == list(alignment.b)


@given(alignments())
def test_everything_is_asked_if_the_rules_say_so(alignment: PhraseAlignment) -> None:
    asked = list_asked(group_questions(alignment, replace(ENGLISH, ask_all=True)))
    assert {n for n, p in enumerate(alignment.phrases) if not is_island(p)} <= set(asked)


@given(alignments(), SETTINGS)
def test_neighbours_are_joined_like_by_a_slow_twin(alignment: PhraseAlignment, rules: QuestionRules) -> None:
    if any(phrase.moved for phrase in alignment.phrases):
        return
    rules = replace(rules, ask_all=True)
    text, chain = rules.describe(alignment), list_differences(alignment)
    if rules.is_rewritten(text):
        return
    twin = _join_slowly(alignment, rules)
    groups = [
        {n for n in group.phrases if not is_island(alignment.phrases[n])}
        for group in group_questions(alignment, rules)
    ]
    for group in twin:  # a link between two groups may have made them one question
        assert any(group <= other for other in groups)
    assert sum(map(len, groups)) == len(chain.differences)


def _join_slowly(alignment: PhraseAlignment, rules: QuestionRules) -> list[set[int]]:
    """Join the two neighbours with the strongest tie, again and again."""
    text, chain = rules.describe(alignment), list_differences(alignment)
    ties = rules.score_ties(text, chain)
    groups = [[n] for n in range(len(chain.differences))]
    while True:
        candidates = []
        for k in range(len(groups) - 1):
            first, last = chain.differences[groups[k][0]], chain.differences[groups[k + 1][-1]]
            hull = Difference((first.a[0], last.a[1]), (first.b[0], last.b[1]), [])
            tie = ties[groups[k][-1]]
            if tie > 0 and rules.is_short(text, hull):
                candidates.append((-tie, k))
        if not candidates:
            return [{n for d in group for n in chain.differences[d].phrases} for group in groups]
        _, k = min(candidates)
        groups[k : k + 2] = [groups[k] + groups[k + 1]]


def draw(a: str, b: str, rules: QuestionRules = ENGLISH, language: str = "en") -> list[str]:
    """The questions of two sentences as an import asks them, ``A | B``, ε for nothing, … between two runs."""
    alignment = align(
        tokenize(a, language), tokenize(b, language), aligner=load_aligner("lexical", language),
        ignore_case=True, ignore_punctuation=True,
    )  # fmt: skip
    return [
        " | ".join([_draw_side(alignment, group, side) for side in "ab"])
        for group in group_questions(alignment, rules)
    ]


def _draw_side(alignment: PhraseAlignment, group: PhraseGroup, side: str) -> str:
    tokens = alignment.a if side == "a" else alignment.b
    runs = list_runs(alignment, group.phrases, side)
    return " … ".join([" ".join(tokens[slice(*run)]) for run in runs]) or "ε"


CASES = [
    ("the council rejected the plan", "the council has refused the plan", ["rejected | has refused"]),
    ("she took a call in the evening", "she took the phone call in the evening", ["a | the phone"]),
    ("it was a very long winter here", "it was a winter here", ["very long | ε"]),
    (
        "they spoke of the fence fees",
        "they spoke about the fencing costs",
        ["of the fence fees | about the fencing costs"],
    ),
    ("we saw the new bridge in the town", "we saw new bridge in the town", []),
    ("we saw & heard him", "we saw &amp; heard him", []),
    ("the cafe\u0301 was closed today", "the café was closed today", []),
    ("I do not know him at all", "I do know him at all", ["not | ε"]),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "questions"), CASES)
def test_questions_are_what_a_translator_expects(a: str, b: str, questions: list[str]) -> None:
    assert draw(a, b) == questions


def test_a_sentence_end_is_never_bridged() -> None:
    a, b = "They came late . We left soon .", "They came early . You left soon ."
    assert draw(a, b) == ["late | early", "We | You"]


def test_a_moved_wording_is_one_question_with_two_runs() -> None:
    a = "The entrance is closed for all visitors of the old museum on Monday morning"
    b = "Closed for all visitors of the old museum on Monday morning is the entry"
    assert len(draw(a, b)) <= 2


def test_a_rewritten_sentence_is_one_question() -> None:
    a, b = (
        "Heavy rain caused floods across northern valleys .",
        "Severe storms made rivers burst their banks .",
    )
    alignment = align(a.split(), b.split(), aligner=load_aligner("exact"))
    (group,) = group_questions(alignment, ENGLISH)
    assert group.is_whole_sentence
    assert list_runs(alignment, group.phrases, "a") == ((0, 7),)


def test_kinds_are_one_sided_moved_and_different() -> None:
    shared = list("abcdefgh")
    links = [(n + 1, n) for n in range(8)]
    (group,) = group_questions(align(["x", *shared], shared, links=links))
    assert group.kind is QuestionKind.ONE_SIDED
    (group,) = group_questions(align(["x", *shared], [*shared, "x"], links=[(0, 8), *links]))
    assert group.kind is QuestionKind.MOVED
    (group,) = group_questions(align(["x", *shared], ["y", *shared]))
    assert group.kind is QuestionKind.DIFFERENT


def test_questions_do_not_depend_on_the_flags_that_shape_the_phrases() -> None:
    a, b = ["The", "red", "house", "burns", "."], ["the", "blue", "house", "burns", "!"]
    aligner = load_aligner("lexical", "en")
    imported = align(a, b, aligner=aligner, ignore_case=True, ignore_punctuation=True)
    groups = group_questions(imported, ENGLISH)
    exact = align(a, b, aligner=aligner)
    same, questions = project_questions(imported, groups, exact)
    assert same == exact
    assert [exact.a[slice(*exact.phrases[n].a or (0, 0))] for n in questions] == [("red",)]


@given(TOKENS, TOKENS, st.booleans(), st.booleans())
def test_the_questions_of_an_import_fit_any_phrases(
    a: list[str], b: list[str], case: bool, punctuation: bool
) -> None:
    imported = align(a, b, aligner=ALIGNER, ignore_case=True, ignore_punctuation=True)
    joined = align(a, b, aligner=ALIGNER, ignore_case=case, ignore_punctuation=punctuation, join=True)
    groups = group_questions(imported, ENGLISH)
    cut, questions = project_questions(imported, groups, joined)
    for side, tokens in (("a", a), ("b", b)):
        spans = sorted(filter(None, [getattr(phrase, side) for phrase in cut.phrases]))
        assert [n for span in spans for n in range(*span)] == list(range(len(tokens)))
    assert len(set(questions.values())) <= len(groups)


def test_words_of_a_language_without_a_list_are_classified_by_frequency() -> None:
    texts = [["ka", "talo", f"sana{n}"] for n in range(1500)]
    assert WordClasses.learn(texts, "xx").classify("ka").name == "FUNCTION"
    assert WordClasses.learn(texts, "xx").classify("sana7").name == "CONTENT"
    assert WordClasses.learn(texts[:5], "xx").classify("ka").name == "CONTENT"


@settings(max_examples=20)
@given(st.integers(1, 60))
def test_work_grows_with_the_sentence_and_not_faster(repeats: int) -> None:
    a, b = ["the", "red", "house", "of", "glass"] * repeats, ["the", "blue", "house", "in", "glass"] * repeats
    alignment = align(a, b, links=[(i, i) for i in range(len(a))])
    assert list_asked(group_questions(alignment, ENGLISH))
