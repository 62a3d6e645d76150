"""What the pairs of a task or a campaign are about, and how people and systems fare there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from django.db.models import BooleanField, Case, F, Q, Value, When
from django.utils.translation import gettext as _

from evaluation.agreement.rendering import Table
from evaluation.models import Item, PhrasePair
from evaluation.phenomena import Phenomenon, Profile, SystemCell, phenomena, profile
from evaluation.phenomena.profile import Shown
from evaluation.phenomena.words import knows
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.study import Study
from evaluation.tokens import tokenize


@dataclass(frozen=True, slots=True)
class PhenomenaPage:
    """``unlisted``: target languages whose function words and negations nobody has listed."""

    scope: Scope
    profile: Profile
    systems: tuple[str, ...]
    grid: list[tuple[Phenomenon, list[SystemCell | None]]]
    plot: plots.Plot
    unlisted: list[str]


def phenomena_page(scope: Scope) -> PhenomenaPage:
    found = profile_of(scope)
    systems = tuple(sorted({cell.system for cell in found.cells}))
    cells = {(cell.phenomenon, cell.system): cell for cell in found.cells}
    return PhenomenaPage(
        scope=scope,
        profile=found,
        systems=systems,
        grid=[
            (line.phenomenon, [cells.get((line.phenomenon, system)) for system in systems])
            for line in found.lines
        ],
        plot=agreement_plot(found),
        unlisted=sorted({task.target_language for task in scope.tasks if not _listed(task.target_language)}),
    )


def profile_of(scope: Scope) -> Profile:
    return remembered(
        ("phenomena", *scope.key),
        lambda: profile(study_of(scope), meetings_of(scope), shown_by(scope)),
        scope.state,
    )


def shown_by(scope: Scope) -> Shown:
    """Pairs × phenomena, for the judged pairs of the study in its order; nothing for the others."""
    return remembered(("shown", *scope.key), lambda: _shown_by(scope), scope.state)


def phenomena_of(pair: PhrasePair) -> tuple[Phenomenon, ...]:
    """What one pair shows; its owner, item and candidates must be at hand."""
    texts = [text for text in (pair.first, pair.second) if text]
    begins = any(
        side.text.startswith(text) for side in (pair.owner.first, pair.owner.second) for text in texts
    )
    language = pair.task.target_language
    return _told(pair.first, pair.second, pair.kind, language, begins, tuple(pair.owner.item.references))


def tables(scope: Scope) -> dict[str, Table]:
    """Every table of the page by its name."""
    return profile_tables(profile_of(scope))


def profile_tables(found: Profile) -> dict[str, Table]:
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
    """A pair as ``_told`` reads it; ``begins``: one of its phrases opens its sentence."""

    pk: int
    task: int
    item: int
    first: str
    second: str
    kind: str
    begins: bool


def pair_rows(scope: Scope) -> Iterator[PairRow]:
    """Every pair of the scope, with the database saying whether a phrase opens its sentence; one query."""
    opens = Q()
    for side in ("first", "second"):
        for text in ("first", "second"):
            opens |= ~Q(**{text: ""}) & Q(**{f"owner__{side}__text__startswith": F(text)})
    begins = Case(When(opens, then=Value(True)), default=Value(False), output_field=BooleanField())
    pairs = PhrasePair.objects.filter(task__in=[task.pk for task in scope.tasks])
    columns = ("pk", "task_id", "owner__item_id", "first", "second", "kind", begins)
    return (PairRow(*row) for row in pairs.values_list(*columns))


def shown_from(
    scope: Scope, study: Study, rows: Iterable[PairRow], references: Mapping[int, Sequence[str]]
) -> Shown:
    """Pairs × phenomena, in the order of the study; ``references`` by item."""
    judged = np.zeros(len(study.pair_sentences), dtype=bool)
    judged[study.pairs] = True
    codes = {int(key): code for code, key in enumerate(study.pair_keys) if judged[code]}
    languages = {task.pk: task.target_language for task in scope.tasks}
    numbers = {phenomenon: number for number, phenomenon in enumerate(Phenomenon)}
    found = np.zeros((len(judged), len(numbers)), dtype=bool)
    for row in rows:
        if (code := codes.get(row.pk)) is not None:
            language, said = languages[row.task], tuple(references[row.item])
            seen = _told(row.first, row.second, row.kind, language, row.begins, said)
            found[code, [numbers[phenomenon] for phenomenon in seen]] = True
    return found


def _shown_by(scope: Scope) -> Shown:
    items = Item.objects.filter(task__in=[task.pk for task in scope.tasks])
    references = dict(items.values_list("pk", "references"))
    return shown_from(scope, study_of(scope), pair_rows(scope), references)


@lru_cache(maxsize=2**16)
def _told(
    first: str, second: str, kind: str, language: str, begins: bool, references: tuple[str, ...]
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
    )


def _listed(language: str) -> bool:
    return knows(language.lower().replace("_", "-").split("-")[0])
