"""Files become items: one module per format behind ``FORMATS``, one checked result whatever the file was.

``read`` goes over the files once, from the first byte to the last, and either raises ``InputError`` with
every fault it found (up to a cap), each with file, line, column and remedy, or returns an ``ImportedSet``
whose items are read again whenever they are iterated. Nothing else comes out, whatever the bytes are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.importers.detect import FORMATS, Format, detect
from evaluation.importers.items import Census, screened
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
)
from evaluation.importers.parallel import guess_role
from evaluation.importers.reading import Options, Reading
from evaluation.importers.source import BROWSER, COMMAND_LINE, Limits, Role, SourceFile, with_safe_names

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
    reading = Reading(with_safe_names(files), limits, options or Options())
    reading.stop_if_faulty()
    chosen = detect(reading) if format == "auto" else FORMATS[format]
    census = Census(reading)
    for record in screened(chosen.read(reading), reading):
        census.add(record)
    digest = census.finish()
    return ImportedSet(
        format=chosen.name,
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


def _again(chosen: Format, first: Reading) -> Iterator[ImportedItem]:
    reading = first.again()
    for record in screened(chosen.read(reading), reading):
        if isinstance(record, ImportedItem):
            yield record
