"""Whatever happened to an NPZ file, its reader says so in one way, and so do the loaders of models."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from appraise.lib.problems import InputError
from appraise.lib.streams import read_arrays
from metrics.learned import models
from metrics.ranking import models as ranking_models
from metrics.scoring.model_files import read_format


def packed() -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(
        stream, header=np.frombuffer(b'{"format": "x"}', np.uint8), values=np.arange(300.0) ** 2
    )
    return stream.getvalue()


def test_arrays_come_back(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(packed())
    assert read_arrays(tmp_path / "a.npz")["values"].tolist() == (np.arange(300.0) ** 2).tolist()
    assert read_format(tmp_path / "a.npz") == "x"


def test_a_wrong_byte_anywhere_is_told_or_does_no_harm(tmp_path: Path) -> None:
    whole, path = packed(), tmp_path / "a.npz"
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        read_format(path)
        try:
            read_arrays(path)
        except (OSError, ValueError):
            continue


def test_a_file_that_breaks_off_is_told(tmp_path: Path) -> None:
    whole, path = packed(), tmp_path / "a.npz"
    for size in range(0, len(whole), 50):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="no NPZ, or damaged"):
            read_arrays(path)


@pytest.mark.parametrize(
    "load",
    [
        ranking_models.load_ranker,
        ranking_models.load_lexicons,
        ranking_models.load_language_model,
        models.load,
    ],
)
@pytest.mark.parametrize("content", ["one array", "another model", "a wrong byte"])
def test_no_loader_of_models_takes_it(tmp_path: Path, load: Callable[[Path], object], content: str) -> None:
    path, whole = tmp_path / "a.npz", packed()
    if content == "one array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        path.write_bytes(whole if content == "another model" else whole[:60] + bytes(8) + whole[68:])
    with pytest.raises(InputError, match="bad_model"):
        load(path)


def test_an_array_that_declares_more_than_the_file_holds_is_refused_before_it_is_allocated(
    tmp_path: Path,
) -> None:
    path, header = tmp_path / "bomb.npz", io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (1 << 45,)}
    np.lib.format.write_array_header_1_0(header, shape)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", header.getvalue())
    assert path.stat().st_size < 400
    with pytest.raises(ValueError, match="declares an array of shape"):
        read_arrays(path)
    assert read_format(path) is None
