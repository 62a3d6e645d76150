"""What metrics say about phrase pairs, for pages that know of people only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.schemes import Choice
from evaluation.votes import Vote
from metrics.models import PhraseVote
from metrics.reports.runs import newest_runs


def metric_votes(task_id: int, pair_ids: Sequence[int]) -> Mapping[int, Sequence[Vote]]:
    """The votes of the newest run of each metric, by pair; two queries."""
    names = {run.pk: run.metric for run in newest_runs(task_id)}
    rows = PhraseVote.objects.filter(run__in=names, pair__in=pair_ids).order_by("run__metric", "run_id")
    found: dict[int, list[Vote]] = {}
    for pair, run, choice in rows.values_list("pair_id", "run_id", "choice"):
        found.setdefault(pair, []).append((names[run], Choice(choice)))
    return found
