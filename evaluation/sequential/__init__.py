"""Stop when it is decided: tests that stay valid however often one looks at the data."""

from evaluation.sequential.betting import confidence_sequence, evidence
from evaluation.sequential.decisions import Decision, Precision, decide, precision

__all__ = ["Decision", "Precision", "confidence_sequence", "decide", "evidence", "precision"]
