"""Whatever the bytes are: a checked set, or our coded error. Nothing else, in any format."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st

from evaluation.importers import FORMATS
from tests.importers.fuzz import PIECES, SPLIT, check, mutate, run, seeds

FORMS = [*FORMATS, "auto"]
pieces = st.lists(st.one_of(st.sampled_from([*PIECES, SPLIT]), st.binary(max_size=8)), max_size=40).map(
    b"".join
)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(data=st.one_of(st.binary(max_size=300), pieces))
def test_arbitrary_bytes_give_a_set_or_a_coded_error(form: str, data: bytes) -> None:
    check(data, form)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_wounded_files_give_a_set_or_a_coded_error(form: str, seed: int) -> None:
    rng, pool = random.Random(seed), seeds(form)
    check(mutate(rng.choice(pool), pool, rng), form)


def test_the_fuzzer_reaches_the_code_and_counts_its_runs() -> None:
    report = run("tsv", seconds=0.3, seed=1, out=None)
    assert report.outcomes.total() > 0
    assert report.lines is not None
    assert report.lines > 50
