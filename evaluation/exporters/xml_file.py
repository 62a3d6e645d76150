"""XML that parses, whatever the texts hold: pairs with their answers inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from evaluation.exporters.model import AnswerRow, AskedPair

# Characters that XML 1.0 cannot hold, even as references.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_xml(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """``<rankings><pair …><first/><second/><ranking …/></pair></rankings>``; unknown values are left out."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<rankings version="1">\n'
    for pair in pairs:
        yield "".join(_pair(pair))
    yield "</rankings>\n"


def _pair(pair: AskedPair) -> Iterator[str]:
    names = ("task", "item", "document", "pair", "kind", "check")
    yield f"<pair{_attributes((name, getattr(pair, name)) for name in names)}>\n"
    for side, text, systems in (
        ("first", pair.first, pair.systems_first),
        ("second", pair.second, pair.systems_second),
    ):
        held = "".join(f"<system>{escape(legal(name))}</system>" for name in systems)
        yield f'<{side}><text xml:space="preserve">{_kept(legal(text))}</text>{held}</{side}>\n'
    for answer in pair.answers:
        yield f"<ranking{_answer(answer)}/>\n"
    yield "</pair>\n"


def _answer(answer: AnswerRow) -> str:
    """Attributes of an answer; only names, labels and times could hold what XML must escape."""
    who, time, version, current, label, left, surplus, alignment, active, elapsed, order, received = answer
    if None not in answer[:-1] and received is None:  # as nearly all are: one piece
        return (
            f' annotator={_quoted(who)} presentation="{time}" version="{version}" current="{_FLAG[current]}"'
            f' label={_quoted(label or "")} left="{left}" surplus="{_FLAG[surplus]}" alignment="{alignment}"'
            f' active_ms="{active}" elapsed_ms="{elapsed}" order="{order}"'
        )
    return "".join(
        (
            f' annotator={_quoted(who)} presentation="{time}" version="{version}" current="{_FLAG[current]}"',
            "" if label is None else f" label={_quoted(label)}",
            f' left="{left}" surplus="{_FLAG[surplus]}"',
            "" if alignment is None else f' alignment="{alignment}"',
            "" if active is None else f' active_ms="{active}"',
            "" if elapsed is None else f' elapsed_ms="{elapsed}"',
            f' order="{order}"',
            "" if received is None else f" received_at={_quoted(received)}",
        )
    )


_FLAG = {True: "yes", False: "no"}


@lru_cache(maxsize=10_000)
def _quoted(text: str) -> str:
    return quoteattr(legal(text))


def legal(text: str) -> str:
    """The text with a replacement character for what XML cannot hold.

    >>> legal("a\\x00b") == "a\\ufffdb"
    True
    """
    return text if text.isprintable() else _ILLEGAL.sub("\ufffd", text)


def _kept(text: str) -> str:
    return escape(text, {"\r": "&#13;"})  # a bare carriage return would be read back as a line feed


def _attributes(values: Iterable[tuple[str, str]]) -> str:
    return "".join(f" {name}={quoteattr(legal(value))}" for name, value in values if value)
