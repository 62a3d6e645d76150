"""The settings of a task, and what an import with these settings would create."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from appraise.lib.digests import text_digest
from appraise.lib.problems import InputError, Problem, shorten
from evaluation.alignment.designs import SystemPair, plan_comparisons
from evaluation.alignment.pairs import DedupScope, merge_questions
from evaluation.alignment.question_rules import QuestionSize
from evaluation.alignment.segmenters import WordSegmenter, load_segmenter
from evaluation.importers import ImportedItem, ImportedSet
from evaluation.models import Task
from evaluation.tasks.planning import ComparedItem, PlannedItem, Planner
from evaluation.tasks.services.passages import AssessmentPlan, find_free_name, find_protocol
from evaluation.tasks.services.slots import (
    AskingComparison,
    order_comparisons,
    select_repeated,
    slot_sort_key,
)

MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What the person who uploads files decides."""

    name: str
    scheme: str
    source_language: str = ""
    target_language: str = ""
    shows: str = Task.Shows.SOURCE
    overlap: int = 2
    comparisons: str = "all"
    aligner: str = "lexical"
    segment_words: bool = False
    dedup: str = Task.Dedup.ITEM
    order: str = Task.Order.DOCUMENT
    moved: str = Task.Moved.RANKED
    judging: str = Task.Judging.PAIRS
    question_size: str = Task.QuestionSizes.MEDIUM
    ask_all: bool = False
    practice: bool = False
    seed: int = 1
    checks: int = 0  # attention checks, in per cent of the comparisons
    repeats: int = 0  # per cent of the comparisons that each annotator sees a second time
    instructions: str = ""
    ask_sentence: bool = False
    ask_rating: bool = False
    ask_comment: bool = True
    ask_reasons: bool = False
    tap_answers: bool = False
    keep_documents: bool = False
    assess: str = ""  # the protocol under which scores and error spans are collected
    assess_systems: int = 1  # how many are shown at once
    assess_documents: bool = False
    mark_differences: bool = False

    def planner(self, sentences: Iterable[ComparedItem]) -> Planner:
        """Return the planner; an aligner that learns is trained on the first ``sentences``."""
        segmenter = self.find_segmenter()
        try:
            return Planner(
                language=self.target_language,
                aligner=self.aligner,
                segmenter=segmenter,
                moved=self.moved == Task.Moved.RANKED,
                size=QuestionSize(self.question_size),
                ask_all=self.ask_all,
                checks=self.checks,
                seed=self.seed,
                ranks_places=self.judging == Task.Judging.PLACES,
                sentences=sentences,
            )
        except ValueError as error:
            raise InputError.of("bad_aligner", str(error), "choose another aligner") from error

    def find_segmenter(self) -> WordSegmenter | None:
        """Return the segmenter of the target language if the settings ask for one."""
        try:
            return load_segmenter(self.target_language) if self.segment_words else None
        except ValueError as error:
            raise InputError.of("bad_segmenter", str(error), "import without word segmentation") from error

    def system_pairs(self, items: Iterable[ImportedItem]) -> list[tuple[SystemPair, ...]]:
        """Return, for each item, the pairs of systems to compare."""
        self.check_judging()
        try:
            return plan_comparisons(self.comparisons, [item.systems for item in items], self.seed)
        except ValueError as error:
            raise InputError.of("bad_design", str(error)) from error

    def make_plan(self, task: Task) -> AssessmentPlan:
        """Return what is assessed in a task, under a name that no other evidence has."""
        return AssessmentPlan(
            find_protocol(self.assess),
            find_free_name(task, self.assess),
            systems=self.assess_systems,
            by_document=self.assess_documents,
            checks=self.checks,
            mark_differences=self.mark_differences,
        )

    def check_judging(self) -> None:
        """Refuse settings that are incompatible with ranking places."""
        if self.judging != Task.Judging.PLACES:
            return
        together = "variants of a place are judged all at once"
        if self.comparisons != "all":
            conflict, remedy = f"comparisons {self.comparisons!r}", "compare every two systems"
        elif self.dedup != Task.Dedup.ITEM:
            conflict, remedy = f"pairs merged {self.dedup!r}", "merge pairs within a sentence"
        elif self.checks:
            conflict, remedy = (
                f"{self.checks}% attention checks",
                "leave them out; they compare two candidates",
            )
        elif self.ask_sentence or self.ask_rating:
            conflict, remedy = "questions about two whole sentences", "leave those out"
        elif self.ask_reasons or self.tap_answers:
            conflict, remedy = "reasons and taps, which are about two phrases", "leave those out"
        else:
            return
        raise InputError.of("bad_judging", f"{together}, which conflicts with {conflict}", remedy)


@dataclass(slots=True)
class ImportSummary:
    """What an import created, as printed by the command."""

    tasks: list[str]
    items: int = 0
    comparisons: int = 0
    phrase_pairs: int = 0
    unique_pairs: int = 0
    slots: int = 0
    warnings: list[Problem] = field(default_factory=list)

    def warn_of_silence(self, silent: Sequence[str]) -> None:
        """Warn if nothing is asked, or of the items that ask nothing, by id."""
        if silent and self.slots:
            names = ", ".join(map(shorten, silent[:MOST_LISTED])) + (
                " …" if len(silent) > MOST_LISTED else ""
            )
            self.warnings.append(
                Problem(
                    "sentences_not_asked",
                    f"{len(silent):,} of {self.items:,} sentences have no difference to ask about: {names}",
                    "nobody will see them; choose to ask everything if small differences matter",
                )
            )
        if not self.slots:
            self.warnings.append(
                Problem(
                    "nothing_asked",
                    "the outputs of the compared systems are identical, or differ only in ways that"
                    " are not asked about",
                    "check that the outputs come from different systems",
                )
            )


def dry_run(imported: ImportedSet, settings: TaskSettings, *, split: int | None = None) -> ImportSummary:
    """Return what an import would create, without storing anything; pairs are merged as at import."""
    system_pairs = settings.system_pairs(imported.items)
    planner = settings.planner(zip(imported.items, system_pairs, strict=True))
    size = split or max(len(imported.items), 1)
    summary, silent = ImportSummary(tasks=[]), list[str]()
    plans = (planner.plan(*compared) for compared in zip(imported.items, system_pairs, strict=True))
    while part := list(islice(plans, size)):
        _count_part(planner.add_checks(part, 0), settings, summary)
        silent += [plan.item.id for plan in part if not any(each.questions for each in plan.comparisons)]
    if settings.comparisons != "none":
        summary.warn_of_silence(silent)
    return summary


def _count_part(part: Sequence[PlannedItem], settings: TaskSettings, summary: ImportSummary) -> None:
    planned = [(plan.item.id, comparison) for plan in part for comparison in plan.comparisons]
    questions = [question for _, comparison in planned for question in comparison.questions]
    pairs = merge_questions(questions, scope=DedupScope(settings.dedup), seed=settings.seed)
    owners = {(pair.owner.item, pair.owner.comparison) for pair in pairs}
    owners = select_slot_owners(part, owners, settings.seed)
    asking = [
        AskingComparison(0, position, text_digest(each.first.text), text_digest(each.second.text), "")
        for position, plan in enumerate(part)
        for each in plan.comparisons
        if (plan.item.id, each.key) in owners
    ]
    asking += [
        AskingComparison(
            0,
            position,
            text_digest(check.comparison.first.text),
            text_digest(check.comparison.second.text),
            "check",
        )
        for position, plan in enumerate(part)
        for check in plan.checks
    ]
    ordered = order_comparisons(asking, settings.seed, shuffled=settings.order == Task.Order.SHUFFLED)
    repeats = len(select_repeated(settings.seed, ordered, settings.repeats))
    checks = sum(len(plan.checks) for plan in part)
    summary.items += len(part)
    summary.comparisons += len(planned)
    summary.phrase_pairs += len(questions)
    summary.unique_pairs += len(pairs)
    summary.slots += settings.overlap * (len(owners) + repeats + checks)


def select_slot_owners(
    part: Sequence[PlannedItem], owners: set[tuple[str, str]], seed: int
) -> set[tuple[str, str]]:
    """Return the owners that get slots: only one of each sentence whose candidates are judged together."""
    selected = set(owners)
    for plan in part:
        if plan.places:
            asking = [each for each in plan.comparisons if (plan.item.id, each.key) in owners]
            asking.sort(
                key=lambda each: slot_sort_key(
                    seed, text_digest(each.first.text), text_digest(each.second.text)
                )
            )
            selected -= {(plan.item.id, each.key) for each in asking[1:]}
    return selected
