"""Writers of assessments: an mt-metrics-eval directory, Appraise CSV, Google's MQM table.

Each writes the values that the reader of its format returns, in one canonical order: systems by name,
segments in order, annotators by name, errors as they were marked. Reading and writing a file therefore sorts
it, and an answer that changes, changes its own line only. ``docs/formats.md`` says what else is canonical.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from appraise.lib.tables import Cell, delimited_lines
from evaluation.assessments.values import (
    MarkedSpan,
    OutputRating,
    ParallelTexts,
    PublishedScores,
    ScoreLevel,
    SpanSide,
)
from evaluation.assessments.weights import NO_ERROR
from evaluation.importers.evidence.appraise_csv import AppraiseRow
from evaluation.importers.evidence.mqm_tsv import COLUMNS, MqmTable

WeighSpan = Callable[[MarkedSpan], float | None]
_LINE_BREAKS = str.maketrans("\t\n\r", "   ")


def stated_weight(span: MarkedSpan) -> float | None:
    """Return the weight that the imported file stated, if it stated one."""
    return span.weight


def write_mtme(
    texts: ParallelTexts,
    ratings: Mapping[str, Iterable[OutputRating]],
    human_scores: Iterable[PublishedScores] = (),
    metric_scores: Iterable[PublishedScores] = (),
    weigh: WeighSpan = stated_weight,
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the paths of a directory of mt-metrics-eval, each with its lines."""
    pair = texts.language_pair
    yield f"sources/{pair}.txt", _text_lines(texts.sources)
    for name, segments in sorted(texts.references.items()):
        yield f"references/{pair}.{name}.txt", _text_lines(segments)
    if texts.documents:
        yield f"documents/{pair}.docs", (f"{domain}\t{document}\n" for domain, document in texts.documents)
    for name, segments in sorted(texts.outputs.items()):
        yield f"system-outputs/{pair}/{name}.txt", _text_lines(segments)
    for name, answers in sorted(ratings.items()):
        yield from _rating_files(name, answers, texts, weigh)
    for scores in human_scores:
        yield f"human-scores/{pair}.{scores.name}.{scores.level}.score", score_lines(scores)
    for scores in metric_scores:
        yield f"metric-scores/{pair}/{scores.full_name}.{scores.level}.score", score_lines(scores)


def score_lines(scores: PublishedScores) -> Iterator[str]:
    """Yield the rows of a score file."""
    if scores.level is ScoreLevel.SEGMENT or not scores.groups:
        for system, values in sorted(scores.values.items()):
            yield from (f"{system}\t{_number(value)}\n" for value in values)
        return
    for place, group in sorted(enumerate(scores.groups), key=lambda entry: entry[1]):
        for system, values in sorted(scores.values.items()):
            yield f"{group}\t{system}\t{_number(values[place])}\n"


def _rating_files(
    name: str, ratings: Iterable[OutputRating], texts: ParallelTexts, weigh: WeighSpan
) -> Iterator[tuple[str, Iterator[str]]]:
    """One file if every output has one rating, else one for each annotator."""
    cells: dict[str, dict[tuple[str, int], OutputRating]] = defaultdict(dict)
    for rating in ratings:
        cells[rating.annotator][rating.system, rating.segment] = rating
    merged = {key: rating for of_one in cells.values() for key, rating in of_one.items()}
    path = f"human-scores/{texts.language_pair}.{name}"
    if len(merged) == sum(map(len, cells.values())):
        yield f"{path}.seg.rating", rating_lines(merged, texts, weigh, name)
        return
    for number, (_, of_one) in enumerate(sorted(cells.items()), 1):
        yield f"{path}.rater{number}.seg.rating", rating_lines(of_one, texts, weigh, f"rater{number}")


def rating_lines(
    cells: Mapping[tuple[str, int], OutputRating], texts: ParallelTexts, weigh: WeighSpan, annotator: str
) -> Iterator[str]:
    """Yield a row for each output, rated or not; a row names its rater if it is not ``annotator``."""
    for system in sorted(texts.outputs):
        for segment in range(len(texts)):
            rating = cells.get((system, segment))
            if rating is None:
                yield f"{system}\tNone\n"
                continue
            document = json.dumps({"errors": [_error(span, weigh) for span in rating.spans]})
            rater = "" if rating.annotator == annotator else f"\t{rating.annotator}"
            yield f"{system}\t{document}{rater}\n"


def _error(span: MarkedSpan, weigh: WeighSpan) -> dict[str, object]:
    return {
        "start": span.start,
        "end": span.end,
        "category": span.category,
        "severity": span.severity,
        "score": weigh(span),
        "is_source_error": span.side is SpanSide.SOURCE,
    }


def appraise_csv_lines(rows: Iterable[AppraiseRow]) -> Iterator[str]:
    """Yield the rows of an Appraise CSV by annotator, item, document and time."""
    return delimited_lines(map(_appraise_cells, sorted(rows, key=_appraise_order)), ",")


def _appraise_order(row: AppraiseRow) -> tuple[object, ...]:
    number = int(row.item) if row.item.isascii() and row.item.isdigit() else 0
    return row.annotator, number, row.item, row.document, row.start_time, row.end_time


def _appraise_cells(row: AppraiseRow) -> Sequence[Cell]:
    head: list[Cell] = [row.annotator, row.target, row.item, row.kind]
    head += [
        row.source_language,
        row.target_language,
        _as_integer(row.score),
        row.document,
        str(row.is_complete),
    ]
    if row.spans is not None:
        head.append(json.dumps([_appraise_span(span) for span in row.spans], separators=(",", ":")))
    return [*head, repr(row.start_time), repr(row.end_time)]


def _appraise_span(span: MarkedSpan) -> dict[str, object]:
    return {
        "start_i": "missing" if span.start is None else span.start,
        "end_i": "missing" if span.end is None else span.end - 1,
        "severity": span.severity,
        "error_type": span.category or None,
    }


def mqm_table_lines(table: MqmTable) -> Iterator[str]:
    """Yield the header and a row for each error, one for a rating without errors."""
    yield "\t".join(COLUMNS) + "\n"
    for rating in sorted(table.ratings, key=lambda r: (r.system, r.segment, r.annotator)):
        place = [*map(_flat, table.places[rating.segment])]
        source, target = table.sources[rating.segment], table.outputs[rating.system][rating.segment]
        for span in rating.spans or (None,):
            texts = {SpanSide.SOURCE: source, SpanSide.TARGET: target}
            category = severity = NO_ERROR[0].capitalize()
            if span is not None:
                category, severity = span.category, span.severity
                texts[span.side] = _mark(texts[span.side], span)
            marked = [_flat(texts[SpanSide.SOURCE]), _flat(texts[SpanSide.TARGET])]
            yield "\t".join([rating.system, *place, rating.annotator, *marked, category, severity]) + "\n"


def _mark(text: str, span: MarkedSpan) -> str:
    if span.is_omission:
        return text
    return f"{text[: span.start]}<v>{text[span.start : span.end]}</v>{text[span.end :]}"


def _text_lines(segments: Iterable[str]) -> Iterator[str]:
    return (f"{_flat(segment)}\n" for segment in segments)


def _flat(text: str) -> str:
    """Replace what would break a line or a cell; offsets stay as they are."""
    return text.translate(_LINE_BREAKS)


def _number(value: float | None) -> str:
    return str(value)


def _as_integer(value: float | None) -> Cell:
    if value is None:
        return str(None)
    return int(value) if value.is_integer() else value
