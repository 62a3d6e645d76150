"""All votes on the pairs of a scope: those of registered voters, and those from error spans.

Votes from error spans cost nothing where the tasks have no such evidence, which the scope knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.reports.scope import Scope
from evaluation.reports.span_votes import collect_span_votes, list_span_voters
from evaluation.schemes import Choice
from evaluation.voters import Vote, VoterKind, collect_votes, list_voters, select_choices

SECONDS_PER_COMPARISON = 0.0006  # measured


def collect_scope_votes(scope: Scope, pair_ids: Sequence[int] | None = None) -> dict[int, list[Vote]]:
    """Return the votes on each pair; with ``pair_ids``, on these only."""
    votes = collect_votes(scope.task_ids, pair_ids)
    if has_error_spans(scope):
        for pair, cast in collect_span_votes(scope.task_ids, pair_ids).items():
            votes.setdefault(pair, []).extend(cast)
    return votes


def collect_scope_choices(scope: Scope, voters: Sequence[str]) -> dict[str, dict[int, Choice]]:
    """Return the choices of these voters by pair."""
    return select_choices(collect_scope_votes(scope), voters)


def list_scope_voters(scope: Scope) -> dict[str, VoterKind]:
    """Return the voters that can take part in agreement, with what their votes are derived from."""
    spans = list_span_voters(scope.task_ids) if has_error_spans(scope) else []
    kinds = dict.fromkeys(list_voters(scope.task_ids), VoterKind.METRIC)
    return kinds | dict.fromkeys(spans, VoterKind.SPANS)


def estimate_vote_seconds(scope: Scope) -> float:
    """Estimate the time to compute the votes from error spans."""
    comparisons = sum(task.size for task in scope.tasks) if has_error_spans(scope) else 0
    return comparisons * SECONDS_PER_COMPARISON


def has_error_spans(scope: Scope) -> bool:
    """Whether a protocol of the tasks asks for error spans."""
    return any(protocol["severities"] for task in scope.tasks for protocol in task.protocols.values())
