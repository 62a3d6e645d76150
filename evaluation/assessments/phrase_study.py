"""Agreement from phrases to sentences: do two sources of error spans prefer the same side?

For every pair of systems and every segment that both sources rated, the outputs are aligned and cut into
units at each level of ``coarseness``. A source prefers the side of a unit with less error weight. Each
distinct pair of texts of a segment counts once: its weights are summed over the system pairs in which it
occurs; ``…_occurrences`` counts it as often as it occurs instead. ``same_side`` is the share of units with
the same preference among those on which both sources prefer a side. ``scott_pi`` has "no preference" as a
third label; exchanging A and B must not change it, so both preferences have the same chance. ``…_scores``
prefers the sentence with the higher score instead; a source without scores has minus its error weight.
Intervals resample segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluation.alignment import PhraseAlignment, WordAligner, align, load_aligner
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.word_classes import WordClasses
from evaluation.assessments.coarseness import COARSENESS_LEVELS, SENTENCE, StudyUnit, cut_alignment, differs
from evaluation.assessments.study_counts import EvidencePair, PhraseStudy, UnitCounts, make_row
from evaluation.assessments.values import MarkedSpan, OutputRating, ParallelTexts
from evaluation.assessments.votes import SideWeights, TokenWeights, WeighError, find_tokens
from evaluation.tokens import Span, offsets, words


@dataclass(frozen=True, slots=True)
class SpanEvidence:
    """A source of error spans: its ratings by output, and what its errors weigh."""

    name: str
    ratings: Mapping[tuple[str, int], Sequence[OutputRating]]
    weigh: WeighError

    @classmethod
    def of(cls, name: str, ratings: Iterable[OutputRating], weigh: WeighError) -> SpanEvidence:
        """Collect ratings; those of several annotators of an output are averaged."""
        outputs: dict[tuple[str, int], list[OutputRating]] = {}
        for rating in ratings:
            outputs.setdefault((rating.system, rating.segment), []).append(rating)
        return cls(name, outputs, weigh)


def study_phrases(
    texts: ParallelTexts,
    evidence: Sequence[SpanEvidence],
    *,
    resamples: int = 1000,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> PhraseStudy:
    """Compare every two sources at every level, over all pairs of systems, references left out."""
    study = _Study(texts, evidence)
    for segment in range(len(texts)):
        study.add_segment(segment)
        progress(segment + 1, len(texts))
    rows = tuple(
        make_row(pair, name, level, study.scores[pair] if name == SENTENCE else None, resamples, seed)
        for pair, levels in study.levels.items()
        for name, level in levels.items()
    )
    return PhraseStudy(study.sentence_pairs, rows)


class _Study:
    """Walks over segments and system pairs; each pair of outputs is aligned once for all sources."""

    def __init__(self, texts: ParallelTexts, evidence: Sequence[SpanEvidence]) -> None:
        self._texts = texts
        self._evidence = evidence
        rated = {cell for source in evidence for cell in source.ratings if cell[0] in texts.systems}
        self._places = {
            (system, segment): offsets(texts.outputs[system][segment], texts.target_language)
            for system, segment in sorted(rated)
        }
        self._tokens = {
            (system, segment): words(texts.outputs[system][segment], places)
            for (system, segment), places in self._places.items()
        }
        self._rules = QuestionRules(WordClasses.learn(self._tokens.values(), texts.target_language))
        self._aligner: WordAligner = load_aligner("lexical", texts.target_language)
        names = [source.name for source in evidence]
        self.levels: dict[EvidencePair, dict[str, UnitCounts]] = {
            pair: {name: UnitCounts() for name in COARSENESS_LEVELS} for pair in combinations(names, 2)
        }
        self.scores = {pair: UnitCounts() for pair in self.levels}
        self.sentence_pairs = 0

    def add_segment(self, segment: int) -> None:
        """Compare all pairs of outputs that two sources rated."""
        rated = {
            source.name: {
                system: _RatedOutput(source, source.ratings[system, segment], self._places[system, segment])
                for system in self._texts.systems
                if (system, segment) in source.ratings
            }
            for source in self._evidence
        }
        for a, b in combinations(self._texts.systems, 2):
            of_both = [name for name, outputs in rated.items() if a in outputs and b in outputs]
            text_a, text_b = (self._texts.outputs[system][segment] for system in (a, b))
            if len(of_both) < 2 or text_a == text_b:
                continue
            self.sentence_pairs += 1
            alignment = self._align(self._tokens[a, segment], self._tokens[b, segment])
            pair = _PairOfOutputs(alignment, self._rules)
            for names in combinations(of_both, 2):
                outputs = [(rated[name][a], rated[name][b]) for name in names]
                for level, counts in self.levels[names].items():
                    pair.count(level, counts, outputs)
                if any(rated.score is not None for both in outputs for rated in both):
                    self.scores[names].add(((text_a,), (text_b,)), [compare_scores(a, b) for a, b in outputs])
        for names, levels in self.levels.items():
            for counts in (*levels.values(), self.scores[names]):
                counts.close_segment()

    def _align(self, a: Sequence[str], b: Sequence[str]) -> PhraseAlignment:
        return align(a, b, aligner=self._aligner, ignore_case=True, ignore_punctuation=True)


class _RatedOutput:
    """One output as one source rated it: weight by token, tokens of each span with a weight, and score."""

    def __init__(self, source: SpanEvidence, ratings: Sequence[OutputRating], tokens: Sequence[Span]) -> None:
        self.weights = TokenWeights.mean(
            [TokenWeights.of(rating.spans, tokens, source.weigh) for rating in ratings]
        )
        scores = [rating.score for rating in ratings if rating.score is not None]
        self.score = sum(scores) / len(scores) if scores else None
        spans: list[MarkedSpan] = [span for rating in ratings for span in rating.spans]
        self.spans = [
            (touched, weight)
            for span in spans
            if (weight := source.weigh(span)) and (touched := find_tokens(span, tokens))
        ]


def compare_scores(a: _RatedOutput, b: _RatedOutput) -> SideWeights:
    """Two outputs by their scores, as weights: a lower score weighs more."""
    if a.score is None or b.score is None:
        return SideWeights(a.weights.total, b.weights.total)
    return SideWeights(-a.score, -b.score)


class _PairOfOutputs:
    """Two aligned outputs with their units at every level."""

    def __init__(self, alignment: PhraseAlignment, rules: QuestionRules) -> None:
        self._tokens = alignment.a, alignment.b
        self._units = cut_alignment(alignment, rules)
        self._apart = [
            {
                token
                for phrase in alignment.phrases
                if (span := getattr(phrase, side)) and differs(phrase)
                for token in range(*span)
            }
            for side in ("a", "b")
        ]

    def count(
        self, name: str, level: UnitCounts, outputs: Sequence[tuple[_RatedOutput, _RatedOutput]]
    ) -> None:
        units = self._units[name]
        level.counts["pairs"] += 1
        level.counts["units"] += len(units)
        for unit in units:
            weights = [self._weigh(name, unit, a.weights, b.weights) for a, b in outputs]
            self._add_unit(level, unit, weights)
        for side, rated in enumerate(outputs[0]):
            if rated.spans:
                self._count_spans(level, units, side, rated)

    def _weigh(self, name: str, unit: StudyUnit, a: TokenWeights, b: TokenWeights) -> SideWeights:
        if name == SENTENCE:
            return SideWeights(a.total, b.total)
        return SideWeights(a.inside(unit.a), b.inside(unit.b))

    def _add_unit(self, level: UnitCounts, unit: StudyUnit, weights: list[SideWeights]) -> None:
        a, b = (
            tuple(" ".join(tokens[slice(*run)]) for run in runs)
            for tokens, runs in zip(self._tokens, unit, strict=True)
        )
        level.add((a, b), weights)

    def _count_spans(
        self, level: UnitCounts, units: Sequence[StudyUnit], side: int, rated: _RatedOutput
    ) -> None:
        """How the spans of the first source lie in the units."""
        unit_of = {
            token: number for number, unit in enumerate(units) for run in unit[side] for token in range(*run)
        }
        for touched, weight in rated.spans:
            places = [unit_of.get(token, -1) for token in touched]
            distinct = set(places) - {-1}
            if distinct:
                level.counts["spans"] += 1
                level.counts["in one"] += len(distinct) == 1 and -1 not in places
                level.counts["cut"] += len(distinct) > 1
            apart = [
                place for token, place in zip(touched, places, strict=True) if token in self._apart[side]
            ]
            level.weights["differing"] += weight * len(apart) / len(touched)
            level.weights["asked"] += weight * sum(place >= 0 for place in apart) / len(touched)
