"""Published scores of a directory of mt-metrics-eval, of people and of metrics, at every level."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from appraise.lib.problems import shorten
from evaluation.assessments.values import ParallelTexts, PublishedScores, ScoreLevel
from evaluation.importers.evidence.mtme_files import LEVELS, MtmeFiles, read_cells
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState

_NOTHING = "None"  # how the format writes a missing score


def read_human_scores(files: MtmeFiles, texts: ParallelTexts, name: str = "") -> Iterator[PublishedScores]:
    """Yield the human scores, all of them or those with one name."""
    for path, file in files.list_names("human-scores", LEVELS).items():
        title, level = _split_name(path)
        if name in ("", title):
            yield _read(files, file, texts, title, level)


def read_metric_scores(
    files: MtmeFiles,
    texts: ParallelTexts,
    names: Collection[str] | None = None,
    levels: Collection[ScoreLevel] = tuple(ScoreLevel),
) -> Iterator[PublishedScores]:
    """Yield the scores of metrics, all or those that are named like ``COMET-refA``."""
    for path, file in files.list_names("metric-scores", LEVELS).items():
        title, level = _split_name(path)
        if (names is None or title in names) and level in levels:
            metric, _, reference = title.rpartition("-")
            yield _read(files, file, texts, metric or title, level, reference if metric else "")


def list_metric_names(files: MtmeFiles) -> list[str]:
    """The metrics with segment scores, named like ``COMET-refA``."""
    paths = files.list_names("metric-scores", (f".{ScoreLevel.SEGMENT.value}.score",))
    return [_split_name(path)[0] for path in paths]


def list_human_names(files: MtmeFiles) -> list[str]:
    """The names of the human scores per segment."""
    paths = files.list_names("human-scores", (f".{ScoreLevel.SEGMENT.value}.score",))
    return [_split_name(path)[0] for path in paths]


def _split_name(path: str) -> tuple[str, ScoreLevel]:
    name, level, _ = path.rsplit(".", 2)
    return name, ScoreLevel(level)


def _read(
    files: MtmeFiles,
    file: SourceFile,
    texts: ParallelTexts,
    name: str,
    level: ScoreLevel,
    reference: str = "",
) -> PublishedScores:
    state = files.start()
    reader = _ScoreReader(file, state, texts, level)
    for line, cells in read_cells(file, state):
        reader.add(line, cells)
    values = reader.finish()
    state.raise_problems()
    return PublishedScores(name, level, values, tuple(reader.groups), reference)


class _ScoreReader:
    """Collects the scores of one file by system."""

    def __init__(self, file: SourceFile, state: ImportState, texts: ParallelTexts, level: ScoreLevel) -> None:
        self._file, self._state, self._texts, self._level = file, state, texts, level
        self._width = 3 if level in (ScoreLevel.DOCUMENT, ScoreLevel.DOMAIN) else 2
        self._rows: dict[str, dict[object, float | None]] = {}
        self.groups: dict[str, None] = {}

    def add(self, line: int, cells: list[str]) -> None:
        position = SourcePosition(self._file.name, line)
        if len(cells) != self._width:
            message = f"the row has {len(cells)} columns, not {self._width}"
            remedy = "write the system, a tab and the score"
            if self._width == 3:
                remedy = "write the document or domain, the system and the score, with tabs"
            self._state.report("column_count", message, remedy, position, "\t".join(cells))
            return
        *group, system, text = cells
        if not is_known_system(system, self._texts, position, self._state):
            return
        scores = self._rows.setdefault(system, {})
        key: object = len(scores) if self._level is ScoreLevel.SEGMENT else tuple(group)
        if key in scores or (isinstance(key, int) and key >= len(self._texts)):
            what = f"{key + 1:,} lines" if isinstance(key, int) else f"two scores {' '.join(group)}".rstrip()
            message = f"{shorten(system)!r} has {what}"
            self._state.report("duplicate_cell", message, "remove the surplus line", position)
            return
        self.groups.update(dict.fromkeys(group))
        scores[key] = read_value(text, position, self._state, column=len(cells[0]) + 2)

    def finish(self) -> dict[str, tuple[float | None, ...]]:
        if self._level is ScoreLevel.SEGMENT:
            for system, scores in self._rows.items():
                check_block(system, len(scores), self._texts, self._file, self._state)
            return {system: tuple(scores.values()) for system, scores in self._rows.items()}
        keys: list[tuple[str, ...]] = [(group,) for group in self.groups] or [()]
        return {system: tuple(map(scores.get, keys)) for system, scores in self._rows.items()}


def read_value(text: str, position: SourcePosition, state: ImportState, column: int = 1) -> float | None:
    """Read a score; None if there is none, or if it is no finite number, which is reported."""
    if text == _NOTHING:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    place = SourcePosition(position.file, position.line, column)
    state.report("bad_number", f"{shorten(text)!r} is no score", "write a finite number or None", place)
    return None


def is_known_system(system: str, texts: ParallelTexts, position: SourcePosition, state: ImportState) -> bool:
    """Whether a system has a text; one without is reported."""
    if system in texts.outputs or system in texts.references:
        return True
    message = f"there is no output of a system {shorten(system)!r}"
    state.report("unknown_system", message, "add its file to system-outputs, or correct the name", position)
    return False


def check_block(system: str, rows: int, texts: ParallelTexts, file: SourceFile, state: ImportState) -> None:
    """Report a system that has not one row for each segment."""
    if rows < len(texts):
        message = f"{shorten(system)!r} has {rows:,} lines, the source text {len(texts):,}"
        state.report("line_count", message, "write None where there is no value", SourcePosition(file.name))
