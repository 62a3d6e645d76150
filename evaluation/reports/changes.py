"""Two tasks, two campaigns or two releases of a system side by side.

The answers of both are read as one study, so that a page costs no more queries than that of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.agreement.rendering import Cell, Table
from evaluation.changes import Changed, Changes, Rejudged, Sides, changes, rejudged
from evaluation.models import Role, Task, User
from evaluation.reports.memo import mark_of, newest, remembered
from evaluation.reports.phenomena import PairRow, pair_rows, shown_from
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.reports.tagged import LISTS, Sentences, sentences_of, told_by
from evaluation.schemes import SIX_WAY, Choice
from evaluation.study.disputes import vote_counts
from evaluation.word_classes import tags_mark

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Turned:
    """A pair on which most people said something else the second time."""

    first: str
    second: str
    language: str
    before: list[tuple[Choice, int]]
    after: list[tuple[Choice, int]]


@dataclass(frozen=True, slots=True)
class Found:
    changes: Changes
    rejudged: Rejudged
    turned: list[Turned]
    systems: tuple[tuple[str, ...], tuple[str, ...]]
    sentences: tuple[int, int, int]  # before, after, in both
    told: tuple[str, ...]  # how phenomena are recognised: names of taggers, or ``LISTS``

    @property
    def taggers(self) -> tuple[str, ...]:
        """None where word lists are used."""
        return () if self.told == (LISTS,) else self.told


@dataclass(frozen=True, slots=True)
class Asked:
    """What is compared with what: two scopes, and a release of a system in each if two are named."""

    before: Scope
    after: Scope
    systems: tuple[str, str] | None = None

    @property
    def is_itself(self) -> bool:
        """The same answers stand on both sides, so that every difference would be 0."""
        before, after = self.before, self.after
        same_system = self.systems is None or self.systems[0] == self.systems[1]
        return same_system and (before.campaign, before.tasks) == (after.campaign, after.tasks)


def others(user: User) -> dict[str, Scope]:
    """Everything that ``user`` may study, by ``kind:slug``; one query."""
    mine = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exclude(state=Task.State.IMPORTING)
    tasks = mine.select_related("campaign").order_by("pk").annotate(**newest())
    by_campaign: dict[int, list[Task]] = {}
    found = {}
    for task in tasks:
        by_campaign.setdefault(task.campaign_id, []).append(task)
        found[f"task:{task.slug}"] = Scope(task.campaign, (task,), task, False, mark_of(task))
    for own in by_campaign.values():
        campaign = own[0].campaign
        found[f"campaign:{campaign.slug}"] = Scope(campaign, tuple(own), None, False, mark_of(own[0]))
    return dict(sorted(found.items(), key=lambda each: (each[1].campaign.name, each[0])))


def compared(asked: Asked) -> Found:
    """Computed once, then cached until a new answer arrives."""
    before, after = asked.before, asked.after
    every = {task.pk: task for task in (*before.tasks, *after.tasks)}
    joined = Scope(after.campaign, tuple(every[pk] for pk in sorted(every)), None, False, after.state)
    sides = ((before.kind, before.slug), (after.kind, after.slug))
    key = ("changes", tags_mark(), sides, asked.systems, *joined.key)
    return remembered(key, lambda: _compared(asked, joined), joined.state)


def tables(found: Found) -> dict[str, Table]:
    columns = ("what", "of", "before", "after", "change", "low", "high", "p", "p Holm", "paired",
               "sentences before", "sentences after", "common opponents")  # fmt: skip
    told = f"Phenomena, told by {' and '.join(found.told)}"
    named = {"agreement": "Agreement", "wins": "Rate of wins", "phenomena": told}
    return {
        name: Table(title, columns, tuple(_row(line) for line in getattr(found.changes, name)))
        for name, title in named.items()
    }


def _row(line: Changed) -> tuple[Cell, ...]:
    one = line.change
    return (line.what, line.of, one.before, one.after, one.difference, one.low, one.high, one.p, line.p_holm,
            "yes" if one.paired else "no", *one.sentences, " ".join(line.opponents))  # fmt: skip


def _compared(asked: Asked, joined: Scope) -> Found:
    study, meetings = study_of(joined), meetings_of(joined)
    rows = {row.pk: row for row in pair_rows(joined)}
    ordered = [rows[int(key)] for key in study.pair_keys]
    sentences = sentences_of(joined.tasks)
    texts = _identities(sentences)
    codes = {text: code for code, text in enumerate(sorted(set(texts.values())))}
    sides = Sides(
        study=study,
        meetings=meetings,
        shown=shown_from(joined, study, ordered, sentences),
        sentences=np.array([codes[texts[row.item]] for row in ordered], dtype=np.int64),
        before=_mask(ordered, asked.before),
        after=_mask(ordered, asked.after),
    )
    again = rejudged(sides, _same_texts(ordered, texts))
    return Found(
        changes=changes(sides, asked.systems),
        rejudged=again,
        turned=_turned(joined, sides, ordered, again.turned[:SHOWN]),
        systems=(_systems(sides, "before"), _systems(sides, "after")),
        sentences=_sentences(sides),
        told=told_by(joined.tasks),
    )


def _identities(sentences: Sentences) -> dict[int, str]:
    """What identifies a sentence across campaigns: its source, else a reference."""
    return {
        pk: source or (known[0] if known else key) for pk, (key, source, known) in sentences.items.items()
    }


def _mask(rows: Sequence[PairRow], scope: Scope) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    tasks = {task.pk for task in scope.tasks}
    return np.array([row.task in tasks for row in rows], dtype=bool)


def _same_texts(rows: Sequence[PairRow], texts: dict[int, str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    codes: dict[tuple[str, ...], int] = {}
    names = [(texts[row.item], row.first, row.second, row.kind) for row in rows]
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int64)


def _systems(sides: Sides, side: str) -> tuple[str, ...]:
    mine, met = getattr(sides, side), sides.meetings
    rows = mine[met.pairs]
    codes = np.unique(np.concatenate([met.first[rows], met.second[rows]]))
    return tuple(met.system_names[code] for code in codes)


def _sentences(sides: Sides) -> tuple[int, int, int]:
    judged = np.zeros(len(sides.before), dtype=bool)
    judged[sides.study.pairs] = True
    before, after = (set(sides.sentences[judged & mine].tolist()) for mine in (sides.before, sides.after))
    return len(before), len(after), len(before & after)


def _turned(
    joined: Scope, sides: Sides, rows: Sequence[PairRow], pairs: Sequence[tuple[int, int]]
) -> list[Turned]:
    counts, languages = vote_counts(sides.study), {task.pk: task.target_language for task in joined.tasks}

    def said(pair: int) -> list[tuple[Choice, int]]:
        return [(choice, int(n)) for choice, n in zip(SIX_WAY.choices, counts[pair], strict=True) if n]

    return [
        Turned(rows[one].first, rows[one].second, languages[rows[one].task], said(one), said(other))
        for one, other in pairs
    ]
