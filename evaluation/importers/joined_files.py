"""Items whose texts are in several files: one per system, joined by their ids or their sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from appraise.lib.problems import shorten
from evaluation.importers.model import FileRole, ImportedCandidate, ImportedItem, SourceFile, SourcePosition
from evaluation.importers.parallel import assign_roles
from evaluation.importers.state import ImportState, make_unique_id


class TranslatedUnit(NamedTuple):
    """A source with its translation in one file."""

    id: str
    document: str
    source: str
    target: str
    position: SourcePosition


@dataclass(slots=True)
class _ItemParts:
    first: TranslatedUnit
    candidates: list[ImportedCandidate] = field(default_factory=list)
    references: list[str] = field(default_factory=list)


def join_files(
    files: Sequence[SourceFile], state: ImportState, units_of: Iterable[list[TranslatedUnit]]
) -> Iterator[ImportedItem]:
    """Yield the items of files that each contain the translations of one system, or a reference.

    Units with the same id are one item if they have the same source in every file. Otherwise the ids are not
    those of the text, and units are joined by source: the second of equal sources with the second.
    """
    assigned = assign_roles(files)
    units = [_check_count(found, state) for found in units_of]
    by_id = _have_common_ids(units)
    parts_of: dict[tuple[object, ...], _ItemParts] = {}
    for file, translated in zip(assigned, units, strict=True):
        occurrences: Counter[str] = Counter()
        for unit in translated:
            occurrences[unit.source] += 1
            key = (unit.document, unit.id) if by_id else (unit.source, occurrences[unit.source])
            parts = parts_of.setdefault(key, _ItemParts(unit))
            if file.role is FileRole.REFERENCE:
                parts.references.append(unit.target)
            elif file.role is FileRole.SYSTEM:
                parts.candidates.append(ImportedCandidate(file.systems[0], unit.target))
    used: dict[str, int] = {}
    for parts in parts_of.values():
        first, identity = parts.first, make_unique_id(parts.first.id, used)
        yield ImportedItem(
            identity,
            first.source,
            tuple(parts.candidates),
            first.position,
            first.document,
            tuple(parts.references),
        )


def _check_count(units: list[TranslatedUnit], state: ImportState) -> list[TranslatedUnit]:
    if len(units) > state.limits.max_items:
        state.refuse_excess("items", state.limits.max_items, units[-1].position)
    return units


def _have_common_ids(units: Sequence[Sequence[TranslatedUnit]]) -> bool:
    """Whether ids are unique in each file and mean the same source in all files."""
    source_of: dict[tuple[str, str], str] = {}
    for translated in units:
        if len({(unit.document, unit.id) for unit in translated}) < len(translated):
            return False
        for unit in translated:
            if source_of.setdefault((unit.document, unit.id), unit.source) != unit.source:
                return False
    return True


def report_missing(state: ImportState, what: str, position: SourcePosition) -> None:
    message, remedy = f"{shorten(what)} is missing", "export the file again, with source and translation"
    state.report("unknown_schema", message, remedy, position)
