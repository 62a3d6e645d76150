"""Whatever the bytes are: values or a coded problem, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from zlib import crc32

import pytest
from hypothesis import given, settings, strategies as st

from appraise.lib.problems import InputError
from evaluation.importers import Limits
from evaluation.importers.evidence import (
    MtmeFiles,
    find_quality_pairs,
    read_appraise_rows,
    read_batches,
    read_human_scores,
    read_metric_scores,
    read_mqm_table,
    read_parallel_texts,
    read_ratings,
    read_standardised_scores,
    select_ratings,
)
from tests.assessments.samples import BATCHES, ESA, MQM, MTME, batches_file, source_file
from tests.assessments.test_readers import DA_HEADER, DA_ROW

LIMITS = Limits(max_bytes=200_000, max_field=5_000)
PIECES = [
    b"\t", b"\n", b"\r", b",", b'"', b'""', b"{", b"}", b"[", b"]", b"<v>", b"</v>", b"None", b"null", b"NaN",
    b"1e999", b"-1", b"9" * 400, b"missing", b"[" * 3_000, b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"#",
    b"No-error", b"HOTW-test", b"\xe2\x80\xa8", b"\xf0\x9f\x8c\xa7", b"alpha", b"True",
]  # fmt: skip


def read_directory(data: bytes, path: str = "") -> object:
    """The damaged bytes stand for one file of the directory."""
    path = path or sorted(MTME)[crc32(data) % len(MTME)]
    files = [source_file(data if name == path else text, name) for name, text in MTME.items()]
    directory = MtmeFiles.from_files(files, "en-de", LIMITS)
    texts = read_parallel_texts(directory)
    list(read_ratings(directory, texts, "mqm"))
    return list(read_human_scores(directory, texts)), list(read_metric_scores(directory, texts))


def read_campaign(data: bytes) -> object:
    rows = list(read_appraise_rows(source_file(data), LIMITS))
    batches = read_batches(batches_file())
    return select_ratings(rows, batches), find_quality_pairs(rows, batches)


def join_batches(data: bytes) -> object:
    return select_ratings(list(read_appraise_rows(source_file(ESA))), read_batches(source_file(data), LIMITS))


READERS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "mtme": (read_directory, [text.encode() for text in MTME.values()]),
    "esa": (read_campaign, [ESA.encode()]),
    "batches": (join_batches, [json.dumps(BATCHES).encode()]),
    "mqm": (lambda data: read_mqm_table(source_file(data), LIMITS), [MQM.encode()]),
    "da": (
        lambda data: list(read_standardised_scores(source_file(data), LIMITS)),
        [(DA_HEADER + DA_ROW * 2).encode()],
    ),
}


def check_problems(error: InputError) -> None:
    for problem in error.problems:
        assert problem.code
        assert problem.message
        assert problem.remedy
        assert problem.file or problem.line is None


def check(reader: str, data: bytes) -> None:
    try:
        READERS[reader][0](data)
    except InputError as error:
        check_problems(error)


def mutate(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 0, 1, 3, 40]))
        piece = rng.choice([*PIECES, b"", data[start : start + 60], bytes([rng.randrange(256)])])
        data = data[:start] + piece + data[end:]
    return data


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=60, deadline=None)
@given(data=st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)))
def test_arbitrary_bytes_give_values_or_a_coded_problem(reader: str, data: bytes) -> None:
    check(reader, data)


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_damaged_files_give_values_or_a_coded_problem(reader: str, seed: int) -> None:
    rng = random.Random(seed)
    check(reader, mutate(rng.choice(READERS[reader][1]), rng))


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file_of_a_directory_gives_values_or_a_coded_problem(seed: int) -> None:
    rng = random.Random(seed)
    path, text = rng.choice([*MTME.items()])
    try:
        read_directory(mutate(text.encode(), rng), path)
    except InputError as error:
        check_problems(error)
