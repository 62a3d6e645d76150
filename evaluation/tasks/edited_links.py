"""Turn corrected word links into phrases and questions, by the rules of the import.

Pure, so that the preview in the alignment editor and the stored version are equal. How a comparison was
aligned at import determines how corrections are interpreted: links from a file are cut into phrases as they
are; for our own aligners case is ignored, and phrases are grouped into questions by the rules of the task or
by hand. In a task that asks about single phrases, adjacent differences are joined, which can be switched off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.alignment import Link, align
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import restore_groups
from evaluation.presentation import Stave
from evaluation.tasks.planning import UNPUNCTUATED, PlannedComparison, find_groups

Groups = tuple[tuple[int, ...], ...]
# The aligner's name records the edit, because links have no other field for it.
CORRECTED = ", corrected, differences "
JOINED, SEPARATE = "together", "apart"
MOST_NAME = 120


@dataclass(frozen=True, slots=True)
class Realignment:
    """The links, whether adjacent differences are one phrase, and the questions if grouped by hand."""

    links: tuple[Link, ...]
    join: bool
    groups: Groups | None = None


def plan_comparison(
    item: str,
    first: Stave,
    second: Stave,
    correction: Realignment,
    *,
    aligner: str,
    rules: QuestionRules | None,
    ask_moved: bool,
) -> PlannedComparison:
    """Plan the comparison with these links; ``aligner`` is that of its newest version."""
    rules = None if is_from_file(aligner) else rules
    alignment = align(
        first.words,
        second.words,
        links=correction.links,
        ignore_case=not is_from_file(aligner),
        ignore_punctuation=UNPUNCTUATED in aligner,
        join=correction.join and rules is None,
    )
    by_hand = None if correction.groups is None else restore_groups(alignment, correction.groups)
    groups = find_groups(alignment, rules, ask_moved=ask_moved) if by_hand is None else by_hand
    aligner_name = corrected_name(aligner, join=correction.join)
    is_grouped = rules is not None or by_hand is not None
    return PlannedComparison.of(item, first, second, alignment, aligner_name, groups, is_grouped=is_grouped)


def is_from_file(aligner: str) -> bool:
    """Return whether the links or phrases come from the file.

    >>> is_from_file("given links"), is_from_file("lexical-1 en")
    (True, False)
    """
    return aligner.startswith("given ")


def is_joined(aligner: str) -> bool:
    """Return whether adjacent differences are joined to one question.

    >>> is_joined("lexical-1 en"), is_joined("given links")
    (True, False)
    >>> is_joined("lexical-1 en, corrected, differences apart")
    False
    """
    _, corrected, how = aligner.rpartition(CORRECTED)
    return how == JOINED if corrected else not is_from_file(aligner)


def corrected_name(aligner: str, *, join: bool) -> str:
    """Return the aligner name of a corrected version; repeated corrections add nothing.

    >>> corrected_name("given links", join=False)
    'given links, corrected, differences apart'
    >>> corrected_name("given links, corrected, differences apart", join=True)
    'given links, corrected, differences together'
    """
    ending = CORRECTED + (JOINED if join else SEPARATE)
    return aligner.partition(CORRECTED)[0][: MOST_NAME - len(ending)] + ending


def links_from_phrases(rows: Iterable[Sequence[Any]]) -> tuple[Link, ...]:
    """Return links for stored phrases without links, as the start of a correction.

    Equal words are linked one by one, different phrases each word with each.

    >>> links_from_phrases([[0, 2, 0, 2, "shared", False], [2, 3, 2, 4, "different", False]])
    ((0, 0), (1, 1), (2, 2), (2, 3))
    """
    links: list[Link] = []
    for a0, a1, b0, b1, kind, _ in rows:
        if a0 is None or b0 is None:
            continue
        if kind == "shared":
            links += zip(range(a0, a1), range(b0, b1), strict=False)
        else:
            links += [(i, j) for i in range(a0, a1) for j in range(b0, b1)]
    return tuple(sorted(links))
