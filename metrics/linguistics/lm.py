"""Sentence scores from a language model file: by kenlm where it is installed, else by our own reader.

Both give log10 p of the whole sentence and its number of unknown words, and agree to five digits. kenlm reads
ARPA and its own binary files, runs in a process of the tools' environment and is the faster one; our reader
also reads NPZ and knows the scores under shorter contexts, which features need (``metrics.ranking.ngrams``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from metrics.linguistics import base
from metrics.linguistics.process import Closeable, Failure, Pool, Worker
from metrics.ranking import arpa

WORKER = Path(__file__).parent / "workers" / "kenlm_scores.py"
BATCH = 5000
Score = tuple[float, int]


class SentenceScorer(Protocol):
    """Scores tokenised sentences: log10 p and unknown words, None where the tool failed."""

    @property
    def tool(self) -> base.Tool: ...

    def score(self, sentences: Sequence[Sequence[str]]) -> list[Score | None]: ...

    def close(self) -> None: ...


def sentence_scorer(path: Path) -> SentenceScorer:
    """kenlm when it is installed and can read the file, else our own reader; raises InputError."""
    installed = base.distribution_version("camel-kenlm") or base.distribution_version("kenlm")
    return KenlmScorer(path) if installed and path.suffix != ".npz" else OwnScorer(path)


class OwnScorer:
    """Our own reader of ARPA and NPZ files."""

    def __init__(self, path: Path) -> None:
        self.tool = base.Tool("kneser-ney", "1", base.file_digest(path), base.Mode.LEARNED)
        self._model = arpa.load(path)

    def score(self, sentences: Sequence[Sequence[str]]) -> list[Score | None]:
        scored = self._model.score(sentences)
        return list(zip(scored.log_probs[:, -1].tolist(), scored.unknown.tolist(), strict=True))

    def close(self) -> None:
        """Nothing runs."""


class KenlmScorer(Closeable):
    """kenlm in a process of its own; raises ToolAbsent where it is not installed."""

    def __init__(self, path: Path, workers: int = 1) -> None:
        version = base.distribution_version("camel-kenlm") or base.distribution_version("kenlm")
        if version is None:
            raise base.ToolAbsent("kenlm")
        self.tool = base.Tool("kenlm", version, base.file_digest(path), base.Mode.REAL)
        command = [str(base.python()), str(WORKER), str(path)]
        self._pool: Pool[str, list[float]] = Pool(lambda: Worker(command, start_out=600.0), workers)

    def score(self, sentences: Sequence[Sequence[str]]) -> list[Score | None]:
        found = self._pool.map([" ".join(words) for words in sentences], batch=BATCH)
        return [None if isinstance(each, Failure) else (each[0], int(each[1])) for each in found]

    def close(self) -> None:
        self._pool.close()
