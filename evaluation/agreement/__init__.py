"""Do annotators agree? Coefficients, intervals and tables from (annotator, item, label) judgements.

Start with ``Judgements`` and ``compute_agreement``; every module can also be used alone.
"""

from evaluation.agreement.judgements import Judgements as Judgements, read_judgements as read_judgements
from evaluation.agreement.kappa import Chance as Chance, name_band as name_band
from evaluation.agreement.pairwise import cohen_kappa as cohen_kappa
from evaluation.agreement.report import (
    AgreementReport as AgreementReport,
    compute_agreement as compute_agreement,
)
from evaluation.agreement.tally import Pairing as Pairing, Tally as Tally
from evaluation.agreement.tasks import (
    AgreementSettings as AgreementSettings,
    TaskRow as TaskRow,
    TaskTable as TaskTable,
)
