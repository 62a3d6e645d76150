"""Do annotators agree? Coefficients, intervals and tables from (annotator, item, label) judgements.

Start with ``Judgements`` and ``report``; the modules below hold one idea each and can be used alone.
"""

from evaluation.agreement.bands import band
from evaluation.agreement.bootstrap import Interval, Unit
from evaluation.agreement.chance import Chance
from evaluation.agreement.coefficients import (
    FLEISS,
    GWET_AC1,
    KRIPPENDORFF_ALPHA,
    OBSERVED,
    SCOTT_PI,
    Coefficient,
    bennett_s,
    estimate,
    fixed_kappa,
    wmt_kappa,
)
from evaluation.agreement.files import read_judgements
from evaluation.agreement.intra import Intra, intra_agreement, intra_by_annotator
from evaluation.agreement.judgements import Judgements
from evaluation.agreement.lines import Collapse, Line
from evaluation.agreement.pairwise import Weights, cohen_kappa, pair_table
from evaluation.agreement.ratings import percentile_normalised
from evaluation.agreement.report import AgreementReport, AnnotatorPair, report
from evaluation.agreement.stability import agreement_over_time, judgements_wanted, leave_one_out
from evaluation.agreement.tally import Pairing, Tally
from evaluation.agreement.tasks import Reading, TaskRow, TaskTable, agreement_by_task, pooled

__all__ = [
    "FLEISS",
    "GWET_AC1",
    "KRIPPENDORFF_ALPHA",
    "OBSERVED",
    "SCOTT_PI",
    "AgreementReport",
    "AnnotatorPair",
    "Chance",
    "Coefficient",
    "Collapse",
    "Interval",
    "Intra",
    "Judgements",
    "Line",
    "Pairing",
    "Reading",
    "Tally",
    "TaskRow",
    "TaskTable",
    "Unit",
    "Weights",
    "agreement_by_task",
    "agreement_over_time",
    "band",
    "bennett_s",
    "cohen_kappa",
    "estimate",
    "fixed_kappa",
    "intra_agreement",
    "intra_by_annotator",
    "judgements_wanted",
    "leave_one_out",
    "pair_table",
    "percentile_normalised",
    "pooled",
    "read_judgements",
    "report",
    "wmt_kappa",
]
