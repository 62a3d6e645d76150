"""Word alignments from GIZA++ ``A3`` files (Och and Ney 2003).

Each sentence pair is three lines: a comment with the lengths, the target sentence, and the source sentence in
which every word, NULL first, carries the positions of the target words that it generated::

    # Sentence pair (1) source length 3 target length 3 alignment score : 0.01
    das rote haus
    NULL ({ }) the ({ 1 }) red ({ 2 }) house ({ 3 })

A file has one direction. Two files, one of each direction, are combined by ``evaluation.alignment.symmetry``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.alignment.formats import Sentences, WordLinks, text_lines
from evaluation.alignment.symmetry import Symmetry, symmetrize
from evaluation.alignment.values import Link
from evaluation.problems import InputError, Problem

_HEADER = re.compile(r"# Sentence pair \(([0-9]+)\) source length ([0-9]+) target length ([0-9]+)\b.*")
_WORD = re.compile(r"(\S+) \(\{((?: [0-9]{1,6})*) \}\)(?: +|$)")


@dataclass(frozen=True, slots=True)
class Triple:
    """One sentence pair of an A3 file; links are (source, target), counted from 0."""

    line: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]


def read_giza(data: bytes, sentences: Sentences, *, file: str = "") -> WordLinks:
    """Links (a, b) of an A3 file whose source is ``a`` and whose target is ``b`` of the sentences."""
    triples = list(read_triples(data, file))
    if len(triples) != len(sentences):
        message = f"{len(triples)} aligned pairs for {len(sentences)} sentence pairs"
        raise InputError(Problem("line_count", message, "align exactly the sentences of the task", file))
    problems = [
        problem
        for triple, (a, b) in zip(triples, sentences, strict=True)
        if (problem := _text_problem(triple, tuple(a), tuple(b), file)) is not None
    ]
    if problems:
        raise InputError(problems)
    return WordLinks(tuple([triple.links for triple in triples]))


def read_giza_both(
    forward: bytes,
    backward: bytes,
    sentences: Sentences,
    *,
    how: Symmetry = Symmetry.GROW_DIAG_FINAL_AND,
    files: tuple[str, str] = ("", ""),
) -> WordLinks:
    """Links of two A3 files: ``forward`` from a to b, ``backward`` from b to a."""
    one = read_giza(forward, sentences, file=files[0])
    turned = [(b, a) for a, b in sentences]
    other = read_giza(backward, turned, file=files[1])
    both = zip(one.links, other.links, strict=True)
    return WordLinks(tuple([tuple(sorted(symmetrize(x, [(i, j) for j, i in y], how))) for x, y in both]))


def read_triples(data: bytes, file: str = "") -> Iterator[Triple]:
    """The sentence pairs of an A3 file, checked in themselves."""
    lines = text_lines(data, file)
    for start in range(0, len(lines), 3):
        if not _HEADER.fullmatch(lines[start]):
            message = f"expected a line that begins '# Sentence pair (…)', found {lines[start][:40]!r}"
            raise InputError(Problem("a3_triple", message, "every pair has three lines", file, start + 1))
        if start + 3 > len(lines):
            message = f"the last pair has {len(lines) - start} of its three lines"
            raise InputError(Problem("a3_triple", message, "the file seems to be cut off", file, start + 1))
        yield _triple(lines[start : start + 3], start + 1, file)


def _triple(lines: Sequence[str], line: int, file: str) -> Triple:
    header = _HEADER.fullmatch(lines[0])
    target = tuple(lines[1].split())
    words = _generating_words(lines[2], line + 2, file)
    source = tuple([word for word, _ in words[1:]])
    stated = tuple(int(number) for number in header.group(2, 3)) if header else ()
    if stated != (len(source), len(target)):
        message = f"the header says {stated} words, the lines have {(len(source), len(target))}"
        raise InputError(
            Problem("a3_length", message, "align again; tokens must not contain blanks", file, line)
        )
    _check_positions(words, len(target), line + 2, file)
    links = [(i, j - 1) for i, (_, places) in enumerate(words[1:]) for j in places]
    return Triple(line, source, target, tuple(sorted(links)))


def _generating_words(text: str, line: int, file: str) -> list[tuple[str, list[int]]]:
    """Words of the third line with the positions they generated, NULL first."""
    words = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _WORD.match(text, place)
        if match is None:
            message = f"expected 'word ({{ positions }})', found {text[place : place + 40]!r}"
            raise InputError(
                Problem("a3_syntax", message, "brackets must be balanced", file, line, place + 1)
            )
        words.append((match[1], [int(number) for number in match[2].split()]))
        place = match.end()
    if not words or words[0][0] != "NULL":
        message = "the third line does not begin with NULL"
        raise InputError(
            Problem("a3_null", message, "use the file that GIZA++ wrote, unchanged", file, line, 1)
        )
    return words


def _check_positions(words: list[tuple[str, list[int]]], length: int, line: int, file: str) -> None:
    seen: set[int] = set()
    for _, places in words:
        for j in places:
            if not 1 <= j <= length:
                message = f"position {j} is outside a target sentence of {length} words"
                raise InputError(Problem("alignment_range", message, "positions count from 1", file, line))
            if j in seen:
                message = f"position {j} is generated twice"
                raise InputError(
                    Problem("a3_duplicate", message, "each target word has one origin", file, line)
                )
            seen.add(j)


def _text_problem(triple: Triple, a: tuple[str, ...], b: tuple[str, ...], file: str) -> Problem | None:
    if (triple.source, triple.target) == (a, b):
        return None
    if (triple.source, triple.target) == (b, a):
        message = "source and target are exchanged"
        return Problem(
            "direction_suspect", message, "give the file as the other direction", file, triple.line
        )
    side, ours, theirs = ("source", a, triple.source) if triple.source != a else ("target", b, triple.target)
    place = next(
        (k for k, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), min(len(ours), len(theirs))
    )
    found = theirs[place] if place < len(theirs) else "the end"
    wanted = ours[place] if place < len(ours) else "the end"
    message = f"{side} word {place + 1} is {found!r}, the task has {wanted!r}"
    line = triple.line + (2 if side == "source" else 1)
    return Problem("a3_text", message, "align the task's own text, tokenised alike", file, line)
