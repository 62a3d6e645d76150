"""People and machines as one panel: who is how reliable, and what is probably true of each pair.

The consensus stands beside the raw votes and replaces none of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from evaluation.agreement.judgements import Ints
from evaluation.agreement.rendering import Table
from evaluation.models import Adjudication, PhrasePair
from evaluation.panel import (
    MODELS,
    Assembly,
    Calibration,
    Panel,
    Reliability,
    Seats,
    assemble,
    calibration,
    expected_calibration,
    reliabilities,
)
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, names, study_of
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study import Study
from evaluation.votes import machine_votes, providers

SHOWN = 20
RESAMPLES = 100
RESAMPLED_UP_TO = 5_000  # votes; beyond that the page would take too long


class Asked(NamedTuple):
    model: str = "dawid-skene"
    seats: Seats = Seats.ONE_VOICE


@dataclass(frozen=True, slots=True)
class Found:
    """A fitted panel; ``expected`` is the calibration it would have if its model were true."""

    asked: Asked
    assembly: Assembly
    panel: Panel
    members: list[Reliability]
    expected: Calibration

    @property
    def resampled(self) -> bool:
        return any(member.low is not None for member in self.members)


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    machine: bool
    answers: int
    reliability: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Overruled:
    """A pair on which the panel contradicts most people."""

    pair: PhrasePair
    votes: list[tuple[Choice, int]]
    consensus: Choice
    probability: float


@dataclass(frozen=True, slots=True)
class PanelPage:
    scope: Scope
    asked: Asked
    found: Found | None
    members: list[Member]
    overruled: list[Overruled]
    contradicted: int
    adjudicated: Calibration
    majority_right: int
    has_machines: bool
    plot: plots.Plot | None

    @property
    def majority_accuracy(self) -> float | None:
        """How often the majority of people is right, of the adjudicated pairs."""
        return self.majority_right / self.adjudicated.n if self.adjudicated.n else None


def panel_page(scope: Scope, asked: Asked) -> PanelPage:
    found, called = panel_of(scope, asked), names(scope)
    if found is None:
        nothing = Calibration(0, None, None, [])
        return PanelPage(scope, asked, None, [], [], 0, nothing, 0, bool(providers()), None)
    study, members = study_of(scope), members_of(found, called)
    against = _contradicted(found)
    truth, majority = _adjudicated(scope, study, found), people_majority(found)
    return PanelPage(
        scope=scope,
        asked=asked,
        found=found,
        members=members,
        overruled=_overruled(study, found, against[:SHOWN]),
        contradicted=len(against),
        adjudicated=calibration(found.panel.posterior, truth),
        majority_right=int(((truth >= 0) & (majority == truth)).sum()),
        has_machines=bool(providers()),
        plot=reliability_plot(members),
    )


def panel_of(
    scope: Scope, asked: Asked, *, resamples: int = RESAMPLES, most: int = RESAMPLED_UP_TO
) -> Found | None:
    """The panel of a scope; None where nobody has judged anything. Intervals only up to ``most`` votes."""
    study = study_of(scope)
    assembly = _assembled(scope, study, asked.seats)
    votes = assembly.judgements
    if not len(votes):
        return None
    said = zlib.crc32(np.stack([votes.annotators, votes.items, votes.labels]).tobytes())

    def compute() -> Found:
        panel = MODELS[asked.model](votes, assembly.rules(asked.seats))
        members = reliabilities(votes, panel, resamples=resamples if len(votes) <= most else 0)
        return Found(asked, assembly, panel, members, expected_calibration(votes, panel))

    # Machines can vote without a new answer arriving, so their votes are part of the cache key.
    return remembered(("panel", asked, resamples, most, said, *scope.key), compute, scope.state)


def members_of(found: Found, called: dict[str, str] | None = None) -> list[Member]:
    """The most reliable first, people and machines apart by a flag."""
    rows = [
        Member(
            name=(called or {}).get(row.member, row.member),
            machine=number >= found.assembly.people,
            answers=row.answers,
            reliability=row.value,
            interval=None if row.low is None or row.high is None else (row.low, row.high),
        )
        for number, row in enumerate(found.members)
        if row.answers
    ]
    return sorted(rows, key=lambda row: -(row.reliability or 0.0))


def reliability_plot(members: Sequence[Member]) -> plots.Plot:
    rows = [(member.name, member.reliability, member.interval) for member in members]
    label = _("Reliability of each member, with intervals over sentences")
    return plots.named_values(label, _("reliability"), _("member"), rows)


def tables(scope: Scope, asked: Asked) -> dict[str, Table]:
    """Every table by its name, under pseudonyms; empty where there is no panel."""
    found = panel_of(scope, asked)
    if found is None:
        return {}
    return {"members": member_table(found), "consensus": consensus_table(scope, found)}


def member_table(found: Found) -> Table:
    rows = tuple(
        (row.name, "machine" if row.machine else "person", row.answers, row.reliability,
         *(row.interval or (None, None)))
        for row in members_of(found)
    )  # fmt: skip
    title = f"Reliability: {found.asked.model}, machines: {found.asked.seats}"
    return Table(title, ("member", "kind", "answers", "reliability", "low", "high"), rows)


def consensus_table(scope: Scope, found: Found) -> Table:
    """Every judged pair with the people's votes as they are, and the consensus beside them."""
    columns = ("pk", "task__slug", "owner__item__key", "key", "first", "second")
    pairs = PhrasePair.objects.filter(task__in=[task.pk for task in scope.tasks]).values_list(*columns)
    texts = {pk: rest for pk, *rest in pairs}
    votes, posterior = _people_votes(found), found.panel.posterior
    rows = [
        (*texts[pk], *votes[n].tolist(), FOUR_WAY.labels[int(posterior[n].argmax())], *posterior[n].tolist())
        for n, pk in enumerate(_ids(study_of(scope), found.assembly.pairs))
    ]
    shares = tuple(f"p({label})" for label in FOUR_WAY.labels)
    heads = ("task", "item", "pair", "first", "second", *FOUR_WAY.labels, "consensus", *shares)
    return Table("Consensus beside the people's votes", heads, tuple(rows))


def people_majority(found: Found) -> Ints:
    """What most people say of each item, −1 where two labels have equally many."""
    votes = _people_votes(found)
    most = votes.max(axis=1, keepdims=True)
    return np.where((votes == most).sum(axis=1) == 1, votes.argmax(axis=1), -1)


def _assembled(scope: Scope, study: Study, seats: Seats) -> Assembly:
    if seats is Seats.PEOPLE or not providers():
        return assemble(study)
    code_of = {int(key): code for code, key in enumerate(study.pair_keys)}
    said = machine_votes([task.pk for task in scope.tasks])
    return assemble(study, {code_of[pair]: votes for pair, votes in said.items() if pair in code_of})


def _people_votes(found: Found) -> Ints:
    """Items × labels, people only."""
    votes = found.assembly.judgements
    mine = votes.annotators < found.assembly.people
    size = votes.size
    cells = votes.items[mine].astype(np.int64) * size + votes.labels[mine]
    return np.bincount(cells, minlength=len(found.assembly.pairs) * size).reshape(-1, size)


def _contradicted(found: Found) -> list[int]:
    """Items on which the panel contradicts most people, the surest first."""
    majority, consensus = people_majority(found), found.panel.consensus
    items = np.flatnonzero((majority >= 0) & (majority != consensus))
    sure = found.panel.posterior[items].max(axis=1)
    ordered: list[int] = items[np.lexsort([items, -sure])].tolist()
    return ordered


def _overruled(study: Study, found: Found, items: Sequence[int]) -> list[Overruled]:
    ids = _ids(study, found.assembly.pairs[items])
    # Queried even where nothing was overruled: the number of queries must not depend on the answers.
    pairs = PhrasePair.objects.select_related("task", "owner__item").in_bulk(ids or [0])
    votes, posterior = _people_votes(found), found.panel.posterior
    return [
        Overruled(
            pair=pairs[pk],
            votes=[(choice, int(n)) for choice, n in zip(FOUR_WAY.choices, votes[item], strict=True) if n],
            consensus=FOUR_WAY.choices[int(posterior[item].argmax())],
            probability=float(posterior[item].max()),
        )
        for item, pk in zip(items, ids, strict=True)
    ]


def _adjudicated(scope: Scope, study: Study, found: Found) -> Ints:
    """The label of the last adjudication of each item, −1 where there is none."""
    decided = dict(
        Adjudication.objects.filter(pair__task__in=[task.pk for task in scope.tasks])
        .order_by("pk")
        .values_list("pair_id", "choice")
    )
    labels = {pk: FOUR_WAY.choices.index(Choice(choice).collapsed) for pk, choice in decided.items()}
    return np.array([labels.get(pk, -1) for pk in _ids(study, found.assembly.pairs)], dtype=np.int64)


def _ids(study: Study, codes: Ints) -> list[int]:
    return [int(study.pair_keys[code]) for code in codes]
