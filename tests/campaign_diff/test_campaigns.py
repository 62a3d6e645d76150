"""Two campaigns side by side, on drawn ones whose differences are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.agreement import AgreementSettings
from evaluation.agreement.tasks import compute_task_row
from evaluation.campaign_diff.campaigns import (
    DiffLine,
    DiffLines,
    JoinedStudies,
    compare_campaigns,
    compare_rejudged,
)
from evaluation.phenomena.classification import Phenomenon
from evaluation.schemes import SIX_WAY
from evaluation.study import Study, SystemPairs
from tests.phenomena.test_profile import NUMBER, simulate_study

MIRROR = np.array([SIX_WAY.choices.index(choice.mirrored) for choice in SIX_WAY.choices])


def joined(
    sentences: int = 40, *, paired: bool = True, mended: bool = True, release: str = "new"
) -> JoinedStudies:
    """The study of ``drawn`` twice; the second time ``new`` (or its next release) is good at numbers."""
    one, met, shown = simulate_study(sentences, seed=1)
    other, _, _ = simulate_study(sentences, seed=1 if paired else 2)
    n = len(shown)
    if mended:
        about_numbers = shown[other.pairs, NUMBER]
        other = replace(other, labels=np.where(about_numbers, MIRROR[other.labels], other.labels))
    columns = {
        name: np.concatenate([getattr(one, name), getattr(other, name)])
        for name in ("annotators", "presentations", "labels", "swapped", "surplus", "active_ms", "expected")
    }
    study: Study = replace(
        one,
        **columns,  # type: ignore[arg-type]  # names and columns of the same fields
        pairs=np.concatenate([one.pairs, other.pairs + n]),
        pair_keys=np.arange(2 * n),
        pair_tasks=np.zeros(2 * n, dtype=int),
        pair_sentences=np.concatenate([one.pair_sentences, other.pair_sentences + sentences]),
    )
    names = ("new", "old") if release == "new" else ("new", "old", release)
    second = met.first if release == "new" else met.first + 2
    meetings = SystemPairs(
        np.concatenate([met.pairs, met.pairs + n]),
        np.concatenate([met.sentences, met.sentences + sentences]),
        np.concatenate([met.first, second]),
        np.concatenate([met.second, met.second]),
        names,
    )
    where = np.arange(2 * n) < n
    apart = 0 if paired else sentences
    keys = np.concatenate([one.pair_sentences, other.pair_sentences + apart])
    return JoinedStudies(study, meetings, np.vstack([shown, shown]), keys, where, ~where)


def line(found: DiffLines, what: str, of: str) -> DiffLine:
    [one] = [each for each in found.lines if (each.what, each.of) == (what, of)]
    return one


@pytest.mark.parametrize("paired", [True, False])
def test_a_system_that_was_mended_wins_more_and_the_other_less(paired: bool) -> None:
    found = compare_campaigns(joined(paired=paired), resamples=400)
    better, worse = line(found, "wins", "new"), line(found, "wins", "old")
    assert better.change.paired is paired
    assert (better.p_holm or 0) <= 0.05
    assert better.change.low > 0
    assert worse.change.difference == pytest.approx(-better.change.difference)


def test_two_releases_are_compared_against_their_common_opponent_and_by_phenomenon() -> None:
    found = compare_campaigns(joined(release="newer"), ("new", "newer"), resamples=400)
    [overall] = found.wins
    assert (overall.of, overall.opponents) == ("new → newer", ("old",))
    mended = line(found, "wins", Phenomenon.NUMBER)
    assert (mended.p_holm or 0) <= 0.05
    assert mended.change.difference == pytest.approx(0.8, abs=0.2)
    untouched = line(found, "wins", Phenomenon.CHOICE)
    assert (untouched.change.difference, untouched.p_holm) == (0, 1)


def test_agreement_is_that_of_the_agreement_report() -> None:
    sides = joined(paired=False)
    found = line(compare_campaigns(sides, resamples=50), "kappa", "").change
    for value, mine in ((found.before, sides.before), (found.after, sides.after)):
        some = sides.study.filter_rows(mine[sides.study.pairs])
        assert value == pytest.approx(
            compute_task_row("", some.judgements(), AgreementSettings(some.scheme, resamples=0)).kappa
        )


def test_the_same_answers_have_not_changed_and_the_same_task_compares_systems_only() -> None:
    unchanged = compare_campaigns(joined(mended=False), resamples=50)
    assert {(each.change.difference, each.p_holm) for each in unchanged.lines} == {(0, 1)}
    sides = joined()
    within = compare_campaigns(replace(sides, after=sides.before), ("old", "new"), resamples=50)
    assert within.agreement == ()
    [turned] = within.wins
    assert (
        turned.opponents == ()
    )  # nobody else stands in both: they are compared by what they won of each other
    assert turned.change.before + turned.change.after == pytest.approx(1)


def test_a_system_that_nobody_knows_has_no_line() -> None:
    assert compare_campaigns(joined(), ("new", "unheard of"), resamples=10).wins == ()


def test_pairs_judged_again_are_found_with_their_majorities() -> None:
    sides = joined()
    texts = np.tile(np.arange(len(sides.before) // 2), 2)
    found = compare_rejudged(sides, texts)
    numbers = int(sides.phenomena[sides.before, NUMBER].sum())
    assert found.pairs - found.kept == len(found.changed) == numbers
    assert all(sides.phenomena[one, NUMBER] and sides.before[one] for one, _ in found.changed)
    assert compare_rejudged(sides, np.arange(len(sides.before))).kappa is None
