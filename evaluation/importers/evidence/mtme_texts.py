"""Sources, references, documents and outputs of a directory of mt-metrics-eval."""

from __future__ import annotations

import codecs

from evaluation.assessments.values import DocumentLabel, ParallelTexts
from evaluation.importers.decode import head, lines
from evaluation.importers.evidence.mtme_files import MtmeFiles
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState


def read_parallel_texts(files: MtmeFiles) -> ParallelTexts:
    """Read all texts; every file must have as many lines as the source."""
    state = files.start()
    sources = _read_lines(files.files[f"sources/{files.language_pair}.txt"], state, None)
    texts = {
        folder: {
            name.removesuffix(".txt"): _read_lines(file, state, len(sources))
            for name, file in files.list_names(folder, (".txt",)).items()
        }
        for folder in ("references", "system-outputs")
    }
    documents = _read_documents(files, state, len(sources))
    state.raise_problems()
    return ParallelTexts(
        files.language_pair, sources, texts["system-outputs"], texts["references"], documents
    )


def _read_lines(file: SourceFile, state: ImportState, expected: int | None) -> tuple[str, ...]:
    """Read the lines of a text, with its byte order mark: published offsets count it as a character."""
    mark = codecs.BOM_UTF8 if head(file, state, len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else b""
    rows = (line for _, line in lines(file, state, cr_ends=False))
    segments = tuple(mark.decode() + line if place == 0 else line for place, line in enumerate(rows))
    if expected is not None and len(segments) != expected:
        message = f"the file has {len(segments):,} lines, the source text {expected:,}"
        state.report("line_count", message, "line i must be segment i", _last(file, segments))
    return segments


def _read_documents(files: MtmeFiles, state: ImportState, expected: int) -> tuple[DocumentLabel, ...]:
    file = files.files.get(f"documents/{files.language_pair}.docs")
    if file is None:
        return ()
    labels = []
    for number, line in lines(file, state, cr_ends=False):
        cells = line.split("\t")
        if len(cells) != 2:
            message = f"the row has {len(cells)} columns, not 2"
            remedy = "write the domain, a tab and the document"
            state.report("column_count", message, remedy, SourcePosition(file.name, number), line)
            cells = ["", ""]
        labels.append(DocumentLabel(*cells))
    if len(labels) != expected:
        message = f"the file has {len(labels):,} lines, the source text {expected:,}"
        state.report("line_count", message, "name the document of every segment", _last(file, labels))
    return tuple(labels)


def _last(file: SourceFile, rows: tuple[str, ...] | list[DocumentLabel]) -> SourcePosition:
    return SourcePosition(file.name, len(rows) or None)
