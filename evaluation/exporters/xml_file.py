"""XML that parses, whatever the texts hold: pairs with their answers inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from evaluation.exporters.model import AnswerRow, AskedPair, Once

# Characters that XML 1.0 cannot hold, even as references.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATTRIBUTES = ("task", "item", "document", "pair", "kind", "check")


def as_xml(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """``<rankings><pair …><first/><second/><ranking …/></pair></rankings>``; unknown values are left out."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<rankings version="1">\n'
    names, systems = Once(quoted), Once(_system)
    for pair in pairs:
        values = zip(_ATTRIBUTES, (*pair[:5], pair.check), strict=True)
        attributes = "".join([f" {name}={quoted(value)}" for name, value in values if value])
        rankings = "".join([f"<ranking{_answer(answer, names)}/>\n" for answer in pair.answers])
        yield (
            f"<pair{attributes}>\n"
            f'<first><text xml:space="preserve">{_kept(pair.first)}</text>'
            f"{''.join([systems[name] for name in pair.systems_first])}</first>\n"
            f'<second><text xml:space="preserve">{_kept(pair.second)}</text>'
            f"{''.join([systems[name] for name in pair.systems_second])}</second>\n"
            f"{rankings}</pair>\n"
        )
    yield "</rankings>\n"


def _system(name: str) -> str:
    return f"<system>{escape(legal(name))}</system>"


def _answer(answer: AnswerRow, names: Once) -> str:
    """Attributes of an answer; only names, labels and times could hold what XML must escape."""
    who, time, version, current, label, left, surplus, alignment, active, elapsed, order, received = answer
    if None not in (label, alignment, active, elapsed) and received is None:  # as nearly all are: one piece
        return (
            f' annotator={names[who]} presentation="{time}" version="{version}" current="{_FLAG[current]}"'
            f' label={names[label or ""]} left="{left}" surplus="{_FLAG[surplus]}" alignment="{alignment}"'
            f' active_ms="{active}" elapsed_ms="{elapsed}" order="{order}"'
        )
    return "".join(
        (
            f' annotator={names[who]} presentation="{time}" version="{version}" current="{_FLAG[current]}"',
            "" if label is None else f" label={names[label]}",
            f' left="{left}" surplus="{_FLAG[surplus]}"',
            "" if alignment is None else f' alignment="{alignment}"',
            "" if active is None else f' active_ms="{active}"',
            "" if elapsed is None else f' elapsed_ms="{elapsed}"',
            f' order="{order}"',
            "" if received is None else f" received_at={names[received]}",
        )
    )


_FLAG = {True: "yes", False: "no"}


def quoted(text: str) -> str:
    """An attribute's value.

    >>> quoted("plain"), quoted("<")
    ('"plain"', '"&lt;"')
    """
    return f'"{text}"' if _is_plain(text) and '"' not in text else quoteattr(legal(text))


def legal(text: str) -> str:
    """The text with a replacement character for what XML cannot hold.

    >>> legal("a\\x00b") == "a\\ufffdb"
    True
    """
    return text if text.isprintable() else _ILLEGAL.sub("\ufffd", text)


def _kept(text: str) -> str:
    # A bare carriage return would be read back as a line feed.
    return text if _is_plain(text) else escape(legal(text), {"\r": "&#13;"})


def _is_plain(text: str) -> bool:
    """Nothing to escape, as in nearly all texts: finding that out is faster than escaping them."""
    return text.isprintable() and not ("&" in text or "<" in text or ">" in text)
