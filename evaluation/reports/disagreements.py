"""Disputed pairs with their answers, comments, votes and adjudications, a page at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from django.core.paginator import Page, Paginator
from django.db.models import Aggregate, Count, JSONField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, JSONObject
from django.utils.translation import gettext_lazy as _
from ninja import Field

from appraise.lib.tables import Cell, Table
from evaluation import models
from evaluation.phenomena.classification import Phenomenon
from evaluation.reports.phenomena import classify_stored_pair, get_phenomena
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, get_study, load_names
from evaluation.reports.word_tags import SentenceTexts, find_tagged_tasks, find_taggers, is_cached
from evaluation.schemes import CHOICE_REASONS, SIX_WAY, Choice, Scheme
from evaluation.study import Disagreement, Study, find_disagreements
from evaluation.study.disagreements import Split, max_entropy
from evaluation.voters import Vote, collect_votes, providers

PAGE_SIZE = 20
REASON_WORDS = {reason.code: reason.words for reason in CHOICE_REASONS}


class DisputeOrder(StrEnum):
    """What comes first: the most divided pairs, those on which voters contradict annotators, or those that
    divide annotators while voters are sure: entropy times the mean confidence of the votes."""

    ENTROPY = "entropy"
    VOTERS = "voters"
    CONFIDENCE = "confidence"


class DisagreementOptions(ReportOptions):
    order: DisputeOrder = Field(
        default=DisputeOrder.ENTROPY,
        description="Order: pairs that divide annotators, pairs on which metrics contradict"
        " annotators, or pairs that divide annotators while metrics are certain",
    )
    kind: Literal["", "different", "one_sided", "moved"] = Field(
        default="", description="Only pairs of this kind"
    )
    phenomenon: Phenomenon | None = Field(default=None, description="Only pairs that show this phenomenon")
    split: Split = Field(
        default=Split.ANY,
        description="Only pairs with answers for opposite sides, or that differ only in degree",
    )
    annotator: str = Field(default="", max_length=80, description="Only pairs that this pseudonym has judged")
    unsure: bool = Field(default=False, description="Only sentences that an annotator marked as unsure")
    text: str = Field(default="", max_length=200, description="Only pairs that contain this text")
    page: int = Field(default=1, ge=1, le=100_000, description="Page of twenty pairs, from 1")


@dataclass(frozen=True, slots=True)
class DisputeRow:
    """One disputed pair with everything that is shown about it.

    ``adjudication`` is the last one: its choice, its reason, and ``made_by``, None if that user was deleted.
    """

    pair: models.PhrasePair
    phenomena: tuple[Phenomenon, ...]
    number: int | None
    sentences: tuple[str, str]
    scheme: Scheme
    votes: list[tuple[Choice, int]]
    voters: list[tuple[Choice, list[str]]]
    entropy: float
    max_entropy: float
    voter_votes: list[Vote]
    comments: list[str]
    reasons: list[tuple[str, int]]
    unsure: int
    adjudication: dict[str, str | None] | None


@dataclass(frozen=True, slots=True)
class DisagreementsPage:
    scope: Scope
    query: DisagreementOptions
    rows: list[DisputeRow]
    page_obj: Page[Disagreement]
    matching: int
    pairs: int
    annotators: list[tuple[str, str]]
    has_voters: bool
    may_adjudicate: bool


@report("disagreements", title=_("Disagreements"))
class Disagreements(Report[DisagreementOptions, DisagreementsPage]):
    """Pairs on which answers differ, twenty at a time, with the answers of annotators and the votes."""

    options = DisagreementOptions
    tables = {"disagreements": lambda page: dispute_table(page.scope, page.query)}

    def compute(self, scope: Scope, options: DisagreementOptions) -> DisagreementsPage:
        """Compute one page; the number of queries is constant."""
        study, names = get_study(scope), load_names(scope)
        matching, votes = find_disputes(scope, study, options)
        page_obj = Paginator(matching, PAGE_SIZE).get_page(options.page)
        if votes is None:
            votes = collect_votes(scope.task_ids, [_pair_id(study, dispute) for dispute in page_obj])
        return DisagreementsPage(
            scope=scope,
            query=options,
            rows=_make_rows(study, page_obj, votes, names, tagged=bool(find_taggers(scope.tasks))),
            page_obj=page_obj,
            matching=len(matching),
            pairs=len(np.unique(study.pairs[study.is_counted])),
            annotators=[(name, names.get(name, name)) for name in study.annotator_names],
            has_voters=bool(providers()),
            may_adjudicate=scope.managed,
        )

    def context(self, page: DisagreementsPage) -> dict[str, object]:
        return {"phenomena": list(Phenomenon)}

    def document(self, page: DisagreementsPage) -> dict[str, Any]:  # Any: JSON
        return {
            "matching": page.matching,
            "page": page.page_obj.number,
            "pairs": [
                {
                    "task": row.pair.task.slug,
                    "item": row.pair.owner.item.key,
                    "pair": row.pair.key,
                    "kind": row.pair.kind,
                    "first": row.pair.first,
                    "second": row.pair.second,
                    "votes": {choice.value: n for choice, n in row.votes},
                    "entropy": row.entropy,
                    "voters": {vote.voter: vote.choice.value for vote in row.voter_votes},
                    "adjudication": row.adjudication and row.adjudication["choice"],
                }
                for row in page.rows
            ],
        }


def find_disputes(
    scope: Scope, study: Study, query: DisagreementOptions
) -> tuple[list[Disagreement], dict[int, list[Vote]] | None]:
    """Return all disagreements that match, in order, with all votes if the order needs them."""
    names = study.annotator_names
    annotator = names.index(query.annotator) if query.annotator in names else None
    matching = find_disagreements(
        study, split=query.split, annotator=annotator, pairs=_match_pairs(scope, study, query)
    )
    if query.order is DisputeOrder.ENTROPY or not providers():
        return matching, None
    votes = collect_votes(scope.task_ids)

    def sort_key(dispute: Disagreement) -> float:
        voter_votes = votes.get(_pair_id(study, dispute), [])
        if query.order is DisputeOrder.VOTERS:
            return -count_opponents(_six_way_votes(dispute), voter_votes)
        return -dispute.entropy * mean_confidence(voter_votes)

    return sorted(matching, key=sort_key), votes  # stable: entropy breaks ties


def dispute_table(scope: Scope, query: DisagreementOptions) -> Table:
    """Return all matching disagreements as a table, without comments."""
    study = get_study(scope)
    matching, _votes = find_disputes(scope, study, query)
    ids = [_pair_id(study, dispute) for dispute in matching]
    pairs = models.PhrasePair.objects.select_related("owner__item", "task").in_bulk(ids)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (pair.task.slug, pair.owner.item.key, pair.key, pair.kind, pair.first, pair.second,
         *dispute.votes, dispute.entropy)
        for dispute, pair in zip(matching, (pairs[pk] for pk in ids), strict=True)
    )  # fmt: skip
    columns = ("task", "item", "pair", "kind", "first", "second", *SIX_WAY.labels, "entropy")
    return Table("Disagreements", columns, rows)


def count_opponents(votes: Sequence[tuple[Choice, int]], voter_votes: Sequence[Vote]) -> int:
    """Return how many voters contradict the side that most annotators chose."""
    side = sum((choice.sign or 0) * n for choice, n in votes)
    return sum(1 for vote in voter_votes if side * (vote.choice.sign or 0) < 0)


def mean_confidence(voter_votes: Sequence[Vote]) -> float:
    """Return the mean confidence of the votes that have one; 0 if none has.

    >>> mean_confidence([Vote("a", Choice.EQUAL, 0.5), Vote("b", Choice.EQUAL), Vote("c", Choice.EQUAL, 1.0)])
    0.75
    """
    known = [vote.confidence for vote in voter_votes if vote.confidence is not None]
    return sum(known) / len(known) if known else 0.0


def _six_way_votes(dispute: Disagreement) -> list[tuple[Choice, int]]:
    return list(zip(SIX_WAY.choices, dispute.votes, strict=True))


def _match_pairs(scope: Scope, study: Study, query: DisagreementOptions) -> list[int] | None:
    """Return the codes of the pairs with that phenomenon, kind and text; None without such a filter."""
    with_phenomenon: list[int] | None = None
    if query.phenomenon:
        number = list(Phenomenon).index(query.phenomenon)
        with_phenomenon = np.flatnonzero(get_phenomena(scope)[:, number]).tolist()
    if not (query.kind or query.text or query.unsure):
        return with_phenomenon
    pairs = models.PhrasePair.objects.filter(task__in=scope.task_ids)
    if query.kind:
        pairs = pairs.filter(kind=query.kind)
    if query.unsure:
        marked = models.Assignment.objects.filter(task__in=scope.task_ids, is_unsure=True)
        pairs = pairs.filter(owner__in=marked.values("comparison"))
    if query.text:
        pairs = pairs.filter(Q(first__icontains=query.text) | Q(second__icontains=query.text))
    ids = np.array(_read_ids(scope, pairs), dtype=np.int64)
    codes: list[int] = np.searchsorted(np.asarray(study.pair_keys), ids).tolist()
    return codes if with_phenomenon is None else sorted({*codes} & {*with_phenomenon})


def _read_ids(scope: Scope, pairs: QuerySet[models.PhrasePair]) -> list[int]:
    """Return the ids of the pairs; the same query reads the texts that ``find_taggers`` needs later."""
    if is_cached(scope.tasks):
        return list(pairs.values_list("pk", flat=True))
    candidates = models.Candidate.objects.filter(item__task__in=scope.task_ids).order_by()
    texts: dict[int, list[str]] = {task: [] for task in scope.task_ids}
    ids = []
    rows = pairs.order_by().values_list(Value(1), "pk", Value(""))
    for is_pair, pk, text in rows.union(candidates.values_list(Value(0), "item__task_id", "text"), all=True):
        if is_pair:
            ids.append(pk)
        else:
            texts[pk].append(text)
    find_tagged_tasks(scope.tasks, SentenceTexts({}, {}, texts))
    return ids


def _pair_id(study: Study, dispute: Disagreement) -> int:
    return int(study.pair_keys[dispute.pair])


def _make_rows(
    study: Study,
    disputes: Iterable[Disagreement],
    voter_votes: dict[int, list[Vote]],
    names: dict[str, str],
    *,
    tagged: bool,
) -> list[DisputeRow]:
    pairs = _with_details(models.PhrasePair.objects.all()).in_bulk(
        [_pair_id(study, dispute) for dispute in disputes]
    )
    rows = []
    for dispute in disputes:
        pair: Any = pairs[_pair_id(study, dispute)]  # Any: with the columns of _with_details
        scheme, votes = pair.task.scheme, dict(_six_way_votes(dispute))
        sentences = (pair.owner.first.text, pair.owner.second.text)
        reasons = Counter(_current_texts(pair.reason_versions or []))
        rows.append(
            DisputeRow(
                pair=pair,
                phenomena=classify_stored_pair(pair, tagged=tagged),
                number=None if pair.place is None else pair.place + 1,
                sentences=sentences[::-1] if pair.flipped else sentences,
                scheme=scheme,
                votes=[(choice, votes[choice]) for choice in scheme.choices],
                voters=_voters(study, dispute, scheme, names),
                entropy=dispute.entropy,
                max_entropy=max_entropy(sum(dispute.votes), len(scheme.choices)),
                voter_votes=voter_votes.get(pair.pk, []),
                comments=_current_texts(pair.comment_versions or []),
                reasons=[(REASON_WORDS[code], n) for code, n in reasons.most_common()],
                unsure=pair.unsure,
                adjudication=pair.last_adjudication,
            )
        )
    return rows


def _with_details(pairs: QuerySet[models.PhrasePair]) -> QuerySet[models.PhrasePair]:
    """Annotate pairs with everything that is shown about them, in one query.

    ``place``: the index of the pair among the phrases of its owner, in the newest alignment that has it;
    ``flipped``: whether the owner's first candidate has the pair's second text there;
    ``comment_versions``: every version of every comment on its owner;
    ``reason_versions``: the reason of every version of every ranking;
    ``unsure``: how many annotators marked its owner.
    """
    here = models.Occurrence.objects.filter(pair=OuterRef("pk"), alignment__comparison=OuterRef("owner"))
    here = here.order_by("-alignment", "index")
    adjudications = models.Adjudication.objects.filter(pair=OuterRef("pk")).order_by("-pk")
    adjudication = JSONObject(choice="choice", reason="reason", made_by="made_by__username")
    comments = models.SentenceAnswer.objects.filter(
        comparison=OuterRef("owner"), question=models.SentenceAnswer.Question.COMMENT
    ).order_by()
    rankings = models.Ranking.objects.filter(pair=OuterRef("pk")).order_by()
    unsure = models.Assignment.objects.filter(comparison=OuterRef("owner"), is_unsure=True).order_by()
    return pairs.select_related("owner__item", "owner__first", "owner__second", "task").annotate(
        place=Subquery(here.values("index")[:1]),
        flipped=Subquery(here.values("flipped")[:1]),
        last_adjudication=Subquery(adjudications.values_list(adjudication)[:1]),
        comment_versions=_list_versions(comments, "comparison", "value"),
        reason_versions=_list_versions(rankings, "pair", "reason"),
        unsure=Coalesce(Subquery(unsure.values("comparison").annotate(n=Count("pk")).values("n")), 0),
    )


def _list_versions(rows: QuerySet[Any], of: str, text: str) -> Subquery:  # Any: rows of either model
    """Return every version of the answers about one row, with a text of each."""
    version = JSONObject(annotator="annotator_id", presentation="presentation", version="version", text=text)
    return Subquery(rows.values(of).annotate(all=_JSONList(version)).values("all"))


class _JSONList(Aggregate):
    """JSON objects as one list."""

    output_field = JSONField()
    template = "JSON_GROUP_ARRAY(%(expressions)s)"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # Any: as in Django
        return self.as_sql(compiler, connection, template="JSONB_AGG(%(expressions)s)", **extra)


def _current_texts(comments: Sequence[dict[str, Any]]) -> list[str]:
    """Return the last version of each comment or reason, oldest first, without their authors."""
    newest = {
        (comment["annotator"], comment["presentation"]): comment["text"]
        for comment in sorted(comments, key=itemgetter("version"))
    }
    return [text for text in newest.values() if text.strip()]


def _voters(
    study: Study, dispute: Disagreement, scheme: Scheme, names: dict[str, str]
) -> list[tuple[Choice, list[str]]]:
    rows = np.flatnonzero(study.is_counted & (study.pairs == dispute.pair))
    by_choice: dict[Choice, list[str]] = defaultdict(list)
    for row in rows:
        name = study.annotator_names[study.annotators[row]]
        by_choice[SIX_WAY.choices[study.labels[row]]].append(names.get(name, name))
    return [(choice, sorted(by_choice[choice])) for choice in scheme.choices if choice in by_choice]
