"""Add scores and error spans to a task that has the texts they are about.

An item of the files is that of the task with the same id and the same texts; if the ids differ, the one with
the same texts, provided that there is only one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from appraise.lib.problems import InputError, Problem, shorten
from evaluation.assessments import MarkedSpan, SpanSide
from evaluation.assessments.text_forms import TextDifference, find_difference, move_spans
from evaluation.importers import ImportedItem, ImportedSet
from evaluation.importers.model import ImportedAssessment, ImportedEvidence
from evaluation.models import Output, ScoreSet, Task, User
from evaluation.tasks.services.evidence import StoredEvidence, is_stored, store_evidence

MOST_PROBLEMS = 20
Texts = dict[str, str]  # of an item: its source under the empty name, and its outputs by system
Report = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class MatchedItems:
    """The id in the task for each id in the files; texts in another form, as (file, task).

    The source has no system: its name is empty.
    """

    keys: dict[str, str] = field(default_factory=dict)
    moved: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def place(self, assessment: ImportedAssessment) -> ImportedAssessment:
        """Return the assessment at the item of the task, with the offsets of its texts."""
        rating = assessment.rating
        for system, side in ((rating.system, SpanSide.TARGET), ("", SpanSide.SOURCE)):
            texts = self.moved.get((assessment.item, system))
            if texts is not None and assessment.shown is None:
                rating = replace(rating, spans=tuple(_move(span, side, *texts) for span in rating.spans))
        return assessment._replace(item=self.keys[assessment.item], rating=rating)


def _move(span: MarkedSpan, side: SpanSide, here: str, there: str) -> MarkedSpan:
    if span.side is not side:
        return span
    (moved,) = move_spans([replace(span, side=SpanSide.TARGET)], here, there)
    return replace(moved, side=side)


def add_evidence(
    task: Task,
    imported: ImportedSet,
    *,
    by: User | None = None,
    report: Report | None = None,
    is_dry_run: bool = False,
    by_content: bool = False,
) -> StoredEvidence:
    """Store the evidence of a set with a task; all or nothing. A dry run only checks it.

    ``by_content``: texts may differ in Unicode form and spaces; the error spans are moved.
    """
    evidence = imported.evidence
    if evidence is None:
        message = f"files of the format {imported.format} bring no scores and no error spans"
        remedy = "add an mt-metrics-eval directory, an Appraise CSV or an MQM table; import others as a task"
        raise InputError.of("no_evidence", message, remedy)
    _refuse_known_names(task, evidence)
    matched = _match_items(task, imported, by_content=by_content)
    if is_dry_run:
        return StoredEvidence(sorted(evidence.protocols))
    return store_evidence(task, _with_stored_ids(task, evidence, matched), by=by, report=report)


def _refuse_known_names(task: Task, evidence: ImportedEvidence) -> None:
    known = [name for name in evidence.protocols if name in task.protocols]
    if is_stored(task, evidence):
        message = f"the task {task.slug!r} already has this evidence"
        raise InputError.of("already_imported", message, "nothing has to be done")
    if known:
        message = f"the task {task.slug!r} already has other evidence called {known[0]!r}"
        raise InputError.of("name_taken", message, "rename the file")


def _match_items(task: Task, imported: ImportedSet, *, by_content: bool) -> MatchedItems:
    """Find the item of the task for each item of the files."""
    stored = _load_texts(task)
    by_source: dict[str, list[str]] = defaultdict(list)
    for key, texts in stored.items():
        by_source[texts[""]].append(key)
    matched = MatchedItems()
    problems: list[Problem] = []
    for item in imported.items:
        texts = {"": item.source, **{output.system: output.text for output in item.candidates}}
        keys = dict.fromkeys([item.id, *by_source[item.source]])
        same = [key for key in keys if key in stored and texts.items() <= stored[key].items()]
        if same and (same[0] == item.id or len(same) == 1):
            matched.keys[item.id] = same[0]
        elif by_content and item.id in stored and _have_same_content(texts, stored[item.id]):
            matched.keys[item.id] = item.id
            for system, text in texts.items():
                if text != stored[item.id][system]:
                    matched.moved[item.id, system] = (text, stored[item.id][system])
        else:
            problems.append(_explain(item, texts, stored.get(item.id)))
            if len(problems) == MOST_PROBLEMS:
                break
    if problems:
        raise InputError(problems)
    return matched


def _have_same_content(texts: Texts, stored: Texts) -> bool:
    return texts.keys() <= stored.keys() and all(
        find_difference(text, stored[system]) is not TextDifference.CONTENT for system, text in texts.items()
    )


def _load_texts(task: Task) -> dict[str, Texts]:
    stored: dict[str, Texts] = {key: {"": source} for key, source in task.items.values_list("key", "source")}
    rows = Output.objects.filter(item__task=task).values_list("item__key", "system__name", "candidate__text")
    for key, system, text in rows.iterator(2000):
        stored[key][system] = text
    return stored


def _explain(item: ImportedItem, texts: Texts, stored: Texts | None) -> Problem:
    """Say why an item of the files is none of the task."""
    if stored is None:
        message = f"the task has no item {shorten(item.id)!r}, and no other item with these texts"
        return Problem("unknown_item", message, "add evidence to the task of the same texts", *item.position)
    for system, text in texts.items():
        what = f"the output of {shorten(system)!r}" if system else "the source"
        if system not in stored:
            message = f"the task has no output of {shorten(system)!r} for the item {shorten(item.id)!r}"
            return Problem("unknown_system", message, "correct the name of the system", *item.position)
        if text == stored[system]:
            continue
        where = f"{what} of the item {shorten(item.id)!r} differs from that of the task"
        if find_difference(text, stored[system]) is TextDifference.FORM:
            message = f"{where} in its Unicode form or spaces only"
            remedy = "match texts by content: the error spans are moved to the text of the task"
            return Problem("unicode_form", message, remedy, *item.position, excerpt=shorten(text))
        remedy = "give the texts that the task has"
        return Problem("text_differs", where, remedy, *item.position, excerpt=shorten(text))
    message = f"several items of the task have the texts of the item {shorten(item.id)!r}"
    return Problem("ambiguous_item", message, "give the ids of the task", *item.position)


def _with_stored_ids(task: Task, evidence: ImportedEvidence, matched: MatchedItems) -> ImportedEvidence:
    """Return the evidence with the ids of the task, and without published scores that the task has."""
    known = set(ScoreSet.objects.filter(task=task).values_list("name", "reference", "level"))

    def assessments() -> Iterator[ImportedAssessment]:
        return map(matched.place, evidence.assessments())

    return replace(
        evidence,
        assessments=assessments,
        scores=lambda: (
            each for each in evidence.scores() if (each.name, each.reference, each.level.value) not in known
        ),
    )
