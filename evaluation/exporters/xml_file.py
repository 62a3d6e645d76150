"""XML: pairs with their rankings, well-formed whatever characters the texts contain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from evaluation.exporters.rows import AnswerRow, ExportedPair

# Characters that XML 1.0 does not allow, even as references.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATTRIBUTES = ("task", "item", "document", "pair", "kind", "check", "question")


def as_xml(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """``<rankings><pair …><first/><second/><ranking …/></pair></rankings>``; missing values are left out."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<rankings version="1">\n'
    for pair in pairs:
        values = zip(
            _ATTRIBUTES,
            (*pair[:5], pair.check, "" if pair.question is None else str(pair.question)),
            strict=True,
        )
        attributes = "".join([f" {name}={quote_attribute(value)}" for name, value in values if value])
        rankings = "".join([f"<ranking{_format_answer(answer)}/>\n" for answer in pair.answers])
        yield (
            f"<pair{attributes}>\n"
            f'<first><text xml:space="preserve">{_escape_text(pair.first)}</text>'
            f"{''.join([_format_system(name) for name in pair.systems_first])}</first>\n"
            f'<second><text xml:space="preserve">{_escape_text(pair.second)}</text>'
            f"{''.join([_format_system(name) for name in pair.systems_second])}</second>\n"
            f"{rankings}</pair>\n"
        )
    yield "</rankings>\n"


@lru_cache(maxsize=10_000)
def _format_system(name: str) -> str:
    return f"<system>{escape(replace_illegal(name))}</system>"


def _format_answer(answer: AnswerRow) -> str:
    """Format the attributes of an answer; only names, labels and times may need escapes."""
    (
        annotator, presentation, version, current, label, reason, left, surplus, alignment, active, elapsed,
        order, received,
    ) = answer  # fmt: skip
    return "".join(
        (
            f' annotator={_quote_name(annotator)} presentation="{presentation}" version="{version}"',
            f' current="{_FLAG[current]}"',
            "" if label is None else f" label={_quote_name(label)}",
            f' reason="{reason}"' if reason else "",
            f' left="{left}" surplus="{_FLAG[surplus]}"',
            "" if alignment is None else f' alignment="{alignment}"',
            "" if active is None else f' active_ms="{active}"',
            "" if elapsed is None else f' elapsed_ms="{elapsed}"',
            f' order="{order}"',
            "" if received is None else f" received_at={quote_attribute(received)}",
        )
    )


_FLAG = {True: "yes", False: "no"}


def quote_attribute(text: str) -> str:
    """Quote the value of an attribute.

    >>> quote_attribute("plain"), quote_attribute("<")
    ('"plain"', '"&lt;"')
    """
    return f'"{text}"' if _is_plain(text) and '"' not in text else quoteattr(replace_illegal(text))


_quote_name = lru_cache(maxsize=10_000)(quote_attribute)


def replace_illegal(text: str) -> str:
    """Replace characters that XML does not allow by the replacement character.

    >>> replace_illegal("a\\x00b") == "a\\ufffdb"
    True
    """
    return text if text.isprintable() else _ILLEGAL.sub("\ufffd", text)


def _escape_text(text: str) -> str:
    # A bare carriage return would be read back as a line feed.
    return text if _is_plain(text) else escape(replace_illegal(text), {"\r": "&#13;"})


def _is_plain(text: str) -> bool:
    """Whether there is nothing to escape, as in nearly all texts; the check is faster than escaping."""
    return text.isprintable() and not ("&" in text or "<" in text or ">" in text)
