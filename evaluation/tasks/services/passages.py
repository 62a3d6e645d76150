"""Create the passages of a task: what is assessed under a protocol, and who is asked.

Each output is part of one passage. The systems of a document are ordered by the seed; a passage has the next
``systems`` of them. The first passages of all sentences or documents come before the second ones, so that
translations of the same source are far apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from appraise.lib.digests import text_digest
from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.annotate.known_answers import damage_text
from evaluation.assessments import PROTOCOLS, AssessmentProtocol
from evaluation.models import (
    AuditEntry,
    Candidate,
    Job,
    Output,
    Passage,
    PassageOutput,
    Task,
    User,
)
from evaluation.tasks.services.slots import (
    AskingComparison,
    create_passage_slots,
    select_repeated,
    slot_sort_key,
    update_task_size,
)

MOST_SYSTEMS = 4
MAX_PROTOCOL_NAME = 70


@dataclass(frozen=True, slots=True)
class AssessmentPlan:
    """What is assessed: under which protocol, how many systems at once, by sentence or by document.

    ``name`` is that of the evidence (by default that of the protocol). ``checks`` is the percentage of the
    passages that are shown a second time with damaged texts. ``suggestions`` names the evidence whose error
    spans are offered. Of several ``items``, the first ones are assessed (None: all).
    """

    protocol: AssessmentProtocol
    name: str = ""
    systems: int = 1
    by_document: bool = False
    checks: int = 0
    suggestions: str = ""
    mark_differences: bool = False
    items: int | None = None

    @property
    def evidence(self) -> str:
        return self.name or self.protocol.name


class _Cell(NamedTuple):
    """An output with its text and its place in the task."""

    output: int
    system: str
    candidate: int
    text: str
    item: int
    position: int
    document: str


def find_protocol(name: str) -> AssessmentProtocol:
    """Return a shipped protocol; ``InputError`` if there is none of this name."""
    if name not in PROTOCOLS:
        remedy = f"choose one of {', '.join(PROTOCOLS)}"
        raise InputError.of("unknown_protocol", f"there is no protocol {name!r}", remedy)
    return PROTOCOLS[name]


def find_free_name(task: Task, name: str) -> str:
    """Return this name, with a number if the task has other evidence of this name."""
    numbered = (f"{name}-{number}" for number in range(2, len(task.protocols) + 3))
    return next(free for free in (name, *numbered) if free not in task.protocols)


def create_passages(task: Task, plan: AssessmentPlan, *, by: User | None = None) -> int:
    """Let a task collect assessments: create its passages with their slots; returns how many there are."""
    check_plan(task, plan)
    with transaction.atomic():
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        cells = _load_cells(task, plan)
        if not cells:
            raise InputError.of("nothing_asked", "the task has no outputs", "import translations first")
        chunks = list(_make_chunks(task, plan, cells))
        chunks.sort(key=lambda chunk: _sort_key(task, chunk))
        passages = Passage.objects.bulk_create(
            (Passage(task=task, position=number) for number in range(len(chunks))), batch_size=1000
        )
        asking = [
            AskingComparison(passage.pk, number, *_digest(chunk.cells), "")
            for number, (passage, chunk) in enumerate(zip(passages, chunks, strict=True))
        ]
        repeated = select_repeated(task.seed, asking, plan.checks)
        rows = [
            PassageOutput(passage=passage, output_id=cell.output)
            for passage, chunk in zip(passages, chunks, strict=True)
            for cell in chunk.cells
        ]
        rows += _make_checks(task, [(passages[number], chunks[number]) for number in sorted(repeated)])
        PassageOutput.objects.bulk_create(rows, batch_size=1000)
        create_passage_slots(task, asking, repeated)
        _publish(task, plan)
        update_task_size(task)
        AuditEntry.objects.record(
            by, "collect assessments", task, {"protocol": plan.evidence, "passages": len(passages)}
        )
    return len(passages)


def begin_collecting(task: Task, options: Mapping[str, Any], *, by: User) -> Job:
    """Enqueue the creation of the passages; ``options`` are those of ``make_plan``."""
    check_plan(task, make_plan(task, options))
    title = _("Ask for scores and error spans in %(name)s") % {"name": task.name}
    return jobs.enqueue("assess", title, owner=by, task=task, options=dict(options))


@jobs.handler("assess")
def run_collecting(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    assert job.task is not None  # always about a task
    if job.task.assessed_as:  # by an attempt that was interrupted after its only transaction
        return {"passages": job.task.passages.count()}
    return {
        "passages": create_passages(job.task, make_plan(job.task, job.arguments["options"]), by=job.owner)
    }


def make_plan(task: Task, options: Mapping[str, Any]) -> AssessmentPlan:  # Any: the type of each field
    """Return the plan with these values; ``protocol`` is the name of a shipped protocol."""
    protocol = find_protocol(options["protocol"])
    rest = {name: value for name, value in options.items() if name != "protocol"}
    return AssessmentPlan(protocol, find_free_name(task, protocol.name), **rest)


def check_plan(task: Task, plan: AssessmentPlan) -> None:
    """Raise ``InputError`` for a plan that does not fit the task."""
    if not 1 <= plan.systems <= MOST_SYSTEMS:
        message = f"{plan.systems} systems cannot be shown at once"
        raise InputError.of("bad_assessment", message, f"choose 1 to {MOST_SYSTEMS}")
    if task.assessed_as:
        message = f"the task already collects {task.assessed_as!r}"
        raise InputError.of("already_assessed", message, "import the texts as another task")
    if plan.evidence in task.protocols or f"{plan.evidence}-document" in task.protocols:
        message = f"the task already has evidence called {plan.evidence!r}"
        raise InputError.of("name_taken", message, "choose another name")
    if not 0 < len(plan.evidence) <= MAX_PROTOCOL_NAME:
        message = f"the name has more than {MAX_PROTOCOL_NAME} characters"
        raise InputError.of("bad_assessment", message, "choose a shorter name")
    if plan.suggestions and plan.suggestions not in task.protocols:
        message = f"the task has no evidence called {plan.suggestions!r}"
        raise InputError.of("unknown_evidence", message, "add the error spans to the task first")


class _Chunk(NamedTuple):
    """The outputs of a passage; ``round`` is how many passages with other systems come before it."""

    round: int
    cells: list[_Cell]


def _load_cells(task: Task, plan: AssessmentPlan) -> list[_Cell]:
    outputs = Output.objects.filter(item__task=task).order_by("item__position", "system__name")
    if plan.items is not None:
        outputs = outputs.filter(item__position__lt=plan.items)
    columns = (
        "pk", "system__name", "candidate_id", "candidate__text", "item_id", "item__position",
        "item__document",
    )  # fmt: skip
    return [_Cell(*row) for row in outputs.values_list(*columns).iterator(chunk_size=2000)]


def _make_chunks(task: Task, plan: AssessmentPlan, cells: Sequence[_Cell]) -> Iterator[_Chunk]:
    """Yield the outputs of each passage."""
    units: dict[object, list[_Cell]] = defaultdict(list)
    for cell in cells:
        # A sentence without a document is a document of its own.
        by_document = plan.by_document and cell.document
        units[cell.document if by_document else cell.item].append(cell)
    for unit in units.values():
        columns: dict[tuple[tuple[int, str], ...], list[_Cell]] = defaultdict(list)
        for system in _order_systems(task, unit):
            of_system = [cell for cell in unit if cell.system == system]
            columns[tuple((cell.item, cell.text) for cell in of_system)] += of_system
        groups = list(columns.values())
        for start in range(0, len(groups), plan.systems):
            together = groups[start : start + plan.systems]
            yield _Chunk(start // plan.systems, [cell for group in together for cell in group])


def _order_systems(task: Task, unit: Sequence[_Cell]) -> list[str]:
    place = unit[0].document or str(unit[0].position)
    systems = {cell.system for cell in unit}
    return sorted(systems, key=lambda system: text_digest("systems", str(task.seed), place, system))


def _digest(cells: Sequence[_Cell]) -> tuple[str, str]:
    texts = [cell.text for cell in cells]
    return text_digest(*texts), str(cells[0].position)


def _sort_key(task: Task, chunk: _Chunk) -> tuple[int, int, str]:
    if task.order == Task.Order.SHUFFLED:
        return 0, 0, slot_sort_key(task.seed, *_digest(chunk.cells))
    return chunk.round, chunk.cells[0].position, ""


def _make_checks(task: Task, passages: Sequence[tuple[Passage, _Chunk]]) -> Iterator[PassageOutput]:
    """Yield what a second presentation shows: the first column damaged, the others as they are.

    The damaged words come from another sentence (``known_answers.damage_text``).
    """
    if not passages:
        return
    outputs = [(passage, cell) for passage, chunk in passages for cell in chunk.cells]
    texts = Candidate.objects.filter(outputs__item__task=task).order_by("item__position", "-digest")
    donors = dict(texts.values_list("item_id", "pk"))
    following = dict(zip(donors, [*list(donors)[1:], *list(donors)[:1]], strict=True))
    candidates = Candidate.objects.in_bulk({*donors.values(), *(cell.candidate for _, cell in outputs)})
    damaged: dict[tuple[int, str], Candidate] = {}
    for passage, chunk in passages:
        first = {cell.item: cell.text for cell in reversed(chunk.cells)}
        for cell in chunk.cells:
            if cell.text != first[cell.item]:
                continue
            donor = candidates[donors[following[cell.item]]]
            words = donor.tokens if len(donors) > 1 else ()
            text = damage_text(candidates[cell.candidate].stave, words, str(task.seed))
            if text is not None:
                damaged[passage.pk, f"{cell.item} {cell.text}"] = Candidate(
                    item_id=cell.item, text=text, digest=text_digest(text)
                )
    stored = _store_candidates(list(damaged.values()))
    for passage, cell in outputs:
        candidate = damaged.get((passage.pk, f"{cell.item} {cell.text}"))
        shown = stored[candidate.item_id, candidate.digest] if candidate else None
        yield PassageOutput(passage=passage, output_id=cell.output, presentation=1, shown_id=shown)


def _store_candidates(rows: Sequence[Candidate]) -> dict[tuple[int, str], int]:
    """Store the texts that their sentences do not have yet; returns the ids of all."""
    distinct = {(row.item_id, row.digest): row for row in rows}
    Candidate.objects.bulk_create(distinct.values(), ignore_conflicts=True, batch_size=1000)
    known = Candidate.objects.filter(item__in={item for item, _ in distinct})
    return {(item, digest): pk for item, digest, pk in known.values_list("item_id", "digest", "pk")}


def _publish(task: Task, plan: AssessmentPlan) -> None:
    """Fix the protocol; that of documents has the same scale, and no error spans."""
    protocols = {plan.evidence: plan.protocol}
    if plan.protocol.has_document_score and plan.by_document:
        protocols[f"{plan.evidence}-document"] = AssessmentProtocol(
            plan.protocol.name, plan.protocol.title, plan.protocol.scale
        )
    newest = Task.objects.get(pk=task.pk)
    newest.protocols |= {name: protocol.to_json() for name, protocol in protocols.items()}
    newest.assessed_as, newest.suggestions = plan.evidence, plan.suggestions
    newest.mark_differences = plan.mark_differences
    newest.checks = max(newest.checks, plan.checks)
    fields = ["protocols", "assessed_as", "suggestions", "mark_differences", "checks"]
    newest.save(update_fields=fields)
    for name in fields:
        setattr(task, name, getattr(newest, name))
