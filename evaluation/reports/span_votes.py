"""Votes on phrase pairs from error spans: the side with less error weight is better.

For each pair, the weights of both sides are summed over its occurrences at which both outputs were assessed.
A voter is one annotator (``mqm:rater1``, where several annotators assessed an output) or a protocol (``mqm``,
the mean of its annotators). Weights are those that the file states, else those of ``WEIGHTING_OF``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Max

from evaluation.alignment import Kind, Phrase, PhraseAlignment
from evaluation.assessments import WEIGHTINGS, MarkedSpan
from evaluation.assessments.votes import SideWeights, TokenWeights, weigh_question
from evaluation.models import Alignment, Annotator, Assessment, Candidate, Occurrence, Output, Task
from evaluation.reports.cache import get_or_compute
from evaluation.reports.evidence_query import StoredRating, load_ratings
from evaluation.reports.exports import DisplayNames
from evaluation.schemes import Choice
from evaluation.voters import Vote, rank_confidences

AT_ONCE = 2_000
WEIGHTING_OF = {"esa": "esa-spans"}  # by the name of the protocol
DEFAULT_WEIGHTING = "mqm-google"
CandidateWeights = dict[str, dict[int, TokenWeights]]
"""Voter → candidate → error weight by token."""


class PlacedPair(NamedTuple):
    """A pair at one occurrence: its candidates, exchanged if the pair is flipped there."""

    pair: int
    first: int
    second: int
    flipped: bool


def collect_span_votes(
    task_ids: Sequence[int], pair_ids: Sequence[int] | None
) -> Mapping[int, Sequence[Vote]]:
    """Return the votes from error spans by pair; cached until a new answer arrives."""
    if not list_span_voters(task_ids):
        return {}
    votes = get_or_compute(("span votes", *task_ids), lambda: compute_span_votes(task_ids))
    if pair_ids is None:
        return votes
    return {pair: votes[pair] for pair in pair_ids if pair in votes}


def list_span_voters(task_ids: Sequence[int]) -> list[str]:
    """Return the voters of the tasks; cached until a new answer arrives."""
    return get_or_compute(("span voters", *task_ids), lambda: _list_voters(task_ids))


def _list_voters(task_ids: Sequence[int]) -> list[str]:
    tasks, protocols = _find_protocols(task_ids)
    if not protocols:
        return []
    answers = Assessment.objects.of_tasks(list(task_ids)).filter(protocol__in=protocols, presentation=0)
    rows = answers.ordinary().values_list("protocol", "output_id", "annotator_id")
    names = _load_names(tasks, protocols)
    return list(_group_by_voter((protocol, output, names[who]) for protocol, output, who in rows))


def compute_span_votes(task_ids: Sequence[int]) -> dict[int, list[Vote]]:
    """Compute the votes of all voters on all pairs that have one."""
    ratings, candidate_of = _load_ratings(task_ids)
    weights = _weigh_candidates(task_ids, ratings, candidate_of)
    judged = {candidate for by_candidate in weights.values() for candidate in by_candidate}
    sides: dict[str, dict[int, SideWeights]] = {voter: {} for voter in weights}
    for place, alignment, phrases in _read_places(task_ids, judged):
        for voter, by_candidate in weights.items():
            a, b = by_candidate.get(place.first), by_candidate.get(place.second)
            if a is not None and b is not None:
                side = weigh_question(alignment, phrases, a, b)
                side = side.mirrored if place.flipped else side
                before = sides[voter].get(place.pair)
                sides[voter][place.pair] = before.plus(side) if before else side
    return _make_votes(sides)


def _make_votes(sides: Mapping[str, Mapping[int, SideWeights]]) -> dict[int, list[Vote]]:
    votes: dict[int, list[Vote]] = defaultdict(list)
    for voter, by_pair in sides.items():
        decided = [(pair, side, choice) for pair, side in by_pair.items() if (choice := side.choice)]
        shares = rank_confidences([abs(side.a - side.b) for _, side, _ in decided])
        for (pair, _, choice), share in zip(decided, shares, strict=True):
            votes[pair].append(Vote(voter, Choice(choice), share))
    return dict(votes)


def _find_protocols(task_ids: Sequence[int]) -> tuple[list[Task], list[str]]:
    """Return the tasks with error spans, and the names of their protocols."""
    tasks = list(Task.objects.filter(pk__in=task_ids).exclude(protocols={}).select_related("campaign"))
    known = {
        name for task in tasks for name, protocol in task.protocols.items() if protocol.get("severities")
    }
    return tasks, sorted(known)


def _load_names(tasks: Sequence[Task], protocols: Sequence[str]) -> DisplayNames:
    people = Annotator.objects.filter(assessments__protocol__in=protocols).distinct().select_related("user")
    return DisplayNames(tasks[0].campaign, people, identified=False)


def _load_ratings(task_ids: Sequence[int]) -> tuple[list[StoredRating], dict[int, int]]:
    """Return the ratings under protocols with error spans, and the candidate of each output."""
    tasks, protocols = _find_protocols(task_ids)
    if not protocols:
        return [], {}
    ratings = load_ratings(tasks, _load_names(tasks, protocols), protocols=protocols)
    outputs = Output.objects.filter(item__task__in=task_ids).values_list("pk", "candidate_id")
    return ratings, dict(outputs.iterator(AT_ONCE))


def _group_by_voter(ratings: Iterable[tuple[str, int, str]]) -> dict[str, list[int]]:
    """Return the numbers of the ratings, given by protocol, output and annotator, of each voter.

    Voters are the protocols, and their annotators where several assessed the same output.

    >>> _group_by_voter([("mqm", 7, "ann"), ("mqm", 7, "bob"), ("esa", 7, "eve")])
    {'esa': [2], 'mqm': [0, 1], 'mqm:ann': [0], 'mqm:bob': [1]}
    """
    by_protocol: dict[str, list[int]] = defaultdict(list)
    by_annotator: dict[tuple[str, str], list[int]] = defaultdict(list)
    people: dict[tuple[str, int], set[str]] = defaultdict(set)
    for number, (protocol, output, annotator) in enumerate(ratings):
        by_protocol[protocol].append(number)
        by_annotator[protocol, annotator].append(number)
        people[protocol, output].add(annotator)
    shared = {protocol for (protocol, _), group in people.items() if len(group) > 1}
    voters: dict[str, list[int]] = {}
    for protocol, numbers in sorted(by_protocol.items()):
        voters[protocol] = numbers
        if protocol in shared:
            own = sorted((name, group) for (known, name), group in by_annotator.items() if known == protocol)
            voters |= {f"{protocol}:{name}": group for name, group in own}
    return voters


def _weigh_candidates(
    task_ids: Sequence[int], ratings: Sequence[StoredRating], candidate_of: Mapping[int, int]
) -> CandidateWeights:
    """Return the error weight of each candidate by voter, the mean over its outputs and annotators."""
    rows = Candidate.objects.filter(item__task__in=task_ids).values_list("pk", "offsets")
    tokens = {pk: list(zip(flat[::2], flat[1::2], strict=True)) for pk, flat in rows.iterator(AT_ONCE)}
    weights = [
        TokenWeights.of(
            each.rating.spans,
            tokens[candidate_of[each.output]],
            lambda span, name=each.protocol: weigh_error(span, name),  # type: ignore[misc]
        )
        for each in ratings
    ]
    cells = ((each.protocol, each.output, each.rating.annotator) for each in ratings)
    result: CandidateWeights = {}
    for voter, numbers in _group_by_voter(cells).items():
        collected: dict[int, list[TokenWeights]] = defaultdict(list)
        for number in numbers:
            collected[candidate_of[ratings[number].output]].append(weights[number])
        result[voter] = {candidate: TokenWeights.mean(known) for candidate, known in collected.items()}
    return result


def weigh_error(span: MarkedSpan, protocol: str) -> float:
    """Return the weight that a file states, else that of the weighting of the protocol; 0 if it has none."""
    if span.weight is not None:
        return span.weight
    try:
        return WEIGHTINGS[find_weighting(protocol)].weigh(span)
    except ValueError:  # a severity without a weight
        return 0.0


def _read_places(
    task_ids: Sequence[int], judged: set[int]
) -> Iterator[tuple[PlacedPair, PhraseAlignment, tuple[int, ...]]]:
    """Yield where pairs occur in the newest alignments of two assessed candidates."""
    newest = (
        Alignment.objects.filter(comparison__item__task__in=task_ids, comparison__check_kind="")
        .values("comparison")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    alignments: dict[int, tuple[PhraseAlignment, list[list[int]], int, int]] = {}
    rows = Alignment.objects.filter(pk__in=newest).values_list(
        "pk", "phrases", "groups", "comparison__first_id", "comparison__second_id"
    )
    for pk, phrases, groups, first, second in rows.iterator(AT_ONCE):
        if first in judged and second in judged:
            alignments[pk] = (restore_alignment(phrases), groups, first, second)
    places = Occurrence.objects.filter(alignment__in=newest).values_list(
        "pair_id", "alignment_id", "index", "flipped"
    )
    for pair, key, index, flipped in places.iterator(AT_ONCE):
        if key in alignments:
            alignment, groups, first, second = alignments[key]
            group = next((tuple(group) for group in groups if group[0] == index), (index,))
            yield PlacedPair(pair, first, second, bool(flipped)), alignment, group


def restore_alignment(rows: Iterable[Sequence[object]]) -> PhraseAlignment:
    """Return the phrases of a stored alignment, without words and links."""
    phrases = []
    for a_start, a_end, b_start, b_end, kind, moved in rows:
        a = None if a_start is None else (a_start, a_end)
        b = None if b_start is None else (b_start, b_end)
        phrases.append(Phrase(a, b, Kind(kind), bool(moved)))  # type: ignore[arg-type]  # JSON
    return PhraseAlignment((), (), (), (), tuple(phrases))


def list_signatures(tasks: Sequence[Task]) -> dict[str, str]:
    """Return what the votes of each protocol depend on, beside its spans."""
    return {
        name: f"{name}|spans|weights:stated or {find_weighting(name)}"
        for task in tasks
        for name, known in sorted(task.protocols.items())
        if known["severities"]
    }


def find_weighting(protocol: str) -> str:
    """Return the weighting for errors without a stated weight.

    >>> find_weighting("ESA-1"), find_weighting("mqm")
    ('esa-spans', 'mqm-google')
    """
    return WEIGHTING_OF.get(protocol.casefold().split("-")[0], DEFAULT_WEIGHTING)
