"""A passage as one annotator sees it: sentences, the translations of each, and what is suggested.

The order of the systems depends on the annotator and the texts only. Identical translations of a sentence are
shown once, and the answer counts for each of their outputs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import NamedTuple

from django.conf import settings

from evaluation.annotate.services.answers import UnknownQuestion
from evaluation.blinding import shown_order
from evaluation.models import Assessment, Assignment, ErrorSpan, PassageOutput


class JudgedOutput(NamedTuple):
    """An output that an answer is about; ``shown`` is the damaged text of an attention check."""

    pk: int
    shown: int | None


@dataclass(frozen=True, slots=True)
class ShownCandidate:
    """A translation on the page. ``key`` is its name in the browser, which says nothing about systems."""

    key: str
    letter: str
    text: str
    source: str
    outputs: tuple[JudgedOutput, ...]
    is_document: bool = False
    """Whether the answer is about the whole document; it is stored with the outputs of the last sentence."""


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A sentence with its translations, in the order in which this annotator sees them."""

    number: int
    source: str
    context_before: str
    context_after: str
    candidates: tuple[ShownCandidate, ...]


@dataclass(frozen=True, slots=True)
class ShownPassage:
    units: tuple[ShownUnit, ...]
    documents: tuple[ShownCandidate, ...] = ()
    """One for each column, where the protocol asks for a score of the document."""

    @property
    def candidates(self) -> list[ShownCandidate]:
        return [each for unit in self.units for each in unit.candidates] + list(self.documents)

    def find(self, key: str) -> ShownCandidate:
        for candidate in self.candidates:
            if candidate.key == key:
                return candidate
        raise UnknownQuestion(key)


class _Row(NamedTuple):
    output: int
    shown: int | None
    shown_text: str | None
    text: str
    system: int
    item: int
    source: str
    context_before: str
    context_after: str

    @property
    def judged(self) -> JudgedOutput:
        return JudgedOutput(self.output, self.shown)

    @property
    def visible(self) -> str:
        return self.text if self.shown_text is None else self.shown_text


_COLUMNS = (
    "output", "shown", "shown__text", "output__candidate__text", "output__system",
    "output__item", "output__item__source", "output__item__context_before", "output__item__context_after",
)  # fmt: skip


def load_passage(assignment: Assignment) -> ShownPassage:
    """Return what the page shows; one query."""
    rows = PassageOutput.objects.filter(passage=assignment.passage_id, presentation=assignment.presentation)
    rows = rows.order_by("output__item__position", "output__system__name")
    cells: dict[int, dict[int, _Row]] = defaultdict(dict)  # sentence → system
    for row in map(_Row._make, rows.values_list(*_COLUMNS)):
        cells[row.item][row.system] = row
    columns = _order_columns(assignment, list(cells.values()))
    first = assignment.number if len(cells) == 1 else 1  # a sentence alone has the number of its page
    units = tuple(_make_unit(number, row, columns) for number, row in enumerate(cells.values(), first))
    has_document = assignment.task.collected_names[1] in assignment.task.protocols
    return ShownPassage(units, tuple(_make_documents(list(cells.values()), columns)) if has_document else ())


def _order_columns(assignment: Assignment, rows: Sequence[dict[int, _Row]]) -> list[set[int]]:
    """Return the systems of each column in display order; systems with equal texts share one."""
    texts: dict[int, str] = {
        system: "\x1e".join(row[system].visible if system in row else "" for row in rows)
        for system in {system: None for row in rows for system in row}
    }
    distinct = sorted(set(texts.values()))
    order = shown_order(
        settings.SECRET_KEY.encode(), assignment.annotator.key, distinct, assignment.presentation
    )
    return [{system for system, text in texts.items() if text == distinct[number]} for number in order]


def _make_unit(number: int, cells: dict[int, _Row], columns: Sequence[Collection[int]]) -> ShownUnit:
    letters: dict[str, str] = {}
    outputs: dict[str, list[_Row]] = defaultdict(list)
    for letter, systems in zip(ascii_uppercase, columns, strict=False):
        here = [row for system, row in cells.items() if system in systems]
        if here:
            letters[here[0].visible] = letters.get(here[0].visible, "") + letter
            outputs[here[0].visible] += here
    one = next(iter(cells.values()))
    candidates = tuple(
        ShownCandidate(
            f"{number}{letter}", letter, text, one.source, tuple(row.judged for row in outputs[text])
        )
        for text, letter in letters.items()
    )
    return ShownUnit(number, one.source, one.context_before, one.context_after, candidates)


def _make_documents(
    rows: Sequence[dict[int, _Row]], columns: Sequence[Collection[int]]
) -> list[ShownCandidate]:
    documents = []
    for letter, systems in zip(ascii_uppercase, columns, strict=False):
        last = next(row for row in reversed(rows) if systems & row.keys())
        outputs = tuple(row.judged for system, row in last.items() if system in systems)
        documents.append(ShownCandidate(f"d{letter}", letter, "", "", outputs, is_document=True))
    return documents


def load_suggestions(
    assignment: Assignment, candidates: Iterable[ShownCandidate]
) -> dict[str, list[ErrorSpan]]:
    """Return the suggested errors of each candidate by its key, in their order; no query where none are.

    Of several outputs with the same text, the first that has any counts. A damaged text has none, because
    offsets are those of the undamaged one.
    """
    if not assignment.task.suggestions:
        return {}
    outputs = {
        candidate.key: sorted(output.pk for output in candidate.outputs if output.shown is None)
        for candidate in candidates
        if not candidate.is_document
    }
    suggested = find_suggested(assignment.task.suggestions, [pk for some in outputs.values() for pk in some])
    found = {
        key: next((suggested[pk] for pk in some if pk in suggested), []) for key, some in outputs.items()
    }
    return {key: spans for key, spans in found.items() if spans}


def find_suggested(evidence: str, outputs: Collection[int]) -> dict[int, list[ErrorSpan]]:
    """Return the errors of this evidence by output: those of its first annotator, a person or a metric."""
    spans = ErrorSpan.objects.filter(
        assessment__in=Assessment.objects.current().ordinary(),
        assessment__output__in=outputs,
        assessment__protocol=evidence,
        assessment__presentation=0,
    ).select_related("assessment")
    found: dict[int, list[ErrorSpan]] = {}
    for span in spans.order_by("assessment__annotator", "number"):
        own = found.setdefault(span.assessment.output_id, [])
        if not own or own[0].assessment_id == span.assessment_id:
            own.append(span)
    return found
