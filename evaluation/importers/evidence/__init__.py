"""Readers of assessments: mt-metrics-eval directories, Appraise CSV, Google's MQM tables, WMT's DA files.

They return the values of ``evaluation.assessments``. Readers that are generators check as they go: a caller
stores nothing before the last value has arrived.
"""

from evaluation.importers.evidence.appraise_csv import (
    AppraiseBatches,
    AppraiseRow,
    QualityPair,
    find_quality_pairs,
    read_appraise_rows,
    read_batches,
    select_ratings,
)
from evaluation.importers.evidence.direct_assessment import StandardisedScore, read_standardised_scores
from evaluation.importers.evidence.mqm_tsv import MqmTable, read_mqm_table
from evaluation.importers.evidence.mtme_files import MtmeFiles
from evaluation.importers.evidence.mtme_ratings import read_ratings, select_rating_files
from evaluation.importers.evidence.mtme_scores import read_human_scores, read_metric_scores
from evaluation.importers.evidence.mtme_texts import read_parallel_texts

__all__ = [
    "AppraiseBatches",
    "AppraiseRow",
    "MqmTable",
    "MtmeFiles",
    "QualityPair",
    "StandardisedScore",
    "find_quality_pairs",
    "read_appraise_rows",
    "read_batches",
    "read_human_scores",
    "read_metric_scores",
    "read_mqm_table",
    "read_parallel_texts",
    "read_ratings",
    "read_standardised_scores",
    "select_rating_files",
    "select_ratings",
]
