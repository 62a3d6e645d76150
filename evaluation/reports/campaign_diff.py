"""The campaign diff: two tasks, two campaigns or two releases of a system side by side.

The answers of both are read as one study, so the page needs no more queries than the page of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from ninja import Field

from appraise.lib.tables import Cell, Table
from evaluation.agreement.judgements import CodeAssigner
from evaluation.campaign_diff.campaigns import (
    DiffLine,
    DiffLines,
    JoinedStudies,
    Rejudged,
    compare_campaigns,
    compare_rejudged,
)
from evaluation.reports.phenomena import PhraseRow, name_recognisers, read_phrase_rows, recognise_phenomena
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, find_scopes, get_study, get_system_pairs
from evaluation.reports.word_tags import SentenceTexts, find_taggers, load_sentences
from evaluation.schemes import SIX_WAY, Choice
from evaluation.study.disagreements import count_votes
from evaluation.voters import get_tags_version

MAX_REVERSED = 20  # pairs on the page


@dataclass(frozen=True, slots=True)
class ReversedPair:
    """A pair whose majority label is different in the second campaign."""

    first: str
    second: str
    language: str
    before: list[tuple[Choice, int]]
    after: list[tuple[Choice, int]]


@dataclass(frozen=True, slots=True)
class DiffSummary:
    lines: DiffLines
    rejudged: Rejudged
    reversed_pairs: list[ReversedPair]
    systems: tuple[tuple[str, ...], tuple[str, ...]]
    sentences: tuple[int, int, int]  # before, after, in both
    taggers: tuple[str, ...]  # that recognise phenomena; empty where word lists are used


@dataclass(frozen=True, slots=True)
class ComparedScopes:
    """Two scopes, and a release of a system in each if two are named."""

    before: Scope
    after: Scope
    systems: tuple[str, str] | None = None

    @property
    def is_itself(self) -> bool:
        """Whether both scopes have the same answers, so that every difference would be 0."""
        before, after = self.before, self.after
        same_system = self.systems is None or self.systems[0] == self.systems[1]
        return same_system and (before.campaign, before.tasks) == (after.campaign, after.tasks)


class DiffOptions(ReportOptions):
    before: str = Field(
        default="", max_length=200, description="The earlier task or campaign, as task:SLUG or campaign:SLUG"
    )
    old: str = Field(default="", max_length=200, description="The earlier release of a system (with --new)")
    new: str = Field(default="", max_length=200, description="The later release of the system")


@dataclass(frozen=True, slots=True)
class DiffPage:
    """``others`` are the scopes to choose from; ``summary`` is None until one is chosen."""

    scope: Scope
    options: DiffOptions
    others: Mapping[str, Scope]
    compared: ComparedScopes | None
    summary: DiffSummary | None


@report("campaign-diff", title=_("Campaign diff"), path="changes", section="results")
class CampaignDiff(Report[DiffOptions, DiffPage]):
    """Wins, agreement and phenomena of two tasks or campaigns; common sentences are paired."""

    options = DiffOptions
    compares_scopes = True
    tables = {
        "wins": lambda page: _table(page, "wins", "Rate of wins"),
        "agreement": lambda page: _table(page, "agreement", "Agreement"),
        "phenomena": lambda page: _table(page, "phenomena", "Phenomena"),
    }

    def compute(self, scope: Scope, options: DiffOptions) -> DiffPage:
        others = scope.others or find_scopes(scope.viewer)
        before = others.get(options.before)
        if before is None:
            return DiffPage(scope, options, others, None, None)
        systems = (options.old, options.new) if options.old and options.new else None
        compared = ComparedScopes(before, scope, systems)
        return DiffPage(scope, options, others, compared, compute_diff(compared))

    def missing(self, page: DiffPage) -> str:
        if page.compared is None:
            return f"nothing to compare with: {page.options.before!r}; name it: --before task:SLUG"
        if page.compared.is_itself:
            return f"{page.scope.slug!r} is compared with itself; name another, or --old and --new"
        return ""

    def document(self, page: DiffPage) -> dict[str, Any]:  # Any: JSON
        summary = _summary_of(page)
        if summary is None:
            return {"sentences": None, "wins": [], "agreement": [], "phenomena": [], "rejudged": None}
        rejudged = summary.rejudged
        return {
            "sentences": dict(zip(("before", "after", "both"), summary.sentences, strict=True)),
            **{
                name: [
                    {**asdict(line), "difference": line.change.difference}
                    for line in getattr(summary.lines, name)
                ]
                for name in self.tables
            },
            "rejudged": {"pairs": rejudged.pairs, "kept": rejudged.kept, "kappa": rejudged.kappa},
        }


def _summary_of(page: DiffPage) -> DiffSummary | None:
    """None where nothing is compared, or a scope with itself."""
    return None if page.compared is None or page.compared.is_itself else page.summary


def compute_diff(compared: ComparedScopes) -> DiffSummary:
    """Return the campaign diff; cached until a new answer arrives."""
    before, after = compared.before, compared.after
    every = {task.pk: task for task in (*before.tasks, *after.tasks)}
    joined = Scope(after.campaign, tuple(every[pk] for pk in sorted(every)), None, state=after.state)
    scopes = ((before.kind, before.slug), (after.kind, after.slug))
    options = (get_tags_version(), scopes, compared.systems)
    return joined.cached("campaign diff", lambda: _compute_diff(compared, joined), *options)


def _table(page: DiffPage, name: str, title: str) -> Table | None:
    summary = _summary_of(page)
    if summary is None:
        return None
    columns = ("what", "of", "before", "after", "change", "low", "high", "p", "p Holm", "paired",
               "sentences before", "sentences after", "common opponents")  # fmt: skip
    if name == "phenomena":
        title += f", classified by {' and '.join(name_recognisers(summary.taggers))}"
    return Table(title, columns, tuple(_row(line) for line in getattr(summary.lines, name)))


def _row(line: DiffLine) -> tuple[Cell, ...]:
    change = line.change
    return (line.what, line.of, change.before, change.after, change.difference, change.low, change.high,
            change.p, line.p_holm, "yes" if change.paired else "no", *change.sentences,
            " ".join(line.opponents))  # fmt: skip


def _compute_diff(compared: ComparedScopes, joined: Scope) -> DiffSummary:
    study, system_pairs = get_study(joined), get_system_pairs(joined)
    rows = {row.pk: row for row in read_phrase_rows(joined)}
    ordered = [rows[int(key)] for key in study.pair_keys]
    sentences = load_sentences(joined.tasks)
    texts = _identities(sentences)
    codes = {text: code for code, text in enumerate(sorted(set(texts.values())))}
    studies = JoinedStudies(
        study=study,
        system_pairs=system_pairs,
        phenomena=recognise_phenomena(joined, study, ordered, sentences),
        sentences=np.array([codes[texts[row.item]] for row in ordered], dtype=np.int64),
        before=_mask(ordered, compared.before),
        after=_mask(ordered, compared.after),
    )
    rejudged = compare_rejudged(studies, _same_texts(ordered, texts))
    return DiffSummary(
        lines=compare_campaigns(studies, compared.systems),
        rejudged=rejudged,
        reversed_pairs=_reversed_pairs(joined, studies, ordered, rejudged.changed[:MAX_REVERSED]),
        systems=(_systems(studies, "before"), _systems(studies, "after")),
        sentences=_sentences(studies),
        taggers=find_taggers(joined.tasks),
    )


def _identities(sentences: SentenceTexts) -> dict[int, str]:
    """Return what identifies a sentence across campaigns: its source, else a reference, else its key."""
    return {
        pk: source or (references[0] if references else key)
        for pk, (key, source, references) in sentences.items.items()
    }


def _mask(rows: Sequence[PhraseRow], scope: Scope) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    tasks = {task.pk for task in scope.tasks}
    return np.array([row.task in tasks for row in rows], dtype=bool)


def _same_texts(
    rows: Sequence[PhraseRow], texts: dict[int, str]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    codes = CodeAssigner()
    names = ((texts[row.item], row.first, row.second, row.kind) for row in rows)
    return np.array([codes[name] for name in names], dtype=np.int64)


def _systems(studies: JoinedStudies, side: str) -> tuple[str, ...]:
    system_pairs = studies.system_pairs
    rows = getattr(studies, side)[system_pairs.pairs]
    codes = np.unique(np.concatenate([system_pairs.first[rows], system_pairs.second[rows]]))
    return tuple(system_pairs.system_names[code] for code in codes)


def _sentences(studies: JoinedStudies) -> tuple[int, int, int]:
    judged = np.zeros(len(studies.before), dtype=bool)
    judged[studies.study.pairs] = True
    before, after = (
        set(studies.sentences[judged & campaign].tolist()) for campaign in (studies.before, studies.after)
    )
    return len(before), len(after), len(before & after)


def _reversed_pairs(
    joined: Scope, studies: JoinedStudies, rows: Sequence[PhraseRow], pairs: Sequence[tuple[int, int]]
) -> list[ReversedPair]:
    counts, languages = count_votes(studies.study), {task.pk: task.target_language for task in joined.tasks}

    def votes(pair: int) -> list[tuple[Choice, int]]:
        return [(choice, int(n)) for choice, n in zip(SIX_WAY.choices, counts[pair], strict=True) if n]

    return [
        ReversedPair(
            rows[before].first, rows[before].second, languages[rows[before].task], votes(before), votes(after)
        )
        for before, after in pairs
    ]
