"""The tables of the agreement and results reports by name, for pages, downloads, the API and bundles."""

from __future__ import annotations

from collections.abc import Callable

from appraise.lib.tables import Cell, Table
from evaluation.agreement import TaskRow
from evaluation.agreement.report import (
    build_annotator_table,
    build_coefficient_table,
    build_confusion_table,
    interval_cells,
)
from evaluation.results import SystemResults
from evaluation.study.agreement import AgreementSummary, summarise_agreement
from evaluation.study.annotators import AnnotatorLine
from evaluation.study.systems import SystemPairs, compute_study_results
from evaluation.study.values import Study


def build_study_tables(study: Study, system_pairs: SystemPairs) -> dict[str, Table]:
    """Build every table of a bundle, by name."""
    results = build_result_tables(compute_study_results(study, system_pairs))
    agreement = build_agreement_tables(summarise_agreement(study, system_pairs))
    return {
        **{f"agreement/{name}": table for name, table in agreement.items()},
        **{f"results/{name}": table for name, table in results.items()},
    }


def build_sentence_tables(study: Study, system_pairs: SystemPairs) -> dict[str, Table]:
    """Build the same tables from the answers about whole sentences; none if there are no such answers."""
    if not len(study.pair_sentences):
        return {}
    return {f"sentences/{name}": table for name, table in build_study_tables(study, system_pairs).items()}


def build_agreement_tables(summary: AgreementSummary) -> dict[str, Table]:
    return {name: build(summary) for name, build in AGREEMENT_TABLES.items()}


def build_result_tables(results: SystemResults) -> dict[str, Table]:
    return {name: build(results) for name, build in RESULT_TABLES.items()}


def _build_system_table(results: SystemResults) -> Table:
    columns = (
        "cluster", "rank", "best rank", "worst rank", "system", "wins", "losses", "ties", "expected wins",
        "strength",
    )  # fmt: skip
    rows = tuple(
        (
            line.cluster, line.rank, *interval_cells(line.rank_range), line.system, line.wins, line.losses,
            line.ties, line.expected_wins, line.ability,
        )
        for line in results.systems
    )  # fmt: skip
    title = f"Systems: {results.votes} votes, {results.sentences} sentences, {results.annotators} annotators"
    return Table(title, columns, rows)


def _build_system_pair_table(results: SystemResults) -> Table:
    columns = (
        "a", "b", "wins", "losses", "ties", "n", "sentences for a", "sentences for b", "annotators for a",
        "annotators for b", "p", "p Holm", "significant",
    )  # fmt: skip
    rows = tuple(
        (
            c.a, c.b, c.wins, c.losses, c.ties, c.n, c.sentences_for, c.sentences_against, c.annotators_for,
            c.annotators_against, c.p, c.p_holm, "yes" if c.significant else "no",
        )
        for c in results.comparisons
    )  # fmt: skip
    return Table("Sign test over sentences, corrected by Holm", columns, rows)


def _build_task_table(summary: AgreementSummary) -> Table:
    table = summary.by_task
    return Table(
        "Agreement by task",
        ("task", "items", "answers", "pairs", *_KAPPA_COLUMNS),
        tuple(
            (row.task, row.items, row.judgements, row.pairs, *_kappa_cells(row))
            for row in (*table.rows, table.mean, table.pooled)
        ),
    )


def _build_filter_table(summary: AgreementSummary) -> Table:
    return Table(
        "With and without doubtful answers",
        ("left out", "answers", "pairs", *_KAPPA_COLUMNS),
        tuple(
            (" ".join(s.without) or "nothing", s.row.judgements, s.row.pairs, *_kappa_cells(s.row))
            for s in summary.subsets
        ),
    )


_KAPPA_COLUMNS = ("kappa", "low", "high", "band", "kappa'", "low'", "high'", "band'")


def _kappa_cells(row: TaskRow) -> tuple[Cell, ...]:
    kappa, prime = interval_cells(row.interval), interval_cells(row.prime_interval)
    return row.kappa, *kappa, row.band, row.prime, *prime, row.band_prime


def _build_annotator_lines_table(summary: AgreementSummary) -> Table:
    columns = (
        "annotator", "answers", "lower quartile s", "median s", "upper quartile s",
        "left wins", "right wins", "left share", "low", "high", "side", "tie share", "N/A share",
        "repeats", "repeats agreeing", "checks passed", "checks", "cyclic triads", "triads",
        "failed checks", "speeder",
    )  # fmt: skip
    return Table("Annotators", columns, tuple(map(_annotator_cells, summary.annotators)))


def _annotator_cells(line: AnnotatorLine) -> tuple[Cell, ...]:
    bias, repeats, triads = line.bias, line.repeats, line.triads
    return (
        line.annotator, line.answers, *(line.times or (None, None, None)),
        bias.left, bias.right, bias.left_share, *interval_cells(bias.interval),
        None if bias.side is None else bias.side.value, bias.tie_share, bias.not_applicable_share,
        repeats.pairs if repeats else 0, repeats.p_a if repeats else None, line.checks_passed, line.checks,
        triads.cyclic if triads else None, triads.decided if triads else None,
        "yes" if line.failed else "no", "yes" if line.speeder else "no",
    )  # fmt: skip


AGREEMENT_TABLES: dict[str, Callable[[AgreementSummary], Table]] = {
    "coefficients": lambda summary: build_coefficient_table(summary.report),
    "annotator-pairs": lambda summary: build_annotator_table(summary.report),
    "confusion": lambda summary: build_confusion_table(summary.report),
    "labels": lambda summary: Table(
        "Label distribution",
        ("label", "answers"),
        tuple(zip(summary.report.labels, summary.report.label_totals, strict=True)),
    ),
    "tasks": _build_task_table,
    "filters": _build_filter_table,
    "annotators": _build_annotator_lines_table,
    "leave-one-out": lambda summary: Table(
        "Without each annotator",
        ("annotator", "pairs", "kappa"),
        tuple((w.annotator, w.pairs, w.kappa) for w in summary.report.leave_one_out),
    ),
    "over-time": lambda summary: Table(
        "Agreement over time",
        ("part", "answers", "pairs", "P(A)", "kappa"),
        tuple((n + 1, w.judgements, w.pairs, w.p_a, w.kappa) for n, w in enumerate(summary.windows)),
    ),
    "times": lambda summary: Table("Seconds for one answer", ("from", "to", "answers"), summary.times),
    "wanted": lambda summary: Table(
        "Answers still needed for an interval of that half-width", ("half-width", "answers"), summary.wanted
    ),
}
RESULT_TABLES: dict[str, Callable[[SystemResults], Table]] = {
    "systems": _build_system_table,
    "system-pairs": _build_system_pair_table,
}
