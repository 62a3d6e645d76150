"""Every table of the reports by name, for pages, files, LaTeX, the API and the bundle alike."""

from __future__ import annotations

from evaluation.agreement import TaskRow
from evaluation.agreement.bootstrap import Interval
from evaluation.agreement.rendering import Cell, Table, annotator_table, coefficient_table, confusion_table
from evaluation.results import SystemResults
from evaluation.study.agreement import AgreementSummary

Ends = tuple[Cell, Cell]


def agreement_tables(summary: AgreementSummary) -> dict[str, Table]:
    report = summary.report
    return {
        "coefficients": coefficient_table(report),
        "annotator-pairs": annotator_table(report),
        "confusion": confusion_table(report),
        "labels": Table(
            "Label distribution",
            ("label", "answers"),
            tuple(zip(report.labels, report.label_totals, strict=True)),
        ),
        "tasks": _task_table(summary),
        "filters": _filter_table(summary),
        "annotators": _annotator_table(summary),
        "leave-one-out": Table(
            "Without each annotator",
            ("annotator", "pairs", "kappa"),
            tuple((w.annotator, w.pairs, w.kappa) for w in report.leave_one_out),
        ),
        "over-time": Table(
            "Agreement over time",
            ("part", "answers", "pairs", "P(A)", "kappa"),
            tuple((n + 1, w.judgements, w.pairs, w.p_a, w.kappa) for n, w in enumerate(summary.windows)),
        ),
        "times": Table("Seconds for one answer", ("from", "to", "answers"), summary.times),
        "wanted": Table(
            "Answers still needed for an interval of that half-width",
            ("half-width", "answers"),
            summary.wanted,
        ),
    }


def result_tables(results: SystemResults) -> dict[str, Table]:
    return {"systems": _system_table(results), "system-pairs": _system_pair_table(results)}


def _system_table(results: SystemResults) -> Table:
    columns = (
        "cluster", "rank", "best rank", "worst rank", "system", "wins", "losses", "ties", "expected wins",
        "strength",
    )  # fmt: skip
    rows = tuple(
        (
            line.cluster, line.rank, *_ends(line.rank_range), line.system, line.wins, line.losses, line.ties,
            line.expected_wins, line.ability,
        )
        for line in results.systems
    )  # fmt: skip
    title = f"Systems: {results.votes} votes, {results.sentences} sentences, {results.annotators} annotators"
    return Table(title, columns, rows)


def _system_pair_table(results: SystemResults) -> Table:
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


def _task_table(summary: AgreementSummary) -> Table:
    table = summary.by_task
    return Table(
        "Agreement by task",
        ("task", "items", "answers", "pairs", *_KAPPAS),
        tuple(
            (row.task, row.items, row.judgements, row.pairs, *_kappas(row))
            for row in (*table.rows, table.mean, table.pooled)
        ),
    )


def _filter_table(summary: AgreementSummary) -> Table:
    return Table(
        "With and without doubtful answers",
        ("left out", "answers", "pairs", *_KAPPAS),
        tuple(
            (
                " ".join(subset.without) or "nothing",
                subset.row.judgements,
                subset.row.pairs,
                *_kappas(subset.row),
            )
            for subset in summary.subsets
        ),
    )


_KAPPAS = ("kappa", "low", "high", "band", "kappa'", "low'", "high'", "band'")


def _kappas(row: TaskRow) -> tuple[Cell, ...]:
    return (
        row.kappa,
        *_ends(row.interval),
        row.band,
        row.prime,
        *_ends(row.prime_interval),
        row.band_prime,
    )


def _annotator_table(summary: AgreementSummary) -> Table:
    columns = (
        "annotator", "answers", "lower quartile s", "median s", "upper quartile s",
        "left wins", "right wins", "left share", "low", "high", "side", "tie share", "N/A share",
        "repeats", "repeats agreeing", "checks passed", "checks", "cyclic triads", "triads",
        "failed checks", "speeder",
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for line in summary.annotators:
        bias, again, triads = line.bias, line.repeats, line.triads
        rows.append(
            (
                line.annotator,
                line.answers,
                *(line.times or (None, None, None)),
                bias.left,
                bias.right,
                bias.left_share,
                *_ends(bias.interval),
                None if bias.side is None else bias.side.value,
                bias.tie_share,
                bias.not_applicable_share,
                again.pairs if again else 0,
                again.p_a if again else None,
                line.checks_passed,
                line.checks,
                triads.cyclic if triads else None,
                triads.decided if triads else None,
                "yes" if line.failed else "no",
                "yes" if line.speeder else "no",
            )
        )
    return Table("Annotators", columns, tuple(rows))


def _ends(interval: Interval | tuple[int, int] | None) -> Ends:
    return (None, None) if interval is None else interval
