"""Rebuild tables 2–5 of Guzmán et al. 2014 (paper 004): ``python -m benchmarks.discourse_tables``.

Scores every metric on the judged sets of ``APPRAISE_DATA`` once, keeps the scores under
``var/discourse_tables`` and prints the tables as Markdown. WMT12 into English is scored whole, but for
syntactic metrics, which see its judged cells only (the constituency parser takes more than an hour on
two cores for them). WMT13, the second collection in place of WMT11, has no syntactic rows. ``--parser real``
parses four sentences a second.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from metrics import registry
from metrics.base import MetricUnavailable
from metrics.discourse.tables import (
    FAMILIES,
    Combine,
    DiscourseSet,
    GainCell,
    GainTable,
    MetricScores,
    combine_tuned,
    combine_tuned_on,
    combine_uniformly,
    judged_cells,
    segment_table,
    system_table,
)
from metrics.metaeval.datasets import Dataset, FloatArray, IntArray, read_dataset, read_pairs, read_rankings
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.scoring import score_dataset
from metrics.replicate import paper004

ROOT = Path(__file__).parents[1]
CACHE = ROOT / "var" / "discourse_tables"
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
FOLDERS = {"wmt12": "rr_wmt12", "wmt13": "rr_wmt13_pairs"}
PLAIN = ":lowercase=true:tokenize=13a"
SPECIFICATIONS = {
    "dr": "dr:parser={parser}",
    "dr-lex": "dr-lex:parser={parser}",
    "control": "dr-lex:parser=flat",
    **paper004.SINGLE,
    "chrf": "chrf",
    "wer": "wer" + PLAIN,
    "per": "per" + PLAIN,
    "fms-1": "fms-1" + PLAIN,
}
SINGLE = (*paper004.SINGLE, "chrf", "wer", "per", "fms-1", *paper004.SYNTAX)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parser", default="heuristic", choices=("heuristic", "real"))
    parser.add_argument("--only", choices=FOLDERS, help="one collection only")
    parser.add_argument("--resamples", type=int, default=1000)
    judged = "score judged cells only: quicker, system level from them"
    parser.add_argument("--judged", action="store_true", help=judged)
    options = parser.parse_args()
    sets = {
        year: judged_sets(year, options.parser, judged_only=options.judged)
        for year in FOLDERS
        if options.only in (None, year)
    }
    for year, year_sets in sets.items():
        print_tables(year, year_sets, options.resamples)
    if len(sets) == 2:
        both = rows_of(sets["wmt12"] + sets["wmt13"])
        for rule in (TieRule.WMT12, TieRule.WMT14):
            combine = combine_tuned_on(sets["wmt12"])
            table = segment_table(sets["wmt13"], both, combine, rule=rule, resamples=options.resamples)
            print_table(f"tuned on WMT12, tested on WMT13, τ ({rule})", table)


def print_tables(year: str, sets: Sequence[DiscourseSet], resamples: int) -> None:
    rows = {"dr": ("dr",), "dr-lex": ("dr-lex",)} | rows_of(sets)
    alone = {name: parts for name, parts in rows.items() if name in ("dr", "dr-lex")}
    others = {name: parts for name, parts in rows.items() if name not in alone}
    print(f"\n## {year}: {[len(one.human.better) for one in sets]} decisive pairs")
    print_table(f"{year} system ρ, uniform", system_table(sets, others))
    ways: dict[str, Combine] = {"uniform": combine_uniformly, "tuned": combine_tuned}
    for rule in (TieRule.WMT12, TieRule.WMT14):
        table = segment_table(sets, alone, rule=rule, resamples=0)
        print(f"\n{year} τ ({rule}) alone: {_first(table)}")
        for name, way in ways.items():
            found = segment_table(sets, others, way, rule=rule, resamples=resamples)
            print_table(f"{year} τ ({rule}), {name}", found)
            flat = segment_table(controls(sets), others, way, rule=rule, resamples=resamples)
            print(f"\nwith one unit per sentence in place of DR-LEX: {_format_cell(flat.average[2])}")
    table = system_table(sets, alone)
    print(f"\n{year} ρ alone: {_first(table)}")


def _first(table: GainTable) -> str:
    return ", ".join(f"{name} {cells[0].value:.3f}" for name, cells in table.rows.items())


def controls(sets: Sequence[DiscourseSet]) -> list[DiscourseSet]:
    """The same sets with words alone in the place of DR-LEX."""
    return [replace(one, scores={**one.scores, "dr-lex": one.scores["control"]}) for one in sets]


def rows_of(sets: Sequence[DiscourseSet]) -> dict[str, tuple[str, ...]]:
    """The rows for which every part was scored on every set."""
    wanted: dict[str, tuple[str, ...]] = {name: (name,) for name in SINGLE} | dict(FAMILIES)
    scored = set.intersection(*(set(one.scores) for one in sets))
    return {name: parts for name, parts in wanted.items() if scored.issuperset(parts)}


def print_table(title: str, table: GainTable) -> None:
    print(f"\n### {title}\n\n| metric | alone | +DR | +DR-LEX |\n|---|---|---|---|")
    for name, cells in [*table.rows.items(), ("**average**", table.average)]:
        print(f"| {name} | " + " | ".join(map(_format_cell, cells)) + " |")


def _format_cell(cell: GainCell) -> str:
    if cell.gain is None:
        return f"{cell.value:.3f}"
    inside = f" [{cell.interval[0]:+.3f}, {cell.interval[1]:+.3f}]" if cell.interval else ""
    return f"{cell.value:.3f} ({cell.gain:+.3f}{inside})"


def judged_sets(year: str, discourse_parser: str, *, judged_only: bool) -> list[DiscourseSet]:
    return [judged_set(year, pair, discourse_parser, judged_only=judged_only) for pair in PAIRS]


def judged_set(year: str, pair: str, discourse_parser: str, *, judged_only: bool) -> DiscourseSet:
    """One language pair with all scores that can be computed here."""
    folder = Path(os.environ.get("APPRAISE_DATA", ROOT.parent / "shared/data/dev")) / FOLDERS[year]
    dataset = read_dataset(folder / f"{pair}.segments.tsv.gz", folder / f"{pair}.outputs.tsv.gz")
    if year == "wmt12":
        human = read_rankings(folder / f"{pair}.rankings.jsonl.gz", dataset)
    else:
        human = read_pairs(folder / f"{pair}.pairs.tsv.gz", dataset)
    judged = judged_cells(human)
    scored: dict[str, MetricScores] = {}
    for name, specification in (SPECIFICATIONS | (paper004.SYNTAX if year == "wmt12" else {})).items():
        limit = judged if judged_only or name in paper004.SYNTAX else None
        some = ".judged" if judged_only and name not in paper004.SYNTAX else ""
        found = cached_scores(
            f"{year}.{pair}.{name}.{discourse_parser}{some}",
            specification.format(parser=discourse_parser),
            dataset,
            limit,
        )
        if found is not None:
            scored[name] = (found[0][judged], found[1])
    return DiscourseSet.of(dataset, human, scored)


def cached_scores(
    name: str, specification: str, dataset: Dataset, judged: IntArray | None
) -> tuple[FloatArray, dict[str, float]] | None:
    """Scores of cells and systems, from disk where they were computed before; None where a tool is absent."""
    path = CACHE / f"{name}.npz"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = dataset if judged is None else replace(dataset, cells=tuple(dataset.cells[n] for n in judged))
        try:
            found = score_dataset(registry.parse(specification), part)
        except MetricUnavailable as error:
            print(f"{name}: {error}")
            return None
        cells = np.full(len(dataset.cells), np.nan)
        cells[slice(None) if judged is None else judged] = found.cells
        systems, corpus = np.array(list(found.systems)), np.array(list(found.systems.values()))
        np.savez(path, cells=cells, systems=systems, corpus=corpus)
    with np.load(path) as file:
        return file["cells"], dict(zip(file["systems"].tolist(), file["corpus"].tolist(), strict=True))


if __name__ == "__main__":
    main()
