"""Votes from error spans, and where offsets go in another Unicode form."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import align
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import group_questions
from evaluation.assessments import MarkedSpan, SpanSide
from evaluation.assessments.coarseness import COARSENESS_LEVELS, cut_alignment
from evaluation.assessments.text_forms import TextDifference, find_difference, move_spans
from evaluation.assessments.votes import SideWeights, TokenWeights, find_tokens, weigh_question
from evaluation.schemes import Choice
from evaluation.tokens import offsets, words

WEIGHT = {"minor": 1.0, "major": 5.0}


def weigh(span: MarkedSpan) -> float:
    return WEIGHT[span.severity]


def token_weights(text: str, *spans: MarkedSpan) -> TokenWeights:
    return TokenWeights.of(spans, offsets(text), weigh)


def vote(a: str, b: str, spans_a: list[MarkedSpan], spans_b: list[MarkedSpan]) -> list[Choice | None]:
    alignment = align(words(a, offsets(a)), words(b, offsets(b)))
    weights = token_weights(a, *spans_a), token_weights(b, *spans_b)
    return [weigh_question(alignment, group.phrases, *weights).choice for group in group_questions(alignment)]


RED, BLUE = "they sold the red house", "they sold the blue house"
IN_RED = MarkedSpan("minor", "", 14, 17)


@pytest.mark.parametrize(
    ("spans_a", "spans_b", "expected"),
    [
        ([], [], None),
        ([IN_RED], [], Choice.B_BETTER),
        ([], [MarkedSpan("minor", "", 14, 18)], Choice.A_BETTER),
        ([IN_RED], [MarkedSpan("minor", "", 14, 18)], Choice.EQUAL),
        ([MarkedSpan("major", "", 14, 17)], [MarkedSpan("minor", "", 14, 18)], Choice.B_BETTER),
        ([MarkedSpan("minor", "", 0, 4)], [], None),  # in a shared word
        ([MarkedSpan("major")], [], None),  # an omission counts for the sentence
        ([MarkedSpan("major", "", 14, 17, SpanSide.SOURCE)], [], None),
        # Half of the first span is outside the question.
        ([MarkedSpan("minor", "", 10, 17)], [MarkedSpan("minor", "", 14, 18)], Choice.A_BETTER),
    ],
)
def test_the_side_with_less_weight_is_better(
    spans_a: list[MarkedSpan], spans_b: list[MarkedSpan], expected: Choice | None
) -> None:
    assert vote(RED, BLUE, spans_a, spans_b) == [expected]
    assert vote(BLUE, RED, spans_b, spans_a) == [expected and expected.mirrored]


def test_a_part_of_a_token_touches_it_and_an_empty_span_inside_does_too() -> None:
    tokens = offsets("ab cd ef")
    assert find_tokens(MarkedSpan("minor", "", 1, 4), tokens) == range(0, 2)
    assert find_tokens(MarkedSpan("minor", "", 4, 4), tokens) == range(1, 2)
    assert find_tokens(MarkedSpan("minor", "", 2, 3), tokens) == range(0)


def test_what_has_no_token_counts_for_the_sentence() -> None:
    weights = token_weights("ab cd", MarkedSpan("major"), MarkedSpan("minor", "", 2, 3), IN_RED)
    assert weights.inside([(0, 2)]) == 0
    assert weights.total == 7


def test_annotators_of_one_output_are_averaged() -> None:
    one, other = (
        token_weights("ab cd", MarkedSpan("major", "", 0, 2)),
        token_weights("ab cd", MarkedSpan("minor")),
    )
    mean = TokenWeights.mean([one, other])
    assert (mean.inside([(0, 1)]), mean.total) == (2.5, 3.0)


def test_occurrences_add_up_before_anybody_votes() -> None:
    occurrences = [SideWeights(1.0, 0.0), SideWeights(0.0, 0.5), SideWeights(0.0, 1.0)]
    total = occurrences[0]
    for weights in occurrences[1:]:
        total = total.plus(weights)
    assert total.choice is Choice.A_BETTER
    assert total.mirrored.choice is Choice.B_BETTER
    assert [weights.preference for weights in occurrences] == [-1, 1, 1]


WORDS = ("the", "a", "red", "blue", "old", "house", "garden", ",", ".", "sold")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[MarkedSpan]]:
    text = draw(texts)
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    spans = [
        MarkedSpan(draw(st.sampled_from(sorted(WEIGHT))), "", start, end)
        for start, end in draw(st.lists(bounds, max_size=3))
    ]
    return text, spans


@given(marked_texts())
def test_weight_is_shared_and_never_lost(example: tuple[str, list[MarkedSpan]]) -> None:
    """Against the definition: each span adds weight / tokens to each token that it touches."""
    text, spans = example
    tokens = offsets(text)
    weights = token_weights(text, *spans)
    expected = [0.0] * len(tokens)
    for span in spans:
        assert span.start is not None
        assert span.end is not None
        touched = [n for n, (x, y) in enumerate(tokens) if x < span.end and y > span.start]
        for n in touched:
            expected[n] += weigh(span) / len(touched)
    loads = [after - before for before, after in pairwise(weights.sums)]
    assert loads == pytest.approx(expected, abs=1e-9)
    assert weights.total == pytest.approx(sum(map(weigh, spans)))


@given(marked_texts(), marked_texts())
def test_units_get_no_larger_weight_than_the_sentence(
    first: tuple[str, list[MarkedSpan]], second: tuple[str, list[MarkedSpan]]
) -> None:
    (a, spans_a), (b, spans_b) = first, second
    alignment = align(words(a, offsets(a)), words(b, offsets(b)))
    weights = token_weights(a, *spans_a), token_weights(b, *spans_b)
    levels = cut_alignment(alignment, QuestionRules())
    assert tuple(levels) == COARSENESS_LEVELS
    for units in levels.values():
        for side, own in enumerate(weights):
            runs = [run for unit in units for run in unit[side]]
            assert len({token for run in runs for token in range(*run)}) == sum(e - s for s, e in runs)
            assert own.inside(runs) <= own.total + 1e-9
    sizes = [len(levels[f"join-{k}"]) for k in (1, 2, 3, 5)]
    assert sizes == sorted(sizes, reverse=True)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20), st.data())
def test_spans_follow_the_text_into_another_normal_form(text: str, data: st.DataObject) -> None:
    """What was marked stays marked, in every normal form."""
    here = unicodedata.normalize("NFC", text)
    there = unicodedata.normalize(data.draw(st.sampled_from(["NFD", "NFKD", "NFKC"])), here)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(here))] * 2)))
    assert find_difference(here, there) is not TextDifference.CONTENT
    (moved,) = move_spans([MarkedSpan("minor", "", start, end)], here, there)
    assert moved.start is not None
    assert moved.end is not None
    assert 0 <= moved.start <= moved.end <= len(there)
    marked, found = (
        unicodedata.normalize("NFKD", t) for t in (here[start:end], there[moved.start : moved.end])
    )
    for letter in marked:
        assert letter.isspace() or letter in found or letter in "\ufeff\u200b\u2060\u00ad"


def test_texts_that_differ_in_content_are_not_matched() -> None:
    assert find_difference("a", "b") is TextDifference.CONTENT
    assert find_difference("a  b", "a\u00a0b") is TextDifference.FORM
    with pytest.raises(ValueError, match="content"):
        move_spans([], "a", "b")


def test_spans_of_the_source_and_omissions_stay() -> None:
    spans = (MarkedSpan("minor"), MarkedSpan("minor", "", 1, 2, SpanSide.SOURCE))
    assert move_spans(spans, "ab", "a b") == spans
