"""Tag the outputs of some tasks, so that reports can recognise phenomena by tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluation.models import Candidate, Task
from evaluation.problems import InputError, Problem
from metrics.linguistics.base import ToolAbsent
from metrics.word_classes import read


def tag_candidates(tasks: Sequence[Task], report: Callable[[int, int], None]) -> dict[str, int]:
    """How many sentences were read, and how many the tagger could not; ``InputError`` without a tagger."""
    texts = {task: sorted(set(_written(task))) for task in tasks}
    total, done, failed = sum(map(len, texts.values())), 0, 0
    for task, sentences in texts.items():

        def progress(some: int, before: int = done) -> None:
            report(before + some, total)

        try:
            failed += read(task.target_language, sentences, progress)
        except ToolAbsent as error:
            raise InputError(Problem("no_tagger", str(error))) from error
        done += len(sentences)
    return {"sentences": total, "failed": failed}


def _written(task: Task) -> list[str]:
    return list(Candidate.objects.filter(item__task=task).values_list("text", flat=True))
