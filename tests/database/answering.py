"""People who answer whole tasks, for tests of what is reported about them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

from evaluation.annotate.services import answers, assignments
from evaluation.blinding import canonical
from evaluation.models import Annotator, Occurrence, PhrasePair, Ranking, Task
from evaluation.schemes import Choice
from tests.database.conftest import SENTENCES, make_task

Chooser = Callable[[PhrasePair, int], Choice]


def always(choice: Choice) -> Chooser:
    return lambda pair, presentation: choice


def answer_task(
    task: Task, who: Annotator, choose: Chooser, *, most: int | None = None, ms: int = 4000
) -> int:
    """Work through a task; ``choose`` speaks about the pair as stored. Returns the number of answers."""
    given = 0
    for _ in range(most or 1000):
        assignment = assignments.next_assignment(task, who)
        if assignment is None:
            break
        for place in Occurrence.objects.asked_by(assignment).select_related("pair").order_by("index"):
            stored = choose(place.pair, assignment.presentation)
            shown = canonical(stored, swapped=assignment.swapped, flipped=place.flipped)
            answers.submit_ranking(
                assignment,
                answers.Submission(uuid.uuid4(), place.index, shown, base=0, active_ms=ms, elapsed_ms=ms),
            )
            given += 1
        answers.finish_pairs(assignment)
    return given


def another_task(name: str, **settings: Any) -> Task:
    """A second task of the same campaign, with words of its own."""
    text = json.dumps(SENTENCES).replace("house", "barn")
    return make_task(name, json.loads(text), **settings)


def change_mind(ranking: Ranking, choice: Choice | None) -> Ranking:
    """A further version of an answer, or its withdrawal."""
    return Ranking.objects.create(
        uuid=uuid.uuid4(),
        annotator=ranking.annotator,
        pair=ranking.pair,
        presentation=ranking.presentation,
        version=ranking.version + 1,
        choice=choice,
        slot=ranking.slot,
        alignment=ranking.alignment,
        swapped=ranking.swapped,
    )
