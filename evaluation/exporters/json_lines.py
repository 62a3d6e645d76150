"""One JSON object for each answer; nothing is escaped that JSON does not need."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from evaluation.exporters.model import AnswerRow, AskedPair

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_name = lru_cache(maxsize=10_000)(_encode)
_FLAG = {True: "true", False: "false"}


def as_jsonl(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """Systems are lists; a withdrawn answer has the label null."""
    for pair in pairs:
        start = _start(pair)  # the same in every line: encoded once
        yield "".join(f"{start}, {_rest(answer)}\n" for answer in pair.answers)


def _start(pair: AskedPair) -> str:
    return _encode(
        {
            "task": pair.task,
            "item": pair.item,
            "document": pair.document,
            "pair": pair.pair,
            "kind": pair.kind,
            "first": pair.first,
            "second": pair.second,
            "systems_first": pair.systems_first,
            "systems_second": pair.systems_second,
            "check": pair.check,
        }
    )[:-1]


def _rest(answer: AnswerRow) -> str:
    """The answer's part of an object; numbers and known words need no encoder."""
    who, time, version, current, label, left, surplus, alignment, active, elapsed, order, received = answer
    return (
        f'"annotator": {_name(who)}, "presentation": {time}, "version": {version}, '
        f'"current": {_FLAG[current]}, "label": {_name(label)}, "left": "{left}", '
        f'"surplus": {_FLAG[surplus]}, "alignment": {_number(alignment)}, "active_ms": {_number(active)}, '
        f'"elapsed_ms": {_number(elapsed)}, "order": {order}, "received_at": {_name(received)}}}'
    )


def _number(value: int | None) -> str:
    return "null" if value is None else str(value)
