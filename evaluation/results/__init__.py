"""Results of systems from annotators' rankings of phrases.

Start with ``Votes.from_rankings`` and ``compute_system_results``.
"""

from evaluation.results.systems import SystemLine, SystemResults, compute_system_results, expected_wins
from evaluation.results.votes import PhraseRanking, Votes

__all__ = ["PhraseRanking", "SystemLine", "SystemResults", "Votes", "compute_system_results", "expected_wins"]
