"""Plan a campaign: how many sentences, phrase pairs and people separate two systems."""

from evaluation.power.costs import Bill, bill, sentences_for
from evaluation.power.design import Design, accuracy_from_agreement, power, sentences_needed
from evaluation.power.pilot import Pilot, agreement_of, read_pilot
from evaluation.power.plan import Plan, Point, Wishes, make_plan
from evaluation.power.simulation import SimulatedPower, simulated_power

__all__ = [
    "Bill",
    "Design",
    "Pilot",
    "Plan",
    "Point",
    "SimulatedPower",
    "Wishes",
    "accuracy_from_agreement",
    "agreement_of",
    "bill",
    "make_plan",
    "power",
    "read_pilot",
    "sentences_for",
    "sentences_needed",
    "simulated_power",
]
