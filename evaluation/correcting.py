"""Turns a person's word links for two sentences into phrases and questions, by the rules of the import.

Pure, so that the preview in the alignment editor and what is stored cannot differ. How a comparison was first
aligned decides how its corrections are read: links that came with the file were cut into phrases as they are,
our own aligner's with equal words found in any case and neighbouring differences joined. Joining is the one
rule that a person may switch off: while it is on, two neighbouring differences always become one question,
whatever the links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.alignment import Link, align
from evaluation.planning import UNPUNCTUATED, PlannedComparison
from evaluation.presentation import Stave

CORRECTED = ", corrected, differences "
TOGETHER, APART = "together", "apart"
MOST_NAME = 120


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person decides: the links, and whether neighbouring differences are one question."""

    links: tuple[Link, ...]
    join: bool


def planned(
    item: str, first: Stave, second: Stave, correction: Correction, *, aligner: str, ask_moved: bool
) -> PlannedComparison:
    """The comparison as these links make it; ``aligner`` is how its newest version was made."""
    alignment = align(
        first.words,
        second.words,
        links=correction.links,
        ignore_case=not is_given(aligner),
        ignore_punctuation=UNPUNCTUATED in aligner,
        join=correction.join,
    )
    made_by = corrected_name(aligner, join=correction.join)
    return PlannedComparison.of(item, first, second, alignment, made_by, ask_moved=ask_moved)


def is_given(aligner: str) -> bool:
    """Whether the links or phrases came with the file.

    >>> is_given("given links"), is_given("lexical-1 en")
    (True, False)
    """
    return aligner.startswith("given ")


def is_joined(aligner: str) -> bool:
    """Whether neighbouring differences were made one question.

    >>> is_joined("lexical-1 en"), is_joined("given links")
    (True, False)
    >>> is_joined("lexical-1 en, corrected, differences apart")
    False
    """
    _, corrected, how = aligner.rpartition(CORRECTED)
    return how == TOGETHER if corrected else not is_given(aligner)


def corrected_name(aligner: str, *, join: bool) -> str:
    """How a corrected version was made; corrections of corrections do not pile up.

    >>> corrected_name("given links", join=False)
    'given links, corrected, differences apart'
    >>> corrected_name("given links, corrected, differences apart", join=True)
    'given links, corrected, differences together'
    """
    ending = CORRECTED + (TOGETHER if join else APART)
    return aligner.partition(CORRECTED)[0][: MOST_NAME - len(ending)] + ending


def links_of_phrases(rows: Iterable[Sequence[Any]]) -> tuple[Link, ...]:
    """Links that stand for phrases that came without any, to begin a correction with.

    ``rows`` are as stored. Equal words are linked one by one; of two wordings, each word with each.

    >>> links_of_phrases([[0, 2, 0, 2, "shared", False], [2, 3, 2, 4, "different", False]])
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
