"""Parquet holds what JSON Lines hold, with types."""

from __future__ import annotations

import json
from io import BytesIO

from hypothesis import given, strategies as st
from pyarrow import parquet

from evaluation.exporters import ExportedPair
from evaluation.exporters.parquet import write_parquet
from evaluation.exporters.schema import VERSION
from tests.exporters.test_formats import asked, written


@given(st.lists(asked, max_size=3))
def test_rows_are_those_of_json_lines(pairs: list[ExportedPair]) -> None:
    file = BytesIO()
    write_parquet(pairs, file)
    table = parquet.read_table(file)
    assert table.to_pylist() == [json.loads(line) for line in written("jsonl", pairs).split("\n")[:-1]]
    assert table.schema.metadata[b"appraise_schema"] == str(VERSION).encode()
