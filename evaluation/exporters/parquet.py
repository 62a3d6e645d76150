"""Parquet: the columns of JSON Lines with their types; needs the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import IO

from evaluation.exporters.rows import ExportedPair
from evaluation.exporters.schema import ANSWER_COLUMNS, FLAG, NAMES, NUMBER, TEXT, VERSION

BLOCK = 50_000  # answers of a row group, which are in memory together


def write_parquet(pairs: Iterable[ExportedPair], stream: IO[bytes]) -> None:
    """Write a row for each answer, with lists of systems and the version of the columns in the metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {TEXT: pa.string(), NUMBER: pa.int64(), FLAG: pa.bool_(), NAMES: pa.list_(pa.string())}
    schema = pa.schema(
        [(column.name, types[column.kind]) for column in ANSWER_COLUMNS],
        metadata={"appraise_schema": str(VERSION)},
    )
    rows = ((*pair[:-1], *answer) for pair in pairs for answer in pair.answers)
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while block := list(islice(rows, BLOCK)):
            columns = zip(schema.types, zip(*block, strict=True), strict=True)
            writer.write_table(pa.table([pa.array(cells, kind) for kind, cells in columns], schema=schema))
