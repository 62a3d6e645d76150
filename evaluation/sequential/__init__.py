"""Stop when it is decided: looking every day must not make chance findings likelier."""

from evaluation.sequential.betting import confidence_sequence, evidence
from evaluation.sequential.decisions import Decision, Precision, decide, precision

__all__ = ["Decision", "Precision", "confidence_sequence", "decide", "evidence", "precision"]
