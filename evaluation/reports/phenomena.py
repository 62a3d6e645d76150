"""The phenomena of a task or a campaign: agreement and system results by phenomenon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db.models import BooleanField, Case, F, Q, Value, When
from django.db.models.functions import Left, Length
from django.db.models.lookups import Exact
from django.utils.translation import gettext as _, gettext_lazy

from appraise.lib.tables import Table
from evaluation.models import PhrasePair
from evaluation.phenomena.classification import Phenomenon, classify_pair, has_word_lists, language_code
from evaluation.phenomena.profile import PhenomenonMatrix, Profile, SystemCell, compute_profile
from evaluation.reports import plots
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, get_study, get_system_pairs
from evaluation.reports.word_tags import (
    AT_ONCE,
    SentenceTexts,
    find_taggable_tasks,
    find_taggers,
    load_sentences,
)
from evaluation.study import Study
from evaluation.tokens import tokenize
from evaluation.voters import Words, get_tags_version, load_tagged_words


@dataclass(frozen=True, slots=True)
class PhenomenaPage:
    """``taggers`` recognise the phenomena; empty where word lists are used. ``may_tag``: whether a tagger can
    tag the sentences. ``unlisted``: target languages that lack a word list.
    """

    scope: Scope
    profile: Profile
    systems: tuple[str, ...]
    grid: list[tuple[Phenomenon, list[SystemCell | None]]]
    taggers: tuple[str, ...]
    may_tag: bool
    unlisted: list[str]


@report("phenomena", title=gettext_lazy("Phenomena"), section="disagreements")
class Phenomena(Report[ReportOptions, PhenomenaPage]):
    """Agreement and wins by phenomenon: word order, inflection, number, negation, omission …"""

    options = ReportOptions
    tables = {
        "phenomena": lambda page: phenomenon_table(page.profile, page.taggers),
        "systems": lambda page: system_table(page.profile),
    }
    plots = {"agreement": lambda page: agreement_plot(page.profile)}
    microseconds_per_ranking = 20

    def compute(self, scope: Scope, options: ReportOptions) -> PhenomenaPage:
        profile, taggers = get_profile(scope), find_taggers(scope.tasks)
        systems = tuple(sorted({cell.system for cell in profile.cells}))
        cells = {(cell.phenomenon, cell.system): cell for cell in profile.cells}
        languages = set() if taggers else {task.target_language for task in scope.tasks}
        return PhenomenaPage(
            scope=scope,
            profile=profile,
            systems=systems,
            grid=[
                (line.phenomenon, [cells.get((line.phenomenon, system)) for system in systems])
                for line in profile.lines
            ],
            taggers=taggers,
            may_tag=bool(find_taggable_tasks(scope.tasks)),
            unlisted=sorted(code for code in languages if not has_word_lists(language_code(code))),
        )

    def document(self, page: PhenomenaPage) -> dict[str, Any]:  # Any: JSON
        profile = page.profile
        return {
            "classified_by": name_recognisers(page.taggers),
            "pairs": profile.pairs,
            "disputed": profile.disputed,
            "all": asdict(profile.everything),
            "phenomena": [asdict(line) for line in profile.lines],
            "systems": [{**asdict(cell), "outcome": cell.outcome} for cell in profile.cells],
        }


def get_profile(scope: Scope) -> Profile:
    def compute() -> Profile:
        return compute_profile(get_study(scope), get_system_pairs(scope), get_phenomena(scope))

    return scope.cached("phenomena", compute, get_tags_version())


def get_phenomena(scope: Scope) -> PhenomenonMatrix:
    """Return pairs × phenomena for the judged pairs of the study, in its order; nothing for the others."""

    def compute() -> PhenomenonMatrix:
        rows, sentences = read_phrase_rows(scope), load_sentences(scope.tasks)
        return recognise_phenomena(scope, get_study(scope), rows, sentences)

    return scope.cached("pairs with phenomena", compute, get_tags_version())


def classify_stored_pair(pair: PhrasePair, *, tagged: bool = False) -> tuple[Phenomenon, ...]:
    """Return the phenomena of one pair, by tags or lists; its owner, item and candidates must be loaded."""
    owner = pair.owner
    texts = {owner.first_id: owner.first.text, owner.second_id: owner.second.text}
    begins = any(
        side.startswith(text) for side in texts.values() for text in (pair.first, pair.second) if text
    )
    ids = pair.pk, pair.task_id, owner.item_id, owner.first_id, owner.second_id
    row = PhraseRow(*ids, pair.first, pair.second, pair.kind, begins)
    references, language = {owner.item_id: owner.item.references}, pair.task.target_language
    [(_row, phenomena)] = _recognise([row], language, references, texts if tagged else None)
    return phenomena


def name_recognisers(taggers: Sequence[str]) -> list[str]:
    """Return what recognised the phenomena, for tables and documents."""
    return list(taggers) or ["word lists"]


def phenomenon_table(profile: Profile, taggers: Sequence[str]) -> Table:
    kappas = ("kappa", "low", "high", "kappa'", "low'", "high'")
    rows = [
        (line.phenomenon.value, line.pairs, line.share, line.disputed, line.dispute_share, line.opposite,
         row.judgements, row.pairs, row.kappa, *(row.interval or (None, None)),
         row.prime, *(row.prime_interval or (None, None)))
        for line in profile.lines for row in [line.agreement]
    ]  # fmt: skip
    columns = ("phenomenon", "pairs", "share of pairs", "disputed", "share of disputes", "opposite sides",
               "answers", "pairs of answers", *kappas)  # fmt: skip
    title = f"{profile.disputed} of {profile.pairs} judged pairs disputed; a pair may show several phenomena"
    return Table(f"{title}; classified by {' and '.join(name_recognisers(taggers))}", columns, tuple(rows))


def system_table(profile: Profile) -> Table:
    cells = tuple(
        (c.phenomenon.value, c.system, c.wins, c.ties, c.losses, c.sentences, c.rate,
         *(c.interval or (None, None)), c.elsewhere, c.p, c.p_holm, c.outcome)
        for c in profile.cells
    )  # fmt: skip
    columns = ("phenomenon", "system", "wins", "ties", "losses", "sentences", "rate", "low", "high",
               "elsewhere", "p", "p Holm", "outcome")  # fmt: skip
    return Table("Rate of wins (a tie is half a win) at each phenomenon", columns, cells)


def agreement_plot(profile: Profile) -> plots.Plot:
    rows = [(_(line.phenomenon), line.agreement.kappa, line.agreement.interval) for line in profile.lines]
    every = (_("all pairs"), profile.everything.kappa, profile.everything.interval)
    return plots.named_values(
        _("κ by phenomenon, with intervals over sentences"), "κ", _("phenomenon"), [*rows, every]
    )


class PhraseRow(NamedTuple):
    """A pair as the rules see it; ``begins``: one of its phrases is at the beginning of its sentence."""

    pk: int
    task: int
    item: int
    first_candidate: int
    second_candidate: int
    first: str
    second: str
    kind: str
    begins: bool


def read_phrase_rows(scope: Scope) -> Iterator[PhraseRow]:
    """Read every pair of the scope; the database decides whether a phrase begins its sentence. One query."""
    opens = Q()
    for side in ("first", "second"):
        for text in ("first", "second"):
            # Not by startswith, which ignores case on SQLite.
            opens |= ~Q(**{text: ""}) & Q(Exact(Left(f"owner__{side}__text", Length(text)), F(text)))
    begins = Case(When(opens, then=Value(True)), default=Value(False), output_field=BooleanField())
    columns = ("pk", "task_id", "owner__item_id", "owner__first_id", "owner__second_id", "first", "second",
               "kind", begins)  # fmt: skip
    pairs = PhrasePair.objects.filter(task__in=scope.task_ids)
    return (PhraseRow(*row) for row in pairs.values_list(*columns))


def recognise_phenomena(
    scope: Scope, study: Study, rows: Iterable[PhraseRow], sentences: SentenceTexts
) -> PhenomenonMatrix:
    """Return pairs × phenomena, in the order of the study."""
    judged = np.zeros(len(study.pair_sentences), dtype=bool)
    judged[study.pairs] = True
    codes = {int(key): code for code, key in enumerate(study.pair_keys) if judged[code]}
    numbers = {phenomenon: number for number, phenomenon in enumerate(Phenomenon)}
    matrix = np.zeros((len(judged), len(numbers)), dtype=bool)
    by_task: dict[int, list[PhraseRow]] = {task.pk: [] for task in scope.tasks}
    for row in rows:
        if row.pk in codes:
            by_task[row.task].append(row)
    texts = sentences.texts if find_taggers(scope.tasks, sentences) else None
    for task in scope.tasks:
        recognised = _recognise(by_task[task.pk], task.target_language, sentences.references, texts)
        cells = [(codes[row.pk], numbers[phenomenon]) for row, own in recognised for phenomenon in own]
        matrix[tuple(np.array(cells, dtype=int).reshape(-1, 2).T)] = True
    return matrix


def _recognise(
    rows: Sequence[PhraseRow],
    language: str,
    references: Mapping[int, Sequence[str]],
    texts: Mapping[int, str] | None,
) -> Iterator[tuple[PhraseRow, tuple[Phenomenon, ...]]]:
    """Recognise by the tags of ``texts``, by candidate; without them by word lists."""
    # In batches: pairs of one sentence are adjacent, and tags take much more memory than pairs.
    for start in range(0, len(rows), AT_ONCE):
        batch = rows[start : start + AT_ONCE]
        tags: Mapping[str, Words] = {}
        if texts is not None:
            candidates = {pk for row in batch for pk in (row.first_candidate, row.second_candidate)}
            tags = load_tagged_words(language, [texts[pk] for pk in candidates]) or {}
        for row in batch:
            pair = (row.first, row.second, row.kind, language, row.begins, tuple(references[row.item]))
            if texts is None:
                yield row, _cached_phenomena(*pair)
            else:
                first, second = texts[row.first_candidate], texts[row.second_candidate]
                yield row, _apply_rules(*pair, {**tags.get(second, {}), **tags.get(first, {})})


def _apply_rules(
    first: str,
    second: str,
    kind: str,
    language: str,
    begins: bool,
    references: tuple[str, ...],
    words: Words | None = None,
) -> tuple[Phenomenon, ...]:
    tokens = None
    if references and (begins or not first or not second):  # no other rule needs the reference
        tokens = [token for text in references for token in tokenize(text, language)]
    return classify_pair(
        tokenize(first, language),
        tokenize(second, language),
        language=language,
        moved=kind == PhrasePair.Kind.MOVED,
        reference=tokens,
        begins=begins,
        words=words,
    )


_cached_phenomena = lru_cache(maxsize=2**16)(_apply_rules)
