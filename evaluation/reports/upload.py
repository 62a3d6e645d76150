"""The upload page: the result of the check, and a preview of the first sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.conf import settings as site

from evaluation.agreement.rendering import Table
from evaluation.alignment import Kind
from evaluation.alignment.pairs import Scope, pairs
from evaluation.blinding import is_swapped, shown_order
from evaluation.exporters.delimited import defused
from evaluation.importers import FORMATS
from evaluation.models import Upload, UploadedFile, User
from evaluation.places import Group, letter, step_count
from evaluation.planning import PlannedComparison, PlannedItem
from evaluation.presentation import Fragment, Phrase, Sheet, sheet
from evaluation.problems import InputError, Problem
from evaluation.reports.places import PlaceCard, ShownVariant, fragments
from evaluation.schemes import SCHEMES, Scheme
from evaluation.services.importing import TaskSettings, seated
from evaluation.services.uploads import Outcome, sampled

SHOWN = 3
SECONDS_PER_ANSWER = 8
ROLES = ("items", "source", "reference", "system", "documents", "alignments")


@dataclass(frozen=True, slots=True)
class Preview:
    """One comparison as an annotator sees it."""

    source: str
    references: tuple[str, ...]
    sheet: Sheet
    staves: list[list[Fragment]] = field(default_factory=list)
    """All candidates, where they are judged together."""
    places: list[PlaceCard] = field(default_factory=list)
    """And what is asked about them."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """From the first sentences, so every figure is an approximation."""

    comparisons: int
    pairs: int
    answers: int
    hours: float


@dataclass(frozen=True, slots=True)
class UploadPage:
    files: list[UploadedFile]
    outcome: Outcome | None
    problems: list[Problem]
    warnings: list[Problem]
    previews: list[Preview]
    estimate: Estimate | None

    @property
    def format_title(self) -> str:
        return FORMATS[self.outcome.format].title if self.outcome and self.outcome.format else ""

    @property
    def faulty_files(self) -> set[str]:
        return {problem.file for problem in self.problems}


def upload_page(upload: Upload, outcome: Outcome | None, settings: TaskSettings | None) -> UploadPage:
    """Two queries; nothing is read from the files."""
    problems = [Problem(**one) for one in outcome.problems] if outcome else []
    warnings = [Problem(**one) for one in outcome.warnings] if outcome else []
    plans: list[PlannedItem] = []
    if outcome and settings and outcome.is_good:
        try:
            plans = _plans(outcome, settings)
        except InputError as error:
            problems = list(error.problems)
    return UploadPage(
        files=list(upload.files.all()),
        outcome=outcome,
        problems=problems,
        warnings=warnings,
        previews=list(_previews(plans, settings, upload.owner)) if settings else [],
        estimate=_estimate(plans, settings, outcome.items) if settings and outcome and plans else None,
    )


def problem_table(page: UploadPage) -> Table:
    """Every fault and warning as a row of a table; no cell can be mistaken for a formula."""
    rows = [("fault", one) for one in page.problems] + [("warning", one) for one in page.warnings]
    columns = ("kind", "file", "line", "column", "code", "message", "remedy", "excerpt")
    return Table(
        "Problems",
        columns,
        tuple(
            (
                kind, defused(one.file), one.line, one.column, one.code, defused(one.message),
                defused(one.remedy), defused(one.excerpt),
            )
            for kind, one in rows
        ),
    )  # fmt: skip


def _plans(outcome: Outcome, settings: TaskSettings) -> list[PlannedItem]:
    """As the import will make them; an aligner that learns has only these few sentences to learn from."""
    items = [sampled(kept) for kept in outcome.sample]
    compared = list(zip(items, settings.meetings_of([item.systems for item in items]), strict=True))
    planner = settings.planner(compared)
    return [planner.plan(item, meetings) for item, meetings in compared]


def _previews(plans: list[PlannedItem], settings: TaskSettings, user: User) -> Iterator[Preview]:
    """The first comparison of each of the first sentences that asks something."""
    asked = _asked(plans, settings)
    shown = 0
    for plan in plans:
        for comparison in plan.comparisons:
            if (numbers := asked.get((plan.item.id, comparison.key))) and shown < SHOWN:
                yield Preview(
                    plan.item.source,
                    plan.item.references,
                    _sheet(comparison, numbers, user),
                    *(_together(plan, user, SCHEMES[settings.scheme]) if plan.places else ()),
                )
                shown += 1
                break


def _asked(plans: list[PlannedItem], settings: TaskSettings) -> dict[tuple[str, str], set[int]]:
    """Comparison → the phrases that it asks, drawn as the import draws them."""
    places = [place for plan in plans for comparison in plan.comparisons for place in comparison.places]
    asked: dict[tuple[str, str], set[int]] = {}
    for pair in pairs(places, scope=Scope(settings.dedup), seed=settings.seed):
        owner = pair.owner
        asked.setdefault((owner.item, owner.comparison), set()).update(
            one.phrase
            for one in pair.occurrences
            if (one.item, one.comparison) == (owner.item, owner.comparison)
        )
    return asked


def _sheet(comparison: PlannedComparison, asked: set[int], user: User) -> Sheet:
    first, second = comparison.first, comparison.second
    phrases = [Phrase(p.a, p.b, p.kind is Kind.SHARED, p.moved) for p in comparison.alignment.phrases]
    swapped = is_swapped(site.SECRET_KEY.encode(), f"preview {user.pk}", first.text, second.text)
    return sheet(first, second, phrases, asked, swapped=swapped)


def _together(plan: PlannedItem, user: User, scheme: Scheme) -> tuple[list[list[Fragment]], list[PlaceCard]]:
    staves = [plan.staves[text] for text in sorted(plan.staves)]
    group = Group.of(staves, plan.places)
    texts = [stave.text for stave in staves]
    order = shown_order(site.SECRET_KEY.encode(), f"preview {user.pk}", texts)
    return [fragments(group, number) for number in order], [
        _place_card(number, place, group.texts(place), scheme) for number, place in enumerate(group.asked, 1)
    ]


def _place_card(number: int, place: int, texts: tuple[str, ...], scheme: Scheme) -> PlaceCard:
    variants = [ShownVariant(n, letter(n), text, None) for n, text in enumerate(texts)]
    return PlaceCard(number, place, variants, range(1, step_count(len(texts), scheme) + 1), 0, "")


def _estimate(plans: list[PlannedItem], settings: TaskSettings, items: int) -> Estimate:
    share = items / len(plans)
    places = [place for plan in plans for comparison in plan.comparisons for place in comparison.places]
    found = pairs(places, scope=Scope(settings.dedup), seed=settings.seed)
    comparisons = len(
        seated(plans, {(pair.owner.item, pair.owner.comparison) for pair in found}, settings.seed)
    )
    answers = round(len(found) * share * settings.overlap * (100 + settings.repeats + settings.checks) / 100)
    return Estimate(
        comparisons=round(comparisons * share),
        pairs=round(len(found) * share),
        answers=answers,
        hours=answers * SECONDS_PER_ANSWER / 3600,
    )
