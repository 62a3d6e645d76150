"""Two campaigns side by side: wins, agreement, ties, phenomena, each with its change and significance.

Sentences are the same where they translate the same text; they are paired where enough of them are
(``evaluation.changes.shares``). Holm corrects for the number of lines that were tested together.

A rate of wins depends on who the opponents are. So only votes against systems count that stand in both
campaigns; where there is none, all votes count and the line says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.coefficients import defined
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.changes.shares import Change, Sums, change
from evaluation.phenomena import Phenomenon
from evaluation.phenomena.profile import Shown
from evaluation.results.signtest import holm
from evaluation.schemes import SIX_WAY
from evaluation.study import Meetings, Study
from evaluation.study.disputes import vote_counts
from evaluation.study.systems import SIGNS, cast_votes
from evaluation.study.values import label_codes

Mask = NDArray[np.bool_]
RESAMPLES = 1000
FEWEST = 5  # sentences on either side; with fewer, nothing can be said about a phenomenon


@dataclass(frozen=True, eq=False)
class Sides:
    """The answers of both campaigns in one study, and which pairs belong to which.

    ``sentences``: for each pair the code of its sentence, equal where the same text was translated.
    """

    study: Study
    meetings: Meetings
    shown: Shown
    sentences: Codes
    before: Mask
    after: Mask


class What(StrEnum):
    """What a line compares; a page has these words in its own language."""

    WINS = "wins"
    KAPPA = "kappa"
    TIES = "share of A=B"
    NOT_APPLICABLE = "share of N/A"
    PAIRS = "share of pairs"


@dataclass(frozen=True, slots=True)
class Changed:
    """One line: what is compared, of what (a system, a phenomenon, or nothing), and how it changed.

    ``opponents`` is for wins: the systems that stood in both campaigns, empty where there were none.
    """

    what: What
    of: str
    change: Change
    p_holm: float | None = None
    opponents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines by group; a group that cannot be compared is empty."""

    agreement: tuple[Changed, ...]
    wins: tuple[Changed, ...]
    phenomena: tuple[Changed, ...]

    @property
    def lines(self) -> tuple[Changed, ...]:
        return self.agreement + self.wins + self.phenomena


def changes(
    sides: Sides, systems: tuple[str, str] | None = None, *, resamples: int = RESAMPLES, seed: int = 0
) -> Changes:
    """Everything that can be compared; ``systems`` names a release before and one after.

    Without it every system is compared with the one of its name. Where both sides are the same answers, only
    the systems are compared.
    """
    compare = _Compare(sides, resamples, seed)
    same = bool((sides.before == sides.after).all())
    return Changes(
        agreement=() if same else compare.corrected(compare.agreement()),
        wins=compare.corrected(compare.wins(systems)),
        phenomena=compare.corrected(compare.phenomena(systems, same)),
    )


class _Compare:
    """The lines of each group."""

    def __init__(self, sides: Sides, resamples: int, seed: int) -> None:
        self.sides, self.resamples, self.seed = sides, resamples, seed
        self.counts = vote_counts(sides.study)
        self.votes = _votes(sides)

    def corrected(self, lines: Iterator[Changed]) -> tuple[Changed, ...]:
        found = list(lines)
        adjusted = holm(np.array([line.change.p for line in found]))
        return tuple(replace(line, p_holm=defined(p)) for line, p in zip(found, adjusted, strict=True))

    def agreement(self) -> Iterator[Changed]:
        """κ by fixed chance, and the shares of ties and of N/A among the answers."""
        yield from self._line(What.KAPPA, "", *_kappa(self.sides.study, self.counts))
        answers = self.counts.sum(axis=1).astype(np.float64)
        for what, label in ((What.TIES, "A=B"), (What.NOT_APPLICABLE, "N/A")):
            yield from self._line(what, "", self.counts[:, SIX_WAY.labels.index(label)], answers)

    def wins(self, systems: tuple[str, str] | None) -> Iterator[Changed]:
        for old, new in [systems] if systems else self._same_names():
            yield from self._rate(What.WINS, old if old == new else f"{old} → {new}", old, new, None)

    def phenomena(self, systems: tuple[str, str] | None, same: bool) -> Iterator[Changed]:
        """How often each is asked about, κ there, and the chosen system's rate of wins there."""
        for phenomenon, here in zip(Phenomenon, self.sides.shown.T, strict=True):
            for line in self._phenomenon(phenomenon, here, systems, same):
                if min(line.change.sentences) >= FEWEST:
                    yield line

    def _phenomenon(
        self, phenomenon: Phenomenon, here: Mask, systems: tuple[str, str] | None, same: bool
    ) -> Iterator[Changed]:
        judged = np.asarray(self.counts.any(axis=1))
        if not self._enough(np.asarray(here & judged)):
            return
        if not same:
            yield from self._line(What.PAIRS, phenomenon, np.asarray(here & judged), judged)
            points, pairs = _kappa(self.sides.study, self.counts)
            yield from self._line(What.KAPPA, phenomenon, points * here, pairs * here)
        if systems is not None:
            yield from self._rate(What.WINS, phenomenon, *systems, here)

    def _enough(self, pairs: Mask) -> bool:
        sides = self.sides
        return all(
            len(np.unique(sides.sentences[pairs & mine])) >= FEWEST for mine in (sides.before, sides.after)
        )

    def _line(
        self, what: What, of: str, points: NDArray[np.generic], votes: NDArray[np.generic]
    ) -> Iterator[Changed]:
        """From points and votes of each pair."""
        sums = [
            _summed(self.sides.sentences, np.where(mine, points, 0), np.where(mine, votes, 0))
            for mine in (self.sides.before, self.sides.after)
        ]
        yield from self._changed(what, of, sums[0], sums[1], ())

    def _rate(self, what: What, of: str, old: str, new: str, here: Mask | None) -> Iterator[Changed]:
        names = [self._standing(mine) for mine in (self.sides.before, self.sides.after)]
        common = (names[0] & names[1]) - {old, new}
        before = self._points(old, self.sides.before, common, here)
        after = self._points(new, self.sides.after, common, here)
        yield from self._changed(what, of, before, after, tuple(sorted(common)))

    def _changed(
        self, what: What, of: str, before: Sums, after: Sums, opponents: tuple[str, ...]
    ) -> Iterator[Changed]:
        found = change(before, after, resamples=self.resamples, seed=self.seed)
        if found is not None:
            yield Changed(what, of, found, None, opponents)

    def _same_names(self) -> list[tuple[str, str]]:
        both = self._standing(self.sides.before) & self._standing(self.sides.after)
        return [(name, name) for name in sorted(both)]

    def _standing(self, mine: Mask) -> set[str]:
        """The systems that have a vote on one side."""
        rows = mine[self.votes.pairs]
        codes = np.unique(np.concatenate([self.votes.system[rows], self.votes.opponent[rows]]))
        return {self.sides.meetings.system_names[code] for code in codes}

    def _points(self, system: str, mine: Mask, opponents: set[str], here: Mask | None) -> Sums:
        names, votes = self.sides.meetings.system_names, self.votes
        if system not in names:
            return {}
        rows = mine[votes.pairs] & (votes.system == names.index(system))
        if opponents:
            rows &= np.isin(votes.opponent, [names.index(name) for name in opponents])
        if here is not None:
            rows &= here[votes.pairs]
        sentences = self.sides.sentences[votes.pairs[rows]]
        return _summed(sentences, votes.points[rows], np.ones(int(rows.sum())))


@dataclass(frozen=True, eq=False)
class _Votes:
    """Each vote twice: from the side of either system."""

    pairs: Ints
    system: Ints
    opponent: Ints
    points: Floats


def _votes(sides: Sides) -> _Votes:
    answer, place = cast_votes(sides.study, sides.meetings)
    signs = SIGNS[sides.study.labels[answer]]
    first, second = sides.meetings.first[place], sides.meetings.second[place]
    pairs = sides.study.pairs[answer]
    return _Votes(
        np.concatenate([pairs, pairs]),
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        np.concatenate([(1 + signs) / 2, (1 - signs) / 2]),
    )


def _kappa(study: Study, counts: Ints) -> tuple[Floats, Floats]:
    """Points and pairs of answers of each pair, such that their quotient is κ by fixed chance."""
    codes, chance = label_codes(study.scheme), study.scheme.chance
    read = np.stack(
        [counts[:, codes == code].sum(axis=1) for code in range(len(study.scheme.choices))], axis=1
    )
    agreeing = (read * (read - 1)).sum(axis=1) / 2
    n = read.sum(axis=1)
    pairs = n * (n - 1) / 2
    return (agreeing - chance * pairs) / (1 - chance), pairs


def _summed(sentences: Codes, points: NDArray[np.generic], votes: NDArray[np.generic]) -> Sums:
    """Sentence → (points, votes), for sentences with a vote."""
    size = int(sentences.max()) + 1 if len(sentences) else 0
    above, below = (np.bincount(sentences, weights=column, minlength=size) for column in (points, votes))
    return {int(code): (float(above[code]), float(below[code])) for code in np.flatnonzero(below > 0)}
