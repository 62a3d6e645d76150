"""Word aligners behind one small protocol, and where to find them by name.

A word aligner takes two token sequences and returns links. Its ``version`` names everything that its links
depend on, so that a stored alignment can say how it was made. ``exact`` and ``lexical`` need nothing;
``statistical`` and the external tools learn from the sentence pairs that they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

from evaluation.alignment.values import Link

Corpus = Sequence[tuple[Sequence[str], Sequence[str]]]
"""Sentence pairs to learn from."""


class WordAligner(Protocol):
    """What phrase alignment asks of a word aligner: links that do not depend on which side is A."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]: ...


def aligner(name: str, language: str = "", corpus: Corpus | None = None) -> WordAligner:
    """The aligner of this name for two texts of one language, ready to use.

    ``statistical``, ``eflomal`` and ``systran`` learn from ``corpus``; the last two must be installed.

    >>> aligner("exact").links(["the", "red", "house"], ["a", "red", "house"])
    ((1, 1), (2, 2))
    """
    if name not in ALIGNERS:
        raise ValueError(f"unknown aligner {name!r}; known: {', '.join(sorted(ALIGNERS))}")
    return ALIGNERS[name](language, corpus)


def _exact(language: str, corpus: Corpus | None) -> WordAligner:
    from evaluation.alignment.exact import ExactAligner

    return ExactAligner()


def _lexical(language: str, corpus: Corpus | None) -> WordAligner:
    return _lexical_of(language)


@cache
def _lexical_of(language: str) -> WordAligner:
    """One per language, because it remembers what it learnt about each word type."""
    from evaluation.alignment.lexical import LexicalAligner

    return LexicalAligner(language)


def _statistical(language: str, corpus: Corpus | None) -> WordAligner:
    from evaluation.alignment.statistical import StatisticalAligner

    return StatisticalAligner(corpus or (), monolingual=True)


def _eflomal(language: str, corpus: Corpus | None) -> WordAligner:
    from evaluation.alignment.external import EflomalAligner

    return EflomalAligner(corpus or ())


def _systran(language: str, corpus: Corpus | None) -> WordAligner:
    from evaluation.alignment.external import SystranAligner

    return SystranAligner(corpus or ())


ALIGNERS: dict[str, Callable[[str, Corpus | None], WordAligner]] = {
    "exact": _exact,
    "lexical": _lexical,
    "statistical": _statistical,
    "eflomal": _eflomal,
    "systran": _systran,
}
