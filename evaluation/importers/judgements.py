"""Judgements made elsewhere: the same checks whether they come from a table or from JSON.

There are three measures: a label on two systems (``A>B`` and so on, in the order in which the two are named),
a rating of one system (higher is better), and a rank of one system (1 is best). ``source_ranking`` tells the
rankings of one annotator on one item apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from appraise.lib.problems import shorten
from evaluation.importers.model import ImportedJudgement, JudgementMeasure, SourcePosition
from evaluation.importers.state import ImportState
from evaluation.schemes import Choice

FIELDS = ("annotator", "item", "a", "b", "label", "system", "rating", "rank", "phrase", "source_ranking")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)
_COUNT = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def check_judgement(
    fields: Mapping[str, str], position: SourcePosition, state: ImportState
) -> ImportedJudgement | None:
    """Return a judgement from its fields as text; None, with a problem reported, if it is invalid."""
    cells = {key: value.strip() for key, value in fields.items() if value.strip()}
    most = state.limits.max_name
    for key in ("annotator", "item", "source_ranking"):
        if key not in cells and key != "source_ranking":
            state.report("schema", f"the judgement has no {key}", f"fill in {key}", position)
            return None
        if len(cells.get(key, "")) > most:
            message = f"the {key} has {len(cells[key]):,} characters"
            state.report("field_too_long", message, f"use at most {most}", position, cells[key])
    measures = [measure for measure in JudgementMeasure if measure.value in cells]
    if len(measures) != 1:
        values = " and ".join(measures) or "neither label nor rating nor rank"
        state.report("schema", f"the judgement has {values}", "give a label, a rating or a rank", position)
        return None
    if measures == [JudgementMeasure.LABEL]:
        return _check_label(cells, position, state)
    return _check_score(cells, measures[0], position, state)


def _check_label(
    cells: Mapping[str, str], position: SourcePosition, state: ImportState
) -> ImportedJudgement | None:
    try:
        label = Choice(cells["label"])
    except ValueError:
        message = f"{shorten(cells['label'])!r} is not a label"
        state.report("bad_label", message, f"use one of {', '.join(Choice)}", position)
        return None
    systems = tuple(cells[side] for side in ("a", "b") if side in cells)
    if len(systems) != 2 or systems[0] == systems[1]:
        message = "a label needs two different systems"
        state.report("schema", message, "name them in the columns a and b", position)
        return None
    phrase = _check_phrase(cells, position, state)
    annotator, item, measure = cells["annotator"], cells["item"], JudgementMeasure.LABEL
    source = cells.get("source_ranking", "")
    return ImportedJudgement(
        annotator, item, systems, measure, position, label=label, phrase=phrase, source_ranking=source
    )


def _check_score(
    cells: Mapping[str, str], measure: JudgementMeasure, position: SourcePosition, state: ImportState
) -> ImportedJudgement | None:
    if "system" not in cells:
        state.report("schema", f"the {measure} names no system", "fill in system", position)
        return None
    text, is_rank = cells[measure], measure is JudgementMeasure.RANK
    if not (_COUNT if is_rank else _NUMBER).fullmatch(text):
        remedy = "write 1, 2, 3, …" if is_rank else "write a plain decimal number"
        state.report("bad_number", f"{shorten(text)!r} is not a {measure}", remedy, position)
        return None
    phrase = _check_phrase(cells, position, state)
    systems, value = (cells["system"],), float(text)
    annotator, item = cells["annotator"], cells["item"]
    source = cells.get("source_ranking", "")
    return ImportedJudgement(
        annotator, item, systems, measure, position, value=value, phrase=phrase, source_ranking=source
    )


def _check_phrase(cells: Mapping[str, str], position: SourcePosition, state: ImportState) -> int | None:
    text = cells.get("phrase", "")
    if text and not _COUNT.fullmatch(text):
        message = f"{shorten(text)!r} is not the number of a phrase"
        state.report("bad_number", message, "write 1, 2, 3, …", position)
        return None
    return int(text) if text else None
