"""Checks that every item passes, whatever its format, and the warnings that a manager should see.

Faults: an empty side, a text too long to align in bounded time, characters that cannot be stored, an id or a
system twice, a system that is missing. Warnings, each once with its number of places: a system that gives its
name away in its own output, identical outputs, direction overrides, signs of a broken encoding.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

from evaluation.importers.decode import CONTROL
from evaluation.importers.model import Candidate, ImportedItem, ImportedJudgement, Place, Record
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
        _check_texts(record, reading)
        if not _is_empty(record, reading):
            yield record


@dataclass(slots=True)
class Census:
    """What can only be said about all items together. ``add`` each, then ``finish``."""

    reading: Reading
    count: int = 0
    judgements: list[ImportedJudgement] = field(default_factory=list)
    systems: dict[str, int] = field(default_factory=dict)
    comparable: bool = False
    _ids: dict[str, Place] = field(default_factory=dict)
    _signatures: dict[tuple[str, ...], list[ImportedItem]] = field(default_factory=dict)
    _sizes: dict[tuple[str, ...], int] = field(default_factory=dict)
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def add(self, record: Record) -> None:
        limits = self.reading.limits
        if isinstance(record, ImportedJudgement):
            self.judgements.append(record)
            if len(self.judgements) > limits.max_judgements:
                _refuse_too_many("judgements", limits.max_judgements, record.place, self.reading)
            return
        self.count += 1
        if self.count > limits.max_items:
            _refuse_too_many("items", limits.max_items, record.place, self.reading)
        self._check_id(record)
        self._note_systems(record)
        self._hash.update(_content(record))
        _warn(record, self.reading)

    def finish(self) -> str:
        """Report what is wrong with the whole; the digest of the content."""
        here = Place(self.reading.files[0].name)
        if not self.count and not self.reading.problems:
            self.reading.refuse("no_items", "the file has no items", "choose a file with sentences", here)
        if not self.reading.incomplete:
            self._check_missing()
        self._check_judgements()
        if self.count and not self.comparable:
            self.reading.fault(
                "too_few_systems",
                "no item has translations by two systems",
                "add the output of a second system",
                here,
            )
        self.reading.stop_if_faulty()
        self._hash.update(f"{self.reading.source_language}\x1f{self.reading.target_language}".encode())
        for judgement in self.judgements:
            self._hash.update(repr(replace(judgement, place=Place(""))).encode())
        return self._hash.hexdigest()

    @property
    def is_incomplete(self) -> bool:
        return len(self._sizes) > 1

    def _check_id(self, item: ImportedItem) -> None:
        first = self._ids.setdefault(item.id, item.place)
        if first is not item.place:
            self.reading.fault(
                "duplicate_id",
                f"the id {shown(item.id)!r} was used before, at {first}",
                "give each item its own id",
                item.place,
            )

    def _note_systems(self, item: ImportedItem) -> None:
        for system in item.systems:
            self.systems[system] = self.systems.get(system, 0) + 1
        if len(self.systems) > self.reading.limits.max_systems:
            _refuse_too_many("systems", self.reading.limits.max_systems, item.place, self.reading)
        self.comparable = self.comparable or len(item.systems) > 1
        signature = tuple(sorted(item.systems))
        self._sizes[signature] = self._sizes.get(signature, 0) + 1
        examples = self._signatures.setdefault(signature, [])
        if len(examples) < self.reading.limits.max_problems and len(self._signatures) < 1000:
            examples.append(item)

    def _check_missing(self) -> None:
        """Every item should have the systems that most items have."""
        if len(self._sizes) < 2:
            return
        usual = set(max(self._sizes.items(), key=lambda entry: (entry[1], len(entry[0])))[0])
        odd = [item for key, items in self._signatures.items() if set(key) != usual for item in items]
        for item in sorted(odd, key=lambda item: (item.place.file, item.place.line or 0)):
            missing, extra = usual - set(item.systems), set(item.systems) - usual
            said = [f"no translation by {shown(name)!r}" for name in sorted(missing)]
            said += [f"{shown(name)!r}, which other items lack" for name in sorted(extra)]
            self.reading.fault(
                "missing_system",
                f"the item {shown(item.id)!r} has {' and '.join(said[:5])}",
                "add the translation, correct the name, or allow incomplete items",
                item.place,
            )

    def _check_judgements(self) -> None:
        for judgement in self.judgements:
            if judgement.item not in self._ids:
                self.reading.fault(
                    "unknown_item",
                    f"no item has the id {shown(judgement.item)!r}",
                    "use the ids of the items file",
                    judgement.place,
                )
            for system in judgement.systems:
                if system not in self.systems:
                    self.reading.fault(
                        "unknown_system",
                        f"no item has a translation by {shown(system)!r}",
                        "use the names of the items file",
                        judgement.place,
                    )


def _refuse_too_many(what: str, cap: int, place: Place, reading: Reading) -> NoReturn:
    reading.refuse("too_many_items", f"there are more than {cap:,} {what}", "split the import", place)


def _content(item: ImportedItem) -> bytes:
    """The item without its place, in one canonical form."""
    parts = [item.id, item.document, item.source, item.references, item.candidates, item.before, item.after]
    return json.dumps([*parts, item.links, item.phrases], separators=(",", ":")).encode() + b"\n"


def _check_names(item: ImportedItem, reading: Reading) -> None:
    cap = reading.limits.max_name
    for what, name in (("id", item.id), ("document", item.document), *(("system", s) for s in item.systems)):
        if len(name) > cap:
            reading.fault(
                "field_too_long",
                f"the {what} has {len(name):,} characters",
                f"use at most {cap}",
                item.place,
                name,
            )
        elif not name.strip() and what != "document":
            reading.fault("schema", f"the {what} is empty", f"give each {what} a name", item.place)
        _check_characters(name, what, item, reading)
        if "\n" in name or "\t" in name:
            reading.fault(
                "control_char", f"the {what} runs over lines or cells", "use one line", item.place, name
            )
    seen: set[str] = set()
    for system in item.systems:
        if system in seen:
            reading.fault(
                "duplicate_system",
                f"{shown(system)!r} translates the item {shown(item.id)!r} twice",
                "keep one translation per system",
                item.place,
            )
        seen.add(system)


def _check_texts(item: ImportedItem, reading: Reading) -> None:
    limits = reading.limits
    for what, text in _texts(item):
        if len(text) > limits.max_field:
            code, cap = "field_too_long", f"{limits.max_field:,} characters"
        elif len(text) > limits.max_characters:
            code, cap = "too_long", f"{limits.max_characters:,} characters"
        elif len(text) > limits.max_tokens and len(text.split()) > limits.max_tokens:
            code, cap = "too_long", f"{limits.max_tokens:,} words"
        else:
            _check_characters(text, what, item, reading)
            continue
        reading.fault(code, f"the {what} has more than {cap}", "split it into sentences", item.place, text)


def _check_characters(text: str, what: str, item: ImportedItem, reading: Reading) -> None:
    """What an escape such as ``\\u0000`` can bring in after the bytes were found clean."""
    for pattern, code, kind in (
        (CONTROL, "control_char", "control character"),
        (_SURROGATE, "bad_unicode", "half character"),
    ):
        found = pattern.search(text)
        if found:
            reading.fault(
                code, f"the {what} contains the {kind} U+{ord(found.group()):04X}", "remove it", item.place
            )


def _is_empty(item: ImportedItem, reading: Reading) -> bool:
    """Whether the item is to be left out because a side is empty."""
    empty = [what for what, text in _texts(item) if not text.strip()]
    if not item.source.strip() and not any(reference.strip() for reference in item.references):
        empty.append("source")
    if not empty:
        return False
    if reading.options.empty == "refuse":
        reading.fault(
            "empty_segment",
            f"the {empty[0]} of item {shown(item.id)!r} is empty",
            "fill it, or choose to keep or skip items with an empty side",
            item.place,
        )
    else:
        done = "left out" if reading.options.empty == "skip" else "kept as it is"
        reading.warn("empty_segment", f"an item with an empty {empty[0]} is {done}", "", item.place)
    return reading.options.empty == "skip"


def _texts(item: ImportedItem) -> Iterator[tuple[str, str]]:
    if item.source:
        yield "source", item.source
    for reference in item.references:
        yield "reference", reference
    for candidate in item.candidates:
        yield f"translation by {shown(candidate.system, 40)}", candidate.text
    for what, text in (("context before", item.before), ("context after", item.after)):
        if text:
            yield what, text


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
    for what, text in _texts(item):
        if text.isascii():
            continue
        if _BIDI.search(text):
            reading.warn(
                "bidi_control",
                f"the {what} contains characters that override the writing direction",
                "they are kept and shown isolated",
                item.place,
            )
        if _BROKEN.search(text):
            reading.warn(
                "broken_encoding",
                f"the {what} contains characters that a wrong conversion leaves behind",
                "look whether the file was converted to UTF-8 correctly",
                item.place,
            )


def _gives_itself_away(candidate: Candidate) -> bool:
    """Whether a system's name, three characters or more, is a word of its own output."""
    name, text = candidate.system.casefold(), candidate.text.casefold()
    if len(name) < 3 or name not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
