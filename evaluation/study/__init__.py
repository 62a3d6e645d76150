"""A study as columns of numbers, and every table that reports compute from it.

``Study`` is read from the database (``evaluation.reports``) or from a bundle (``evaluation.exporters``). The
same functions compute the tables of both, so that a bundle can be verified without the database.
"""

from evaluation.study.agreement import AgreementSummary, summarise_agreement
from evaluation.study.annotators import Filter, select_answers
from evaluation.study.disagreements import Disagreement, find_disagreements
from evaluation.study.systems import SystemPairs, collect_system_votes, compute_study_results
from evaluation.study.values import AnswerKind, Study, StudyTask

__all__ = [
    "AgreementSummary",
    "AnswerKind",
    "Disagreement",
    "Filter",
    "Study",
    "StudyTask",
    "SystemPairs",
    "collect_system_votes",
    "compute_study_results",
    "find_disagreements",
    "select_answers",
    "summarise_agreement",
]
