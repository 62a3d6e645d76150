"""Plan a campaign: how many sentences, phrase pairs and people separate two systems."""

from evaluation.power.costs import Bill, bill, sentences_for
from evaluation.power.design import Design, accuracy_from_agreement, power, sentences_needed
from evaluation.power.simulation import SimulatedPower, simulated_power

__all__ = [
    "Bill",
    "Design",
    "SimulatedPower",
    "accuracy_from_agreement",
    "bill",
    "power",
    "sentences_for",
    "sentences_needed",
    "simulated_power",
]
