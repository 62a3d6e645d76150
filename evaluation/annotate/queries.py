"""What an annotator may see of an assignment.

Everything on the pages of annotators comes from here, and nothing here reveals a system, score, file name,
database id, upload order or attention check. Where all candidates are judged together, their order, and the
order of the variants of a place, depend on the texts and the annotator only.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from evaluation.annotate.places import (
    MOST_STEPS,
    CandidateGroup,
    Steps,
    count_steps,
    steps_from_choices,
    variant_letter,
)
from evaluation.annotate.services import answers, places
from evaluation.annotate.services.answers import Receipt
from evaluation.annotate.services.practice import PracticePage
from evaluation.blinding import canonical, shown_order
from evaluation.models import Alignment, Assignment, Task
from evaluation.presentation import Card, Fragment, Sheet, ShownPhrase, Stave, hue, sheet
from evaluation.schemes import Choice, Scheme
from evaluation.web import numeral


class PairQuestion(NamedTuple):
    """A card with its newest answer; ``uuid`` makes it safe to send a plain form twice."""

    card: Card
    field: str
    """The name of the radio buttons."""
    choice: Choice | None
    reason_field: str
    reason: str
    version: int
    uuid: str
    is_reported: bool


STRIP_LENGTH = 21


class OwnSentence(NamedTuple):
    """An assignment as its annotator sees it: open, done or skipped, and possibly marked as unsure."""

    number: int
    token: str
    is_finished: bool
    skip_reason: str
    is_unsure: bool
    active_ms: int
    up_to: int
    comparison: int | None
    """None for a passage that is assessed."""

    @property
    def url(self) -> str:
        return reverse("assess" if self.comparison is None else "annotate", args=[self.token])

    @property
    def state(self) -> str:
        return ("skipped" if self.skip_reason else "done") if self.is_finished else "open"


@dataclass(frozen=True, slots=True)
class Strip:
    """An annotator's sentences of a task around the current one, of ``total``.

    Without ``next_url`` the next sentence has to be claimed.
    """

    number: int
    sentences: list[OwnSentence]
    total: int
    previous_url: str | None
    next_url: str | None

    @property
    def links(self) -> str:
        """Number, state, URL and mark of each sentence, for ``strip.js``."""
        # One call of the resolver, which is slow, for each kind of page.
        some = {one.comparison is None: one for one in self.sentences}
        patterns = {kind: one.url.replace(one.token, "{}") for kind, one in some.items()}
        return ";".join(
            f"{one.number} {one.state} {patterns[one.comparison is None].format(one.token)}"
            f"{' unsure' if one.is_unsure else ''}"
            for one in self.sentences
        )


@dataclass(frozen=True, slots=True)
class TaskProgress:
    done: int
    total: int
    active_minutes: int
    minutes_left: int | None


class Above(NamedTuple):
    """What may be shown above the candidates of an item."""

    source: str
    references: list[str]
    context_before: str
    context_after: str


@dataclass(frozen=True, slots=True)
class PairPage:
    number: int
    position: str
    above: Above
    sheet: Sheet
    questions: list[PairQuestion]
    scheme: Scheme
    progress: TaskProgress
    strip: Strip
    sentence: dict[str, Receipt[str]]

    @property
    def answered(self) -> int:
        return sum(question.choice is not None for question in self.questions)


def load_texts(assignment: Assignment) -> Assignment:
    """Attach the alignment, candidates and item that the page shows to an assignment; one query."""
    alignments = Alignment.objects.select_related(
        "comparison__first", "comparison__second", "comparison__item"
    )
    alignment = alignments.get(assignments=assignment.pk)
    assignment.alignment, assignment.comparison = alignment, alignment.comparison
    return assignment


def _load_comparison(alignment: int) -> tuple[Stave, Stave, list[ShownPhrase], list[list[int]], Above]:
    """Return both candidates, phrases and groups of an alignment, and the texts of its item; one query.

    Separate from the query for the assignment: PostgreSQL plans two joins of three and five tables in a third
    of the time of one of eight. Columns only, because five models with all theirs cost half as much again.
    """
    columns = "first__text", "first__offsets", "second__text", "second__offsets", *[
        f"item__{name}" for name in Above._fields
    ]  # fmt: skip
    phrases, groups, first, first_offsets, second, second_offsets, *above = Alignment.objects.values_list(
        "phrases", "groups", *[f"comparison__{name}" for name in columns]
    ).get(pk=alignment)
    staves = Stave.of(first, first_offsets), Stave.of(second, second_offsets)
    return *staves, read_phrases(phrases), groups, Above(*above)


def build_pair_page(assignment: Assignment) -> PairPage:
    """Return everything that the page shows; at most five queries."""
    assert assignment.alignment_id is not None  # always about a comparison
    first, second, phrases, groups, above = _load_comparison(assignment.alignment_id)
    asked, others = answers.load_differences(assignment)
    sentences = list_sentences(Assignment.objects.of(assignment.annotator_id, assignment.task_id))
    numbers = {sentence.comparison: sentence.number for sentence in sentences} if others else {}
    layout = sheet(
        first,
        second,
        phrases,
        {place: index for index, question in asked.items() for place in question.indices},
        groups=groups,
        elsewhere={phrase: numbers.get(comparison, 0) for phrase, comparison in others.items()},
        swapped=assignment.swapped,
    )
    questions = [_make_question(assignment, card, asked[card.index]) for card in layout.questions]
    progress = count_progress(assignment.task, sentences)
    return PairPage(
        number=assignment.number,
        position=_describe_position(assignment, progress),
        above=above,
        sheet=layout,
        questions=questions,
        scheme=assignment.task.scheme,
        progress=progress,
        strip=make_strip(sentences, assignment.number),
        sentence=_load_sentence_answers(assignment),
    )


def _make_question(assignment: Assignment, card: Card, asked: answers.AskedPair) -> PairQuestion:
    choice = Choice(asked.choice) if asked.choice else None
    return PairQuestion(
        card,
        f"choice-{card.index}",
        choice and canonical(choice, swapped=assignment.swapped, flipped=asked.flipped),
        f"why-{card.index}",
        asked.reason,
        asked.version,
        str(uuid.uuid4()),
        asked.is_reported,
    )


def read_phrases(rows: Iterable[Sequence[Any]]) -> list[ShownPhrase]:  # Any: JSON
    """Convert the stored rows to phrases."""
    return [
        ShownPhrase(
            None if a_start is None else (a_start, a_end),
            None if b_start is None else (b_start, b_end),
            kind == "shared",
            moved,
        )
        for a_start, a_end, b_start, b_end, kind, moved in rows
    ]


def list_sentences(assignments: QuerySet[Assignment]) -> list[OwnSentence]:
    """Return the assignments of an annotator to a task in order; one query."""
    own = assignments.annotate(is_finished=Q(finished_at__isnull=False))
    columns = (
        "number", "token", "is_finished", "skip_reason", "is_unsure", "active_ms", "up_to", "comparison_id",
    )  # fmt: skip
    return [OwnSentence(*row) for row in own.order_by("number").values_list(*columns)]


def make_strip(sentences: Sequence[OwnSentence], number: int) -> Strip:
    """Return the sentences around the one with this number."""
    here = next(n for n, sentence in enumerate(sentences) if sentence.number == number)
    start = max(0, min(here - STRIP_LENGTH // 2, len(sentences) - STRIP_LENGTH))
    return Strip(
        number,
        list(sentences[start : start + STRIP_LENGTH]),
        total=len(sentences),
        previous_url=sentences[here - 1].url if here else None,
        next_url=sentences[here + 1].url if here + 1 < len(sentences) else None,
    )


def count_progress(task: Task, sentences: Sequence[OwnSentence]) -> TaskProgress:
    """Return the progress of an annotator, of as many sentences as there were at the last claim."""
    finished = [sentence.active_ms for sentence in sentences if sentence.is_finished]
    up_to = sentences[-1].up_to or task.per_person  # claimed before this was counted
    return estimate_progress(len(finished), max(up_to, len(sentences)), sum(finished))


def estimate_progress(done: int, total: int, active_ms: int) -> TaskProgress:
    """Estimate the remaining time. ``done`` may exceed ``total`` after comparisons were removed.

    >>> estimate_progress(10, 40, 10 * 60_000)
    TaskProgress(done=10, total=40, active_minutes=10, minutes_left=30)
    >>> estimate_progress(44, 40, 44 * 60_000)
    TaskProgress(done=44, total=44, active_minutes=44, minutes_left=0)
    """
    total = max(total, done)
    left = round(active_ms / done * (total - done) / 60_000) if done and active_ms else None
    return TaskProgress(done, total, round(active_ms / 60_000), left)


def _describe_position(assignment: Assignment, progress: TaskProgress) -> str:
    """Return the position of the comparison, or of the sentence in tasks that rank places."""
    by_place = assignment.task.judging == Task.Judging.PLACES
    text = gettext("Sentence %(n)s of %(total)s") if by_place else gettext("Comparison %(n)s of %(total)s")
    return text % {"n": numeral(f"{assignment.number:,}"), "total": numeral(f"{progress.total:,}")}


def _load_sentence_answers(assignment: Assignment) -> dict[str, Receipt[str]]:
    """Return the newest answers about the whole sentence: verdict, rating_a, rating_b, comment."""
    task = assignment.task
    if not (task.ask_sentence or task.ask_rating or task.ask_comment):
        return {}
    return answers.load_sentence_answers(assignment)


@dataclass(frozen=True, slots=True)
class ShownVariant:
    """``step`` is None without an answer and 0 for “cannot be compared”, as in the form."""

    number: int
    letter: str
    text: str
    step: int | None


@dataclass(frozen=True, slots=True)
class PlaceCard:
    """``number`` counts the questions of a page, ``place`` the places of the sentence."""

    number: int
    place: int
    variants: list[ShownVariant]
    steps: range
    version: int
    uuid: str

    @property
    def is_answered(self) -> bool:
        return all(variant.step is not None for variant in self.variants)

    @property
    def hue(self) -> int:
        return hue(self.number)


@dataclass(frozen=True, slots=True)
class PlacesPage:
    number: int
    position: str
    staves: list[list[Fragment]]
    cards: list[PlaceCard]
    scheme: Scheme
    progress: TaskProgress
    strip: Strip

    @property
    def answered(self) -> int:
        return sum(card.is_answered for card in self.cards)

    @property
    def most_steps(self) -> int:
        """The largest number of steps of any place."""
        return max(len(card.steps) for card in self.cards)


def build_places_page(assignment: Assignment, typed: Mapping[int, Sequence[str]] | None = None) -> PlacesPage:
    """Return everything that the page shows, in four queries; ``typed`` are the steps of a refused form."""
    sentence = places.load_places(assignment)
    rankings = places.load_rankings(assignment)
    scheme = assignment.task.scheme
    cards = []
    for number, place in enumerate(sentence.places, 1):
        receipt = place.receipt(assignment, rankings)
        steps = _chosen_steps(receipt.value, (typed or {}).get(place.place, ()), len(place.texts))
        uuid_ = str(uuid.uuid4())
        cards.append(make_place_card(number, place.place, place.texts, steps, scheme, receipt.version, uuid_))
    own = Assignment.objects.of(assignment.annotator_id, assignment.task_id)
    sentences = list_sentences(own)
    progress = count_progress(assignment.task, sentences)
    return PlacesPage(
        number=assignment.number,
        position=_describe_position(assignment, progress),
        staves=_lay_out_candidates(assignment, sentence.group),
        cards=cards,
        scheme=scheme,
        progress=progress,
        strip=make_strip(sentences, assignment.number),
    )


def _chosen_steps(stored: Steps | None, typed: Sequence[str], count: int) -> list[int | None]:
    """
    >>> _chosen_steps((1, None), (), 2), _chosen_steps(None, ("2", ""), 2)
    ([1, 0], [2, None])
    >>> _chosen_steps(None, ("9" * 9999, "x"), 2)
    [None, None]
    """
    if stored is not None:
        return [step or 0 for step in stored]
    if len(typed) != count:
        return [None] * count
    offered = {str(step): step for step in range(MOST_STEPS + 1)}
    return [offered.get(step) for step in typed]


def _lay_out_candidates(assignment: Assignment, group: CandidateGroup) -> list[list[Fragment]]:
    secret, texts = settings.SECRET_KEY.encode(), [stave.text for stave in group.staves]
    order = shown_order(secret, assignment.annotator.key, texts, assignment.presentation)
    return [lay_out_candidate(group, candidate) for candidate in order]


def lay_out_candidate(group: CandidateGroup, candidate: int) -> list[Fragment]:
    """Return one candidate as fragments: adjacent shared words are joined, questions are numbered."""
    numbers = {place: number for number, place in enumerate(group.question_places, 1)}
    stave, fragments, end = group.staves[candidate], list[Fragment](), 0
    for place, spans in enumerate(group.places):
        span = spans[candidate]
        text = stave.slice(span)
        space = " " if fragments and stave.text[end : end + 1].isspace() else ""
        if text:
            start = stave.spans[span[0]][0]
            space, end = stave.text[end:start], stave.spans[span[1] - 1][1]
        if place in numbers:
            fragments.append(Fragment(text, numbers[place], "sub" if text else "only-a", True, space))
        elif fragments and fragments[-1].number is None:
            last = fragments[-1]
            fragments[-1] = Fragment(last.text + space + text, space=last.space)
        else:
            fragments.append(Fragment(text, space=space))
    return fragments


def make_place_card(
    number: int,
    place: int,
    texts: Sequence[str],
    steps: Sequence[int | None],
    scheme: Scheme,
    version: int = 0,
    uuid: str = "",
) -> PlaceCard:
    """Return the card of a place; version and UUID are only needed on pages that store answers."""
    variants = [
        ShownVariant(n, variant_letter(n), text, step)
        for n, (text, step) in enumerate(zip(texts, steps, strict=True))
    ]
    return PlaceCard(number, place, variants, range(1, count_steps(len(texts), scheme) + 1), version, uuid)


def exercise_as_place(page: PracticePage, scheme: Scheme, steps: Sequence[int | None]) -> PlaceCard:
    """Return the exercise as a place with two variants, for tasks that rank places."""
    return make_place_card(1, 0, (page.card.a, page.card.b), steps, scheme)


def describe_steps(choice: Choice, scheme: Scheme) -> str:
    """Return a choice between two variants as their steps.

    >>> from evaluation.schemes import SIX_WAY
    >>> describe_steps(Choice.B_MUCH_BETTER, SIX_WAY), describe_steps(Choice.NOT_APPLICABLE, SIX_WAY)
    ('A 3, B 1', 'A N/A, B N/A')
    """
    steps = steps_from_choices({(0, 1): choice}, 2, scheme) or (None, None)
    return ", ".join(f"{variant_letter(n)} {step or 'N/A'}" for n, step in enumerate(steps))
