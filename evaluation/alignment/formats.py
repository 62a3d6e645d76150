"""Word alignments from files: Pharaoh ``i-j`` lines.

Readers take the file's bytes and the sentences that it is about, because an alignment without its text cannot
be checked. Whatever is wrong is collected, as far as reading can go on, and raised together as ``InputError``
with file, line, column and remedy; what is merely odd comes back as warnings. Indices are never guessed to
count from 1: the caller says so with ``base``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.alignment.values import Link
from evaluation.problems import InputError, Problem

_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
Sentences = Sequence[tuple[Sequence[str], Sequence[str]]]
"""The token sequences that an alignment file is about, in its order."""


@dataclass(frozen=True, slots=True)
class WordLinks:
    """Links for each sentence pair, and what was odd about the file."""

    links: tuple[tuple[Link, ...], ...]
    warnings: tuple[Problem, ...] = ()


def parse_links(
    text: str, n: int, m: int, *, base: int = 0, file: str = "", line: int | None = None
) -> tuple[Link, ...]:
    """Links of one sentence pair of n and m tokens, counted from 0; duplicates count once.

    >>> parse_links("1-1 2-3", 2, 3, base=1)
    ((0, 0), (1, 2))
    """
    found, problems, _ = _line_links(text, n, m, base, file, line)
    if problems:
        raise InputError(problems)
    return found


def read_pharaoh(data: bytes, sentences: Sentences, *, base: int = 0, file: str = "") -> WordLinks:
    """Links of a Pharaoh file, one line for each sentence pair."""
    lines = text_lines(data, file)
    if len(lines) != len(sentences):
        raise InputError(
            Problem(
                "line_count",
                f"{len(lines)} lines of links for {len(sentences)} sentence pairs",
                "give exactly one line for each pair, empty where there are no links",
                file,
                min(len(lines), len(sentences)) + 1,
            )
        )
    links, problems, warnings = [], [], []
    for number, (line, (a, b)) in enumerate(zip(lines, sentences, strict=True), 1):
        found, wrong, odd = _line_links(line, len(a), len(b), base, file, number)
        links.append(found)
        problems += wrong
        warnings += odd
    if problems:
        raise InputError(problems)
    return WordLinks(tuple(links), (*warnings, *_suspect_base(links, sentences, base, file)))


def text_lines(data: bytes, file: str = "") -> list[str]:
    """The lines of a UTF-8 file; only line feed, carriage return or both end a line.

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


def _line_links(
    text: str, n: int, m: int, base: int, file: str, line: int | None
) -> tuple[tuple[Link, ...], list[Problem], list[Problem]]:
    """Links, problems and warnings of one line."""
    if base not in (0, 1):
        raise ValueError(f"link base must be 0 or 1, not {base}")
    links: list[Link] = []
    problems: list[Problem] = []
    warnings: list[Problem] = []
    seen: set[Link] = set()
    for token in re.finditer(r"[^ \t]+", text):
        place = (file, line, token.start() + 1, token.group()[:40])
        match = _LINK.fullmatch(token.group())
        if not match:
            message = f"{token.group()[:40]!r} is not a link"
            problems.append(
                Problem("alignment_syntax", message, "write links as i-j with plain digits", *place)
            )
            continue
        link = int(match[1]) - base, int(match[2]) - base
        if not (0 <= link[0] < n and 0 <= link[1] < m):
            problems.append(_out_of_range(token.group(), link, n, m, base, place))
        elif link in seen:
            warnings.append(
                Problem("alignment_duplicate", f"link {token.group()} is given twice", "", *place)
            )
        else:
            seen.add(link)
            links.append(link)
    return tuple(sorted(links)), problems, warnings


def _out_of_range(
    token: str, link: Link, n: int, m: int, base: int, place: tuple[str, int | None, int, str]
) -> Problem:
    """Say how long the sentences are, and suggest the other base if the link fits there."""
    message = f"link {token} is outside sentences of {n} and {m} tokens, counted from {base}"
    other = 1 - base
    shifted = link[0] + base - other, link[1] + base - other
    if 0 <= shifted[0] < n and 0 <= shifted[1] < m:
        return Problem(
            "alignment_range",
            message,
            f"does the file count from {other}? Then use --link-base {other}",
            *place,
        )
    if 0 <= shifted[1] < n and 0 <= shifted[0] < m:
        return Problem(
            "alignment_range", message, "check that links and sentences are in the same direction", *place
        )
    return Problem("alignment_range", message, "check that links and sentences belong together", *place)


def _suspect_base(
    links: Iterable[Sequence[Link]], sentences: Sentences, base: int, file: str
) -> list[Problem]:
    """Counted from 0, yet the first words of both sides are never linked in many sentences."""
    rows = [row for row, (a, b) in zip(links, sentences, strict=True) if row and len(a) > 1 and len(b) > 1]
    if base != 0 or len(rows) < 5 or any(i == 0 or j == 0 for row in rows for i, j in row):
        return []
    message = f"index 0 never occurs in {len(rows)} sentence pairs with links"
    return [Problem("alignment_base_suspect", message, "if the file counts from 1, use --link-base 1", file)]
