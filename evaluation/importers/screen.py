"""Checks that every item passes, whatever its format, and the warnings that a manager should see.

Faults: an empty side, a text too long to align in bounded time, characters that cannot be stored, a system
twice, given phrases that do not fit. Warnings, each once with its number of places: a system that gives its
name away in its own output, identical outputs, direction overrides, signs of a broken encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from evaluation.importers.decode import CONTROL
from evaluation.importers.links import tokens
from evaluation.importers.model import Candidate, ImportedItem, ImportedJudgement, Record
from evaluation.importers.reading import Reading, shown

_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BROKEN = re.compile("[\ufffd\x80-\x84\x86-\x9f]")


def screened(records: Iterable[Record], reading: Reading) -> Iterator[Record]:
    """The records that may go on; faults and warnings go to ``reading``. Runs in every pass."""
    for record in records:
        if isinstance(record, ImportedJudgement):
            yield record
            continue
        _check_names(record, reading)
        for what, text in _texts(record):
            # Printable text of moderate length is nearly everything, and has nothing that we look for.
            if len(text) > reading.limits.max_tokens or not text.isprintable() or "\ufffd" in text:
                _check_text(text, what, record, reading)
        _check_phrases(record, reading)
        _warn(record, reading)
        if not _is_empty(record, reading):
            yield record


def _check_names(item: ImportedItem, reading: Reading) -> None:
    cap = reading.limits.max_name
    systems = item.systems
    for what, name in (("id", item.id), ("document", item.document), *(("system", s) for s in systems)):
        if not (name.isprintable() and len(name) <= cap and name.strip()) and (name or what != "document"):
            _check_name(name, what, item, reading)
    if len(set(systems)) < len(systems):
        twice = next(system for system in systems if systems.count(system) > 1)
        reading.fault(
            "duplicate_system",
            f"{shown(twice)!r} translates the item {shown(item.id)!r} twice",
            "keep one translation per system",
            item.place,
        )


def _check_name(name: str, what: str, item: ImportedItem, reading: Reading) -> None:
    cap = reading.limits.max_name
    if len(name) > cap:
        reading.fault(
            "field_too_long",
            f"the {what} has {len(name):,} characters",
            f"use at most {cap}",
            item.place,
            name,
        )
    elif not name.strip():
        reading.fault("schema", f"the {what} is empty", f"give each {what} a name", item.place)
    elif "\n" in name or "\t" in name:
        reading.fault(
            "control_char", f"the {what} runs over lines or cells", "use one line", item.place, name
        )
    _check_characters(name, what, item, reading)


def _check_text(text: str, what: str, item: ImportedItem, reading: Reading) -> None:
    limits = reading.limits
    if len(text) > limits.max_field:
        code, cap = "field_too_long", f"{limits.max_field:,} characters"
    elif len(text) > limits.max_characters:
        code, cap = "too_long", f"{limits.max_characters:,} characters"
    elif len(text) > limits.max_tokens and len(text.split()) > limits.max_tokens:
        code, cap = "too_long", f"{limits.max_tokens:,} words"
    else:
        _check_characters(text, what, item, reading)
        _warn_characters(text, what, item, reading)
        return
    reading.fault(code, f"the {what} has more than {cap}", "split it into sentences", item.place, text)


def _check_characters(text: str, what: str, item: ImportedItem, reading: Reading) -> None:
    """What an escape such as ``\\u0000`` can bring in after the bytes were found clean."""
    for pattern, code, kind in (
        (CONTROL, "control_char", "control character"),
        (_SURROGATE, "bad_unicode", "half character"),
    ):
        found = pattern.search(text)
        if found:
            said = f"the {shown(what)} contains the {kind} U+{ord(found.group()):04X}"
            reading.fault(code, said, "remove it", item.place)


def _warn_characters(text: str, what: str, item: ImportedItem, reading: Reading) -> None:
    if _BIDI.search(text):
        reading.warn(
            "bidi_control",
            f"the {shown(what)} contains characters that override the writing direction",
            "they are kept and shown isolated",
            item.place,
        )
    if _BROKEN.search(text):
        reading.warn(
            "broken_encoding",
            f"the {shown(what)} contains characters that a wrong conversion leaves behind",
            "look whether the file was converted to UTF-8 correctly",
            item.place,
        )


def _check_phrases(item: ImportedItem, reading: Reading) -> None:
    """Given phrases must lie inside the two sentences and not overlap."""
    for pair in item.phrases:
        for side, spans in (
            (pair.a, [phrase.a for phrase in pair.phrases if phrase.a]),
            (pair.b, [phrase.b for phrase in pair.phrases if phrase.b]),
        ):
            if side not in item.systems:
                reading.fault(
                    "unknown_system",
                    f"the phrases are about {shown(side)!r}, which has no translation here",
                    "name two candidates of the item",
                    item.place,
                )
                continue
            size = len(tokens(item.text(side)))
            spans.sort()
            if any(end > start for (_, end), (start, _) in pairwise(spans)) or (
                spans and spans[-1][1] > size
            ):
                reading.fault(
                    "phrase_span",
                    f"the phrases of {shown(side)!r} overlap or leave its {size} tokens",
                    "give spans [start, end) that do not overlap",
                    item.place,
                )


def _is_empty(item: ImportedItem, reading: Reading) -> bool:
    """Whether the item is to be left out because a side is empty."""
    empty = [what for what, text in _texts(item) if not text.strip()]
    above = any(text.strip() for text in (item.source, *item.references))
    if above and not empty:
        return False
    if reading.options.empty == "refuse":
        lacks = f"the {shown(empty[0])} of item {shown(item.id)!r} is empty" if empty else ""
        reading.fault(
            "empty_segment",
            lacks or f"item {shown(item.id)!r} has neither source nor reference",
            "fill it, or choose to keep or skip items with an empty side",
            item.place,
        )
    else:
        done = "left out" if reading.options.empty == "skip" else "kept as it is"
        what = f"an empty {shown(empty[0])}" if empty else "neither source nor reference"
        reading.warn("empty_segment", f"an item with {what} is {done}", "", item.place)
    return reading.options.empty == "skip"


def _texts(item: ImportedItem) -> list[tuple[str, str]]:
    """Every text of the item with what it is; an absent source or context is no text."""
    texts = [("source", item.source)] if item.source else []
    texts += [("reference", reference) for reference in item.references]
    texts += [(f"translation by {system}", text) for system, text in item.candidates]
    texts += [(what, text) for what, text in (("context", item.before), ("context", item.after)) if text]
    return texts


def _warn(item: ImportedItem, reading: Reading) -> None:
    for candidate in item.candidates:
        if _gives_itself_away(candidate):
            reading.warn(
                "system_name_in_text",
                f"the output of {shown(candidate.system)!r} contains that name",
                "annotators may recognise the system; rename it or edit the text",
                item.place,
                candidate.system,
            )
    if len({candidate.text for candidate in item.candidates}) < len(item.candidates):
        reading.warn(
            "identical_outputs",
            "systems gave the same translation",
            "it is judged once and credited to each of them",
            item.place,
        )


def _gives_itself_away(candidate: Candidate) -> bool:
    """Whether a system's name, three characters or more, is a word of its own output."""
    name, text = candidate.system.casefold(), candidate.text.casefold()
    if len(name) < 3 or name not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
