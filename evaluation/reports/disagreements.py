"""Disputed pairs with their votes, comments, machine votes and adjudications; a page at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from django.db.models import Q

from evaluation.agreement.rendering import Cell, Table
from evaluation.models import Adjudication, Occurrence, PhrasePair, SentenceAnswer, User
from evaluation.reports.scope import Scope, manages, names, study_of
from evaluation.schemes import SIX_WAY, Choice, Scheme
from evaluation.study import Dispute, Study, disputes
from evaluation.study.disputes import Split, majority, most_bits
from evaluation.votes import Vote, machine_votes, providers

PAGE = 20


class Order(StrEnum):
    """What comes first: the most divided pairs, or those on which machines contradict people."""

    ENTROPY = "entropy"
    MACHINES = "machines"


@dataclass(frozen=True, slots=True)
class Query:
    """What a person looks for."""

    order: Order = Order.ENTROPY
    kind: str = ""
    split: Split = Split.ANY
    annotator: str = ""
    text: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One disputed pair, ready to be shown."""

    pair: PhrasePair
    number: int | None
    scheme: Scheme
    votes: list[tuple[Choice, int]]
    voters: list[tuple[Choice, list[str]]]
    entropy: float
    most: float
    machines: list[Vote]
    comments: list[str]
    adjudication: Adjudication | None

    @property
    def against_machines(self) -> int:
        """How many machines stand on the other side than most people."""
        return against(self.votes, self.machines)


@dataclass(frozen=True, slots=True)
class DisagreementsPage:
    scope: Scope
    query: Query
    rows: list[Row]
    matching: int
    pairs: int
    annotators: list[tuple[str, str]]
    has_machines: bool
    may_adjudicate: bool

    @property
    def next_page(self) -> int | None:
        return self.query.page + 1 if self.query.page * PAGE < self.matching else None

    @property
    def previous_page(self) -> int | None:
        return self.query.page - 1 if self.query.page > 1 else None


def disagreements_page(scope: Scope, user: User, query: Query) -> DisagreementsPage:
    """A page of disputes in a constant number of queries."""
    study, managed = study_of(scope), manages(scope, user)
    called = names(scope) if managed else {}
    found = found_disputes(scope, study, query)
    start = (query.page - 1) * PAGE
    return DisagreementsPage(
        scope=scope,
        query=query,
        rows=_rows(scope, study, found[start : start + PAGE], called),
        matching=len(found),
        pairs=len(np.unique(study.pairs[study.counted])),
        annotators=[(name, called.get(name, name)) for name in study.annotator_names],
        has_machines=bool(providers()),
        may_adjudicate=managed,
    )


def found_disputes(scope: Scope, study: Study, query: Query) -> list[Dispute]:
    """Everything that matches, in the order asked for."""
    who = study.annotator_names.index(query.annotator) if query.annotator in study.annotator_names else None
    found = disputes(study, split=query.split, annotator=who, pairs=_matching(scope, study, query))
    if query.order is Order.MACHINES and providers():
        said = _machine_votes(scope, study, found)
        found.sort(key=lambda d: -against(_six(d), said.get(_pair_id(study, d), [])))  # stable: entropy next
    return found


def dispute_table(scope: Scope, query: Query) -> Table:
    """The list as a table, under pseudonyms and without comments."""
    study = study_of(scope)
    found = found_disputes(scope, study, query)
    pairs = PhrasePair.objects.select_related("owner__item", "task").in_bulk(
        [_pair_id(study, d) for d in found]
    )
    rows: list[tuple[Cell, ...]] = []
    for dispute in found:
        pair = pairs[_pair_id(study, dispute)]
        rows.append(
            (pair.task.slug, pair.owner.item.key, pair.key, pair.kind, pair.first, pair.second,
             *dispute.votes, dispute.entropy)
        )  # fmt: skip
    columns = ("task", "item", "pair", "kind", "first", "second", *SIX_WAY.labels, "entropy")
    return Table("Disagreements", columns, tuple(rows))


def against(votes: Sequence[tuple[Choice, int]], machines: Sequence[Vote]) -> int:
    """Machines that contradict the side that most people chose."""
    side = sum((choice.sign or 0) * n for choice, n in votes)
    return sum(1 for _, choice in machines if side * (choice.sign or 0) < 0)


def _six(dispute: Dispute) -> list[tuple[Choice, int]]:
    return list(zip(SIX_WAY.choices, dispute.votes, strict=True))


def _matching(scope: Scope, study: Study, query: Query) -> list[int] | None:
    """Codes of the pairs of that kind or with that text; None where neither is asked for."""
    if not (query.kind or query.text):
        return None
    chosen = PhrasePair.objects.filter(task__in=[task.pk for task in scope.tasks])
    if query.kind:
        chosen = chosen.filter(kind=query.kind)
    if query.text:
        chosen = chosen.filter(Q(first__icontains=query.text) | Q(second__icontains=query.text))
    ids = np.fromiter(chosen.values_list("pk", flat=True), np.int64)
    codes: list[int] = np.searchsorted(np.asarray(study.pair_keys), ids).tolist()
    return codes


def _pair_id(study: Study, dispute: Dispute) -> int:
    return int(study.pair_keys[dispute.pair])


def _machine_votes(scope: Scope, study: Study, found: Sequence[Dispute]) -> dict[int, list[Vote]]:
    """Asked once for each task."""
    by_task: dict[int, list[int]] = defaultdict(list)
    for dispute in found:
        by_task[scope.tasks[study.pair_tasks[dispute.pair]].pk].append(_pair_id(study, dispute))
    said: dict[int, list[Vote]] = {}
    for task, pairs in by_task.items():
        said |= machine_votes(task, pairs)
    return said


def _rows(scope: Scope, study: Study, found: Sequence[Dispute], called: dict[str, str]) -> list[Row]:
    ids = [_pair_id(study, dispute) for dispute in found]
    pairs = PhrasePair.objects.select_related("owner__item", "owner__first", "owner__second", "task").in_bulk(
        ids
    )
    decided = {a.pair_id: a for a in Adjudication.objects.filter(pair__in=ids).select_related("made_by")}
    comments, places = _comments(pairs.values()), _places(ids)
    machines = _machine_votes(scope, study, found)
    rows = []
    for dispute, pair_id in zip(found, ids, strict=True):
        pair = pairs[pair_id]
        scheme = pair.task.scheme
        votes = dict(_six(dispute))
        rows.append(
            Row(
                pair=pair,
                number=places.get(pair_id),
                scheme=scheme,
                votes=[(choice, votes[choice]) for choice in scheme.choices],
                voters=_voters(study, dispute, scheme, called),
                entropy=dispute.entropy,
                most=most_bits(sum(dispute.votes), len(scheme.choices)),
                machines=machines.get(pair_id, []),
                comments=comments.get(pair.owner_id, []),
                adjudication=decided.get(pair_id),
            )
        )
    return rows


def _voters(
    study: Study, dispute: Dispute, scheme: Scheme, called: dict[str, str]
) -> list[tuple[Choice, list[str]]]:
    rows = np.flatnonzero(study.counted & (study.pairs == dispute.pair))
    said: dict[Choice, list[str]] = defaultdict(list)
    for row in rows:
        name = study.annotator_names[study.annotators[row]]
        said[SIX_WAY.choices[study.labels[row]]].append(called.get(name, name))
    return [(choice, sorted(said[choice])) for choice in scheme.choices if choice in said]


def _comments(pairs) -> dict[int, list[str]]:  # type: ignore[no-untyped-def]  # a view of dict values
    """Comparison id → the current comments on it, without their authors."""
    rows = (
        SentenceAnswer.objects.filter(
            comparison__in={pair.owner_id for pair in pairs}, question=SentenceAnswer.Question.COMMENT
        )
        .order_by("version")
        .values_list("comparison_id", "annotator_id", "presentation", "value")
    )
    newest = {(comparison, annotator, time): value for comparison, annotator, time, value in rows}
    found: dict[int, list[str]] = defaultdict(list)
    for (comparison, *_), value in newest.items():
        if value.strip():
            found[comparison].append(value)
    return found


def _places(ids: Sequence[int]) -> dict[int, int]:
    """Pair id → its phrase number in the sentence where it is asked, counted from 1."""
    rows = (
        Occurrence.objects.filter(pair__in=ids)
        .order_by("-alignment", "-index")
        .values_list("pair_id", "index", "alignment__comparison", "pair__owner")
    )
    return {pair: index + 1 for pair, index, where, owner in rows if where == owner}


__all__ = ["DisagreementsPage", "Order", "Query", "Split", "disagreements_page", "dispute_table", "majority"]
