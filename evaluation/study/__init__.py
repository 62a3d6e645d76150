"""A study as columns of numbers, and everything that reports compute from it.

``Study`` is read from the database (``evaluation.reports``) or from a bundle (``evaluation.exporters``); the
same functions then compute every table, so a bundle can be verified without the database.
"""

from evaluation.study.agreement import AgreementSummary, agreement_summary
from evaluation.study.annotators import AnnotatorLine, annotator_lines
from evaluation.study.disputes import Dispute, disputes
from evaluation.study.filters import Filter, kept
from evaluation.study.pilot import StudyPilot, study_pilot
from evaluation.study.standing import Standing, Versus, study_standing
from evaluation.study.systems import Meetings, study_results, study_votes
from evaluation.study.values import Study, StudyTask

__all__ = [
    "AgreementSummary",
    "AnnotatorLine",
    "Dispute",
    "Filter",
    "Meetings",
    "Standing",
    "Study",
    "StudyPilot",
    "StudyTask",
    "Versus",
    "agreement_summary",
    "annotator_lines",
    "disputes",
    "kept",
    "study_pilot",
    "study_results",
    "study_standing",
    "study_votes",
]
