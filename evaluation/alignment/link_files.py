"""Word links from files: Pharaoh ``i-j`` lines and GIZA++ ``A3`` files (Och and Ney 2003).

All problems of a line are raised together as ``InputError`` with file, line, column and remedy. Whether
Pharaoh links count from 0 or 1 is never guessed: the caller passes ``base``.

In an A3 file each sentence pair has three lines: a comment with the lengths, the target sentence, and the
source sentence, in which every word, NULL first, is followed by the positions of the target words that it
generated::

    # Sentence pair (1) source length 3 target length 3 alignment score : 0.01
    das rote haus
    NULL ({ }) the ({ 1 }) red ({ 2 }) house ({ 3 })

A file has one direction; ``symmetrize`` combines the links of two files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from appraise.lib.problems import InputError, Problem
from evaluation.alignment.values import Link

Sentences = Sequence[tuple[Sequence[str], Sequence[str]]]
"""The token sequences that an alignment file is about, in its order."""

_POSSIBLE = re.compile(r"[0-9]p[0-9]")
_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
_HEADER = re.compile(r"# Sentence pair \(([0-9]+)\) source length ([0-9]+) target length ([0-9]+)\b.*")
_WORD = re.compile(r"(\S+) \(\{((?: [0-9]{1,6})*) \}\)(?: +|$)")


@dataclass(frozen=True, slots=True)
class GizaPair:
    """One sentence pair of an A3 file; links are (source, target), counted from 0."""

    line: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]


def read_giza(data: bytes, sentences: Sentences, *, file: str = "") -> tuple[tuple[Link, ...], ...]:
    """Return the links (a, b) of an A3 file with source ``a`` and target ``b`` of the sentences."""
    triples = list(_read_triples(data, file))
    if len(triples) != len(sentences):
        message = f"the file has {len(triples)} aligned pairs, the task has {len(sentences)} sentence pairs"
        raise InputError(Problem("line_count", message, "align exactly the sentences of the task", file))
    problems = [
        problem
        for triple, (a, b) in zip(triples, sentences, strict=True)
        if (problem := _text_problem(triple, tuple(a), tuple(b), file)) is not None
    ]
    if problems:
        raise InputError(problems)
    return tuple([triple.links for triple in triples])


def _read_triples(data: bytes, file: str) -> Iterator[GizaPair]:
    """Yield the sentence pairs of an A3 file after checking each of them."""
    lines = text_lines(data, file)
    for start in range(0, len(lines), 3):
        if not _HEADER.fullmatch(lines[start]):
            message = f"expected a line that begins '# Sentence pair (…)', found {lines[start][:40]!r}"
            raise InputError(Problem("a3_triple", message, "write three lines per pair", file, start + 1))
        if start + 3 > len(lines):
            message = f"the last pair has {len(lines) - start} of its three lines"
            raise InputError(Problem("a3_triple", message, "use the complete file", file, start + 1))
        yield _parse_triple(lines[start : start + 3], start + 1, file)


def _parse_triple(lines: Sequence[str], line: int, file: str) -> GizaPair:
    header = _HEADER.fullmatch(lines[0])
    target = tuple(lines[1].split())
    words = _parse_words(lines[2], line + 2, file)
    source = tuple([word for word, _ in words[1:]])
    declared = tuple(int(number) for number in header.group(2, 3)) if header else ()
    if declared != (len(source), len(target)):
        message = f"the header declares {declared} words, the lines have {(len(source), len(target))}"
        raise InputError(Problem("a3_length", message, "align tokens without spaces", file, line))
    _check_positions(words, len(target), line + 2, file)
    links = [(i, j - 1) for i, (_, positions) in enumerate(words[1:]) for j in positions]
    return GizaPair(line, source, target, tuple(sorted(links)))


def _parse_words(text: str, line: int, file: str) -> list[tuple[str, list[int]]]:
    """Return the words of the third line with the positions that they generated, NULL first."""
    words = []
    start = 0
    text = text.rstrip()
    while start < len(text):
        match = _WORD.match(text, start)
        if match is None:
            message = f"expected 'word ({{ positions }})', found {text[start : start + 40]!r}"
            raise InputError(Problem("a3_syntax", message, "balance the brackets", file, line, start + 1))
        words.append((match[1], [int(number) for number in match[2].split()]))
        start = match.end()
    if not words or words[0][0] != "NULL":
        message = "the third line does not begin with NULL"
        raise InputError(Problem("a3_null", message, "use the unchanged output of GIZA++", file, line, 1))
    return words


def _check_positions(words: list[tuple[str, list[int]]], length: int, line: int, file: str) -> None:
    seen: set[int] = set()
    for _, positions in words:
        for j in positions:
            if not 1 <= j <= length:
                message = f"position {j} is outside a target sentence of {length} words"
                raise InputError(Problem("alignment_range", message, "count positions from 1", file, line))
            if j in seen:
                message = f"position {j} is generated twice"
                raise InputError(Problem("a3_duplicate", message, "list every position once", file, line))
            seen.add(j)


def _text_problem(triple: GizaPair, a: tuple[str, ...], b: tuple[str, ...], file: str) -> Problem | None:
    if (triple.source, triple.target) == (a, b):
        return None
    if (triple.source, triple.target) == (b, a):
        message = "source and target are swapped"
        return Problem("direction_suspect", message, "use the file as the other direction", file, triple.line)
    side, ours, theirs = ("source", a, triple.source) if triple.source != a else ("target", b, triple.target)
    words = enumerate(zip_longest(theirs, ours, fillvalue="the end"), 1)
    number, (actual, expected) = next((k, pair) for k, pair in words if pair[0] != pair[1])
    message = f"{side} word {number} is {actual!r}, the task has {expected!r}"
    line = triple.line + (2 if side == "source" else 1)
    return Problem("a3_text", message, "align the text of the task with the same tokenisation", file, line)


def parse_links(
    text: str, n: int, m: int, *, base: int = 0, file: str = "", line: int | None = None
) -> tuple[Link, ...]:
    """Return the links of one sentence pair of n and m tokens, counted from 0; duplicates count once.

    >>> parse_links("1-1 2-3", 2, 3, base=1)
    ((0, 0), (1, 2))
    """
    if base not in (0, 1):
        raise ValueError(f"link base must be 0 or 1, not {base}")
    links: set[Link] = set()
    problems: list[Problem] = []
    for token in re.finditer(r"[^ \t]+", text):
        position = (file, line, token.start() + 1, token.group()[:40])
        match = _LINK.fullmatch(token.group())
        if not match:
            message = f"{token.group()[:40]!r} is not a link"
            problems.append(
                Problem("alignment_syntax", message, "write links as i-j with plain digits", *position)
            )
            continue
        link = int(match[1]) - base, int(match[2]) - base
        if 0 <= link[0] < n and 0 <= link[1] < m:
            links.add(link)
        else:
            problems.append(_explain_range(token.group(), link, n, m, base, position))
    if problems:
        raise InputError(problems)
    return tuple(sorted(links))


def parse_gold_links(
    text: str, n: int, m: int, *, base: int = 0, file: str = "", line: int | None = None
) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """Return the sure (``i-j``) and the possible (``ipj``) links of one sentence pair of a gold alignment.

    >>> parse_gold_links("1-1 2p3", 2, 3, base=1)
    (((0, 0),), ((1, 2),))
    """
    # Spaces in place of the others, so that problems keep their columns.
    sure = re.sub(r"[0-9]+p[0-9]+", lambda link: " " * len(link.group()), text)
    possible = re.sub(r"[^ \t]*-[^ \t]*", lambda link: " " * len(link.group()), text)
    possible = re.sub(r"(?<=[0-9])p(?=[0-9])", "-", possible)
    return (
        parse_links(sure, n, m, base=base, file=file, line=line),
        parse_links(possible if _POSSIBLE.search(text) else "", n, m, base=base, file=file, line=line),
    )


def text_lines(data: bytes, file: str = "") -> list[str]:
    """Return the lines of a UTF-8 file; only line feed, carriage return or both end a line.

    >>> text_lines("\\ufeffa\\u2028b\\r\\nc\\n".encode())
    ['a\\u2028b', 'c']
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} is not UTF-8"
        raise InputError(Problem("bad_utf8", message, "convert the file to UTF-8", file, line)) from None
    lines = re.split("\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


def _explain_range(
    token: str, link: Link, n: int, m: int, base: int, position: tuple[str, int | None, int, str]
) -> Problem:
    """State the lengths of the sentences; suggest the other base or direction if the link fits there."""
    message = f"link {token} is outside sentences of {n} and {m} tokens, counted from {base}"
    other = 1 - base
    i, j = link[0] + base - other, link[1] + base - other
    if 0 <= i < n and 0 <= j < m:
        remedy = f"does the file count from {other}? Then use --link-base {other}"
    elif 0 <= j < n and 0 <= i < m:
        remedy = "check that links and sentences are in the same direction"
    else:
        remedy = "check that links and sentences belong together"
    return Problem("alignment_range", message, remedy, *position)
