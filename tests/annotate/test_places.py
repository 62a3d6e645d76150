"""Places of several candidates, and what a ranking of their variants says about every two of them."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import Kind
from evaluation.annotate.places import (
    Steps,
    align_two,
    choice_from_steps,
    choices_from_steps,
    count_steps,
    cut_places,
    normalize_steps,
    number_variants,
    steps_from_choices,
)
from evaluation.blinding import shown_order
from evaluation.results.consistency import count_triads
from evaluation.schemes import FOUR_WAY, SIX_WAY, Choice, Scheme

SCHEMES = pytest.mark.parametrize("scheme", [FOUR_WAY, SIX_WAY], ids=["four-way", "six-way"])
sentences = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "The", "the", "."]), max_size=7), min_size=3, max_size=5
)


def every_ranking(count: int, most: int) -> list[Steps]:
    return list(product([None, *range(1, most + 1)], repeat=count))


# --- places ----------------------------------------------------------------------------------------


@given(sentences)
def test_places_in_order_rebuild_every_candidate(candidates: list[list[str]]) -> None:
    found = cut_places(candidates)
    for number, tokens in enumerate(candidates):
        spans = [place[number] for place in found]
        assert [token for start, end in spans for token in tokens[start:end]] == tokens
        assert all(one[1] == two[0] for one, two in pairwise(spans))


@given(sentences, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(candidates: list[list[str]], random: Random) -> None:
    order = list(range(len(candidates)))
    random.shuffle(order)
    found, other = cut_places(candidates), cut_places([candidates[n] for n in order])
    assert [tuple(place[n] for n in order) for place in found] == list(other)


@given(sentences)
def test_two_candidates_align_without_contradicting_the_places(candidates: list[list[str]]) -> None:
    found = cut_places(candidates)
    for one, other in combinations(range(len(candidates)), 2):
        for number, phrase in align_two(found, candidates, one, other):
            of = number_variants(found[number], candidates)
            sides = [
                [t.lower() for t in candidates[n][slice(*span)]] if span else []
                for n, span in ((one, phrase.a), (other, phrase.b))
            ]
            assert (phrase.kind is Kind.SHARED) == (sides[0] == sides[1]) == (of[one] == of[other])


def test_words_in_another_order_are_one_place_and_gaps_join_their_neighbours() -> None:
    texts = [t.split() for t in ("it is very small", "it is tiny", "it small is")]
    asked = [p for p in cut_places(texts) if max(number_variants(p, texts)) > 0]
    assert [[" ".join(t[slice(*span)]) for span, t in zip(place, texts, strict=True)] for place in asked] == [
        ["is very small", "is tiny", "small is"]
    ]


# --- rankings ----------------------------------------------------------------------------------------


@SCHEMES
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_ranking_is_found_again_from_its_verdicts(count: int, scheme: Scheme) -> None:
    for steps in every_ranking(count, min(4, count_steps(count, scheme))):
        said = choices_from_steps(steps, scheme)
        assert choices_from_steps(normalize_steps(steps, scheme), scheme) == said
        assert steps_from_choices(said, count, scheme) == normalize_steps(steps, scheme)


@SCHEMES
def test_every_order_can_be_said(scheme: Scheme) -> None:
    """With the steps that are offered, neighbours in any order can be as far apart as the scheme can say."""
    best = Choice.A_MUCH_BETTER if Choice.A_MUCH_BETTER in scheme.choices else Choice.A_BETTER
    distance = 2 if best is Choice.A_MUCH_BETTER else 1
    for order in permutations(range(3)):
        steps = [0, 0, 0]
        for place, number in enumerate(order):
            steps[number] = 1 + place * distance
        assert max(steps) <= count_steps(3, scheme)
        assert choice_from_steps(steps[order[0]], steps[order[1]], scheme) is best


@SCHEMES
def test_verdicts_never_run_in_a_circle(scheme: Scheme) -> None:
    rankings = every_ranking(4, 3)
    tables = np.zeros((len(rankings), 4, 4), dtype=np.int64)
    for table, steps in zip(tables, rankings, strict=True):
        for (one, other), choice in choices_from_steps(steps, scheme).items():
            table[one, other], table[other, one] = choice.sign or 0, -(choice.sign or 0)
    found = count_triads(tables)
    assert found.cyclic == 0 < found.decided


@SCHEMES
def test_exchanged_variants_exchange_their_verdicts(scheme: Scheme) -> None:
    for one, other in product([None, 1, 2, 3, 4], repeat=2):
        assert choice_from_steps(one, other, scheme).mirrored is choice_from_steps(other, one, scheme)
        assert choice_from_steps(one, other, scheme) in scheme.choices


def test_contradicting_verdicts_are_no_ranking() -> None:
    circle = {(0, 1): Choice.A_BETTER, (1, 2): Choice.A_BETTER, (0, 2): Choice.B_BETTER}
    assert steps_from_choices(circle, 3, FOUR_WAY) is None


# --- blindness -------------------------------------------------------------------------------------------


def test_each_variant_is_shown_first_equally_often() -> None:
    texts = ["red", "crimson", ""]
    firsts = [texts[shown_order(b"secret", f"person {n}", texts)[0]] for n in range(3000)]
    assert all(900 < firsts.count(text) < 1100 for text in texts)


@given(st.permutations(["red", "crimson", "", "scarlet"]))
def test_the_order_shown_depends_on_texts_alone(texts: list[str]) -> None:
    shown = [texts[n] for n in shown_order(b"s", "k", texts)]
    assert shown == [sorted(texts)[n] for n in shown_order(b"s", "k", sorted(texts))]
