"""The phenomena of a task or a campaign: agreement and system results by phenomenon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from django.db.models import BooleanField, Case, F, Q, Value, When
from django.db.models.functions import Left, Length
from django.db.models.lookups import Exact
from django.utils.translation import gettext as _

from evaluation.agreement.rendering import Table
from evaluation.models import PhrasePair
from evaluation.phenomena import Phenomenon, Profile, SystemCell, phenomena, profile
from evaluation.phenomena.kinds import language_code
from evaluation.phenomena.profile import Shown
from evaluation.phenomena.words import knows
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.reports.tagged import AT_ONCE, LISTS, Sentences, sentences_of, taggable, told_by, words_of
from evaluation.study import Study
from evaluation.tokens import tokenize
from evaluation.word_classes import Words, tagged_words, tags_mark


@dataclass(frozen=True, slots=True)
class PhenomenaPage:
    """``taggers`` by whose tags phenomena are recognised, none where word lists are used; ``may_tag``:
    whether a tagger could read the sentences. ``unlisted``: target languages that have no word list and need
    one."""

    scope: Scope
    profile: Profile
    systems: tuple[str, ...]
    grid: list[tuple[Phenomenon, list[SystemCell | None]]]
    plot: plots.Plot
    taggers: tuple[str, ...]
    may_tag: bool
    unlisted: list[str]


def phenomena_page(scope: Scope) -> PhenomenaPage:
    found = profile_of(scope)
    systems = tuple(sorted({cell.system for cell in found.cells}))
    cells = {(cell.phenomenon, cell.system): cell for cell in found.cells}
    told = told_by(scope.tasks)
    languages = {task.target_language for task in scope.tasks if told == (LISTS,)}
    return PhenomenaPage(
        scope=scope,
        profile=found,
        systems=systems,
        grid=[
            (line.phenomenon, [cells.get((line.phenomenon, system)) for system in systems])
            for line in found.lines
        ],
        plot=agreement_plot(found),
        taggers=() if told == (LISTS,) else told,
        may_tag=bool(taggable(scope.tasks)),
        unlisted=sorted(language for language in languages if not knows(language_code(language))),
    )


def profile_of(scope: Scope) -> Profile:
    return remembered(
        ("phenomena", tags_mark(), *scope.key),
        lambda: profile(study_of(scope), meetings_of(scope), shown_by(scope)),
        scope.state,
    )


def shown_by(scope: Scope) -> Shown:
    """Pairs × phenomena, for the judged pairs of the study in its order; nothing for the others."""
    return remembered(("shown", tags_mark(), *scope.key), lambda: _shown_by(scope), scope.state)


def phenomena_of(pair: PhrasePair, *, tagged: bool = False) -> tuple[Phenomenon, ...]:
    """The phenomena of one pair; its owner, item and candidates must be loaded. ``tagged``: use tags."""
    texts = [text for text in (pair.first, pair.second) if text]
    sides = pair.owner.first.text, pair.owner.second.text
    begins = any(side.startswith(text) for side in sides for text in texts)
    language, references = pair.task.target_language, tuple(pair.owner.item.references)
    if not tagged:
        return _told(pair.first, pair.second, pair.kind, language, begins, references)
    words = _both(tagged_words(language, sides) or {}, *sides)
    return _by_rules(pair.first, pair.second, pair.kind, language, begins, references, words)


def tables(scope: Scope) -> dict[str, Table]:
    """Every table of the page by its name."""
    return profile_tables(profile_of(scope), told_by(scope.tasks))


def profile_tables(found: Profile, told: Sequence[str]) -> dict[str, Table]:
    """``told``: how the phenomena were recognised (taggers, or word lists)."""
    kappas = ("kappa", "low", "high", "kappa'", "low'", "high'")
    rows = [
        (line.phenomenon.value, line.pairs, line.share, line.disputed, line.dispute_share, line.opposite,
         row.judgements, row.pairs, row.kappa, *(row.interval or (None, None)),
         row.prime, *(row.prime_interval or (None, None)))
        for line in found.lines for row in [line.agreement]
    ]  # fmt: skip
    columns = ("phenomenon", "pairs", "share of pairs", "disputed", "share of disputes", "opposite sides",
               "answers", "pairs of answers", *kappas)  # fmt: skip
    cells = [
        (c.phenomenon.value, c.system, c.wins, c.ties, c.losses, c.sentences, c.rate,
         *(c.interval or (None, None)), c.elsewhere, c.p, c.p_holm, c.verdict)
        for c in found.cells
    ]  # fmt: skip
    of_cells = ("phenomenon", "system", "wins", "ties", "losses", "sentences", "rate", "low", "high",
                "elsewhere", "p", "p Holm", "verdict")  # fmt: skip
    title = f"{found.disputed} of {found.pairs} judged pairs disputed; a pair may show several phenomena"
    title += f"; told by {' and '.join(told)}"
    return {
        "phenomena": Table(title, columns, tuple(rows)),
        "systems": Table("Rate of wins (a tie is half a win) at each phenomenon", of_cells, tuple(cells)),
    }


def agreement_plot(found: Profile) -> plots.Plot:
    """κ of each phenomenon that has one."""
    rows = [(_(line.phenomenon), line.agreement.kappa, line.agreement.interval) for line in found.lines]
    every = (_("all pairs"), found.everything.kappa, found.everything.interval)
    return plots.named_values(
        _("κ by phenomenon, with intervals over sentences"), "κ", _("phenomenon"), [*rows, every]
    )


class PairRow(NamedTuple):
    """A pair as the rules read it; ``begins``: one of its phrases opens its sentence."""

    pk: int
    task: int
    item: int
    one: int
    other: int
    first: str
    second: str
    kind: str
    begins: bool


def pair_rows(scope: Scope) -> Iterator[PairRow]:
    """Every pair of the scope, with the database saying whether a phrase opens its sentence; one query."""
    opens = Q()
    for side in ("first", "second"):
        for text in ("first", "second"):
            # Not by startswith, for which SQLite takes small letters and capitals for the same.
            opens |= ~Q(**{text: ""}) & Q(Exact(Left(f"owner__{side}__text", Length(text)), F(text)))
    begins = Case(When(opens, then=Value(True)), default=Value(False), output_field=BooleanField())
    pairs = PhrasePair.objects.filter(task__in=[task.pk for task in scope.tasks])
    columns = ("pk", "task_id", "owner__item_id", "owner__first_id", "owner__second_id", "first", "second",
               "kind", begins)  # fmt: skip
    return (PairRow(*row) for row in pairs.values_list(*columns))


def shown_from(scope: Scope, study: Study, rows: Iterable[PairRow], sentences: Sentences) -> Shown:
    """Pairs × phenomena, in the order of the study."""
    judged = np.zeros(len(study.pair_sentences), dtype=bool)
    judged[study.pairs] = True
    codes = {int(key): code for code, key in enumerate(study.pair_keys) if judged[code]}
    numbers = {phenomenon: number for number, phenomenon in enumerate(Phenomenon)}
    found = np.zeros((len(judged), len(numbers)), dtype=bool)
    by_task: dict[int, list[PairRow]] = {task.pk: [] for task in scope.tasks}
    for row in rows:
        if row.pk in codes:
            by_task[row.task].append(row)
    listed, references = told_by(scope.tasks, sentences) == (LISTS,), sentences.references
    for task in scope.tasks:
        of_task, language = by_task[task.pk], task.target_language
        told = (
            _listed_rows(of_task, language, references)
            if listed
            else _tagged_rows(of_task, language, references, sentences.texts)
        )
        cells = [(codes[row.pk], numbers[phenomenon]) for row, seen in told for phenomenon in seen]
        found[tuple(np.array(cells, dtype=int).reshape(-1, 2).T)] = True
    return found


Key = TypeVar("Key", int, str)
Told = Iterator[tuple[PairRow, tuple[Phenomenon, ...]]]


def _listed_rows(rows: Sequence[PairRow], language: str, references: Mapping[int, Sequence[str]]) -> Told:
    for row in rows:
        said = tuple(references[row.item])
        yield row, _told(row.first, row.second, row.kind, language, row.begins, said)


def _tagged_rows(
    rows: Sequence[PairRow],
    language: str,
    references: Mapping[int, Sequence[str]],
    texts: Mapping[int, str],
) -> Told:
    """In batches: pairs of one sentence are adjacent, and tags take much more memory than pairs."""
    for start in range(0, len(rows), AT_ONCE):
        block = rows[start : start + AT_ONCE]
        sides = {side for row in block for side in (row.one, row.other)}
        words = words_of(language, {side: texts[side] for side in sides})
        for row in block:
            said = tuple(references[row.item])
            of_row = _both(words, row.one, row.other)
            yield row, _by_rules(row.first, row.second, row.kind, language, row.begins, said, of_row)


def _both(words: Mapping[Key, Words], one: Key, other: Key) -> Words:
    return {**words.get(other, {}), **words.get(one, {})}


def _shown_by(scope: Scope) -> Shown:
    return shown_from(scope, study_of(scope), pair_rows(scope), sentences_of(scope.tasks))


def _by_rules(
    first: str,
    second: str,
    kind: str,
    language: str,
    begins: bool,
    references: tuple[str, ...],
    words: Words | None = None,
) -> tuple[Phenomenon, ...]:
    tokens = None
    if references and (begins or not first or not second):  # nothing else looks into the reference
        tokens = [token for text in references for token in tokenize(text, language)]
    return phenomena(
        tokenize(first, language),
        tokenize(second, language),
        language=language,
        moved=kind == PhrasePair.Kind.MOVED,
        reference=tokens,
        begins=begins,
        words=words,
    )


_told = lru_cache(maxsize=2**16)(_by_rules)
