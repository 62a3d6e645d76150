"""What families of features add to a combination: ``python -m benchmarks.studies.combination_families``.

Sets are grouped by folder, one for each year. A combination is trained on all other folders and tested on
one, so no figure is about judgements that were used for training. Printed are the mean τ (``wmt14``) of the
sets of a folder, the mean over the folders, and the difference to another row with its interval: segments are
resampled within every set, the same for both.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from appraise.lib.digests import text_digest
from appraise.lib.resampling import percentile_interval
from benchmarks.studies.base import note, write
from metrics.learned import features, matching
from metrics.learned.combination import STRENGTH, JudgedTable, tune
from metrics.learned.examples import document_numbers
from metrics.metaeval.datasets import Comparisons, FloatArray, IntArray, read_set
from metrics.metaeval.kendall import TieRule, bootstrap_sums, outcome_counts, tau

Names = tuple[str, ...]
JudgedSet = tuple[JudgedTable, IntArray]  # with the segment of every cell
LEXICAL, NEURAL = features.LEXICAL, features.NEURAL
WORDNET = LEXICAL[len(features.RICH) :]
PARTS: dict[str, Names] = {
    **{
        f"n-grams of {view}": tuple(n for n in matching.NAMES if n.startswith(f"{view}-") and n[-1] in "prf")
        for view in matching.VIEWS
    },
    "lengths": tuple(n for n in matching.NAMES if n.endswith(("-short", "-long"))),
    "copied": ("copied", "copied-share"),
    "other metrics": features.METRICS,
    "METEOR with WordNet": WORDNET,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Contributions of families of features, by held-out year.")
    parser.add_argument("--set", nargs="+", required=True, dest="sets", metavar="DIR/PREFIX")
    parser.add_argument("--every", nargs="*", default=[], metavar="FOLDER=N", help="every N-th segment only")
    parser.add_argument("--more", default="", help="a further feature set, added to the lexical one")
    parser.add_argument("--cache", required=True, type=Path, help="a folder for the values of features")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    write(lambda: study(options))


def study(options: argparse.Namespace) -> str:
    more = features.parse_names(options.more) if options.more else ()
    names = (*LEXICAL, *NEURAL, *more)
    years: dict[str, list[JudgedSet]] = {}
    steps = dict(each.split("=") for each in options.every)
    for prefix in map(Path, options.sets):
        judged = read_table(
            prefix, (LEXICAL, NEURAL, more), int(steps.get(prefix.parent.name, 1)), options.cache
        )
        years.setdefault(prefix.parent.name, []).append(judged)
        note(f"{prefix}: {len(judged[0].rows)} translations, {len(judged[0].human.better)} pairs")
    rows: dict[str, tuple[Names, str]] = {
        "rich": (features.RICH, ""),
        "lexical": (LEXICAL, "rich"),
        "recommended": ((*LEXICAL, *NEURAL), "lexical"),
        "neural": (NEURAL, "recommended"),
        **{f"lexical without {part}": (_without(LEXICAL, own), "lexical") for part, own in PARTS.items()},
        "recommended without METEOR with WordNet": ((*features.RICH, *NEURAL), "recommended"),
    }
    if more:
        rows[f"lexical and {options.more}"] = ((*LEXICAL, *more), "lexical")
        rows[f"recommended and {options.more}"] = (names, "recommended")
    lines = [f"| features | {' | '.join(years)} | mean | difference |", "|---" * (len(years) + 3) + "|"]
    counts: dict[str, list[list[FloatArray]]] = {}
    for name, (own, base) in rows.items():
        counts[name] = _test(years, [names.index(one) for one in own])
        taus = [np.mean([tau(rows.sum(0), TieRule.WMT14) for rows in year]) for year in counts[name]]
        gap = f"{_compare(counts[name], counts[base], options)} to {base}" if base else ""
        lines.append(f"| {name} | {' | '.join(f'{t:.3f}' for t in taus)} | {np.mean(taus):.3f} | {gap} |")
        note(lines[-1])
    return "\n".join(lines) + "\n"


def read_table(prefix: Path, groups: Sequence[Names], step: int, cache: Path) -> JudgedSet:
    """The judged cells of every N-th segment of a set, with features that were computed once."""
    dataset, human = read_set(prefix)
    codes = dataset.segment_codes()
    kept = codes[human.better] % step == 0
    cells = np.unique(np.concatenate([human.better[kept], human.worse[kept]]))
    place = np.full(len(dataset.cells), -1)
    place[cells] = np.arange(len(cells))
    columns = []
    for names in filter(None, groups):
        about = text_digest(str(prefix), str(step), *features.signatures(names).values())
        path = cache / f"{prefix.parent.name}.{prefix.name}.{about}.npy"
        if not path.exists():
            note(f"{path.name}: {len(cells)} translations, {len(names)} features")
            values = features.compute(names, [dataset.segment(cell) for cell in cells.tolist()])
            np.save(path, values.astype(np.float32))
        columns.append(np.load(path).astype(np.float64))
    judged = Comparisons(place[human.better[kept]], place[human.worse[kept]])
    return JudgedTable(np.hstack(columns), judged, document_numbers(dataset, cells)), codes[cells]


def _without(names: Names, others: Names) -> Names:
    return tuple(name for name in names if name not in others)


def _test(years: dict[str, list[JudgedSet]], columns: list[int]) -> list[list[FloatArray]]:
    """Counts (C, D, T) by segment of every set, with weights from the other years."""

    def select(table: JudgedTable) -> JudgedTable:
        return JudgedTable(table.rows[:, columns], table.human, table.documents)

    counts = []
    for year, sets in years.items():
        training = [select(table) for other, tables in years.items() if other != year for table, _ in tables]
        weights = tune(training, strength=STRENGTH)
        counts.append(
            [
                outcome_counts(weights(select(table).rows), table.human, segments).astype(np.float64)
                for table, segments in sets
            ]
        )
    return counts


def _compare(
    first: list[list[FloatArray]], second: list[list[FloatArray]], options: argparse.Namespace
) -> str:
    def subtract(sums: FloatArray) -> FloatArray:
        return tau(sums[..., :3], TieRule.WMT14) - tau(sums[..., 3:], TieRule.WMT14)

    by_year = []
    for year, (own, others) in enumerate(zip(first, second, strict=True)):
        both = [np.hstack(pair) for pair in zip(own, others, strict=True)]
        seeds = range(options.seed + 100 * year, options.seed + 100 * year + len(both))
        resampled = [
            np.append(subtract(rows.sum(axis=0)), bootstrap_sums(rows, subtract, options.resamples, seed))
            for rows, seed in zip(both, seeds, strict=True)
        ]
        by_year.append(np.mean(resampled, axis=0))
    values = np.mean(by_year, axis=0)
    low, high = percentile_interval(values[1:]) or (np.nan, np.nan)
    return f"{values[0]:+.4f} [{low:+.4f}, {high:+.4f}]"


if __name__ == "__main__":
    main()
