"""Checks over all items together: repeated ids, missing systems, and the digest of the whole set."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import NoReturn

from evaluation.importers.model import ImportedItem, ImportedJudgement, Place, Record
from evaluation.importers.reading import Reading, shown


@dataclass(slots=True)
class Census:
    """Checks over all items together: ``add`` each, then ``finish``."""

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

    def finish(self) -> str:
        """Report what is wrong with the whole; the digest of the content."""
        here = Place(self.reading.files[0].name)
        if not self.count and not self.reading.problems:
            self.reading.refuse("no_items", "the file has no items", "choose a file with sentences", here)
        self.reading.stop_if_faulty()  # further checks would only repeat the faults found so far
        if not self.reading.incomplete:
            self._check_missing()
        self._check_judgements()
        if not self.comparable:
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
