"""Phrases from word links: ``align`` turns two sentences into shared and differing phrases (paper 003).

``complete`` mode, the default, promises for any set of links: every word of both sentences is in exactly
one phrase; a phrase is *shared* exactly if its two sides are equal; links whose words ended up in different
phrases are reported as dropped; exchanging A and B exchanges the sides of the phrases and nothing else.
``paper`` mode is the published Algorithm 1 and promises none of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.alignment.chains import Block, core
from evaluation.alignment.complete import Same, by_side, joined, settle, uncovered
from evaluation.alignment.components import blocks_of
from evaluation.alignment.paper import paper_phrases
from evaluation.alignment.refine import absorbed, joined_around, joined_differences, reunited, shortened
from evaluation.alignment.values import Alignment, Kind, Link, Mode, Phrase
from evaluation.alignment.words import WordAligner
from evaluation.alignment.words import aligner as aligner_named
from evaluation.tokens import bare


def align(
    a: Sequence[str],
    b: Sequence[str],
    *,
    links: Iterable[Link] | None = None,
    mode: Mode = Mode.COMPLETE,
    aligner: WordAligner | None = None,
    ignore_case: bool = False,
    ignore_punctuation: bool = False,
    join: bool = False,
    max_length: int | None = None,
) -> Alignment:
    """Align two sentences, given as tokens, by the given links or by a word aligner (default: lexical).

    >>> for phrase in align("the red house".split(), "the blue house".split()).phrases:
    ...     print(phrase.a, phrase.b, phrase.kind)
    (0, 1) (0, 1) shared
    (1, 2) (1, 2) different
    (2, 3) (2, 3) shared
    """
    a, b = tuple(a), tuple(b)
    if max_length is not None and max_length < 1:
        raise ValueError(f"max_length must be at least 1, not {max_length}")
    if links is None:
        links = (aligner or aligner_named("lexical")).links(a, b)
    given = tuple(sorted(set(links)))
    _check_range(given, len(a), len(b))
    keys = (_lowered(a), _lowered(b)) if ignore_case else (a, b)
    if mode is Mode.PAPER:
        phrases, w = paper_phrases(*keys, given)
        return Alignment(a, b, tuple(w), tuple(sorted(set(given).difference(w))), tuple(phrases))
    same = _sameness(*keys, ignore_punctuation)
    blocks = settle(*keys, blocks_of(*keys, given))
    if ignore_punctuation:
        blocks = _without_stray_punctuation(*keys, blocks, same)
    if join:
        blocks = joined_differences(reunited(*keys, blocks, same), (len(a), len(b)), same)
        blocks = joined(joined_around(*keys, blocks, same), same)
    if max_length is not None:
        blocks = shortened(*keys, blocks, given, max_length, same)
    used, dropped = _sorted_out(given, blocks)
    return Alignment(a, b, used, dropped, _phrases(blocks, len(a), len(b), same))


def _lowered(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple([token.lower() for token in tokens])


def _check_range(links: Iterable[Link], n: int, m: int) -> None:
    for i, j in links:
        if not (0 <= i < n and 0 <= j < m):
            raise ValueError(f"link {i}-{j} is outside sentences of {n} and {m} tokens")


def _sameness(a: tuple[str, ...], b: tuple[str, ...], ignore_punctuation: bool) -> Same:
    """When the two sides of a block are equal."""

    def same(block: Block) -> bool:
        a0, a1, b0, b1 = block
        return a[a0:a1] == b[b0:b1]

    def same_but_punctuation(block: Block) -> bool:
        a0, a1, b0, b1 = block
        return _bare(a[a0:a1]) == _bare(b[b0:b1])

    return same_but_punctuation if ignore_punctuation else same


def _bare(tokens: tuple[str, ...]) -> list[str]:
    return [part for token in tokens for part in bare(token)]


def _without_stray_punctuation(
    a: tuple[str, ...], b: tuple[str, ...], blocks: list[Block], same: Same
) -> list[Block]:
    """Punctuation that stands beside nothing, or beside mere words, goes to a phrase next to it.

    Equal phrases then join.
    """
    blocks = [
        block for block in blocks if bool(_bare(a[slice(*block[:2])])) == bool(_bare(b[slice(*block[2:])]))
    ]
    runs_a = [run for run in uncovered(blocks, len(a), 0) if not _bare(a[slice(*run)])]
    runs_b = [run for run in uncovered(by_side(blocks, 2), len(b), 2) if not _bare(b[slice(*run)])]
    return joined(absorbed(blocks, runs_a, runs_b, same), same)


def _sorted_out(links: tuple[Link, ...], blocks: list[Block]) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """Links inside a phrase, and the others."""
    of_a = {i: block[2:] for block in blocks for i in range(block[0], block[1])}
    nowhere = (0, 0)
    used: list[Link] = []
    dropped: list[Link] = []
    for link in links:
        b0, b1 = of_a.get(link[0], nowhere)
        (used if b0 <= link[1] < b1 else dropped).append(link)
    return tuple(used), tuple(dropped)


def _phrases(blocks: list[Block], n: int, m: int, same: Same) -> tuple[Phrase, ...]:
    """Two-sided and A-only phrases in order of A, each B-only one after its left neighbour in B."""
    kept = core(blocks)
    b_only = {run[0]: Phrase(None, run, Kind.B_ONLY) for run in uncovered(by_side(blocks, 2), m, 2)}
    phrases = [b_only[0]] if 0 in b_only else []
    last = 0
    for block in blocks:
        a0, a1, b0, b1 = block
        if last < a0:
            phrases.append(Phrase((last, a0), None, Kind.A_ONLY))
        kind = Kind.SHARED if same(block) else Kind.DIFFERENT
        phrases.append(Phrase((a0, a1), (b0, b1), kind, block not in kept))
        if b1 in b_only:
            phrases.append(b_only[b1])
        last = a1
    if last < n:
        phrases.append(Phrase((last, n), None, Kind.A_ONLY))
    return tuple(phrases)
