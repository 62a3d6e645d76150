"""JSON Lines: one object for each answer, with non-ASCII characters unescaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from evaluation.exporters.rows import PAIR_COLUMNS, AnswerRow, ExportedPair

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_encode_name = lru_cache(maxsize=10_000)(_encode)
_FLAG = {True: "true", False: "false"}


def as_jsonl(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """Write systems as lists; the label of a withdrawn answer is null."""
    for pair in pairs:
        start = _encode_pair(pair)  # the same in every line, so encoded once
        yield "".join(f"{start}, {_encode_answer(answer)}\n" for answer in pair.answers)


def _encode_pair(pair: ExportedPair) -> str:
    """Encode an object without its closing brace."""
    return _encode(dict(zip(PAIR_COLUMNS, pair, strict=False)))[:-1]


def _encode_answer(answer: AnswerRow) -> str:
    """Encode the rest of the object; numbers and fixed words need no encoder."""
    (
        annotator, presentation, version, current, label, reason, left, surplus, alignment, active, elapsed,
        order, received,
    ) = answer  # fmt: skip
    return (
        f'"annotator": {_encode_name(annotator)}, "presentation": {presentation}, "version": {version}, '
        f'"current": {_FLAG[current]}, "label": {_encode_name(label)}, "reason": "{reason}", '
        f'"left": "{left}", "surplus": {_FLAG[surplus]}, "alignment": {_encode_number(alignment)}, '
        f'"active_ms": {_encode_number(active)}, "elapsed_ms": {_encode_number(elapsed)}, "order": {order}, '
        f'"received_at": {_encode_name(received)}}}'
    )


def _encode_number(value: int | None) -> str:
    return "null" if value is None else str(value)
