"""Error spans for a study on the texts of a directory, from a rating file or from an Appraise campaign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from appraise.lib.problems import shorten
from evaluation.assessments.phrase_study import SpanEvidence
from evaluation.assessments.text_forms import TextDifference, find_difference, move_spans
from evaluation.assessments.values import OutputRating, ParallelTexts
from evaluation.assessments.weights import WEIGHTINGS, weigh_as_stated
from evaluation.importers.evidence.appraise_csv import (
    AppraiseBatches,
    read_appraise_rows,
    read_batches,
    select_ratings,
)
from evaluation.importers.evidence.mtme_ratings import read_rating_file
from evaluation.importers.model import COMMAND_LINE, SourceFile, SourcePosition
from evaluation.importers.state import ImportState


def load_evidence(name: str, path: Path, batches: Path | None, texts: ParallelTexts) -> SpanEvidence:
    """Read a rating file, whose errors have the weights that it states, or a campaign (``esa-spans``)."""
    file = SourceFile.from_path(path)
    if batches is None:
        ratings = read_rating_file(file, ImportState([file], COMMAND_LINE), texts, name)
        return SpanEvidence.of(name, ratings, weigh_as_stated)
    known = read_batches(SourceFile.from_path(batches))
    answers = select_ratings(list(read_appraise_rows(file)), known)
    matched = match_texts(answers, known, texts, file.name)
    return SpanEvidence.of(name, matched, WEIGHTINGS["esa-spans"].weigh)


def match_texts(
    ratings: Iterable[OutputRating], batches: AppraiseBatches, texts: ParallelTexts, file: str
) -> Iterator[OutputRating]:
    """Move ratings to the texts of the directory; those of a text with another content are refused."""
    state = ImportState([])
    shown = batches.list_outputs()
    for rating in ratings:
        here = shown[rating.system, rating.segment].text
        segments = texts.outputs.get(rating.system, ())
        there = segments[rating.segment] if rating.segment < len(segments) else None
        difference = TextDifference.CONTENT if there is None else find_difference(here, there)
        if there is None or difference is TextDifference.CONTENT:
            message = f"segment {rating.segment + 1} of {shorten(rating.system)!r} has another text"
            remedy = "give the directory whose texts were rated"
            state.report("text_mismatch", message, remedy, SourcePosition(file), here)
        elif difference is TextDifference.FORM:
            yield replace(rating, spans=move_spans(rating.spans, here, there))
        else:
            yield rating
    state.raise_problems()
