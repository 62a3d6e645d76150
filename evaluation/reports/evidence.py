"""All evidence about the systems side by side: ratings, phrase rankings, votes from error spans, metrics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _, gettext_lazy
from ninja import Field

from appraise.lib.tables import Cell, Table
from evaluation.agreement.judgements import Ints
from evaluation.agreement.voter_pairs import VoterPair, build_voter_table
from evaluation.assessments import PublishedScores, ScoreLevel
from evaluation.assessments.summary import RatingSummary
from evaluation.reports import evidence_query
from evaluation.reports.ratings import get_assessment_set, get_summary
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, get_study, get_system_outputs, get_system_pairs
from evaluation.reports.span_votes import collect_span_votes
from evaluation.reports.system_results import compute_results
from evaluation.reports.votes import compare_scope_votes, estimate_vote_seconds, list_scope_span_voters
from evaluation.results import SystemResults, Votes, compute_system_results
from evaluation.study import SystemPairs
from evaluation.study.rating_tables import find_default_score

PAGE_SIZE = 20
PHRASES = "phrases"


class EvidenceOptions(ReportOptions):
    evidence: str = Field(default="", max_length=80, description="The scores that the sentences show")
    system: str = Field(default="", max_length=200, description="Worst sentences of this system first")
    page: int = Field(default=1, ge=1, le=100_000, description="Page of twenty sentences, from 1")


@dataclass(frozen=True, slots=True)
class EvidenceCell:
    """The value of a system, and its rank (or range of ranks); None without data."""

    value: float | None = None
    best: int | None = None
    worst: int | None = None

    @property
    def rank(self) -> str:
        if self.best is None:
            return ""
        return str(self.best) if self.worst in (None, self.best) else f"{self.best}–{self.worst}"


EMPTY = EvidenceCell()


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """One kind of evidence: its title, what it is, and the cell of each system."""

    name: str
    title: str
    kind: str
    cells: Mapping[str, EvidenceCell]


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence with the score of each system; ``number`` is its place in its task."""

    task: str
    number: int
    key: str
    document: str
    scores: list[tuple[str, float | None]]


@dataclass(frozen=True, slots=True)
class EvidencePage:
    scope: Scope
    options: EvidenceOptions
    sources: list[EvidenceSource]
    systems: list[str]
    references: frozenset[str]
    shown: str
    rows: list[SentenceRow]
    votes: list[VoterPair]

    @property
    def lines(self) -> list[tuple[str, list[tuple[EvidenceSource, EvidenceCell]]]]:
        return [
            (system, [(source, source.cells.get(system, EMPTY)) for source in self.sources])
            for system in self.systems
        ]

    @property
    def page_obj(self) -> Page[SentenceRow]:
        return Paginator(self.rows, PAGE_SIZE).get_page(self.options.page)

    @property
    def partner(self) -> str:
        """The system that others are compared with: the best one."""
        return self.systems[0] if self.systems else ""


@report("evidence", title=gettext_lazy("Evidence"))
class Evidence(Report[EvidenceOptions, EvidencePage]):
    """Ranks of the systems by ratings, phrase rankings, votes from error spans and metrics, side by side."""

    options = EvidenceOptions
    tables = {
        "ranks": lambda page: rank_table(page),
        "sentences": lambda page: sentence_table(page),
        "votes": lambda page: build_voter_table(page.votes),
    }

    def estimate_seconds(self, scope: Scope, options: EvidenceOptions) -> float:
        seconds = evidence_query.estimate_seconds(scope) + estimate_vote_seconds(scope)
        return super().estimate_seconds(scope, options) + seconds

    def compute(self, scope: Scope, options: EvidenceOptions) -> EvidencePage:
        sources = scope.cached("evidence", lambda: list(_list_sources(scope)))
        named = {name for source in sources for name in source.cells}
        systems = _order_systems(named, sources)
        rated = [source.name for source in sources if source.kind == "ratings"]
        shown = options.evidence if options.evidence in rated else next(iter(rated), "")
        rows = _list_sentences(scope, shown, systems)
        if options.system in named:
            rows = _sort_rows(rows, systems.index(options.system))
        return EvidencePage(
            scope, options, sources, systems, get_system_outputs(scope).references, shown, rows,
            compare_scope_votes(scope),
        )  # fmt: skip

    def document(self, page: EvidencePage) -> dict[str, Any]:  # Any: JSON
        return {
            "systems": {system: _describe_cells(cells) for system, cells in page.lines},
            "sources": {source.name: source.kind for source in page.sources},
        }


def _describe_cells(cells: Sequence[tuple[EvidenceSource, EvidenceCell]]) -> dict[str, object]:
    return {source.name: {"value": cell.value, "rank": [cell.best, cell.worst]} for source, cell in cells}


def _list_sources(scope: Scope) -> Iterator[EvidenceSource]:
    """Yield ratings first, then phrase rankings, votes from error spans, published scores and metrics."""
    names = evidence_query.list_evidence(scope)
    for name in names:
        rated = get_assessment_set(scope, name)
        score = find_default_score(rated)
        try:
            summary = get_summary(scope, rated, name, score, "segment")
        except ValueError:  # a severity without a weight
            continue
        yield EvidenceSource(name, name, "ratings", _rate_cells(summary))
    results = compute_results(scope)
    if results.votes:
        yield EvidenceSource(PHRASES, _("Phrase rankings"), "rankings", _vote_cells(results))
    spans = [name for name in list_scope_span_voters(scope) if ":" not in name]
    for voter, tally in _count_span_votes(scope, spans).items():
        if tally.votes:
            title = _("phrases by %(name)s") % {"name": voter}
            yield EvidenceSource(f"{PHRASES}:{voter}", title, "votes", _vote_cells(tally))
    yield from _list_published(scope, names)


def _rate_cells(summary: RatingSummary) -> dict[str, EvidenceCell]:
    return {s.name: EvidenceCell(s.mean, s.rank.best, s.rank.worst) for s in summary.systems}


def _vote_cells(results: SystemResults) -> dict[str, EvidenceCell]:
    return {
        line.system: EvidenceCell(line.expected_wins, *(line.rank_range or (line.rank, None)))
        for line in results.systems
        if line.wins + line.losses + line.ties
    }


def _count_span_votes(scope: Scope, voters: Sequence[str]) -> dict[str, SystemResults]:
    """Return the results of the votes from error spans: every vote counts at every occurrence of its pair."""
    if not voters:
        return {}
    places, study = get_system_pairs(scope), get_study(scope)
    code_of = {int(key): code for code, key in enumerate(study.pair_keys)}
    by_pair = collect_span_votes(scope.task_ids, None)
    results = {}
    for voter in voters:
        signs = np.full(len(study.pair_keys), _NO_VOTE)
        for pair, cast in by_pair.items():
            for vote in cast:
                if vote.voter == voter and pair in code_of and vote.choice.sign is not None:
                    signs[code_of[pair]] = vote.choice.sign
        rows = _drop_rare_pairs(np.flatnonzero(signs[places.pairs] != _NO_VOTE), places)
        results[voter] = compute_system_results(
            Votes(
                first=places.first[rows].astype(np.int64),
                second=places.second[rows].astype(np.int64),
                signs=signs[places.pairs[rows]],
                sentences=places.sentences[rows].astype(np.int64),
                annotators=np.zeros(len(rows), dtype=np.int64),
                system_names=places.system_names,
                annotator_names=(voter,),
            )
        )
    return results


def _drop_rare_pairs(rows: Ints, places: SystemPairs) -> Ints:
    """Drop systems that meet by chance only, because they share texts with those that are compared."""
    first, second = places.first[rows].astype(np.int64), places.second[rows].astype(np.int64)
    keys = np.minimum(first, second) * len(places.system_names) + np.maximum(first, second)
    counts = np.bincount(keys, minlength=1)
    return np.asarray(rows[counts[keys] >= RARE * counts.max()])


_NO_VOTE = 9
RARE = 0.05  # of the votes on the most frequent pair of systems


def _list_published(scope: Scope, known: Collection[str]) -> Iterator[EvidenceSource]:
    """Yield scores without a person: means of human scores first, then metrics, as files had them.

    Means of what is ``known`` from its assessments are left out.
    """
    best: dict[tuple[bool, str], PublishedScores] = {}
    for _task, scores in evidence_query.load_scope_scores(scope):
        key = (bool(scores.reference), scores.full_name)
        if scores.level is ScoreLevel.SYSTEM or (scores.level is ScoreLevel.SEGMENT and key not in best):
            best[key] = scores
    for (is_metric, name), scores in sorted(best.items()):
        if name not in known:
            means = {
                system: fmean(numbers)
                for system, values in scores.values.items()
                if (numbers := [value for value in values if value is not None])
            }
            kind = "metric" if is_metric else "published"
            yield EvidenceSource(f"{kind}:{name}", name, kind, _rank_means(means))


def _rank_means(means: Mapping[str, float]) -> dict[str, EvidenceCell]:
    return {
        system: EvidenceCell(mean, 1 + sum(other > mean for other in means.values()))
        for system, mean in means.items()
    }


def _order_systems(named: set[str], sources: Sequence[EvidenceSource]) -> list[str]:
    """Return the systems by the first evidence; those that it lacks follow in the order of names."""
    first = sources[0].cells if sources else {}

    def sort_key(system: str) -> tuple[float, str]:
        value = first.get(system, EMPTY).value
        return (float("inf") if value is None else -value, system)

    return sorted(named, key=sort_key)


def _list_sentences(scope: Scope, evidence: str, systems: Sequence[str]) -> list[SentenceRow]:
    """Return the sentences with scores, in the order of the tasks."""
    if not evidence:
        return []
    rated = get_assessment_set(scope, evidence)
    segments = get_summary(scope, rated, evidence, find_default_score(rated), "segment").segments
    sentences = []
    for segment, item in enumerate(evidence_query.get_items(scope)):
        scores = [(system, segments[system][segment] if system in segments else None) for system in systems]
        if any(score is not None for _system, score in scores):
            sentences.append(SentenceRow(item.task, item.position, item.key, item.document, scores))
    return sentences


def _sort_rows(rows: Sequence[SentenceRow], column: int) -> list[SentenceRow]:
    known = [row for row in rows if row.scores[column][1] is not None]
    return sorted(known, key=lambda row: row.scores[column][1] or 0.0)


def rank_table(page: EvidencePage) -> Table:
    heads = [head for source in page.sources for head in (f"{source.name} rank", source.name)]
    rows: list[tuple[Cell, ...]] = [
        (system, *(value for _source, cell in cells for value in (cell.rank or None, cell.value)))
        for system, cells in page.lines
    ]
    return Table("Systems by all evidence", ("system", *heads), tuple(rows))


def sentence_table(page: EvidencePage) -> Table:
    rows = tuple(
        (row.task, row.key, row.document, *(score for _system, score in row.scores)) for row in page.rows
    )
    return Table(f"Scores by sentence: {page.shown}", ("task", "item", "document", *page.systems), rows)
