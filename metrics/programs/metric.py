"""Declared programs as metrics: ``ProgramMetric`` scores segments, ``ProgramJudge`` answers questions.

A program reads one JSON list per line and writes one JSON list of as many answers per line. An item of a
scorer is ``{"hypothesis": …, "references": […], "source": …}``, its answer a number. A judge gets what an
annotator sees (``metrics.scoring.phrase_votes.ask_question``) and answers one of ``choices``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from evaluation.schemes import Choice
from metrics.base import MetricUnavailable, Needs, Scores, Segment, mean_or_none
from metrics.programs.declarations import ProgramDeclaration, programs_path, read_programs
from metrics.programs.program import Program, ProgramFailed, as_choices
from metrics.registry import BrokenPlugin, register_factory
from metrics.tools.process import close_at_exit


@dataclass(frozen=True)
class DeclaredProgram:
    """What scorers and judges share."""

    declaration: ProgramDeclaration

    @property
    def name(self) -> str:
        return self.declaration.name

    @property
    def title(self) -> str:
        return self.declaration.full_title

    @property
    def higher_is_better(self) -> bool:
        return self.declaration.direction == "higher"

    @property
    def needs(self) -> Needs:
        return self.declaration.text_needs

    @property
    def signature(self) -> str:
        needs = "+".join(self.declaration.needs) or "nothing"
        answers = f"answers:{self.declaration.answers}|better:{self.declaration.direction}"
        return f"{self.name}|program:{self._program().tool}|{answers}|needs:{needs}|corpus:mean|v:1"

    def unavailable_because(self) -> str | None:
        return self._program().explain_missing()

    def _program(self) -> Program:
        return shared_program(self.declaration)

    def _ask(self, items: Sequence[Mapping[str, Any]]) -> list[Any]:
        if missing := self.unavailable_because():
            raise MetricUnavailable(missing)
        try:
            return self._program().answer(items)
        except ProgramFailed as error:
            raise MetricUnavailable(str(error)) from error


class ProgramMetric(DeclaredProgram):
    """Scores segments; the score of a corpus is their mean."""

    def score(self, segments: Sequence[Segment]) -> Scores:
        values = np.array(self._ask([self._item(segment) for segment in segments]), dtype=np.float64)
        return Scores(values, mean_or_none(values), self.signature)

    def _item(self, segment: Segment) -> dict[str, Any]:
        """What the program needs and nothing more, so that another source is not another text."""
        if self.needs.reference and not segment.references:
            raise MetricUnavailable(f"{self.name} cannot score here: it needs a reference")
        references = list(segment.references) if self.needs.reference else []
        source = segment.source if self.needs.source else None
        return {"hypothesis": segment.hypothesis, "references": references, "source": source}


class ProgramJudge(DeclaredProgram):
    """Has no scores: it votes on the questions that people answer."""

    may_be_undefined = True

    def score(self, segments: Sequence[Segment]) -> Scores:
        return Scores(np.full(len(segments), np.nan), None, self.signature)

    def answer_questions(self, questions: Sequence[Mapping[str, Any]]) -> list[Choice]:
        return as_choices(self._ask(questions))


@cache
def shared_program(declaration: ProgramDeclaration) -> Program:
    """Return the program that this process shares."""
    return close_at_exit(Program(declaration))


def make_metric(declaration: ProgramDeclaration) -> ProgramMetric | ProgramJudge:
    return (ProgramJudge if declaration.answers == "choices" else ProgramMetric)(declaration)


def register_programs() -> None:
    """Register the declared programs; what is wrong with the others is the reason of ``programs``."""
    declarations, problems = read_programs(programs_path())
    for declaration in declarations:
        try:
            register_factory(declaration.name, partial(make_metric, declaration))
        except ValueError as error:
            problems.append(f"[{declaration.name}]: {error}")
    if problems:
        reason = "; ".join(problems)
        register_factory("programs", lambda: BrokenPlugin("programs", reason))


register_programs()
