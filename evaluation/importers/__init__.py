"""Files become items: one module per format behind ``FORMATS``, one checked result whatever the file was.

``read`` goes over the files once, from the first byte to the last, and either raises ``InputError`` with
every fault it found (up to a cap), each with file, line, column and remedy, or returns an ``ImportedSet``
whose items are read again whenever they are iterated. Nothing else comes out, whatever the bytes are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.importers.alignments import aligned
from evaluation.importers.census import Census
from evaluation.importers.detect import FORMATS, Format, plan, refuse_blank
from evaluation.importers.model import (
    Candidate,
    GivenPhrase,
    ImportedItem,
    ImportedJudgement,
    ImportedSet,
    Items,
    Measure,
    PairLinks,
    PairPhrases,
    Place,
    Record,
)
from evaluation.importers.parallel import guess_role
from evaluation.importers.reading import Options, Reading
from evaluation.importers.screen import screened
from evaluation.importers.source import BROWSER, COMMAND_LINE, Limits, Role, SourceFile, with_safe_names
from evaluation.problems import InputError, Problem

Plan = list[tuple[Format, list[SourceFile]]]

__all__ = [
    "BROWSER",
    "COMMAND_LINE",
    "FORMATS",
    "Candidate",
    "Format",
    "GivenPhrase",
    "ImportedItem",
    "ImportedJudgement",
    "ImportedSet",
    "Items",
    "Limits",
    "Measure",
    "Options",
    "PairLinks",
    "PairPhrases",
    "Place",
    "Role",
    "SourceFile",
    "detect",
    "guess_role",
    "read",
]


def read(
    files: Sequence[SourceFile],
    *,
    format: str = "auto",
    limits: Limits = BROWSER,
    options: Options | None = None,
) -> ImportedSet:
    """Read and check the files completely; ``format`` is a name of ``FORMATS`` or ``auto``.

    >>> table = b"id\\tsource\\tone\\ttwo\\n1\\tGuten Tag\\tHello\\tGood day\\n"
    >>> found = read([SourceFile.from_bytes("greetings.tsv", table)])
    >>> found.format, len(found.items), found.systems
    ('tsv', 1, ('one', 'two'))
    >>> [item.text("two") for item in found.items]
    ['Good day']
    """
    reading = _reading(files, limits, options)
    chosen = _plan(reading, format)
    census = Census(reading)
    for record in _records(chosen, reading):
        census.add(record)
    digest = census.finish()
    return ImportedSet(
        format=chosen[0][0].name,
        items=Items(census.count, lambda: _again(chosen, reading)),
        systems=tuple(census.systems),
        digest=digest,
        source_language=reading.source_language,
        target_language=reading.target_language,
        name=reading.name,
        incomplete=census.is_incomplete,
        judgements=tuple(census.judgements),
        warnings=reading.warned(),
    )


def detect(files: Sequence[SourceFile], *, limits: Limits = BROWSER) -> Format:
    """The format of the files, from their content; InputError if they can be none or are of several."""
    return plan(_reading(files, limits, None))[0][0]


def _reading(files: Sequence[SourceFile], limits: Limits, options: Options | None) -> Reading:
    reading = Reading(with_safe_names(files), limits, options or Options())
    reading.stop_if_faulty()
    refuse_blank(reading)
    return reading


def _plan(reading: Reading, name: str) -> Plan:
    if name == "auto":
        return plan(reading)
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise InputError(Problem("unknown_format", f"{name!r} is no format", f"choose one of {known}"))
    return [(FORMATS[name], [file for file in reading.files if file.role is not Role.ALIGNMENTS])]


def _records(chosen: Plan, reading: Reading) -> Iterator[Record]:
    """Everything in the files, items first with their links, checked one by one."""
    for number, (form, files) in enumerate(chosen):
        records = form.read(files, reading)
        if number == 0:
            records = aligned(records, reading, by_line=form.name == "text")
        yield from screened(records, reading)


def _again(chosen: Plan, first: Reading) -> Iterator[ImportedItem]:
    for record in _records(chosen, first.again()):
        if isinstance(record, ImportedItem):
            yield record
