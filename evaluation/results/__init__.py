"""Results of systems from the verdicts of annotators on phrases.

Start with ``Votes.from_verdicts`` and ``system_results``.
"""

from evaluation.results.bias import Side, SideBias, side_bias, side_bias_by_annotator, wilson
from evaluation.results.ranks import clusters, rank_ranges
from evaluation.results.signtest import Comparison, compare_systems, holm, sign_test
from evaluation.results.systems import SystemLine, SystemResults, expected_wins, system_results
from evaluation.results.triads import Triads, annotator_triads, count_triads, system_triads
from evaluation.results.votes import Verdict, Votes

__all__ = [
    "Comparison",
    "Side",
    "SideBias",
    "SystemLine",
    "SystemResults",
    "Triads",
    "Verdict",
    "Votes",
    "annotator_triads",
    "clusters",
    "compare_systems",
    "count_triads",
    "expected_wins",
    "holm",
    "rank_ranges",
    "side_bias",
    "side_bias_by_annotator",
    "sign_test",
    "system_results",
    "system_triads",
    "wilson",
]
