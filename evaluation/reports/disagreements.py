"""Disputed pairs with their votes, comments, machine votes and adjudications; a page at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from django.db.models import Aggregate, JSONField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import JSONObject

from evaluation.agreement.rendering import Cell, Table
from evaluation.models import Adjudication, Candidate, Occurrence, PhrasePair, SentenceAnswer
from evaluation.phenomena import Phenomenon
from evaluation.reports.phenomena import phenomena_of, shown_by
from evaluation.reports.scope import Scope, names, study_of
from evaluation.reports.tagged import LISTS, Sentences, is_known, read, told_by
from evaluation.schemes import SIX_WAY, Choice, Scheme
from evaluation.study import Dispute, Study, disputes
from evaluation.study.disputes import Split, most_bits
from evaluation.votes import Vote, machine_votes, providers

PAGE = 20


class Order(StrEnum):
    """What comes first: the most divided pairs, those on which machines contradict people, or those that
    divide people while machines are sure: entropy times the mean confidence of the machines' votes."""

    ENTROPY = "entropy"
    MACHINES = "machines"
    CONFIDENCE = "confidence"


@dataclass(frozen=True, slots=True)
class Query:
    """The filters of the page."""

    order: Order = Order.ENTROPY
    kind: str = ""
    phenomenon: str = ""
    split: Split = Split.ANY
    annotator: str = ""
    text: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class Decision:
    """The last adjudication of a pair; ``made_by`` is empty where the person is gone."""

    choice: str
    reason: str
    made_by: str


@dataclass(frozen=True, slots=True)
class Row:
    """One disputed pair, ready to be shown."""

    pair: PhrasePair
    phenomena: tuple[Phenomenon, ...]
    number: int | None
    sentences: tuple[str, str]
    scheme: Scheme
    votes: list[tuple[Choice, int]]
    voters: list[tuple[Choice, list[str]]]
    entropy: float
    most: float
    machines: list[Vote]
    comments: list[str]
    adjudication: Decision | None


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
    def first_number(self) -> int:
        return (self.query.page - 1) * PAGE + 1

    @property
    def next_page(self) -> int | None:
        return self.query.page + 1 if self.query.page * PAGE < self.matching else None

    @property
    def previous_page(self) -> int | None:
        return self.query.page - 1 if self.query.page > 1 else None


def disagreements_page(scope: Scope, query: Query) -> DisagreementsPage:
    """A page of disputes in a constant number of queries."""
    study, called = study_of(scope), names(scope)
    found, said = _found(scope, study, query)
    last = max(1, -(-len(found) // PAGE))
    query = replace(query, page=min(query.page, last))
    start = (query.page - 1) * PAGE
    shown = found[start : start + PAGE]
    if said is None:
        said = machine_votes(_tasks(scope), [_pair_id(study, dispute) for dispute in shown])
    return DisagreementsPage(
        scope=scope,
        query=query,
        rows=_rows(study, shown, said, called, tagged=told_by(scope.tasks) != (LISTS,)),
        matching=len(found),
        pairs=len(np.unique(study.pairs[study.counted])),
        annotators=[(name, called.get(name, name)) for name in study.annotator_names],
        has_machines=bool(providers()),
        may_adjudicate=scope.managed,
    )


def found_disputes(scope: Scope, study: Study, query: Query) -> list[Dispute]:
    """Everything that matches, in the order asked for."""
    return _found(scope, study, query)[0]


def _found(scope: Scope, study: Study, query: Query) -> tuple[list[Dispute], dict[int, list[Vote]] | None]:
    """The same, with the votes of machines if the order needed them."""
    who = study.annotator_names.index(query.annotator) if query.annotator in study.annotator_names else None
    found = disputes(study, split=query.split, annotator=who, pairs=_matching(scope, study, query))
    if query.order is Order.ENTROPY or not providers():
        return found, None
    said = machine_votes(_tasks(scope))

    def place(dispute: Dispute) -> float:
        votes = said.get(_pair_id(study, dispute), [])
        if query.order is Order.MACHINES:
            return -against(_six(dispute), votes)
        return -dispute.entropy * confidence(votes)

    return sorted(found, key=place), said  # stable: entropy next


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
    return sum(1 for vote in machines if side * (vote.choice.sign or 0) < 0)


def confidence(machines: Sequence[Vote]) -> float:
    """The mean confidence of the votes that have one; 0 where none has.

    >>> confidence([Vote("a", Choice.EQUAL, 0.5), Vote("b", Choice.EQUAL), Vote("c", Choice.EQUAL, 1.0)])
    0.75
    """
    known = [vote.confidence for vote in machines if vote.confidence is not None]
    return sum(known) / len(known) if known else 0.0


def _six(dispute: Dispute) -> list[tuple[Choice, int]]:
    return list(zip(SIX_WAY.choices, dispute.votes, strict=True))


def _matching(scope: Scope, study: Study, query: Query) -> list[int] | None:
    """Codes of the pairs with that phenomenon, of that kind and with that text; None where none is asked."""
    showing = _showing(scope, query)
    if not (query.kind or query.text):
        return showing
    chosen = PhrasePair.objects.filter(task__in=_tasks(scope))
    if query.kind:
        chosen = chosen.filter(kind=query.kind)
    if query.text:
        chosen = chosen.filter(Q(first__icontains=query.text) | Q(second__icontains=query.text))
    ids = np.array(_keys(scope, chosen), dtype=np.int64)
    codes: list[int] = np.searchsorted(np.asarray(study.pair_keys), ids).tolist()
    return codes if showing is None else sorted({*codes} & {*showing})


def _keys(scope: Scope, chosen: QuerySet[PhrasePair]) -> list[int]:
    """Keys of the chosen pairs, with what recognising phenomena by tags needs, in one query."""
    if is_known(scope.tasks):
        return list(chosen.values_list("pk", flat=True))
    written = Candidate.objects.filter(item__task__in=_tasks(scope)).order_by()
    texts: dict[int, list[str]] = {task: [] for task in _tasks(scope)}
    keys = []
    rows = chosen.order_by().values_list(Value(1), "pk", Value(""))
    for is_pair, number, text in rows.union(written.values_list(Value(0), "item__task_id", "text"), all=True):
        if is_pair:
            keys.append(number)
        else:
            texts[number].append(text)
    read(scope.tasks, Sentences({}, {}, texts))
    return keys


def _showing(scope: Scope, query: Query) -> list[int] | None:
    if not query.phenomenon:
        return None
    number = list(Phenomenon).index(Phenomenon(query.phenomenon))
    found: list[int] = np.flatnonzero(shown_by(scope)[:, number]).tolist()
    return found


def _pair_id(study: Study, dispute: Dispute) -> int:
    return int(study.pair_keys[dispute.pair])


def _tasks(scope: Scope) -> list[int]:
    return [task.pk for task in scope.tasks]


def _rows(
    study: Study,
    shown: Sequence[Dispute],
    said: dict[int, list[Vote]],
    called: dict[str, str],
    *,
    tagged: bool,
) -> list[Row]:
    pairs = _with_details(PhrasePair.objects.all()).in_bulk([_pair_id(study, dispute) for dispute in shown])
    rows = []
    for dispute in shown:
        pair: Any = pairs[_pair_id(study, dispute)]  # Any: with the columns of _with_details
        scheme, votes = pair.task.scheme, dict(_six(dispute))
        rows.append(
            Row(
                pair=pair,
                phenomena=phenomena_of(pair, tagged=tagged),
                number=None if pair.place is None else pair.place + 1,
                sentences=_sentences(pair),
                scheme=scheme,
                votes=[(choice, votes[choice]) for choice in scheme.choices],
                voters=_voters(study, dispute, scheme, called),
                entropy=dispute.entropy,
                most=most_bits(sum(dispute.votes), len(scheme.choices)),
                machines=said.get(pair.pk, []),
                comments=_current_comments(pair.remarks or []),
                adjudication=_decision(pair.decided),
            )
        )
    return rows


def _with_details(pairs: QuerySet[PhrasePair]) -> QuerySet[PhrasePair]:
    """Pairs with everything that is shown about them, in one query.

    ``place``: where the pair stands among the phrases of its owner, in the newest alignment that has it, and
    ``flipped``: whether the owner's first candidate has the pair's second text there.
    ``decided``: the last adjudication. ``remarks``: every version of every comment on its owner.
    """
    here = Occurrence.objects.filter(pair=OuterRef("pk"), alignment__comparison=OuterRef("owner"))
    here = here.order_by("-alignment", "index")
    verdicts = Adjudication.objects.filter(pair=OuterRef("pk")).order_by("-pk")
    verdict = JSONObject(choice="choice", reason="reason", made_by="made_by__username")
    comments = SentenceAnswer.objects.filter(
        comparison=OuterRef("owner"), question=SentenceAnswer.Question.COMMENT
    ).order_by()
    comment = JSONObject(who="annotator_id", time="presentation", version="version", text="value")
    return pairs.select_related("owner__item", "owner__first", "owner__second", "task").annotate(
        place=Subquery(here.values("index")[:1]),
        flipped=Subquery(here.values("flipped")[:1]),
        decided=Subquery(verdicts.values_list(verdict)[:1]),
        remarks=Subquery(comments.values("comparison").annotate(all=_Collected(comment)).values("all")),
    )


def _sentences(pair: Any) -> tuple[str, str]:  # Any: with the columns of _with_details
    """The whole text that A stands in, then that of B."""
    first, second = pair.owner.first.text, pair.owner.second.text
    return (second, first) if pair.flipped else (first, second)


class _Collected(Aggregate):
    """JSON objects as one list."""

    output_field = JSONField()
    template = "JSON_GROUP_ARRAY(%(expressions)s)"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # Any: as Django's
        return self.as_sql(compiler, connection, template="JSONB_AGG(%(expressions)s)", **extra)


def _decision(found: dict[str, str | None] | None) -> Decision | None:
    if found is None:
        return None
    return Decision(found["choice"] or "", found["reason"] or "", found["made_by"] or "")


def _current_comments(remarks: Sequence[dict[str, Any]]) -> list[str]:
    """The last version of each, oldest first, without their authors."""
    newest = {
        (one["who"], one["time"]): one["text"] for one in sorted(remarks, key=lambda one: one["version"])
    }
    return [text for text in newest.values() if text.strip()]


def _voters(
    study: Study, dispute: Dispute, scheme: Scheme, called: dict[str, str]
) -> list[tuple[Choice, list[str]]]:
    rows = np.flatnonzero(study.counted & (study.pairs == dispute.pair))
    said: dict[Choice, list[str]] = defaultdict(list)
    for row in rows:
        name = study.annotator_names[study.annotators[row]]
        said[SIX_WAY.choices[study.labels[row]]].append(called.get(name, name))
    return [(choice, sorted(said[choice])) for choice in scheme.choices if choice in said]
