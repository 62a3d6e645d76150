"""A set of assessments from any of the formats, ready for statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from appraise.lib.problems import InputError, Problem, shorten
from evaluation.assessments.annotator_agreement import (
    AnnotatorPairAgreement,
    measure_agreement,
    pair_ratings,
)
from evaluation.assessments.protocols import PROTOCOLS
from evaluation.assessments.ranking import signed_rank
from evaluation.assessments.scores import ScoreRating
from evaluation.assessments.summary import QualityControl
from evaluation.assessments.values import DocumentLabel, OutputRating, PublishedScores, ScoreLevel
from evaluation.importers.evidence.appraise_csv import (
    find_quality_pairs,
    read_appraise_rows,
    read_batches,
    select_ratings,
)
from evaluation.importers.evidence.direct_assessment import read_standardised_scores
from evaluation.importers.evidence.mqm_tsv import read_mqm_table
from evaluation.importers.evidence.mtme_files import MtmeFiles
from evaluation.importers.evidence.mtme_ratings import list_rating_names, read_ratings, select_rating_files
from evaluation.importers.evidence.mtme_scores import list_human_names, read_human_scores
from evaluation.importers.evidence.mtme_texts import read_parallel_texts
from evaluation.importers.model import SourceFile

FilePath = str | Path


@dataclass(frozen=True, slots=True)
class AssessmentSet:
    """Ratings with what their statistics need; ``published`` replaces them where no person is known.

    ``has_spans``: whether a score can be computed from errors; ``states_scores``: whether the file has one.
    """

    protocol: str
    ratings: tuple[OutputRating, ...]
    segments: int
    outputs: Mapping[tuple[str, int], str] = field(default_factory=dict)
    documents: tuple[DocumentLabel, ...] = ()
    published: PublishedScores | None = None
    quality: Mapping[str, QualityControl] = field(default_factory=dict)
    has_spans: bool = True
    states_scores: bool = True


def load_mtme_ratings(folder: FilePath, language_pair: str, human: str) -> AssessmentSet:
    """Read the ratings called ``human``, or else the segment scores of that name."""
    files = MtmeFiles.from_folder(folder, language_pair)
    texts = read_parallel_texts(files)
    protocol = next(
        (name for name in sorted(PROTOCOLS, reverse=True) if human.lower().startswith(name)), human
    )
    if select_rating_files(files, human):
        outputs = {
            (system, segment): text
            for system, segments in (texts.references | texts.outputs).items()
            for segment, text in enumerate(segments)
        }
        ratings = tuple(read_ratings(files, texts, human))
        return AssessmentSet(protocol, ratings, len(texts), outputs, texts.documents)
    for scores in read_human_scores(files, texts, human):
        if scores.level is ScoreLevel.SEGMENT:
            return AssessmentSet(
                protocol, (), len(texts), documents=texts.documents, published=scores, has_spans=False
            )
    known = ", ".join(dict.fromkeys([*list_rating_names(files), *list_human_names(files)])) or "none"
    message = f"there are no human scores called {shorten(human)!r}"
    raise InputError(
        Problem("missing_file", message, f"names with scores per segment: {known}", "human-scores")
    )


def load_campaign(answers: FilePath, batches: FilePath) -> AssessmentSet:
    """Read an Appraise CSV with its batches."""
    rows = list(read_appraise_rows(SourceFile.from_path(answers)))
    known = read_batches(SourceFile.from_path(batches))
    ratings = tuple(select_ratings(rows, known))
    good, bad = defaultdict(list), defaultdict(list)
    for pair in find_quality_pairs(rows, known):
        good[pair.annotator].append(pair.good)
        bad[pair.annotator].append(pair.bad)
    has_spans = any(row.spans is not None for row in rows)
    return AssessmentSet(
        "esa" if has_spans else "da-sqm",
        ratings,
        max((rating.segment for rating in ratings), default=-1) + 1,
        {key: item.text for key, item in known.list_outputs().items()},
        quality={name: check_quality(scores, bad[name]) for name, scores in good.items()},
        has_spans=has_spans,
    )


def load_mqm_ratings(table_file: FilePath) -> tuple[AssessmentSet, tuple[Problem, ...]]:
    """Read Google's MQM table; the warnings tell which marks were repaired."""
    table = read_mqm_table(SourceFile.from_path(table_file))
    outputs = {
        (system, segment): text for system, texts in table.outputs.items() for segment, text in texts.items()
    }
    documents = tuple(DocumentLabel("", place.document) for place in table.places)
    quality = {
        rater: {"found": tests["found"], "missed": tests["missed"]} for rater, tests in table.tests.items()
    }
    rated = AssessmentSet(
        "mqm",
        tuple(table.ratings),
        len(table.places),
        outputs,
        documents,
        quality=quality,
        states_scores=False,
    )
    return rated, table.warnings


def load_standardised_scores(scores_file: FilePath) -> AssessmentSet:
    """Read WMT's standardised DA scores; segments are numbered in order of appearance."""
    segments: dict[str, int] = {}
    ratings: list[OutputRating] = []
    scores: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for score in read_standardised_scores(SourceFile.from_path(scores_file)):
        scores[score.annotator, score.hit, score.system, score.segment].setdefault(score.kind, score.score)
        if score.is_judgement:
            segment = segments.setdefault(score.segment, len(segments))
            ratings.append(OutputRating(score.annotator, score.system, segment, score.score))
    return AssessmentSet(
        "da", tuple(ratings), len(segments), quality=_check_damaged_copies(scores), has_spans=False
    )


def _check_damaged_copies(
    scores: Mapping[tuple[str, ...], Mapping[str, float]],
) -> dict[str, QualityControl]:
    """Compare outputs with their damaged copies (``BAD_REF``) in the same HIT."""
    good, bad = defaultdict(list), defaultdict(list)
    for (annotator, *_), by_kind in scores.items():
        if "SYSTEM" in by_kind and "BAD_REF" in by_kind:
            good[annotator].append(by_kind["SYSTEM"])
            bad[annotator].append(by_kind["BAD_REF"])
    return {annotator: check_quality(values, bad[annotator]) for annotator, values in good.items()}


def check_quality(good: list[float], bad: list[float]) -> QualityControl:
    """Compare scores of outputs with those of their damaged copies by the one-sided signed-rank test.

    >>> check_quality([90.0, 80.0], [20.0, 10.0])["p"]
    0.25
    """
    result = signed_rank(np.array(good), np.array(bad))
    means = {"good_mean": float(np.mean(good)), "bad_mean": float(np.mean(bad))}
    return {"pairs": len(good), **means, "p": result.p_greater}


def group_segments(
    documents: Iterable[DocumentLabel], label: Callable[[DocumentLabel], str]
) -> dict[str, set[int]]:
    """The segments of each document or domain, in order of appearance."""
    groups: dict[str, set[int]] = {}
    for segment, names in enumerate(documents):
        groups.setdefault(label(names), set()).add(segment)
    return groups


def measure_groups(rated: AssessmentSet, score: ScoreRating) -> dict[str, AnnotatorPairAgreement]:
    """Agreement over all pairs of ratings, by domain and by document."""
    pairs = pair_ratings(rated.ratings)

    def length(rating: OutputRating) -> int:
        return len(rated.outputs.get((rating.system, rating.segment), ""))

    measured = {"all": measure_agreement(pairs, score, length)}
    for kind in ("domain", "document"):
        groups = group_segments(rated.documents, lambda label, kind=kind: str(getattr(label, kind)))  # type: ignore[misc]
        for name, segments in groups.items():
            members = [pair for pair in pairs if pair[0].segment in segments]
            if members and name:
                measured[f"{kind} {name}"] = measure_agreement(members, score, length)
    return measured
