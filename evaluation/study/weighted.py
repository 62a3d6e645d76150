"""Results of a study in which some questions were preferred: a vote has the weight of its question."""

from __future__ import annotations

from evaluation.agreement.judgements import Floats
from evaluation.agreement.rendering import Table
from evaluation.results.weighted import WeightedLine, weighted_lines
from evaluation.study.systems import Meetings, cast_votes, study_votes
from evaluation.study.values import Study


def study_weighted(study: Study, meetings: Meetings, weights: Floats) -> dict[str, WeightedLine]:
    """Results by system; ``weights`` has a value for each pair of the study."""
    answer, _place = cast_votes(study, meetings)
    return weighted_lines(study_votes(study, meetings), weights[study.pairs[answer]])


def weighted_table(lines: dict[str, WeightedLine]) -> Table:
    title = "Systems, weighted by the probability with which each question was drawn"
    return Table(title, ("system", "expected wins", "strength"), tuple(lines[name] for name in sorted(lines)))
