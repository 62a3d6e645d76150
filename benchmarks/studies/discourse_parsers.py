"""What discourse trees add to words, by parser: ``python -m benchmarks.studies.discourse_parsers --help``.

DR and DR-LEX are scored with each parser on the first judged segments of every set. ``dr-lex:parser=flat``
compares the same words without trees and is the control. Printed are Kendall's τ, means over the sets: alone,
and in combinations tuned by ten folds of whole documents; differences with intervals, over the same resampled
segments on both sides. Parses of slow parsers are cached on disk.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from appraise.lib.resampling import percentile_interval
from benchmarks.studies.base import note, write
from metrics import registry
from metrics.learned.combination import JudgedTable, cross_validate
from metrics.learned.examples import document_numbers
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray, read_set
from metrics.metaeval.kendall import TieRule, bootstrap_sums, outcome_counts, tau
from metrics.metaeval.scoring import score_dataset

CONTROL = "dr-lex:parser=flat"
BASE = ("bleu", "ter", "chrf++", "meteor-1.5")
RULES = (TieRule.WMT14, TieRule.WMT12)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The judged cells of some segments of a set, with their scores by metric."""

    dataset: Dataset
    human: Comparisons
    scores: dict[str, FloatArray]

    def judge(self, scores: FloatArray) -> FloatArray:
        """Counts (C, D, T) by segment."""
        return outcome_counts(scores, self.human, self.dataset.segment_codes()).astype(np.float64)

    def table(self, names: Sequence[str]) -> JudgedTable:
        rows = np.column_stack([self.scores[name] for name in names])
        return JudgedTable(rows, self.human, document_numbers(self.dataset, np.arange(len(rows))))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="DR and DR-LEX with several parsers, and without a parser.")
    parser.add_argument("--set", nargs="+", required=True, dest="sets", metavar="DIR/PREFIX")
    parser.add_argument("--segments", type=int, default=150, help="judged segments of each set")
    parser.add_argument("--parser", nargs="+", default=["heuristic", "real"])
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    write(lambda: study(options))


def study(options: argparse.Namespace) -> str:
    compared = [f"{name}:parser={parser}" for parser in options.parser for name in ("dr", "dr-lex")]
    samples = [read_sample(prefix, options.segments) for prefix in options.sets]
    for number, sample in enumerate(samples):
        for name in (*BASE, CONTROL, *compared):
            note(f"{options.sets[number]}: {len(sample.dataset.cells)} translations, {name}")
            sample.scores[name] = score_dataset(registry.parse(name), sample.dataset).cells
    pairs = sum(len(sample.human.better) for sample in samples)
    lines = [f"{sum(len(sample.dataset.cells) for sample in samples)} translations, {pairs} decisive pairs"]
    alone = {name: [sample.judge(sample.scores[name]) for sample in samples] for name in (CONTROL, *compared)}
    added = {name: _combine(samples, (*BASE, name)) for name in (CONTROL, *compared)}
    base = _combine(samples, BASE)
    with_trees = {name: _combine(samples, (*BASE, CONTROL, name)) for name in compared}
    for rule in RULES:
        lines += ["", f"| {rule} | alone | minus control | {'+'.join(BASE)} and this | minus the base | "]
        lines[-1] += "base, control and this, minus base and control |"
        lines.append("|---|---|---|---|---|---|")
        for name in (CONTROL, *compared):
            cells = [_figure(alone[name], rule)]
            cells.append(_gap(alone[name], alone[CONTROL], rule, options) if name != CONTROL else "–")
            cells += [_figure(added[name], rule), _gap(added[name], base, rule, options)]
            cells.append(_gap(with_trees[name], added[CONTROL], rule, options) if name != CONTROL else "–")
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append(f"| base | | | {_figure(base, rule)} | | |")
    return "\n".join(lines) + "\n"


def read_sample(prefix: str, segments: int) -> Sample:
    """The cells of the decided pairs of the first judged segments, and these pairs."""
    dataset, human = read_set(prefix)
    codes = dataset.segment_codes()
    chosen = np.unique(codes[human.better])[:segments]
    kept = np.isin(codes[human.better], chosen)
    better, worse = human.better[kept], human.worse[kept]
    cells = np.unique(np.concatenate([better, worse]))
    place = np.full(len(dataset.cells), -1)
    place[cells] = np.arange(len(cells))
    part = replace(dataset, cells=tuple(dataset.cells[cell] for cell in cells.tolist()))
    return Sample(part, Comparisons(place[better], place[worse]), {})


def _combine(samples: Sequence[Sample], names: Sequence[str]) -> list[FloatArray]:
    scores = cross_validate([sample.table(names) for sample in samples])
    return [sample.judge(values) for sample, values in zip(samples, scores, strict=True)]


def _figure(counts: Sequence[FloatArray], rule: TieRule) -> str:
    return f"{np.mean([tau(rows.sum(axis=0), rule) for rows in counts]):.3f}"


def _gap(
    first: Sequence[FloatArray], second: Sequence[FloatArray], rule: TieRule, options: argparse.Namespace
) -> str:
    """The difference of mean τ with its interval; each set is resampled by itself."""

    def subtract(sums: FloatArray) -> FloatArray:
        return tau(sums[..., :3], rule) - tau(sums[..., 3:], rule)

    rows = [np.hstack(both) for both in zip(first, second, strict=True)]
    resampled = [
        bootstrap_sums(part, subtract, options.resamples, options.seed + number)
        for number, part in enumerate(rows)
    ]
    low, high = percentile_interval(np.mean(resampled, axis=0)) or (np.nan, np.nan)
    return f"{np.mean([subtract(part.sum(axis=0)) for part in rows]):+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    main()
