"""The upload page: the result of the check, a preview of the first sentences, and an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from django.conf import settings as site

from appraise.lib.problems import Problem
from appraise.lib.tables import Table
from evaluation.annotate.places import CandidateGroup
from evaluation.annotate.queries import PlaceCard, lay_out_candidate, make_place_card, read_phrases
from evaluation.blinding import is_swapped, shown_order
from evaluation.importers import EVIDENCE_FORMATS, FORMATS
from evaluation.models import Upload, UploadedFile, User
from evaluation.presentation import Fragment, Sheet, Span, Stave, sheet
from evaluation.schemes import SCHEMES, Scheme
from evaluation.tasks.services.task_settings import TaskSettings
from evaluation.tasks.services.upload_previews import PreviewedSentence, UploadPreview, get_preview
from evaluation.tasks.services.uploads import UploadCheck

SECONDS_PER_ANSWER = 8
ROLES = ("items", "source", "reference", "system", "documents", "alignments")


@dataclass(frozen=True, slots=True)
class ComparisonPreview:
    """One comparison as an annotator sees it."""

    source: str
    references: list[str]
    sheet: Sheet | None
    staves: list[list[Fragment]] = field(default_factory=list)
    """All candidates, if they are judged together; there is no sheet then."""
    places: list[PlaceCard] = field(default_factory=list)
    """The questions about them."""


@dataclass(frozen=True, slots=True)
class UploadEstimate:
    """Extrapolated from the first sentences."""

    pairs: int
    answers: int
    hours: float


@dataclass(frozen=True, slots=True)
class UploadPage:
    """``preview`` is None if there are faults, or if the upload's job computes it."""

    files: list[UploadedFile]
    outcome: UploadCheck | None
    problems: list[Problem]
    warnings: list[Problem]
    preview: UploadPreview | None
    previews: list[ComparisonPreview]
    estimate: UploadEstimate | None

    @property
    def format_title(self) -> str:
        name = self.outcome.format if self.outcome else ""
        form = FORMATS.get(name) or EVIDENCE_FORMATS.get(name)
        return form.title if form else ""

    @property
    def faulty_files(self) -> set[str]:
        return {problem.file for problem in self.problems}


def build_upload_page(
    upload: Upload, outcome: UploadCheck | None, settings: TaskSettings | None
) -> UploadPage:
    """Return everything that the page shows; two queries, and no file is read."""
    problems = [Problem(**one) for one in outcome.problems] if outcome else []
    warnings = [Problem(**one) for one in outcome.warnings] if outcome else []
    preview = None
    if outcome and settings and outcome.is_good:
        preview = get_preview(upload, outcome, settings)
        problems = [Problem(**one) for one in preview.problems] if preview else []
    return UploadPage(
        files=list(upload.files.all()),
        outcome=outcome,
        problems=problems,
        warnings=warnings,
        preview=preview,
        previews=[_show_sentence(stored, settings, upload.owner) for stored in preview.sentences]
        if preview and settings
        else [],
        estimate=_estimate(preview, settings) if preview and preview.pairs and settings else None,
    )


def make_problem_table(page: UploadPage) -> Table:
    """Return a table of all problems and warnings."""
    columns = ("file", "line", "column", "code", "message", "remedy", "excerpt")
    kinds = (("fault", page.problems), ("warning", page.warnings))
    rows = tuple((kind, *attrgetter(*columns)(problem)) for kind, problems in kinds for problem in problems)
    return Table("Problems", ("kind", *columns), rows)


def _show_sentence(stored: dict[str, Any], settings: TaskSettings, user: User) -> ComparisonPreview:
    sentence = PreviewedSentence(**stored)
    staves = [Stave(text, spans) for text, spans in sentence.staves]
    if sentence.places:
        shown = _lay_out_places(staves, sentence.places, user, SCHEMES[settings.scheme])
        return ComparisonPreview(sentence.source, sentence.references, None, *shown)
    return ComparisonPreview(sentence.source, sentence.references, _lay_out(sentence, staves, user))


def _lay_out(sentence: PreviewedSentence, staves: list[Stave], user: User) -> Sheet:
    first, second = staves
    phrases = read_phrases(sentence.phrases)
    swapped = is_swapped(site.SECRET_KEY.encode(), f"preview {user.pk}", first.text, second.text)
    return sheet(first, second, phrases, dict(sentence.asked), groups=sentence.groups, swapped=swapped)


def _lay_out_places(
    staves: list[Stave], places: Sequence[Sequence[Span]], user: User, scheme: Scheme
) -> tuple[list[list[Fragment]], list[PlaceCard]]:
    group = CandidateGroup.of(staves, [tuple(place) for place in places])
    texts = [stave.text for stave in staves]
    order = shown_order(site.SECRET_KEY.encode(), f"preview {user.pk}", texts)
    cards = []
    for number, place in enumerate(group.question_places, 1):
        variants = group.texts(place)
        cards.append(make_place_card(number, place, variants, [None] * len(variants), scheme))
    return [lay_out_candidate(group, candidate) for candidate in order], cards


def _estimate(preview: UploadPreview, settings: TaskSettings) -> UploadEstimate:
    answers = round(preview.pairs * settings.overlap * (100 + settings.repeats + settings.checks) / 100)
    return UploadEstimate(preview.pairs, answers, hours=answers * SECONDS_PER_ANSWER / 3600)
