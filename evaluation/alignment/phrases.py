"""Phrases from word links: ``align`` turns two sentences into shared and different phrases (paper 003).

``complete`` mode, the default, guarantees for any set of links: every word of both sentences is in exactly
one phrase; a phrase is *shared* exactly if its two sides are equal; links between different phrases are
returned as dropped; exchanging A and B mirrors the phrases and changes nothing else.

``paper`` mode is Algorithm 1 of Federmann 2010 (paper 003, section 3), for replication. It is corrected only
where it cannot run as printed: ``d`` is incremented, spans are half-open so that a phrase is not one word too
long, the loops stop at n, and a phrase aligned to NULL has no B side. Its properties are unchanged: words of
B without a link are lost, and a diagonal run of links between different words becomes one long pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.alignment.aligners import WordAligner, load_aligner
from evaluation.alignment.blocks import Block, build_blocks, find_core
from evaluation.alignment.complete import Same, extend_blocks, join_equal, list_uncovered, sort_by_side
from evaluation.alignment.refinements import (
    absorb_runs,
    join_around_shared,
    join_differences,
    reunite_moved,
    split_long,
)
from evaluation.alignment.values import AlignmentMode, Kind, Link, Phrase, PhraseAlignment, Span
from evaluation.tokens import bare


def align(
    a: Sequence[str],
    b: Sequence[str],
    *,
    links: Iterable[Link] | None = None,
    mode: AlignmentMode = AlignmentMode.COMPLETE,
    aligner: WordAligner | None = None,
    ignore_case: bool = False,
    ignore_punctuation: bool = False,
    join: bool = False,
    max_length: int | None = None,
) -> PhraseAlignment:
    """Align two sentences, given as tokens, with the given links or with a word aligner (default: lexical).

    ``ignore_case`` and ``ignore_punctuation`` decide which phrases count as shared, ``join`` makes fewer and
    larger phrases, and ``max_length`` splits different phrases with more words.

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
        links = (aligner or load_aligner("lexical")).links(a, b)
    links = tuple(sorted(set(links)))
    _check_range(links, len(a), len(b))
    keys = (_lower(a), _lower(b)) if ignore_case else (a, b)
    if mode is AlignmentMode.PAPER:
        phrases, w = align_as_paper(*keys, links)
        return PhraseAlignment(a, b, tuple(w), tuple(sorted(set(links).difference(w))), tuple(phrases))
    same = _make_comparison(*keys, ignore_punctuation)
    blocks = extend_blocks(*keys, build_blocks(*keys, links))
    if ignore_punctuation:
        blocks = _absorb_punctuation(*keys, blocks, same)
    if join:
        blocks = join_differences(reunite_moved(*keys, blocks, same), (len(a), len(b)), same)
        blocks = join_equal(join_around_shared(*keys, blocks, same), same)
    if max_length is not None:
        blocks = split_long(*keys, blocks, links, max_length, same)
    used, dropped = _separate_dropped(links, blocks)
    return PhraseAlignment(a, b, used, dropped, _order_phrases(blocks, len(a), len(b), same))


def _lower(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple([token.lower() for token in tokens])


def _check_range(links: Iterable[Link], n: int, m: int) -> None:
    for i, j in links:
        if not (0 <= i < n and 0 <= j < m):
            raise ValueError(f"link {i}-{j} is outside sentences of {n} and {m} tokens")


def _make_comparison(a: tuple[str, ...], b: tuple[str, ...], ignore_punctuation: bool) -> Same:
    """Return the function that tells whether the two sides of a block are equal."""

    def same(block: Block) -> bool:
        a0, a1, b0, b1 = block
        return a[a0:a1] == b[b0:b1]

    def same_without_punctuation(block: Block) -> bool:
        a0, a1, b0, b1 = block
        return _bare(a[a0:a1]) == _bare(b[b0:b1])

    return same_without_punctuation if ignore_punctuation else same


def _bare(tokens: tuple[str, ...]) -> list[str]:
    return [part for token in tokens for part in bare(token)]


def _absorb_punctuation(
    a: tuple[str, ...], b: tuple[str, ...], blocks: list[Block], same: Same
) -> list[Block]:
    """Move punctuation without a counterpart of punctuation into an adjacent phrase; then join equal ones."""
    blocks = sorted(
        [
            part
            for block in blocks
            if bool(_bare(a[slice(*block[:2])])) == bool(_bare(b[slice(*block[2:])]))
            for part in _split_marks(a, b, block)
        ]
    )
    runs_a = [run for run in list_uncovered(blocks, len(a), 0) if not _bare(a[slice(*run)])]
    runs_b = [run for run in list_uncovered(sort_by_side(blocks, 2), len(b), 2) if not _bare(b[slice(*run)])]
    return join_equal(absorb_runs(blocks, runs_a, runs_b, same), same)


def _split_marks(a: tuple[str, ...], b: tuple[str, ...], block: Block) -> list[Block]:
    """Split off the punctuation with which both sides of a block begin or end."""
    a0, a1, b0, b1 = block
    parts = []
    if a1 - a0 > 1 and b1 - b0 > 1 and not (_bare(a[a0 : a0 + 1]) or _bare(b[b0 : b0 + 1])):
        parts.append((a0, a0 + 1, b0, b0 + 1))
        a0, b0 = a0 + 1, b0 + 1
    if a1 - a0 > 1 and b1 - b0 > 1 and not (_bare(a[a1 - 1 : a1]) or _bare(b[b1 - 1 : b1])):
        parts.append((a1 - 1, a1, b1 - 1, b1))
        a1, b1 = a1 - 1, b1 - 1
    return [*parts, (a0, a1, b0, b1)]


def _separate_dropped(
    links: tuple[Link, ...], blocks: list[Block]
) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """Return the links inside a phrase, and the others."""
    of_a = {i: block[2:] for block in blocks for i in range(block[0], block[1])}
    used: list[Link] = []
    dropped: list[Link] = []
    for link in links:
        b0, b1 = of_a.get(link[0], (0, 0))
        (used if b0 <= link[1] < b1 else dropped).append(link)
    return tuple(used), tuple(dropped)


def _order_phrases(blocks: list[Block], n: int, m: int, same: Same) -> tuple[Phrase, ...]:
    """Return two-sided and A-only phrases in order of A, each B-only one after its left neighbour in B."""
    core = find_core(blocks)
    b_only = {run[0]: Phrase(None, run, Kind.B_ONLY) for run in list_uncovered(sort_by_side(blocks, 2), m, 2)}
    phrases = [b_only[0]] if 0 in b_only else []
    last = 0
    for block in blocks:
        a0, a1, b0, b1 = block
        if last < a0:
            phrases.append(Phrase((last, a0), None, Kind.A_ONLY))
        kind = Kind.SHARED if same(block) else Kind.DIFFERENT
        phrases.append(Phrase((a0, a1), (b0, b1), kind, block not in core))
        if b1 in b_only:
            phrases.append(b_only[b1])
        last = a1
    if last < n:
        phrases.append(Phrase((last, n), None, Kind.A_ONLY))
    return tuple(phrases)


def align_as_paper(
    a: Sequence[str], b: Sequence[str], links: Sequence[Link]
) -> tuple[list[Phrase], list[Link]]:
    """Return the phrases of Algorithm 1 and the links of its word alignment W.

    W is a function from words of A; of several links of a word of A the leftmost is used.

    >>> phrases, used = align_as_paper(["the", "red", "house"], ["the", "blue", "house"], [(0, 0), (2, 2)])
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
