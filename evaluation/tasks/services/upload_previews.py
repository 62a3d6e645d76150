"""The preview of an upload: its first sentences, planned as at import, and stored with the upload.

Aligning two candidates of 2,000 words can take a minute. Therefore, a page computes only small previews; the
others are computed by the check job, within ``MAX_CELLS``. A preview is computed again when the files or the
settings that it depends on change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from typing import Any

from appraise.lib.digests import text_digest
from appraise.lib.problems import InputError
from evaluation import tokens
from evaluation.alignment.designs import SystemPair
from evaluation.alignment.pairs import DedupScope, merge_questions
from evaluation.importers import ImportedItem
from evaluation.models import Task, Upload
from evaluation.tasks.planning import LEARNING_ALIGNERS, PhraseRow, PlannedItem
from evaluation.tasks.services import uploads
from evaluation.tasks.services.task_settings import TaskSettings
from evaluation.tasks.services.uploads import UploadCheck, restore_item

SHOWN = 3
# The cost of an alignment is counted in cells: words of one candidate times words of the other. A cell costs
# at most a microsecond, but up to fifteen where two candidates are long and repeat most of their words.
CELLS_AT_ONCE = 500_000
WORDS_AT_ONCE = 250  # of a candidate
CHARACTERS_AT_ONCE = 50_000  # of all candidates, because even counting words takes time
MAX_CELLS = 4_000_000  # two candidates of 2,000 words, the most that an importer admits
LEARNING_FACTOR = 10  # a cell costs this much more if the aligner is trained first
DEPENDS_ON = ("target_language", "comparisons", "aligner", "dedup", "moved", "judging", "seed",
              "question_size", "ask_all", "segment_words")  # fmt: skip

Compared = Sequence[tuple[ImportedItem, Sequence[SystemPair]]]
Report = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class PreviewedSentence:
    """A comparison of a sentence; if ``places`` are asked, all of its candidates. Sorted by text."""

    source: str
    references: list[str]
    staves: list[tuple[str, list[tuple[int, int]]]]
    phrases: list[PhraseRow]
    groups: list[list[int]]
    asked: list[tuple[int, int]]  # as for ``sheet``
    places: list[list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class UploadPreview:
    """``key`` identifies the files and settings; ``pairs`` is an estimate for the whole upload."""

    key: str
    sentences: list[dict[str, Any]] = field(default_factory=list)  # of ``PreviewedSentence``
    pairs: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    is_too_long: bool = False


def get_preview(upload: Upload, outcome: UploadCheck, settings: TaskSettings) -> UploadPreview | None:
    """Return the stored preview; a small one is computed now. ``None`` if it is left to ``upload.job``."""
    key = _make_key(upload, settings)
    stored = upload.settings.get("preview")
    if stored and stored["key"] == key:
        return UploadPreview(**stored)
    if _is_small(outcome, settings):
        return store_preview(upload, outcome, settings)
    uploads.begin_check(upload, key)
    return None


def store_preview(
    upload: Upload, outcome: UploadCheck, settings: TaskSettings, report: Report = lambda done, total: None
) -> UploadPreview:
    key = _make_key(upload, settings)
    try:
        preview = _make_preview(key, outcome, settings, report)
    except InputError as error:
        preview = UploadPreview(key, problems=[problem.as_dict() for problem in error.problems])
    uploads.store_parts(upload, preview=asdict(preview))
    return preview


def _make_key(upload: Upload, settings: TaskSettings) -> str:
    return text_digest(uploads.fingerprint(upload), repr([getattr(settings, name) for name in DEPENDS_ON]))


def _is_small(outcome: UploadCheck, settings: TaskSettings) -> bool:
    texts = [text for kept in outcome.sample for _system, text, *_ in kept["candidates"]]
    if sum(map(len, texts)) > CHARACTERS_AT_ONCE:
        return False
    try:
        compared = _compare_sample(outcome, settings)
    except InputError:  # shown as a problem of the preview
        return True
    cells = longest = 0
    for item, pairs in compared:
        lengths = _count_tokens(item, settings)
        cells += _count_cells(pairs, lengths, settings)
        longest = max(longest, *lengths.values())
    return cells <= CELLS_AT_ONCE and longest <= WORDS_AT_ONCE


def _compare_sample(outcome: UploadCheck, settings: TaskSettings) -> Compared:
    items = [restore_item(kept) for kept in outcome.sample]
    return list(zip(items, settings.system_pairs(items), strict=True))


def _make_preview(key: str, outcome: UploadCheck, settings: TaskSettings, report: Report) -> UploadPreview:
    """Plan as the import will; an aligner that learns is trained on these few sentences only."""
    compared = _compare_sample(outcome, settings)
    affordable = select_affordable(compared, settings)
    planner = settings.planner(affordable)
    plans = []
    for number, (item, pairs) in enumerate(affordable):
        report(number, len(affordable))
        plans.append(planner.plan(item, pairs))
    questions = [one for plan in plans for comparison in plan.comparisons for one in comparison.questions]
    merged = merge_questions(questions, scope=DedupScope(settings.dedup), seed=settings.seed)
    asked: dict[tuple[str, str], dict[int, int]] = {}
    for pair in merged:
        owner = (pair.owner.item, pair.owner.comparison)
        asked.setdefault(owner, {}).update(pair.map_phrases(*owner))
    planned, wanted = _count_pairs(affordable), _count_pairs(compared)
    share = outcome.items / len(compared) * wanted / planned if planned else 0.0
    return UploadPreview(
        key,
        sentences=[asdict(sentence) for sentence in _select_sentences(plans, asked)],
        pairs=round(len(merged) * share),
        is_too_long=bool(wanted) and not affordable,
    )


def select_affordable(compared: Compared, settings: TaskSettings, cells: int = MAX_CELLS) -> Compared:
    """Return the sentences, and of each the first of its systems, that can be aligned within ``cells``."""
    affordable: list[tuple[ImportedItem, Sequence[SystemPair]]] = []
    fewest = 3 if settings.judging == Task.Judging.PLACES else 2
    for item, pairs in compared:
        lengths = _count_tokens(item, settings)
        numbers = {name: n for n, name in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}

        def last(pair: SystemPair, numbers: dict[str, int] = numbers) -> int:
            return max(numbers[pair[0]], numbers[pair[1]])

        kept: list[SystemPair] = []
        left, systems = cells, 0
        # With each further system come its pairs with those before it.
        for number, group in groupby(sorted(pairs, key=last), key=last):
            further = list(group)
            left -= _count_cells(further, lengths, settings)
            if left < 0:
                break
            kept += further
            systems = number + 1
        if kept and systems >= min(fewest, len(numbers)):
            affordable.append((item, kept))
            cells -= _count_cells(kept, lengths, settings)
    return affordable


def _count_tokens(item: ImportedItem, settings: TaskSettings) -> dict[str, int]:
    return {
        candidate.system: len(tokens.offsets(candidate.text, settings.target_language))
        for candidate in item.candidates
    }


def _count_cells(pairs: Iterable[SystemPair], lengths: dict[str, int], settings: TaskSettings) -> int:
    factor = LEARNING_FACTOR if settings.aligner in LEARNING_ALIGNERS else 1
    return factor * sum(lengths[a] * lengths[b] for a, b in pairs)


def _count_pairs(compared: Compared) -> int:
    return sum(len(pairs) for _, pairs in compared)


def _select_sentences(
    plans: Iterable[PlannedItem], asked: dict[tuple[str, str], dict[int, int]]
) -> list[PreviewedSentence]:
    """Return the first comparison with questions of each of the first sentences."""
    sentences: list[PreviewedSentence] = []
    for plan in plans:
        for comparison in plan.comparisons:
            numbers = asked.get((plan.item.id, comparison.key))
            if numbers and len(sentences) < SHOWN:
                shown = plan.comparisons if plan.places else [comparison]
                texts = {text for each in shown for text in (each.first.text, each.second.text)}
                sentences.append(
                    PreviewedSentence(
                        source=plan.item.source,
                        references=list(plan.item.references),
                        staves=[(text, list(plan.staves[text].spans)) for text in sorted(texts)],
                        phrases=comparison.rows,
                        groups=[list(group) for group in comparison.groups],
                        asked=sorted(numbers.items()),
                        places=[list(place) for place in plan.places],
                    )
                )
                break
    return sentences
