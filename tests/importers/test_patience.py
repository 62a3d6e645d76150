"""No file keeps its reader waiting: what repeats one sign or one name for pages is read in one pass.

Each of these took from eight seconds to hours while something looked again from every place of the file.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from appraise.lib.problems import InputError
from evaluation.importers import FileRole, SourceFile, read
from evaluation.tokens import offsets

PATIENCE = 4  # seconds of CPU


def hits(segments: str) -> bytes:
    return f'<hits><hit source-language="de" target-language="en">{segments}</hit></hits>'.encode()


def segment(source: str) -> str:
    return (
        f'<seg id="1"><source>{source}</source><translation system="a">x</translation>'
        '<translation system="b">y</translation></seg>'
    )


def phrases(count: int) -> bytes:
    return b"item\tphrase_a\tphrase_b\n" + b"1\tx\ty\n" * count


def header(count: int) -> bytes:
    return "\t".join(["source", *(f"c{n}" for n in range(count))]).encode() + b"\n"


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "an id for all": ("a.xml", lambda: hits("".join(segment(f"s{n}") for n in range(10_000)))),
    "opening brackets": ("a.xml", lambda: hits(segment("[" * 100_000))),
    "blanks": ("a.xml", lambda: hits(segment("a" + " " * 100_000 + "b"))),
    "comments without an end": ("a.xml", lambda: b"<!--" * 40_000),
    "phrases of one item": ("a.tsv", lambda: phrases(60_000)),
    "columns": ("a.tsv", lambda: header(150_000)),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_is_accepted_or_refused_in_a_moment(case: str) -> None:
    name, made = FILES[case]
    data, began = made(), time.process_time()
    with suppress(InputError):
        read([SourceFile.from_bytes(name, data)])
    assert time.process_time() - began < PATIENCE


@pytest.mark.parametrize("text", ["a." * 9_999 + "a", "\u0e40" * 40_000], ids=["initials", "Thai vowels"])
def test_a_long_text_is_cut_into_tokens_in_a_moment(text: str) -> None:
    began = time.process_time()
    assert "".join(text[start:end] for start, end in offsets(text)) == text
    assert time.process_time() - began < PATIENCE


def test_a_sentence_that_is_shown_again_is_numbered() -> None:
    items = read([SourceFile.from_bytes("a.xml", hits(segment("s") + segment("t") + segment("u")))]).items
    assert [item.id for item in items] == ["1", "1-2", "1-3"]


def test_systems_with_two_files_are_told_in_the_order_of_the_files() -> None:
    names = ["zeta", "alpha", "mu", "beta", "nu"]
    files = [
        SourceFile.from_bytes(f"{name}-{n}.txt", b"x\n", FileRole.SYSTEM, name)
        for n in (1, 2)
        for name in names
    ]
    with pytest.raises(InputError) as refused:
        read([SourceFile.from_bytes("s.txt", b"x\n", FileRole.SOURCE), *files])
    assert [one.message for one in refused.value.problems] == [f"two files are by {name!r}" for name in names]
