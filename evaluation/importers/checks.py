"""Checks of single items and of the whole dataset, whatever the format.

``check_items`` reports empty sides, texts that are too long to align, characters that cannot be stored, a
system that occurs twice in an item, and given phrases outside the text. It warns (once, with the number of
occurrences) of system names in their own output, identical outputs, direction overrides and signs of a broken
encoding. ``DatasetChecks`` reports repeated ids and missing systems, and computes the digest of the content.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from appraise.lib.problems import shorten
from evaluation.importers.decode import CONTROL
from evaluation.importers.links import split_tokens
from evaluation.importers.model import (
    ImportedCandidate,
    ImportedItem,
    ImportedJudgement,
    Record,
    SourcePosition,
)
from evaluation.importers.state import ImportState
from evaluation.tokens import offsets

_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BROKEN = re.compile("[\ufffd\x80-\x84\x86-\x9f]")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?%?")
_MAX_SIGNATURES = 1000  # sets of systems of which example items are kept


def check_items(records: Iterable[Record], state: ImportState) -> Iterator[Record]:
    """Yield the accepted records; problems and warnings go to ``state``. Runs in every pass."""
    for record in records:
        if isinstance(record, ImportedJudgement):
            yield record
            continue
        _check_names(record, state)
        for what, text in _list_texts(record):
            # Nearly all texts are printable and of moderate length, and need no closer look.
            if len(text) > state.limits.max_tokens or not text.isprintable() or "\ufffd" in text:
                _check_text(text, what, record, state)
        _check_phrases(record, state)
        _warn_of_outputs(record, state)
        if not _is_skipped(record, state):
            yield record


def _check_names(item: ImportedItem, state: ImportState) -> None:
    most, systems = state.limits.max_name, item.systems
    for what, name in (("id", item.id), ("document", item.document), *(("system", s) for s in systems)):
        if not (name.isprintable() and len(name) <= most and name.strip()) and (name or what != "document"):
            _check_name(name, what, item, state)
    if len(set(systems)) < len(systems):
        twice = next(system for system in systems if systems.count(system) > 1)
        message = f"{shorten(twice)!r} has two translations of the item {shorten(item.id)!r}"
        state.report("duplicate_system", message, "keep one translation per system", item.position)


def _check_name(name: str, what: str, item: ImportedItem, state: ImportState) -> None:
    most = state.limits.max_name
    if len(name) > most:
        message = f"the {what} has {len(name):,} characters"
        state.report("field_too_long", message, f"use at most {most}", item.position, name)
    elif not name.strip():
        state.report("schema", f"the {what} is empty", f"give each {what} a name", item.position)
    elif "\n" in name or "\t" in name:
        message = f"the {what} contains a line break or a tab"
        state.report("control_char", message, "use one line", item.position, name)
    _check_characters(name, what, item, state)


def _check_text(text: str, what: str, item: ImportedItem, state: ImportState) -> None:
    limits = state.limits
    if len(text) > limits.max_field:
        code, most = "field_too_long", f"{limits.max_field:,} characters"
    elif len(text) > limits.max_characters:
        code, most = "too_long", f"{limits.max_characters:,} characters"
    elif len(text.split()) > limits.max_tokens:
        code, most = "too_long", f"{limits.max_tokens:,} words"
    elif len(offsets(text)) > limits.max_marks:
        code, most = "too_long", f"{limits.max_marks:,} words and other signs"
    else:
        _check_characters(text, what, item, state)
        _warn_of_characters(text, what, item, state)
        return
    state.report(code, f"the {what} has more than {most}", "split it into sentences", item.position, text)


def _check_characters(text: str, what: str, item: ImportedItem, state: ImportState) -> None:
    """Report characters that an escape such as ``\\u0000`` can introduce after the bytes were checked."""
    for pattern, code, kind in (
        (CONTROL, "control_char", "control character"),
        (_SURROGATE, "bad_unicode", "lone surrogate"),
    ):
        match = pattern.search(text)
        if match:
            message = f"the {shorten(what)} contains the {kind} U+{ord(match.group()):04X}"
            state.report(code, message, "remove it", item.position)


def _warn_of_characters(text: str, what: str, item: ImportedItem, state: ImportState) -> None:
    if _BIDI.search(text):
        message = f"the {shorten(what)} contains characters that override the writing direction"
        state.warn("bidi_control", message, "they are kept and displayed in isolation", item.position)
    if _BROKEN.search(text):
        message = f"the {shorten(what)} contains characters that a wrong conversion leaves behind"
        remedy = "check that the file was converted to UTF-8 correctly"
        state.warn("broken_encoding", message, remedy, item.position)


def _check_phrases(item: ImportedItem, state: ImportState) -> None:
    """Check that given phrases are inside the two sentences and do not overlap."""
    for pair in item.phrases:
        for side, spans in (
            (pair.a, [phrase.a for phrase in pair.phrases if phrase.a]),
            (pair.b, [phrase.b for phrase in pair.phrases if phrase.b]),
        ):
            if side not in item.systems:
                message = f"the phrases are about {shorten(side)!r}, which has no translation here"
                state.report("unknown_system", message, "name two candidates of the item", item.position)
                continue
            size = len(split_tokens(item.text(side)))
            spans.sort()
            overlap = any(end > start for (_, end), (start, _) in pairwise(spans))
            if overlap or (spans and spans[-1][1] > size):
                message = f"the phrases of {shorten(side)!r} overlap or exceed its {size} tokens"
                remedy = "give spans [start, end) that do not overlap"
                state.report("phrase_span", message, remedy, item.position)


def _is_skipped(item: ImportedItem, state: ImportState) -> bool:
    """Whether the item is skipped because a side is empty; report or warn of it as the options say."""
    empty = [what for what, text in _list_texts(item) if not text.strip()]
    if not empty and any(text.strip() for text in (item.source, *item.references)):
        return False
    if state.options.empty == "refuse":
        name = shorten(item.id)
        message = f"the {shorten(empty[0])} of item {name!r} is empty" if empty else ""
        message = message or f"item {name!r} has neither source nor reference"
        remedy = "fill it, or choose to keep or skip items with an empty side"
        state.report("empty_segment", message, remedy, item.position)
    else:
        outcome = "skipped" if state.options.empty == "skip" else "kept as it is"
        what = f"an empty {shorten(empty[0])}" if empty else "neither source nor reference"
        state.warn("empty_segment", f"an item with {what} is {outcome}", "", item.position)
    return state.options.empty == "skip"


def _list_texts(item: ImportedItem) -> list[tuple[str, str]]:
    """Return every text of the item with its description; an absent source or context is no text."""
    texts = [("source", item.source)] if item.source else []
    texts += [("reference", reference) for reference in item.references]
    texts += [(f"translation by {system}", text) for system, text in item.candidates]
    texts += [(f"damaged translation by {system}", text) for system, text in item.damaged]
    texts += [("context", text) for text in (item.before, item.after) if text]
    return texts


def _warn_of_outputs(item: ImportedItem, state: ImportState) -> None:
    for candidate in item.candidates:
        if _contains_system_name(candidate):
            message = f"the output of {shorten(candidate.system)!r} contains that name"
            remedy = "annotators may recognise the system; rename it or edit the text"
            state.warn("system_name_in_text", message, remedy, item.position, candidate.system)
    if len({candidate.text for candidate in item.candidates}) < len(item.candidates):
        remedy = "it is judged once and counts for each of them"
        state.warn("identical_outputs", "systems gave the same translation", remedy, item.position)


def _contains_system_name(candidate: ImportedCandidate) -> bool:
    """Whether a system's name of three characters or more is a word of its own output."""
    name, text = candidate.system.casefold(), candidate.text.casefold()
    if len(name) < 3 or name not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _list_numeric_outputs(item: ImportedItem) -> list[str]:
    """Return the systems that translated words by a number."""
    if any(_NUMBER.fullmatch(text.strip()) for text in (item.source, *item.references)):
        return []
    return [candidate.system for candidate in item.candidates if _NUMBER.fullmatch(candidate.text.strip())]


@dataclass(slots=True)
class DatasetChecks:
    """Checks over all items together: ``add`` each, then ``finish``."""

    state: ImportState
    count: int = 0
    judgements: list[ImportedJudgement] = field(default_factory=list)
    systems: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    is_comparable: bool = False
    _ids: dict[str, SourcePosition] = field(default_factory=dict)
    _examples: dict[tuple[str, ...], list[ImportedItem]] = field(default_factory=dict)
    _counts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def add(self, record: Record) -> None:
        limits = self.state.limits
        if isinstance(record, ImportedJudgement):
            self.judgements.append(record)
            if len(self.judgements) > limits.max_judgements:
                self.state.refuse_excess("judgements", limits.max_judgements, record.position)
            return
        self.count += 1
        if self.count > limits.max_items:
            self.state.refuse_excess("items", limits.max_items, record.position)
        self._check_id(record)
        self._count_systems(record)
        self._hash.update(_encode(_ITEM_CONTENT(record) + (record.damaged and (record.damaged,))))

    def finish(self) -> str:
        """Report what is wrong with the dataset; return the digest of its content."""
        position = SourcePosition(self.state.files[0].name)
        if not self.count and not self.state.problems:
            self.state.refuse("no_items", "the file has no items", "choose a file with sentences", position)
        self.state.raise_problems()  # further checks would only repeat these problems
        self._check_numbers(position)
        if not self.state.incomplete:
            self._check_missing()
        self._check_judgements()
        if not self.is_comparable:
            message = "no item has translations by two systems"
            remedy = "add the output of a second system, or ask for scores and error spans"
            self.state.report("too_few_systems", message, remedy, position)
        self.state.raise_problems()
        self._hash.update(f"{self.state.source_language}\x1f{self.state.target_language}".encode())
        for judgement in self.judgements:
            self._hash.update(_encode(_judgement_content(judgement)))
        return self._hash.hexdigest()

    @property
    def is_incomplete(self) -> bool:
        return len(self._counts) > 1

    def _check_id(self, item: ImportedItem) -> None:
        first = self._ids.setdefault(item.id, item.position)
        if first is not item.position:
            message = f"the id {shorten(item.id)!r} was used before, at {first}"
            self.state.report("duplicate_id", message, "give each item its own id", item.position)

    def _count_systems(self, item: ImportedItem) -> None:
        self.systems.update(item.systems)
        if len(self.systems) > self.state.limits.max_systems:
            self.state.refuse_excess("systems", self.state.limits.max_systems, item.position)
        self.numbers.update(_list_numeric_outputs(item))
        self.is_comparable = self.is_comparable or len(item.systems) > 1
        signature = tuple(sorted(item.systems))
        self._counts[signature] += 1
        examples = self._examples.setdefault(signature, [])
        if len(examples) < self.state.limits.max_problems and len(self._examples) < _MAX_SIGNATURES:
            examples.append(item)

    def _check_numbers(self, position: SourcePosition) -> None:
        """Report systems whose outputs are all numbers: scores or lengths in a column of their own."""
        for system, count in self.numbers.items():
            if count == self.systems[system] > 1:
                message = (
                    f"the {count:,} outputs of {shorten(system)!r} are numbers, and their sources are not"
                )
                remedy = "remove the column, or give the file with the translations"
                self.state.report("numeric_outputs", message, remedy, position)

    def _check_missing(self) -> None:
        """Report items whose systems are not those of most items."""
        if len(self._counts) < 2:
            return
        usual = set(max(self._counts.items(), key=lambda entry: (entry[1], len(entry[0])))[0])
        unusual = [item for key, items in self._examples.items() if set(key) != usual for item in items]
        for item in sorted(unusual, key=lambda item: (item.position.file, item.position.line or 0)):
            missing, extra = usual - set(item.systems), set(item.systems) - usual
            parts = [f"no translation by {shorten(name)!r}" for name in sorted(missing)]
            parts += [f"{shorten(name)!r}, which other items lack" for name in sorted(extra)]
            message = f"the item {shorten(item.id)!r} has {' and '.join(parts[:5])}"
            remedy = "add the translation, correct the name, or allow incomplete items"
            self.state.report("missing_system", message, remedy, item.position)

    def _check_judgements(self) -> None:
        for judgement in self.judgements:
            if judgement.item not in self._ids:
                message = f"no item has the id {shorten(judgement.item)!r}"
                self.state.report("unknown_item", message, "use the ids of the items", judgement.position)
            for system in judgement.systems:
                if system not in self.systems:
                    message = f"no item has a translation by {shorten(system)!r}"
                    remedy = "use the system names of the items"
                    self.state.report("unknown_system", message, remedy, judgement.position)


# What the digest of the content covers: everything but the position in the file.
_ITEM_CONTENT = attrgetter(
    "id", "document", "source", "references", "candidates", "before", "after", "links", "phrases"
)
_JUDGEMENT_CONTENT = attrgetter("annotator", "item", "systems", "phrase", "measure", "label", "value")


def _judgement_content(judgement: ImportedJudgement) -> tuple[object, ...]:
    # Without a name of the ranking the digest is that of files from before there were such names.
    named = (judgement.source_ranking,) if judgement.source_ranking else ()
    return (*_JUDGEMENT_CONTENT(judgement), *named)


def _encode(content: tuple[object, ...]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"
