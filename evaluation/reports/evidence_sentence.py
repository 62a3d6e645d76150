"""One sentence of two systems with everything that people and metrics say about the same words.

Two outputs that are not compared in the task are aligned for this page, so that ratings can be read phrase by
phrase without any ranking.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.alignment import PhraseAlignment
from evaluation.alignment.composites import Composite, SpacedText, compose_preferred
from evaluation.assessments import ScoreLevel
from evaluation.assessments.votes import weigh_question
from evaluation.models import Alignment, Assessment, Item, Ranking, Task
from evaluation.reports.evidence_lanes import RatedOutput, ShownOutput, join_runs, lay_out_output
from evaluation.reports.evidence_query import load_scope_scores, read_spans
from evaluation.reports.exports import DisplayNames
from evaluation.reports.scope import Scope, find_scope, load_names
from evaluation.reports.span_votes import restore_alignment
from evaluation.schemes import Choice
from evaluation.tasks.planning import Planner
from evaluation.tasks.services.task_settings import TaskSettings
from evaluation.voters import collect_votes
from evaluation.web import get_user, private_page

MAX_LANES = 4
"""Annotators whose errors are drawn below the words; the list of errors has all."""


@dataclass(frozen=True, slots=True)
class QuestionVotes:
    """A question with the answers of people and the votes of others, relative to A and B."""

    number: int
    a: str
    b: str
    people: list[tuple[Choice, int]]
    spans: list[tuple[str, str]]
    metrics: list[tuple[str, str]]

    @property
    def hue(self) -> int:
        return (self.number - 1) % 6 + 1


@dataclass(frozen=True, slots=True)
class SentencePage:
    item: Item
    systems: list[str]
    a: ShownOutput | None
    b: ShownOutput | None
    lanes: list[str]
    questions: list[QuestionVotes]
    composite: Composite | None
    scores: list[tuple[str, float | None, float | None]]
    is_asked: bool
    previous: int | None
    following: int | None


@private_page
def page(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    scope = find_scope(get_user(request), "task", slug)
    task = scope.tasks[0]
    near = {item.position: item for item in task.items.filter(position__range=(position - 1, position + 1))}
    if position not in near:
        raise Http404(f"no sentence {position}")
    shown = build_page(scope, near[position], request.GET.get("a", ""), request.GET.get("b", ""), set(near))
    context = {
        "task": task,
        "scope": scope,
        "page": shown,
        "outputs": [output for output in (shown.a, shown.b) if output],
        "query": request.GET.urlencode(),
    }
    return render(request, "reports/evidence-sentence.html", context)


def build_page(
    scope: Scope, item: Item, a: str = "", b: str = "", near: Collection[int] = ()
) -> SentencePage:
    """Return the page for the systems ``a`` and ``b``, or for those with the most errors and the fewest.

    ``near`` has the positions of the sentences around it.
    """
    task = scope.tasks[0]
    outputs = {
        output.system.name: RatedOutput(output, output.candidate.stave)
        for output in item.outputs.select_related("system", "candidate").order_by("system__name")
    }
    _add_ratings(scope, outputs)
    a, b = _choose_systems(outputs, a, b)
    sides = [outputs[name] for name in (a, b) if name]
    lanes = list(dict.fromkeys(name for side in sides for name in side.spans))
    before, after = item.position - 1, item.position + 1
    page = SentencePage(
        item=item,
        systems=list(outputs),
        a=None,
        b=None,
        lanes=lanes[:MAX_LANES],
        questions=[],
        composite=None,
        scores=_list_scores(scope, item, a, b),
        is_asked=False,
        previous=before if before in near else None,
        following=after if after in near else None,
    )
    if len(sides) < 2:
        return page
    alignment, groups, places, swapped = _find_alignment(task, item, *sides)
    questions = _make_questions(scope, sides, alignment, groups, places or (), lanes, swapped=swapped)
    return replace(
        page,
        a=lay_out_output(sides[0], "a", alignment, groups, page.lanes),
        b=lay_out_output(sides[1], "b", alignment, groups, page.lanes),
        questions=questions,
        composite=_compose(sides, alignment, dict(zip(groups, questions, strict=True))),
        is_asked=places is not None,
    )


def _compose(
    sides: Sequence[RatedOutput], alignment: PhraseAlignment, asked: Mapping[tuple[int, ...], QuestionVotes]
) -> Composite | None:
    """Return the composite of the answers of people; None where it would be one of the two sentences."""
    leads = {group: sum((c.sign or 0) * n for c, n in question.people) for group, question in asked.items()}
    a, b = (SpacedText(side.stave.text, tuple(side.stave.spans)) for side in sides)
    composite = compose_preferred(alignment, a, b, leads)
    return composite if composite.taken and composite.text not in (a.text, b.text) else None


def _add_ratings(scope: Scope, outputs: Mapping[str, RatedOutput]) -> None:
    """Add the current answers by protocol, or by annotator where several rated the same output."""
    task = scope.tasks[0]
    answers = (
        Assessment.objects.filter(
            output__in=[side.output.pk for side in outputs.values()],
            protocol__in=list(task.protocols), presentation=0,
        )
        .ordinary().current().select_related("annotator__user").order_by("protocol", "annotator_id", "pk")
    )  # fmt: skip
    spans = read_spans(answers.values("pk"))
    rows = list(answers)
    names = DisplayNames(scope.campaign, [row.annotator for row in rows], identified=False)
    known = load_names(scope) if any(row.annotator.user_id for row in rows) else {}
    by_output = {side.output.pk: side for side in outputs.values()}
    shared = {
        protocol
        for (protocol, _), n in Counter((row.protocol, row.output_id) for row in rows).items()
        if n > 1
    }
    for row in rows:
        annotator = known.get(names[row.annotator_id], names[row.annotator_id])
        # One lane for all annotators of a protocol where each of them rated outputs of their own.
        name = f"{row.protocol}:{annotator}" if row.protocol in shared else row.protocol
        side = by_output[row.output_id]
        side.scores[name] = row.score
        if task.protocols[row.protocol]["severities"]:
            side.spans[name] = tuple(spans.get(row.pk, ()))


def _choose_systems(outputs: Mapping[str, RatedOutput], a: str, b: str) -> tuple[str, str]:
    """Return two systems with different texts, preferring what was chosen and what was rated."""
    rated = [name for name, side in outputs.items() if side.scores] or list(outputs)
    a = a if a in outputs else next(iter(rated), "")
    if b in outputs and b != a:
        return a, b
    others = [name for name in [*rated, *outputs] if a and outputs[name].stave.text != outputs[a].stave.text]

    def total(name: str) -> float:
        known = [weights.total for each in outputs[name].spans if (weights := outputs[name].weigh(each))]
        return sum(known) / len(known) if known else float("inf")

    return a, min(others, key=total, default="")


class AskedPlace(NamedTuple):
    """Where a stored pair is asked: the first phrase of the question, and whether the sides are exchanged."""

    pair: int
    phrase: int
    flipped: bool


def _find_alignment(
    task: Task, item: Item, a: RatedOutput, b: RatedOutput
) -> tuple[PhraseAlignment, list[tuple[int, ...]], list[AskedPlace] | None, bool]:
    """Return the alignment from A to B with its questions; their places if the task compares the two."""
    swapped = a.stave.text > b.stave.text
    first, second = (b, a) if swapped else (a, b)
    newest = (
        Alignment.objects.filter(
            comparison__first=first.output.candidate_id, comparison__second=second.output.candidate_id,
            comparison__check_kind="",
        )
        .order_by("comparison", "-version").first()
    )  # fmt: skip
    places = None
    if newest is None:
        settings = TaskSettings(
            task.name, task.scheme_name, target_language=task.target_language, moved=task.moved,
            question_size=task.question_size, ask_all=task.ask_all,
        )  # fmt: skip
        plan = make_planner(settings).compare(item.key, first.stave, second.stave)
        rows, groups = plan.rows, [list(group) for group in plan.groups]
        indices = [question.phrase for question in plan.questions]
    else:
        rows, groups = newest.phrases, newest.groups
        rows_of_places = newest.occurrences.order_by("index").values_list("pair_id", "index", "flipped")
        places = [AskedPlace(*row) for row in rows_of_places]
        indices = [place.phrase for place in places]
    alignment = restore_alignment(rows)
    if swapped:
        alignment = PhraseAlignment((), (), (), (), tuple(phrase.mirrored for phrase in alignment.phrases))
    by_index = {group[0]: tuple(group) for group in groups}
    return alignment, [by_index.get(index, (index,)) for index in indices], places, swapped


def make_planner(settings: TaskSettings) -> Planner:
    return settings.planner(())


def _make_questions(
    scope: Scope,
    sides: Sequence[RatedOutput],
    alignment: PhraseAlignment,
    groups: Sequence[tuple[int, ...]],
    places: Sequence[AskedPlace],
    lanes: Sequence[str],
    *,
    swapped: bool,
) -> list[QuestionVotes]:
    people, metrics = _read_votes(scope, places, swapped=swapped)
    weights = {lane: [side.weigh(lane) for side in sides] for lane in lanes}
    questions = []
    for number, group in enumerate(groups, 1):
        spans = []
        for lane, (a, b) in weights.items():
            if a is not None and b is not None:
                choice = weigh_question(alignment, group, a, b).choice
                spans.append((lane, choice.value if choice else ""))
        a_text, b_text = (
            join_runs(side.stave, alignment, group, name) for side, name in zip(sides, "ab", strict=True)
        )
        questions.append(
            QuestionVotes(number, a_text, b_text, people.get(group[0], []), spans, metrics.get(group[0], []))
        )
    return questions


def _read_votes(
    scope: Scope, places: Sequence[AskedPlace], *, swapped: bool
) -> tuple[dict[int, list[tuple[Choice, int]]], dict[int, list[tuple[str, str]]]]:
    """Return the answers of people and the votes of metrics by the first phrase, relative to A and B."""
    if not places:
        return {}, {}
    pairs = [place.pair for place in places]
    rankings = Ranking.objects.filter(pair__in=pairs, presentation=0, annotator__machine="").order_by(
        "version"
    )
    current = {
        (annotator, pair): choice
        for annotator, pair, choice in rankings.values_list("annotator_id", "pair_id", "choice")
    }
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for (_, pair), choice in current.items():
        if choice:
            counts[pair][choice] += 1
    votes = collect_votes(scope.task_ids, pairs)
    people: dict[int, list[tuple[Choice, int]]] = {}
    metrics: dict[int, list[tuple[str, str]]] = {}
    for pair, index, flipped in places:

        def turn(choice: Choice, *, is_turned: bool = flipped != swapped) -> Choice:
            return choice.mirrored if is_turned else choice

        people[index] = [(turn(Choice(choice)), n) for choice, n in sorted(counts[pair].items())]
        metrics[index] = [(vote.voter, turn(vote.choice).value) for vote in votes.get(pair, ())]
    return people, metrics


def _list_scores(scope: Scope, item: Item, a: str, b: str) -> list[tuple[str, float | None, float | None]]:
    """Return the published scores of this sentence, people first."""
    rows: list[tuple[bool, str, float | None, float | None]] = []
    for _task, scores in load_scope_scores(scope):
        if scores.level is ScoreLevel.SEGMENT:
            first, second = (_value_at(scores.values.get(system, ()), item.position) for system in (a, b))
            if first is not None or second is not None:
                rows.append((bool(scores.reference), scores.full_name, first, second))
    return [(name, first, second) for _, name, first, second in sorted(rows, key=itemgetter(0, 1))]


def _value_at(values: Sequence[float | None], position: int) -> float | None:
    return values[position] if position < len(values) else None
