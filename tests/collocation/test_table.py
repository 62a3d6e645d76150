"""Tables on disk: named, digested, and never half."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np
import pytest
from hypothesis import given, strategies as st

from appraise.lib.problems import InputError
from metrics.collocation import table
from metrics.collocation.table import CollocationTable

from .toys import count

SENTENCES = [["hong", "kong", "stock"], ["hong", "kong"], ["stock", "fall"], ["naïve", "日本"]]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "toy.npz"
    table.save_table(count(SENTENCES), path)
    return path


def same(a: CollocationTable, b: CollocationTable) -> bool:
    arrays = ("frequency", "rows", "partners", "counts")
    return (a.corpus, a.words) == (b.corpus, b.words) and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays
    )


def test_a_table_comes_back_as_it_was(saved: Path) -> None:
    loaded = table.load_table(saved)
    assert same(loaded, count(SENTENCES))
    assert loaded.digest == count(SENTENCES).digest
    assert loaded.corpus.description == "invented sentences"


def test_an_empty_table_comes_back_too(tmp_path: Path) -> None:
    table.save_table(count([]), tmp_path / "empty.npz")
    assert same(table.load_table(tmp_path / "empty.npz"), count([]))


def test_numpy_reads_the_file_as_an_ordinary_npz(saved: Path) -> None:
    with np.load(saved) as arrays:
        np.testing.assert_array_equal(arrays["counts"], count(SENTENCES).counts)


def test_equal_counts_make_equal_files_and_other_counts_another_digest(tmp_path: Path) -> None:
    for name in ("a", "b"):
        table.save_table(count(SENTENCES), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert count(SENTENCES).digest != count(SENTENCES[:-1]).digest
    assert count([["a", "b"]]).digest != count([["a", "c"]]).digest


def test_a_file_cut_anywhere_is_refused(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    for size in range(0, len(whole) - 1, 97):
        cut = tmp_path / "cut.npz"
        cut.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"cut.npz: not_a_table: .*; train it"):
            table.load_table(cut)


def test_an_interrupted_save_leaves_the_old_table_in_use(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: IO[bytes], **arrays: object) -> None:
        file.write(b"half a table")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(KeyboardInterrupt):
        table.save_table(count(SENTENCES[:1]), saved)
    assert same(table.load_table(saved), count(SENTENCES))
    assert [path.name for path in saved.parent.iterdir()] == ["toy.npz"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.npz: unreadable_file"):
        table.load_table(tmp_path / "none.npz")


def test_another_npz_is_not_taken_for_a_table(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", counts=np.arange(3))
    with pytest.raises(InputError, match="not_a_table"):
        table.load_table(tmp_path / "other.npz")


@given(st.integers(-3, 3))
def test_arrays_that_do_not_fit_each_other_are_refused(change: int) -> None:
    made = count(SENTENCES)
    if change:
        rows = made.rows.copy()
        rows[-1] += change
        with pytest.raises(ValueError, match="partners"):
            table._check(
                CollocationTable(made.corpus, made.words, made.frequency, rows, made.partners, made.counts)
            )


def test_a_corpus_is_named_with_its_kind_and_size() -> None:
    assert str(count(SENTENCES).corpus) == "toy (invented sentences), 4 sentences"
