"""An output with its words in groups, one for each question, and the errors that every annotator marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluation.alignment import PhraseAlignment
from evaluation.alignment.questions import list_runs
from evaluation.assessments import MarkedSpan, SpanSide
from evaluation.assessments.votes import TokenWeights, find_tokens
from evaluation.models import Output
from evaluation.presentation import Stave
from evaluation.reports.span_votes import weigh_error

RUN_SEPARATOR = " … "
MAJOR = ("major", "critical")


class ShownError(NamedTuple):
    """An error of the list: who marked what, and how severe it is."""

    annotator: str
    severity: str
    category: str
    text: str
    is_source: bool


class LaneMark(NamedTuple):
    """What one annotator marked at a token: the severity, and whether the error begins and ends here."""

    severity: str = ""
    begins: bool = False
    ends: bool = False


class ShownToken(NamedTuple):
    """A token with the mark of every lane; ``is_glued``: no space follows it."""

    text: str
    marks: list[LaneMark]
    is_glued: bool


@dataclass(frozen=True, slots=True)
class TokenGroup:
    """Neighbouring tokens of one question (0: of none)."""

    number: int
    kind: str
    tokens: list[ShownToken]

    @property
    def hue(self) -> int:
        return (self.number - 1) % 6 + 1


@dataclass(frozen=True, slots=True)
class ShownRating:
    """One annotator's answer about an output; ``score`` is None where only errors are asked."""

    name: str
    score: float | None
    weight: float
    errors: list[ShownError]


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """An output with its words and everything said about it."""

    system: str
    groups: list[TokenGroup]
    ratings: list[ShownRating]


@dataclass(slots=True)
class RatedOutput:
    """An output before it is laid out."""

    output: Output
    stave: Stave
    spans: dict[str, tuple[MarkedSpan, ...]] = field(default_factory=dict)  # by annotator
    scores: dict[str, float | None] = field(default_factory=dict)

    def weigh(self, name: str) -> TokenWeights | None:
        if name not in self.spans:
            return None
        protocol = name.partition(":")[0]
        return TokenWeights.of(self.spans[name], self.stave.spans, lambda span: weigh_error(span, protocol))


def join_runs(stave: Stave, alignment: PhraseAlignment, group: Sequence[int], side: str) -> str:
    return RUN_SEPARATOR.join(stave.slice(run) for run in list_runs(alignment, group, side))


def lay_out_output(
    side: RatedOutput,
    name: str,
    alignment: PhraseAlignment,
    groups: Sequence[tuple[int, ...]],
    lanes: Sequence[str],
) -> ShownOutput:
    """Return the words of an output in groups, each with the marks of every lane."""
    numbers = [0] * len(side.stave.spans)
    kinds = [""] * len(numbers)
    for number, group in enumerate(groups, 1):
        for start, end in list_runs(alignment, group, name):
            numbers[start:end] = [number] * (end - start)
            is_moved = any(alignment.phrases[phrase].moved for phrase in group)
            kinds[start:end] = ["moved" if is_moved else "sub"] * (end - start)
    marks = [_mark_tokens(side, lane) for lane in lanes]
    shown: list[TokenGroup] = []
    for token, word in enumerate(side.stave.words):
        if not shown or shown[-1].number != numbers[token] or not numbers[token]:
            shown.append(TokenGroup(numbers[token], kinds[token], []))
        ends, begins = side.stave.spans[token][1], [start for start, _ in side.stave.spans[token + 1 :][:1]]
        shown[-1].tokens.append(ShownToken(word, [lane[token] for lane in marks], begins == [ends]))
    names = list(dict.fromkeys([*side.scores, *side.spans]))
    return ShownOutput(side.output.system.name, shown, [_show_rating(side, each) for each in names])


def _mark_tokens(side: RatedOutput, lane: str) -> list[LaneMark]:
    marks = [LaneMark()] * len(side.stave.spans)
    for span in side.spans.get(lane, ()):
        touched = find_tokens(span, side.stave.spans)
        severity = "major" if span.severity.casefold() in MAJOR else "minor"
        for token in touched:
            if marks[token].severity != "major":
                marks[token] = LaneMark(severity, token == touched[0], token == touched[-1])
    return marks


def _show_rating(side: RatedOutput, name: str) -> ShownRating:
    item, weights = side.output.item, side.weigh(name)
    errors = []
    for span in side.spans.get(name, ()):
        text = item.source if span.side is SpanSide.SOURCE else side.stave.text
        marked = "" if span.start is None else text[span.start : span.end]
        errors.append(ShownError(name, span.severity, span.category, marked, span.side is SpanSide.SOURCE))
    return ShownRating(name, side.scores.get(name), weights.total if weights else 0.0, errors)
