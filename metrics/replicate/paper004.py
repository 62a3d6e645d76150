"""Guzmán et al. 2014 (paper 004): what discourse adds to other metrics. Tables 2–5.

Each row is a metric or a sum of metrics; columns: alone, with DR, with DR-LEX; figures are means over the
sets. At segment level ties of the metric count against it, as in WMT12. Table 5 needs a second collection.
The metrics are ours, not those of the toolkit of the paper; a sum contains the parts that exist here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from appraise.lib.problems import InputError
from evaluation.agreement.coefficients import none_if_nan
from metrics import registry
from metrics.base import MetricUnavailable
from metrics.discourse import tables as gain_tables
from metrics.discourse.tables import FAMILIES, SYN, Combine, DiscourseSet, GainCell, GainTable
from metrics.learned.combination import NothingToLearn
from metrics.metaeval import datasets
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.scoring import score_dataset
from metrics.replicate import report
from metrics.replicate.report import Note, PaperCell, PaperRow, PaperTable, Replication, ReplicationOptions

NAME = "paper-004"
COLUMNS = ("alone", "+DR", "+DR-LEX")
PLAIN = ":lowercase=true:tokenize=13a"
SINGLE = {
    "meteor": "meteor:tokenize=13a",
    "nist": "nist" + PLAIN,
    "rouge-w": "rouge-w" + PLAIN,
    "ter": "ter",
    "bleu": "bleu:lowercase=true",
}
SYNTAX = {name: name for name in SYN}
TITLES = {"dr": "DR", "dr-lex": "DR-LEX", "rouge-w": "ROUGE", "average": "average"}


def run(options: ReplicationOptions, note: Note = lambda message: None) -> Replication:
    """Score every set once, then make the tables from the metrics that could be computed."""
    signatures: dict[str, str] = {}
    missing: dict[str, str] = {}
    sets, other = (
        [_score_set(prefix, options, signatures, missing, note) for prefix in prefixes]
        for prefixes in (options.sets, options.test)
    )
    rows = _rows([*sets, *other])
    tables, untuned = _tables(options, sets, other, rows)
    missing_parts = [
        *(report.MissingPart(f"metric {name}", reason) for name, reason in missing.items()),
        *untuned,
        *_missing_tables(options, other),
    ]
    return report.make_replication(
        NAME,
        tables,
        missing=missing_parts,
        data=report.digest_sets((*options.sets, *options.test)),
        settings={
            "ties": TieRule.WMT12.value,
            "system level from": "all outputs" if options.whole else "judged outputs",
            "resamples": options.resamples,
            "seed": options.seed,
        },
        signatures=signatures,
    )


def metric_specifications(options: ReplicationOptions) -> dict[str, str]:
    """The metrics to compute, by their names in the tables."""
    parser = f":parser={options.discourse_parser}"
    return {"dr": f"dr{parser}", "dr-lex": f"dr-lex{parser}"} | SINGLE | (SYNTAX if options.syntax else {})


def _score_set(
    prefix: str, options: ReplicationOptions, signatures: dict[str, str], missing: dict[str, str], note: Note
) -> DiscourseSet:
    """Scores of the judged cells and of the systems; unavailable metrics are added to ``missing``."""
    dataset, human = datasets.read_set(prefix)
    report.check_judged_set(prefix, dataset, human)
    judged = gain_tables.judged_cells(human)
    part = replace(dataset, cells=tuple(dataset.cells[cell] for cell in judged))
    scored: dict[str, gain_tables.MetricScores] = {}
    for name, specification in metric_specifications(options).items():
        note(f"{report.set_label(prefix)}: {name}")
        whole = options.whole and name not in SYNTAX
        try:
            scores = score_dataset(registry.parse(specification), dataset if whole else part)
        except MetricUnavailable as error:
            if name in ("dr", "dr-lex"):
                raise InputError.of("cannot_score", str(error), file=report.set_label(prefix)) from error
            missing[name] = str(error)
            continue
        signatures[name] = scores.signature
        scored[name] = (scores.cells[judged] if whole else scores.cells, scores.systems)
    return DiscourseSet.of(dataset, human, scored)


def _rows(sets: Sequence[DiscourseSet]) -> dict[str, Sequence[str]]:
    """The rows whose parts were all scored on every set."""
    scored = set.intersection(*(set(judged.scores) for judged in sets))
    wanted: dict[str, Sequence[str]] = {name: (name,) for name in SINGLE}
    return {name: parts for name, parts in (wanted | {**FAMILIES}).items() if scored.issuperset(parts)}


def _tables(
    options: ReplicationOptions,
    sets: Sequence[DiscourseSet],
    other: Sequence[DiscourseSet],
    rows: Mapping[str, Sequence[str]],
) -> tuple[list[PaperTable], list[report.MissingPart]]:
    """The tables, and those that could not be tuned, which have printed numbers only."""
    alone: dict[str, Sequence[str]] = {"dr": ("dr",), "dr-lex": ("dr-lex",)}
    untuned: list[report.MissingPart] = []

    def segments(
        judged: Sequence[DiscourseSet], wanted: Mapping[str, Sequence[str]], combine: Combine, title: str = ""
    ) -> GainTable:
        try:
            return gain_tables.segment_table(
                judged, wanted, combine, resamples=options.resamples, seed=options.seed
            )
        except NothingToLearn as error:
            untuned.append(report.MissingPart(title, str(error)))
            return GainTable({}, ())

    pairs, by_segment = _count_pairs(sets), "Kendall’s τ over segments"
    uniformly, tuned = gain_tables.combine_uniformly, gain_tables.combine_tuned
    alone_by_system, by_system = (gain_tables.system_table(sets, chosen) for chosen in (alone, rows))
    first, uniform = segments(sets, alone, uniformly), segments(sets, rows, uniformly)
    with_weights = segments(sets, rows, tuned, "Table 4")
    tables = [
        _table("Table 2: Spearman’s ρ over systems", "system", alone_by_system, by_system, pairs),
        _table(f"Table 3: {by_segment}, uniform", "uniform", first, uniform, pairs),
        _table(f"Table 4: {by_segment}, tuned", "tuned", first, with_weights, pairs),
    ]
    if other:
        printed = {name: parts for name, parts in rows.items() if name in report.DISCOURSE["transferred"]}
        transferred = segments(other, printed, gain_tables.combine_tuned_on(sets), "Table 5")
        title = f"Table 5: {by_segment}, tuned on other sets"
        apart = segments(other, alone, uniformly)
        tables.append(_table(title, "transferred", apart, transferred, _count_pairs(other)))
    return tables, untuned


def _table(title: str, key: str, alone: GainTable, gains: GainTable, pairs: str) -> PaperTable:
    printed = report.DISCOURSE[key]
    rows = [_row(name, printed[name], alone.rows[name][:1]) for name in ("dr", "dr-lex")]
    rows += [
        _row(name, values, gains.rows.get(name, ()))
        for name, values in printed.items()
        if name not in ("dr", "dr-lex", "average")
    ]
    rows.append(_row("average", printed["average"], gains.average))
    notes = (
        f"Ours: {pairs}. Intervals are of the gain over the first column, moved to the figure itself.",
        "The paper’s average is over all its rows, ours over the rows that were run; a sum holds the parts "
        "that exist here. "
        + ("The first column of a sum is tuned; in the paper’s average it is not." if key in _TUNED else ""),
    )
    return PaperTable(title, COLUMNS, tuple(rows), notes, 3, "metric")


_TUNED = ("tuned", "transferred")


def _row(name: str, printed: Sequence[float], cells_here: Sequence[GainCell]) -> PaperRow:
    cells = []
    for place in range(len(COLUMNS)):
        paper = printed[place] if place < len(printed) else None
        has_ours = place < len(cells_here)
        cells.append(_cell(paper, cells_here[place], cells_here[0]) if has_ours else PaperCell(paper))
    return PaperRow(TITLES.get(name, name.upper()), tuple(cells))


def _cell(paper: float | None, cell: GainCell, first: GainCell) -> PaperCell:
    value, start = none_if_nan(cell.value), none_if_nan(first.value)
    if cell.interval is None or value is None or start is None:
        return PaperCell(paper, value)
    return PaperCell(paper, value, start + cell.interval[0], start + cell.interval[1])


def _count_pairs(sets: Sequence[DiscourseSet]) -> str:
    return f"{', '.join(f'{len(judged.human.better):,}' for judged in sets)} decisive pairs"


def _missing_tables(options: ReplicationOptions, other: Sequence[DiscourseSet]) -> list[report.MissingPart]:
    missing = [
        report.MissingPart(
            "the metrics of other participants of WMT12, ASIYA-SRL and ASIYA-SEM",
            "they are not part of this project; their rows are left out",
        )
    ]
    if not options.syntax:
        reason = "not requested (--syntax), because every judged sentence has to be parsed"
        missing.append(report.MissingPart("the rows ASIYA-SYN, ASIYA-0809, ASIYA-ALL", reason))
    if not other:
        missing.append(report.MissingPart("Table 5", "no second collection was named (--test SET …)"))
    return missing
