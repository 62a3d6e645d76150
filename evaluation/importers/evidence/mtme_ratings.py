"""Error spans of a directory of mt-metrics-eval: ``SYSTEM<TAB>JSON``, one block of segments per system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from appraise.lib.problems import InputError, Problem, shorten
from evaluation.assessments.values import MarkedSpan, OutputRating, ParallelTexts, SpanSide
from evaluation.importers.evidence.mtme_files import RATING, MtmeFiles, read_cells
from evaluation.importers.evidence.mtme_scores import check_block, is_known_system
from evaluation.importers.json_values import JsonValue
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState
from evaluation.importers.strict_json import JsonReader

_REMEDY = 'write {"errors": [{"start", "end", "category", "severity", "score", "is_source_error"}]} or None'
_RATER = re.compile(r"(?P<name>.+)\.(?P<rater>rater\d+)")


def list_rating_names(files: MtmeFiles) -> list[str]:
    """The names under which there are rating files, without ``merged`` and without raters."""
    names = (path.removesuffix(RATING) for path in files.list_names("human-scores", (RATING,)))
    return list(dict.fromkeys(_base_name(name) for name in names))


def select_rating_files(files: MtmeFiles, name: str) -> dict[str, SourceFile]:
    """The rating files of a name by annotator: the plain one, else the merged one, else one per rater."""
    paths = files.list_names("human-scores", (RATING,))
    for path in (f"{name}{RATING}", f"{name}.merged{RATING}"):
        if path in paths:
            return {name: paths[path]}
    found = {}
    for path, file in paths.items():
        match = _RATER.fullmatch(path.removesuffix(RATING))
        if match and match["name"] == name:
            found[match["rater"]] = file
    return dict(sorted(found.items(), key=lambda entry: int(entry[0].removeprefix("rater"))))


def read_ratings(files: MtmeFiles, texts: ParallelTexts, name: str) -> Iterator[OutputRating]:
    """Yield the ratings of a name; ``InputError`` if it has no file."""
    selected = select_rating_files(files, name)
    if not selected:
        known = ", ".join(list_rating_names(files)) or "none"
        message = f"there are no error spans called {shorten(name)!r}"
        raise InputError(Problem("missing_file", message, f"names with error spans: {known}", "human-scores"))
    for annotator, file in selected.items():
        yield from read_rating_file(file, files.start(), texts, annotator)


def read_rating_file(
    file: SourceFile, state: ImportState, texts: ParallelTexts, annotator: str
) -> Iterator[OutputRating]:
    """Yield the ratings of one file; ``annotator`` made those whose row names nobody."""
    rows: Counter[str] = Counter()
    for line, cells in read_cells(file, state):
        position = SourcePosition(file.name, line)
        if len(cells) not in (2, 3):
            message = f"the row has {len(cells)} columns, not 2 or 3"
            remedy = "write the system, the rating and, if known, the rater"
            state.report("column_count", message, remedy, position, "\t".join(cells))
            continue
        system, text = cells[:2]
        if not is_known_system(system, texts, position, state):
            continue
        segment = rows[system]
        rows[system] += 1
        if segment >= len(texts):
            message = f"{shorten(system)!r} has {segment + 1:,} lines, the source text {len(texts):,}"
            state.report("duplicate_cell", message, "remove the surplus line", position)
        elif text != "None":
            reader = _ErrorReader(file, state, texts, system, segment)
            rater = cells[2].strip() if len(cells) == 3 else ""
            spans = reader.read(text, line, len(system) + 2)
            yield OutputRating(rater or annotator, system, segment, None, spans)
    for system, count in rows.items():
        check_block(system, count, texts, file, state)
    state.raise_problems()


class _ErrorReader:
    """Reads the errors of one cell and checks them against its texts."""

    def __init__(
        self, file: SourceFile, state: ImportState, texts: ParallelTexts, system: str, segment: int
    ) -> None:
        self._file, self._state = file, state
        outputs = texts.outputs.get(system) or texts.references[system]
        self._texts = {SpanSide.TARGET: outputs[segment], SpanSide.SOURCE: texts.sources[segment]}

    def read(self, text: str, line: int, column: int) -> tuple[MarkedSpan, ...]:
        reader = JsonReader(self._file, self._state, text, line, column)
        position = SourcePosition(self._file.name, line, column)
        value = JsonValue(reader.value(), "", position, self._state)
        reader.end()
        errors = value.at("errors")
        if not isinstance(errors.value, list):
            self._state.report("schema", "the rating has no list of errors", _REMEDY, position, text)
            return ()
        spans = [self._read_error(error) for error in errors.items()]
        return tuple(span for span in spans if span is not None)

    def _read_error(self, error: JsonValue) -> MarkedSpan | None:
        side = SpanSide.TARGET
        if error.at("is_source_error").value is not None and error.at("is_source_error").boolean():
            side = SpanSide.SOURCE
        weight = error.at("score")
        if weight.value is not None:
            weight.number()  # reports what is none; 5 and 1.0 stay as they are written
        severity, category = error.at("severity").text(), error.at("category").text("")
        offsets = read_offsets(error, self._texts[side])
        stated = weight.value if isinstance(weight.value, int | float) else None
        return None if offsets is None else MarkedSpan(severity, category, *offsets, side, stated)


def read_offsets(error: JsonValue, text: str) -> tuple[int | None, int | None] | None:
    """Read the offsets of an error, ``(None, None)`` for an omission; None if they are wrong.

    An omission has null, -1 or ``"missing"`` in both places.
    """
    start, end = error.at("start").value, error.at("end").value
    if start == end and start in (None, "missing"):
        return None, None
    first, last = error.at("start").integer(), error.at("end").integer()
    if first == last == -1:
        return None, None
    if 0 <= first <= last <= len(text):
        return first, last
    message = f"{error.pointer}: the error goes from {first} to {last}, the text has {len(text)} characters"
    remedy = "count characters from 0, and check that the rating belongs to this text"
    error.state.report("span_outside_text", message, remedy, error.position, text)
    return None


def _base_name(name: str) -> str:
    """The name without ``merged`` and without the rater.

    >>> _base_name("mqm.merged"), _base_name("mqm.rater2"), _base_name("esa")
    ('mqm', 'mqm', 'esa')
    """
    match = _RATER.fullmatch(name)
    return match["name"] if match else name.removesuffix(".merged")
