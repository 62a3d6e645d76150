"""People and machines as one panel: who is how reliable, and what is probably true of each item.

Two models of annotators, both unsupervised: each item has one true label, nobody knows it, and every member
of the panel (a person, a metric, a ranker) reports it with errors of their own.

* ``dawid_skene``: every member has a full table of confusions (Dawid & Skene 1979).
* ``mace``: every member either knows the label or answers from a habit (Hovy et al. 2013).

Both give a *probability* for each label of each item. It stands beside the raw votes and replaces none.
"""

from evaluation.panel.assembly import Assembly, Seats, assemble, mirror_of
from evaluation.panel.calibration import Calibration, calibration, expected_calibration
from evaluation.panel.models import MODELS, NO_RULES, Panel, Rules, dawid_skene, mace
from evaluation.panel.reliability import Reliability, reliabilities

__all__ = [
    "MODELS",
    "NO_RULES",
    "Assembly",
    "Calibration",
    "Panel",
    "Reliability",
    "Rules",
    "Seats",
    "assemble",
    "calibration",
    "dawid_skene",
    "expected_calibration",
    "mace",
    "mirror_of",
    "reliabilities",
]
