"""Ask the most useful question next, and keep every estimate unbiased all the same."""

from evaluation.selection.information import disagreement_scores, order_information
from evaluation.selection.policy import Draw, drawn_order
from evaluation.selection.weights import levelled_weights

__all__ = ["Draw", "disagreement_scores", "drawn_order", "levelled_weights", "order_information"]
