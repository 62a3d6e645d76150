"""Importers: one module per format behind ``FORMATS``, one checked result whatever the files are.

``read`` goes over the files once, from the first byte to the last. It either raises ``InputError`` with all
problems (up to a limit), each with file, line, column and remedy, or returns an ``ImportedSet`` whose items
are read again whenever they are iterated. No bytes cause any other exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appraise.lib.problems import InputError, Problem
from evaluation.importers.archives import unpack_directory
from evaluation.importers.checks import DatasetChecks, check_items
from evaluation.importers.detection import FORMATS as FORMATS, ImportFormat, assign_formats, refuse_blank
from evaluation.importers.evidence_sets import (
    EVIDENCE_FORMATS as EVIDENCE_FORMATS,
    find_evidence_format,
    read_evidence_set,
)
from evaluation.importers.links import attach_links
from evaluation.importers.model import (
    BROWSER as BROWSER,
    COMMAND_LINE as COMMAND_LINE,
    FileRole as FileRole,
    GivenPhrase as GivenPhrase,
    ImportedCandidate as ImportedCandidate,
    ImportedItem as ImportedItem,
    ImportedJudgement as ImportedJudgement,
    ImportedSet as ImportedSet,
    Items as Items,
    JudgementMeasure as JudgementMeasure,
    Limits as Limits,
    PairLinks as PairLinks,
    PairPhrases as PairPhrases,
    Record,
    SourceFile as SourceFile,
    SourcePosition as SourcePosition,
    with_safe_names,
)
from evaluation.importers.parallel import guess_role as guess_role, strip_shared_parts as strip_shared_parts
from evaluation.importers.state import ImportOptions as ImportOptions, ImportState

_Plan = list[tuple[ImportFormat, list[SourceFile]]]


def read(
    files: Sequence[SourceFile],
    *,
    format: str = "auto",
    limits: Limits = BROWSER,
    options: ImportOptions | None = None,
) -> ImportedSet:
    """Read and check the files completely; ``format`` is ``auto`` or a name of one of the two registries.

    >>> table = b"id\\tsource\\tone\\ttwo\\n1\\tGuten Tag\\tHello\\tGood day\\n"
    >>> imported = read([SourceFile.from_bytes("greetings.tsv", table)])
    >>> imported.format, len(imported.items), imported.systems
    ('tsv', 1, ('one', 'two'))
    >>> [item.text("two") for item in imported.items]
    ['Good day']
    """
    files = [member for file in files for member in unpack_directory(file, limits)]
    if form := find_evidence_format(files, format, limits):
        return read_evidence_set(form, files, limits, options or ImportOptions())
    state = _start(files, limits, options)
    plan = _select_format(state, format)
    checks = DatasetChecks(state, is_comparable=state.options.one_system)
    for record in _read_records(plan, state):
        checks.add(record)
    digest = checks.finish()
    return ImportedSet(
        format=plan[0][0].name,
        items=Items(checks.count, lambda: _read_items(plan, state.restart())),
        systems=tuple(checks.systems),
        digest=digest,
        source_language=state.source_language,
        target_language=state.target_language,
        name=state.name,
        incomplete=checks.is_incomplete,
        judgements=tuple(checks.judgements),
        warnings=state.list_warnings(),
    )


def detect(files: Sequence[SourceFile], *, limits: Limits = BROWSER) -> ImportFormat:
    """Return the format of the files by their content; raise ``InputError`` if there is none or several."""
    return assign_formats(_start(files, limits, None))[0][0]


def _start(files: Sequence[SourceFile], limits: Limits, options: ImportOptions | None) -> ImportState:
    state = ImportState(with_safe_names(files), limits, options or ImportOptions())
    state.raise_problems()
    refuse_blank(state)
    return state


def _select_format(state: ImportState, name: str) -> _Plan:
    if name == "auto":
        return assign_formats(state)
    if name not in FORMATS:
        remedy = f"choose one of {', '.join(FORMATS)}"
        raise InputError(Problem("unknown_format", f"{name!r} is not a format", remedy))
    return [(FORMATS[name], [file for file in state.files if file.role is not FileRole.ALIGNMENTS])]


def _read_records(plan: _Plan, state: ImportState) -> Iterator[Record]:
    """Yield all accepted records, items first and with their links."""
    for number, (form, files) in enumerate(plan):
        records = form.read(files, state)
        if number == 0:
            records = attach_links(records, state, by_line=form.name == "text")
        yield from check_items(records, state)


def _read_items(plan: _Plan, state: ImportState) -> Iterator[ImportedItem]:
    return (record for record in _read_records(plan, state) if isinstance(record, ImportedItem))
