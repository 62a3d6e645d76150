"""One JSON object for each answer; nothing is escaped that JSON does not need."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from evaluation.exporters.model import ANSWER_COLUMNS, AskedPair

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def as_jsonl(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """Systems are lists; a withdrawn answer has the label null."""
    for pair in pairs:
        # The pair's part is the same in every line: encoded once.
        start = _encode(
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
        yield "".join(
            f"{start}, {_encode(dict(zip(ANSWER_COLUMNS, answer, strict=True)))[1:]}\n"
            for answer in pair.answers
        )
