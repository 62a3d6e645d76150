"""Two campaigns compared: wins, agreement, ties and phenomena, each with its difference and significance.

Sentences are equal if they translate the same text; they are paired if enough of them are equal (``shares``).
Holm corrects for the number of lines that are tested together.

A win rate depends on the opponents. So only votes against systems that took part in both campaigns count;
where there are none, all votes count, and the line has no common opponents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from appraise.lib.resampling import holm
from evaluation.agreement import cohen_kappa
from evaluation.agreement.coefficients import none_if_nan
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.campaign_diff.shares import ShareDiff, Sums, compare_shares
from evaluation.phenomena.classification import Phenomenon
from evaluation.phenomena.profile import PhenomenonMatrix
from evaluation.schemes import FOUR_WAY, SIX_WAY, Scheme
from evaluation.study import Study, SystemPairs
from evaluation.study.disagreements import count_votes, find_majorities
from evaluation.study.systems import SIGNS, join_votes
from evaluation.study.values import label_codes

Mask = NDArray[np.bool_]
RESAMPLES = 1000
MIN_SENTENCES = 5  # in either campaign, for a line about a phenomenon


@dataclass(frozen=True, eq=False)
class JoinedStudies:
    """The answers of both campaigns in one study, and masks of the pairs that belong to each.

    ``sentences``: for each pair the code of its sentence, equal where the same text was translated.
    """

    study: Study
    system_pairs: SystemPairs
    phenomena: PhenomenonMatrix
    sentences: Codes
    before: Mask
    after: Mask


class DiffMeasure(StrEnum):
    """What a line compares; pages translate these words."""

    WINS = "wins"
    KAPPA = "kappa"
    TIES = "share of A=B"
    NOT_APPLICABLE = "share of N/A"
    PAIRS = "share of pairs"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One compared figure, of a system, of a phenomenon or of the whole campaign (``of`` is empty).

    ``opponents`` of wins are the systems that took part in both campaigns, empty if there were none.
    """

    what: DiffMeasure
    of: str
    change: ShareDiff
    p_holm: float | None = None
    opponents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffLines:
    """Lines by group; a group that cannot be compared is empty."""

    agreement: tuple[DiffLine, ...]
    wins: tuple[DiffLine, ...]
    phenomena: tuple[DiffLine, ...]

    @property
    def lines(self) -> tuple[DiffLine, ...]:
        return self.agreement + self.wins + self.phenomena


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Pairs with a majority in both campaigns, how many kept it, and the (before, after) that did not.

    ``kappa`` is Cohen's, between the majorities.
    """

    pairs: int
    kept: int
    kappa: float | None
    changed: tuple[tuple[int, int], ...]


def compare_campaigns(
    joined: JoinedStudies,
    systems: tuple[str, str] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> DiffLines:
    """Compare two campaigns; ``systems`` names a release of a system before and one after.

    Without it every system is compared with the one of the same name. Where both campaigns are the same
    answers, only the systems are compared.
    """
    comparison = _Comparison(joined, systems, resamples, seed)
    return DiffLines(
        agreement=() if comparison.is_same else _correct(comparison.agreement()),
        wins=_correct(comparison.wins()),
        phenomena=_correct(comparison.phenomena()),
    )


def compare_rejudged(joined: JoinedStudies, texts: Codes) -> Rejudged:
    """Compare the majorities of pairs that both campaigns judged, over the four-way labels.

    ``texts``: for each pair a code that is equal where the same two phrases occur in the same sentence. A
    pair on which two labels have equally many votes has no majority.
    """
    majorities = find_majorities(_sum_labels(count_votes(joined.study), FOUR_WAY))
    first, second = (
        {int(texts[pair]): int(pair) for pair in np.flatnonzero(campaign & (majorities >= 0))}
        for campaign in (joined.before, joined.after)
    )
    pairs = [(first[text], second[text]) for text in sorted(first.keys() & second.keys())]
    before, after = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    is_same = majorities[before] == majorities[after]
    changed = tuple(pair for pair, same in zip(pairs, is_same, strict=True) if not same)
    kappa = cohen_kappa(majorities[before], majorities[after], len(FOUR_WAY.choices)) if pairs else None
    return Rejudged(len(pairs), int(is_same.sum()), kappa, changed)


def _correct(lines: Iterator[DiffLine]) -> tuple[DiffLine, ...]:
    """Add p-values that are corrected for the number of lines."""
    tested = list(lines)
    adjusted = holm(np.array([line.change.p for line in tested]))
    return tuple(replace(line, p_holm=none_if_nan(p)) for line, p in zip(tested, adjusted, strict=True))


@dataclass(frozen=True, eq=False)
class _Comparison:
    """The lines of each group."""

    joined: JoinedStudies
    systems: tuple[str, str] | None
    resamples: int
    seed: int

    @property
    def is_same(self) -> bool:
        return bool((self.joined.before == self.joined.after).all())

    @cached_property
    def counts(self) -> Ints:
        return count_votes(self.joined.study)

    @cached_property
    def votes(self) -> _DoubledVotes:
        return _DoubledVotes.of(self.joined)

    @cached_property
    def kappa_sums(self) -> tuple[Floats, Floats]:
        return _kappa_sums(self.joined.study.scheme, self.counts)

    def agreement(self) -> Iterator[DiffLine]:
        """κ with fixed chance, and the shares of ties and of N/A among the answers."""
        yield from self._share_line(DiffMeasure.KAPPA, "", *self.kappa_sums)
        answers = self.counts.sum(axis=1).astype(np.float64)
        for measure, label in ((DiffMeasure.TIES, "A=B"), (DiffMeasure.NOT_APPLICABLE, "N/A")):
            yield from self._share_line(measure, "", self.counts[:, SIX_WAY.labels.index(label)], answers)

    def wins(self) -> Iterator[DiffLine]:
        before, after = (self._find_systems(mask) for mask in (self.joined.before, self.joined.after))
        pairs = [self.systems] if self.systems else [(name, name) for name in sorted(before & after)]
        for old, new in pairs:
            yield from self._win_line(old if old == new else f"{old} → {new}", old, new)

    def phenomena(self) -> Iterator[DiffLine]:
        """The share of each phenomenon, κ on its pairs, and the win rate of the named systems on them."""
        is_judged = np.asarray(self.counts.any(axis=1))
        for phenomenon, mask in zip(Phenomenon, self.joined.phenomena.T, strict=True):
            for line in self._phenomenon_lines(phenomenon, np.asarray(mask), is_judged):
                if min(line.change.sentences) >= MIN_SENTENCES:
                    yield line

    def _phenomenon_lines(self, phenomenon: Phenomenon, mask: Mask, is_judged: Mask) -> Iterator[DiffLine]:
        if not self._has_enough_sentences(mask & is_judged):
            return
        if not self.is_same:
            yield from self._share_line(DiffMeasure.PAIRS, phenomenon, mask & is_judged, is_judged)
            points, pairs = self.kappa_sums
            yield from self._share_line(DiffMeasure.KAPPA, phenomenon, points * mask, pairs * mask)
        if self.systems is not None:
            yield from self._win_line(phenomenon, *self.systems, mask)

    def _has_enough_sentences(self, pairs: Mask) -> bool:
        joined = self.joined
        return all(
            len(np.unique(joined.sentences[pairs & campaign])) >= MIN_SENTENCES
            for campaign in (joined.before, joined.after)
        )

    def _share_line(
        self, measure: DiffMeasure, of: str, points: NDArray[np.generic], votes: NDArray[np.generic]
    ) -> Iterator[DiffLine]:
        """Compare a share from the points and votes of each pair."""
        before, after = (
            _sum_by_sentence(self.joined.sentences, np.where(mask, points, 0), np.where(mask, votes, 0))
            for mask in (self.joined.before, self.joined.after)
        )
        yield from self._line(measure, of, before, after)

    def _win_line(self, of: str, old: str, new: str, mask: Mask | None = None) -> Iterator[DiffLine]:
        joined = self.joined
        common = (self._find_systems(joined.before) & self._find_systems(joined.after)) - {old, new}
        before = self._sum_points(old, joined.before, common, mask)
        after = self._sum_points(new, joined.after, common, mask)
        yield from self._line(DiffMeasure.WINS, of, before, after, tuple(sorted(common)))

    def _line(
        self, measure: DiffMeasure, of: str, before: Sums, after: Sums, opponents: tuple[str, ...] = ()
    ) -> Iterator[DiffLine]:
        diff = compare_shares(before, after, resamples=self.resamples, seed=self.seed)
        if diff is not None:
            yield DiffLine(measure, of, diff, None, opponents)

    def _find_systems(self, campaign: Mask) -> set[str]:
        """Return the systems with a vote in one campaign."""
        codes = np.unique(self.votes.systems[campaign[self.votes.pairs]])
        return {self.joined.system_pairs.system_names[code] for code in codes}

    def _sum_points(self, system: str, campaign: Mask, opponents: set[str], mask: Mask | None) -> Sums:
        names, votes = self.joined.system_pairs.system_names, self.votes
        if system not in names:
            return {}
        rows = campaign[votes.pairs] & (votes.systems == names.index(system))
        if opponents:
            rows &= np.isin(votes.opponents, [names.index(name) for name in opponents])
        if mask is not None:
            rows &= mask[votes.pairs]
        sentences = self.joined.sentences[votes.pairs[rows]]
        return _sum_by_sentence(sentences, votes.points[rows], np.ones(int(rows.sum())))


@dataclass(frozen=True, eq=False)
class _DoubledVotes:
    """Each vote twice, from the perspective of either system."""

    pairs: Ints
    systems: Ints
    opponents: Ints
    points: Floats

    @classmethod
    def of(cls, joined: JoinedStudies) -> _DoubledVotes:
        answers, rows = join_votes(joined.study, joined.system_pairs)
        signs = SIGNS[joined.study.labels[answers]]
        first, second = joined.system_pairs.first[rows], joined.system_pairs.second[rows]
        pairs = joined.study.pairs[answers]
        return cls(
            np.concatenate([pairs, pairs]),
            np.concatenate([first, second]),
            np.concatenate([second, first]),
            np.concatenate([(1 + signs) / 2, (1 - signs) / 2]),
        )


def _kappa_sums(scheme: Scheme, counts: Ints) -> tuple[Floats, Floats]:
    """Points and pairs of answers of each pair, such that their quotient is κ with fixed chance."""
    by_label = _sum_labels(counts, scheme)
    agreeing = (by_label * (by_label - 1)).sum(axis=1) / 2
    n = by_label.sum(axis=1)
    pairs = n * (n - 1) / 2
    return (agreeing - scheme.chance * pairs) / (1 - scheme.chance), pairs


def _sum_labels(counts: Ints, scheme: Scheme) -> Ints:
    """Sum counts of six-way labels, pairs × labels, to the labels of a scheme."""
    codes = label_codes(scheme)
    return np.stack([counts[:, codes == code].sum(axis=1) for code in range(len(scheme.choices))], axis=1)


def _sum_by_sentence(sentences: Codes, points: NDArray[np.generic], votes: NDArray[np.generic]) -> Sums:
    """Sentence → (points, votes), for sentences with a vote."""
    size = int(sentences.max()) + 1 if len(sentences) else 0
    point_sums, vote_sums = (np.bincount(sentences, column, minlength=size) for column in (points, votes))
    return {
        int(code): (float(point_sums[code]), float(vote_sums[code])) for code in np.flatnonzero(vote_sums > 0)
    }
