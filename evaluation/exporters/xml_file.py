"""XML that parses, whatever the texts hold: pairs with their answers inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from evaluation.exporters.model import ANSWER_COLUMNS, AskedPair

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
        yield f"<ranking{_attributes(zip(ANSWER_COLUMNS, answer, strict=True))}/>\n"
    yield "</pair>\n"


def legal(text: str) -> str:
    """The text with a replacement character for what XML cannot hold.

    >>> legal("a\\x00b") == "a\\ufffdb"
    True
    """
    return text if text.isprintable() else _ILLEGAL.sub("\ufffd", text)


def _kept(text: str) -> str:
    return escape(text, {"\r": "&#13;"})  # a bare carriage return would be read back as a line feed


def _attributes(values: Iterable[tuple[str, object]]) -> str:
    return "".join(
        f" {name}={quoteattr(legal(_text(value)))}"
        for name, value in values
        if value is not None and value != ""
    )


def _text(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
