"""Do composites make better translations? ``python -m benchmarks.studies.composites --help``.

For every two outputs of a segment, error spans choose the better sentence (less error weight) and at every
question the better variant. The composite is the better sentence with the other's variant wherever that has
less weight. It is measured by the spans of the other source, whose weight on each word goes with the word;
errors that are on no word stay with the better sentence. Metrics compare both with the reference. Intervals
resample segments. ``--random`` chooses variants at random at as many questions, as a control.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from appraise.lib.resampling import Floats, percentile_interval, resample_totals
from benchmarks.studies.base import note, write
from evaluation.alignment import align, load_aligner
from evaluation.alignment.composites import ComposedRun, SpacedText, compose_sentence, write_composite
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import group_questions
from evaluation.alignment.word_classes import WordClasses
from evaluation.assessments.phrase_study import SpanEvidence
from evaluation.assessments.values import ParallelTexts
from evaluation.assessments.votes import SideWeights, TokenWeights, weigh_question
from evaluation.importers.evidence import MtmeFiles, read_parallel_texts
from evaluation.importers.evidence.study_files import load_evidence
from evaluation.tokens import offsets, words
from metrics import registry
from metrics.base import Segment

Weights = dict[tuple[str, int], TokenWeights]


@dataclass(frozen=True, slots=True)
class Composed:
    """Texts of a sentence pair, and by source the weight of the better, the other and the composite."""

    segment: int
    better: str
    other: str
    composite: str
    questions: int
    taken: int
    weights: dict[str, tuple[float, float, float]]

    @property
    def is_changed(self) -> bool:
        return self.composite != self.better


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Composites of two outputs, chosen by error spans.")
    parser.add_argument("--mtme", required=True, metavar="DIR")
    parser.add_argument("--lp", required=True)
    help_evidence = "a *.seg.rating file, or an Appraise CSV with its batches"
    parser.add_argument(
        "--evidence", nargs="+", required=True, metavar="NAME=FILE[:BATCHES]", help=help_evidence
    )
    parser.add_argument("--metrics", default="chrf", help="compared with the first reference")
    parser.add_argument("--pairs", type=int, default=0, help="only a sample of the sentence pairs")
    parser.add_argument("--random", action="store_true", help="the control")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    write(lambda: study(options))


def study(options: argparse.Namespace) -> str:
    texts = read_parallel_texts(MtmeFiles.from_folder(options.mtme, options.lp))
    evidence = []
    for argument in options.evidence:
        name, _, path = argument.partition("=")
        answers, _, batches = path.partition(":")
        evidence.append(load_evidence(name, Path(answers), Path(batches) if batches else None, texts))
    reader = _Reader(texts, evidence)
    lines = []
    for chooser in evidence:
        composed = list(reader.compose(chooser.name, options))
        note(f"{chooser.name}: {len(composed)} sentence pairs")
        changed = [one for one in composed if one.is_changed]
        lines += [
            f"chosen by {chooser.name}: {len(composed)} sentence pairs of"
            f" {len({c.segment for c in composed})} segments,"
            f" {np.mean([c.questions for c in composed]):.2f} questions a pair; "
            f"{len(changed)} composites differ from the better sentence, with"
            f" {np.mean([c.taken for c in changed]):.2f} variants of the other",
            "",
            "| measured by | other | better | composite | change, all pairs | change, changed pairs |"
            " higher / lower |",
            "|---|---|---|---|---|---|---|",
        ]
        for judge in evidence:
            rows = [one.weights[judge.name] for one in composed]
            lines.append(_line(f"errors, {judge.name}", composed, np.array(rows), options))
        for name in filter(None, options.metrics.split(",")):
            lines.append(_line(name, composed, reader.score(name, composed), options))
        lines.append("")
    return "\n".join(lines)


class _Reader:
    def __init__(self, texts: ParallelTexts, evidence: Sequence[SpanEvidence]) -> None:
        self._texts = texts
        cells = set.intersection(*(set(source.ratings) for source in evidence))
        self._cells = sorted(cell for cell in cells if cell[0] in texts.systems)
        self._sides = {
            (system, segment): SpacedText(text, offsets(text, texts.target_language))
            for system, segment in self._cells
            for text in [texts.outputs[system][segment]]
        }
        self._words = {cell: words(*side) for cell, side in self._sides.items()}
        self._weights = {source.name: self._weigh(source) for source in evidence}
        self._rules = QuestionRules(WordClasses.learn(self._words.values(), texts.target_language))
        self._aligner = load_aligner("lexical", texts.target_language)

    def compose(self, chooser: str, options: argparse.Namespace) -> Iterator[Composed]:
        by_segment: dict[int, list[str]] = {}
        for system, segment in self._cells:
            by_segment.setdefault(segment, []).append(system)
        pairs = [
            (segment, a, b)
            for segment, systems in sorted(by_segment.items())
            for a, b in combinations(systems, 2)
            if self._sides[a, segment].text != self._sides[b, segment].text
        ]
        rng = np.random.default_rng(options.seed)
        if 0 < options.pairs < len(pairs):
            chosen = rng.choice(len(pairs), options.pairs, replace=False)
            pairs = [pairs[number] for number in sorted(chosen.tolist())]
        weights = self._weights[chooser]
        for segment, a, b in pairs:
            total = SideWeights(weights[a, segment].total, weights[b, segment].total)
            better, other = (
                ((b, segment), (a, segment)) if total.preference < 0 else ((a, segment), (b, segment))
            )
            yield self._compose(better, other, weights, rng if options.random else None)

    def _compose(
        self,
        better: tuple[str, int],
        other: tuple[str, int],
        chooser: Weights,
        rng: np.random.Generator | None,
    ) -> Composed:
        tokens = self._words[better], self._words[other]
        alignment = align(*tokens, aligner=self._aligner, ignore_case=True, ignore_punctuation=True)
        groups = [group.phrases for group in group_questions(alignment, self._rules)]
        votes = [
            weigh_question(alignment, group, chooser[better], chooser[other]).preference for group in groups
        ]
        if rng is not None:
            votes = rng.permutation(votes).tolist()
        taken = [group for group, vote in zip(groups, votes, strict=True) if vote < 0]
        runs = compose_sentence(alignment, {number for group in taken for number in group})
        sides = self._sides[better], self._sides[other]
        return Composed(
            segment=better[1],
            better=sides[0].text,
            other=sides[1].text,
            composite=write_composite(runs, *sides) if taken else sides[0].text,
            questions=len(groups),
            taken=len(taken),
            weights={
                name: (own[better].total, own[other].total, _add_weights(runs, own[better], own[other]))
                for name, own in self._weights.items()
            },
        )

    def _weigh(self, source: SpanEvidence) -> Weights:
        return {
            cell: TokenWeights.mean(
                [
                    TokenWeights.of(rating.spans, self._sides[cell].offsets, source.weigh)
                    for rating in source.ratings[cell]
                ]
            )
            for cell in self._cells
        }

    def score(self, name: str, composed: Sequence[Composed]) -> Floats:
        """Scores of the better, the other and the composite; equal texts of a segment are scored once."""
        reference = self._texts.references[min(self._texts.references)]
        rows = [[(c.segment, text) for text in (c.better, c.other, c.composite)] for c in composed]
        distinct = list(dict.fromkeys(key for row in rows for key in row))
        note(f"{name}: {len(distinct)} texts")
        segments = [Segment(text, (reference[n],), self._texts.sources[n]) for n, text in distinct]
        scores = dict(zip(distinct, registry.parse(name).score(segments).segments, strict=True))
        return np.array([[scores[key] for key in row] for row in rows])


def _add_weights(runs: Sequence[ComposedRun], better: TokenWeights, other: TokenWeights) -> float:
    placed = sum((other if run.is_b else better).inside([run.span]) for run in runs)
    return placed + better.unplaced


def _line(name: str, composed: Sequence[Composed], values: Floats, options: argparse.Namespace) -> str:
    better, other, composite = values.T
    changed = np.array([one.is_changed for one in composed])
    change = composite - better
    higher, lower = (float((sign * change[changed] > 1e-9).mean()) for sign in (1, -1))
    segments = np.unique([one.segment for one in composed], return_inverse=True)[1]
    cells = [f"{part.mean():.3f}" for part in (other, better, composite)]
    for kept in (np.ones(len(change), bool), changed):
        sizes = np.bincount(segments[kept])
        sums = np.array([np.bincount(segments[kept], change[kept]), sizes], dtype=np.float64)
        resampled = resample_totals(sums[:, sizes > 0], options.resamples, options.seed)
        low, high = (None if resampled is None else percentile_interval(resampled[0] / resampled[1])) or (
            np.nan,
        ) * 2
        cells.append(f"{change[kept].mean():+.3f} [{low:+.3f}, {high:+.3f}]")
    return f"| {name} | {' | '.join(cells)} | {higher:.0%} / {lower:.0%} |"


if __name__ == "__main__":
    main()
