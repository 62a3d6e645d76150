"""Algorithm 1 of Federmann 2010 (paper 003, section 3), kept for replication.

Repaired only where it cannot run as printed: ``d`` is really increased, spans are half-open so that a
phrase is not one word too long, the loops stop at n, and a phrase aligned to NULL has no B side. What the
algorithm *means* is left alone: words of B that nothing points to vanish, and a diagonal run of links over
different words becomes one long pair. ``complete`` mode exists because of this.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.alignment.values import Kind, Link, Phrase, Span


def paper_phrases(
    a: Sequence[str], b: Sequence[str], links: Sequence[Link]
) -> tuple[list[Phrase], list[Link]]:
    """Phrases of Algorithm 1 and the links that the word alignment W was made of.

    W is a function from words of A; where a word of A has several links, the leftmost counts.

    >>> phrases, used = paper_phrases(["the", "red", "house"], ["the", "blue", "house"], [(0, 0), (2, 2)])
    >>> [(phrase.a, phrase.b) for phrase in phrases]
    [((0, 1), (0, 1)), ((1, 2), None), ((2, 3), (2, 3))]
    """
    w: dict[int, int] = {}
    for i, j in sorted(links):
        w.setdefault(i, j)
    phrases = []
    source = 0
    while source < len(a):
        target, d = w.get(source), 1
        if target is not None:
            while w.get(source + d) == target + d:
                d += 1
        else:
            while source + d < len(a) and source + d not in w:
                d += 1
        phrases.append(_phrase(a, b, (source, source + d), None if target is None else (target, target + d)))
        source += d
    return phrases, list(w.items())


def _phrase(a: Sequence[str], b: Sequence[str], left: Span, right: Span | None) -> Phrase:
    if right is None:
        return Phrase(left, None, Kind.A_ONLY)
    shared = list(a[slice(*left)]) == list(b[slice(*right)])
    return Phrase(left, right, Kind.SHARED if shared else Kind.DIFFERENT)
