"""All votes on the pairs of a scope: those of registered voters, and those from error spans.

Votes from error spans cost nothing where the tasks have no such evidence, which the scope knows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.agreement.voter_pairs import VoterPair, compare_voters
from evaluation.reports.scope import Scope, get_study
from evaluation.reports.span_votes import collect_span_votes, list_span_voters
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study.disagreements import count_votes, find_majorities
from evaluation.study.values import label_codes
from evaluation.voters import Vote, VoterKind, collect_votes, list_voters, select_choices

SECONDS_PER_COMPARISON = 0.0006  # measured
MAX_COMPARED = 30  # voters
ANNOTATORS = "annotators"


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
    kinds = dict.fromkeys(list_voters(scope.task_ids), VoterKind.METRIC)
    return kinds | dict.fromkeys(list_scope_span_voters(scope), VoterKind.SPANS)


def list_scope_span_voters(scope: Scope) -> list[str]:
    """Return the voters by error spans; no query where the tasks have none."""
    return list_span_voters(scope.task_ids) if has_error_spans(scope) else []


def compare_scope_votes(scope: Scope) -> list[VoterPair]:
    """Compare the majority of the annotators and the error spans with each other and with every metric."""
    cast, spans = collect_scope_votes(scope), set(list_scope_span_voters(scope))
    names = {vote.voter for of_pair in cast.values() for vote in of_pair}
    votes = select_choices(cast, sorted(names, key=lambda name: (name in spans, name))[:MAX_COMPARED])
    if majority := find_majority_choices(scope):
        votes = {ANNOTATORS: majority, **votes}
    return [pair for pair in compare_voters(votes) if pair.pairs and {pair.a, pair.b} & {ANNOTATORS, *spans}]


def find_majority_choices(scope: Scope) -> dict[int, Choice]:
    """Return what most annotators chose on each pair, of four choices; no pair without a majority."""
    study = get_study(scope)
    of_label = label_codes(FOUR_WAY)
    counts = count_votes(study)
    collapsed = [counts[:, of_label == code].sum(axis=1) for code in range(len(FOUR_WAY.choices))]
    majorities = find_majorities(np.stack(collapsed, axis=1))
    return {
        int(study.pair_keys[code]): FOUR_WAY.choices[label]
        for code, label in enumerate(majorities.tolist())
        if label >= 0
    }


def estimate_vote_seconds(scope: Scope) -> float:
    """Estimate the time to compute the votes from error spans."""
    comparisons = sum(task.size for task in scope.tasks) if has_error_spans(scope) else 0
    return comparisons * SECONDS_PER_COMPARISON


def has_error_spans(scope: Scope) -> bool:
    """Whether a protocol of the tasks asks for error spans."""
    return any(protocol["severities"] for task in scope.tasks for protocol in task.protocols.values())
