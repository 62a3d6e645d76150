"""Scores and error spans that people gave to whole outputs: direct assessment, ESA, MQM.

``values`` and ``protocols`` say what an answer is, ``weights`` what its errors count. The readers are in
``evaluation.importers``, the writers in ``evaluation.exporters``.
"""

from evaluation.assessments.protocols import PROTOCOLS, AssessmentProtocol, ScoreScale
from evaluation.assessments.values import (
    DocumentLabel,
    MarkedSpan,
    OutputRating,
    ParallelTexts,
    PublishedScores,
    ScoreLevel,
    SpanSide,
)
from evaluation.assessments.weights import WEIGHTINGS, SpanWeighting

__all__ = [
    "PROTOCOLS",
    "WEIGHTINGS",
    "AssessmentProtocol",
    "DocumentLabel",
    "MarkedSpan",
    "OutputRating",
    "ParallelTexts",
    "PublishedScores",
    "ScoreLevel",
    "ScoreScale",
    "SpanSide",
    "SpanWeighting",
]
