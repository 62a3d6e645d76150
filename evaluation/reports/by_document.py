"""Agreement and results by document, the documents with the lowest agreement first.

A document is identified by its name, also across the tasks of a campaign. Sentences without a document are
one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _, gettext_lazy
from ninja import Field

from appraise.lib.tables import Cell, Table
from evaluation.agreement import AgreementSettings, Tally, TaskRow
from evaluation.agreement.coefficients import none_if_nan, ratio
from evaluation.agreement.report import interval_cells
from evaluation.agreement.tasks import compute_part_row
from evaluation.models import PhrasePair
from evaluation.reports import plots
from evaluation.reports.registry import FilterOptions, Report, report
from evaluation.reports.results import filter_study
from evaluation.reports.scope import Scope, get_study, get_system_pairs
from evaluation.study import Filter, Study, SystemPairs
from evaluation.study.systems import SIGNS, join_votes
from evaluation.web import numeral

PAGE_SIZE = 50
MAX_PLOTTED = 20


class DocumentOptions(FilterOptions):
    page: int = Field(default=1, ge=1, le=100_000, description="Page of fifty documents, from 1")


@dataclass(frozen=True, slots=True)
class SystemWins:
    """The votes on one system in a document; ``share`` is the share of wins, None without votes."""

    system: str
    wins: int
    ties: int
    losses: int

    @property
    def share(self) -> float | None:
        votes = self.wins + self.ties + self.losses
        return self.wins / votes if votes else None

    @property
    def text(self) -> str | None:
        """The wins and their share, for the page."""
        if self.share is None:
            return None
        share = _("{n}%").replace("{n}", f"{self.share * 100:.0f}")
        return f"{numeral(f'{self.wins:,}')} ({share})"


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One judged document; ``name`` is empty for the sentences without a document."""

    name: str
    sentences: int
    annotators: int
    p_a: float | None
    agreement: TaskRow
    systems: tuple[SystemWins, ...]

    @property
    def title(self) -> str:
        return self.name or _("(no document)")


@dataclass(frozen=True, slots=True)
class DocumentsPage:
    scope: Scope
    options: DocumentOptions
    rows: tuple[DocumentRow, ...]

    @property
    def page_obj(self) -> Page[DocumentRow]:
        return Paginator(self.rows, PAGE_SIZE).get_page(self.options.page)

    @property
    def agreement_table(self) -> Table:
        rows = tuple((row.title, *_count_cells(row), *_kappa_cells(row)) for row in self.page_obj)
        counts = (_("Sentences"), _("Answers"), _("Annotators"))
        columns = (_("Document"), *counts, "P(A)", "κ", _("low"), _("high"))
        return Table(_("Agreement by document"), columns, rows)

    @property
    def result_table(self) -> Table:
        systems = [wins.system for wins in self.rows[0].systems] if self.rows else []
        rows = tuple((row.title, *(wins.text for wins in row.systems)) for row in self.page_obj)
        return Table(_("Results by document"), (_("Document"), *systems), rows)


@report("by-document", title=gettext_lazy("By document"), section="agreement")
class ByDocument(Report[DocumentOptions, DocumentsPage]):
    """Agreement and wins of the systems in each document, the lowest agreement first."""

    options = DocumentOptions
    tables = {
        "documents": lambda page: _document_table(page.rows),
        "systems": lambda page: _system_table(page.rows),
    }
    plots = {"agreement": lambda page: _agreement_plot(page.rows)}

    def compute(self, scope: Scope, options: DocumentOptions) -> DocumentsPage:
        return DocumentsPage(scope, options, compute_documents(scope, tuple(sorted(options.without))))

    def document(self, page: DocumentsPage) -> dict[str, Any]:  # Any: JSON
        return {
            "documents": [
                {
                    "document": row.name or None,
                    "sentences": row.sentences,
                    "answers": row.agreement.judgements,
                    "annotators": row.annotators,
                    "pairs": row.agreement.pairs,
                    "p_a": row.p_a,
                    "kappa": row.agreement.kappa,
                    "kappa_ci": row.agreement.interval,
                    "systems": [{**asdict(wins), "share": wins.share} for wins in row.systems],
                }
                for row in page.rows
            ]
        }


def compute_documents(scope: Scope, without: tuple[Filter, ...] = ()) -> tuple[DocumentRow, ...]:
    """Return the judged documents, the lowest κ first; cached until a new answer arrives."""

    def compute() -> tuple[DocumentRow, ...]:
        study = filter_study(get_study(scope), without)
        return _make_rows(study, get_system_pairs(scope), _read_documents(scope))

    return scope.cached("documents", compute, without)


def _read_documents(scope: Scope) -> list[str]:
    """Return the document of each pair, in the order of the study. One query."""
    pairs = PhrasePair.objects.filter(task__in=scope.task_ids).order_by("pk")
    return list(pairs.values_list("owner__item__document", flat=True))


def _make_rows(study: Study, system_pairs: SystemPairs, documents: Sequence[str]) -> tuple[DocumentRow, ...]:
    names, codes = np.unique(np.array(documents, dtype=object).astype(str), return_inverse=True)
    wins = _count_wins(study, system_pairs, codes, len(names))
    settings, rows = AgreementSettings(study.scheme), []
    for code in np.unique(codes[study.pairs[study.is_counted]]).tolist():
        judgements = study.filter_rows(codes[study.pairs] == code).judgements()
        agreeing, pairs = Tally.of(judgements).pairs.sum(axis=1)
        rows.append(
            DocumentRow(
                name=str(names[code]),
                sentences=judgements.sentence_count,
                annotators=len(np.unique(judgements.annotators)),
                p_a=none_if_nan(ratio(agreeing, pairs)),
                agreement=compute_part_row(str(names[code]), judgements, settings),
                systems=wins[code],
            )
        )
    return tuple(sorted(rows, key=_sort_key))


def _sort_key(row: DocumentRow) -> tuple[bool, float, str]:
    """The lowest κ first; documents that no two annotators have in common come last."""
    kappa = row.agreement.kappa
    return kappa is None, kappa or 0.0, row.name


def _count_wins(
    study: Study, system_pairs: SystemPairs, codes: np.ndarray[Any, np.dtype[np.int64]], size: int
) -> list[tuple[SystemWins, ...]]:
    """Return the votes on each system in each document; they count at every occurrence of a pair."""
    answers, occurrences = join_votes(study, system_pairs)
    signs, of_document = SIGNS[study.labels[answers]], codes[study.pairs[answers]]
    counts = np.zeros((size, len(system_pairs.system_names), 3), dtype=np.int64)
    for systems, own_signs in ((system_pairs.first, signs), (system_pairs.second, -signs)):
        np.add.at(counts, (of_document, systems[occurrences], 1 - own_signs), 1)
    return [
        tuple(
            SystemWins(name, *cells)
            for name, cells in zip(system_pairs.system_names, of_systems.tolist(), strict=True)
        )
        for of_systems in counts
    ]


def _document_table(rows: Sequence[DocumentRow]) -> Table:
    columns = ("document", "sentences", "answers", "annotators", "pairs of answers", "P(A)", "kappa", "low",
               "high")  # fmt: skip
    cells = tuple((row.name, *_count_cells(row), row.agreement.pairs, *_kappa_cells(row)) for row in rows)
    return Table("Agreement by document, the lowest first", columns, cells)


def _count_cells(row: DocumentRow) -> tuple[Cell, ...]:
    return row.sentences, row.agreement.judgements, row.annotators


def _kappa_cells(row: DocumentRow) -> tuple[Cell, ...]:
    return row.p_a, row.agreement.kappa, *interval_cells(row.agreement.interval)


def _system_table(rows: Sequence[DocumentRow]) -> Table:
    columns = ("document", "system", "wins", "ties", "losses", "share of wins")
    cells = tuple(
        (row.name, wins.system, wins.wins, wins.ties, wins.losses, wins.share)
        for row in rows
        for wins in row.systems
    )
    return Table("Wins of the systems by document", columns, cells)


def _agreement_plot(rows: Sequence[DocumentRow]) -> plots.Plot:
    values = [(row.title, row.agreement.kappa, row.agreement.interval) for row in rows[:MAX_PLOTTED]]
    label = _("κ of the documents with the lowest agreement, with intervals over sentences")
    return plots.named_values(label, "κ", _("document"), values)
