"""Do annotators agree? Coefficients, intervals and tables from (annotator, item, label) judgements.

Start with ``Judgements`` and ``compute_agreement``; every module can also be used alone.
"""

from evaluation.agreement.judgements import Judgements, read_judgements
from evaluation.agreement.kappa import Chance, name_band
from evaluation.agreement.pairwise import cohen_kappa
from evaluation.agreement.report import AgreementReport, compute_agreement
from evaluation.agreement.tally import Pairing, Tally
from evaluation.agreement.tasks import AgreementSettings, TaskRow, TaskTable

__all__ = [
    "AgreementReport",
    "AgreementSettings",
    "Chance",
    "Judgements",
    "Pairing",
    "Tally",
    "TaskRow",
    "TaskTable",
    "cohen_kappa",
    "compute_agreement",
    "name_band",
    "read_judgements",
]
