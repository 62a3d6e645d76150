"""Ask the most useful question next, and still keep every estimate unbiased."""

from evaluation.selection.information import disagreement_scores, order_information
from evaluation.selection.log import Question, question_weights
from evaluation.selection.policy import Draw, drawn_order
from evaluation.selection.questions import comparison_scores, disagreement_table, order_table
from evaluation.selection.weights import levelled_weights

__all__ = [
    "Draw",
    "Question",
    "comparison_scores",
    "disagreement_scores",
    "disagreement_table",
    "drawn_order",
    "levelled_weights",
    "order_information",
    "order_table",
    "question_weights",
]
