"""ReliefF against skrebate, LOESS against statsmodels, the speed of language models: same answers first.

``python -m benchmarks.ranking`` prints the table and fails when a demanded ratio is missed. The text is
invented (Zipf's law), so ratios on real text will differ a little.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.base import Result, race
from metrics.ranking.classifiers import loess
from metrics.ranking.language_model import train_language_model
from metrics.ranking.models import save_language_model
from metrics.ranking.relieff import relieff
from metrics.tools import base

TOKENS = 3_000_000
WORDS = 30_000
SENTENCE = 24
KENLM = """
import sys, time, kenlm
model = kenlm.Model(sys.argv[1])
lines = open(sys.argv[2], encoding="utf-8").read().split("\\n")
best = 1e9
for _ in range(5):
    start = time.process_time()
    for line in lines:
        model.score(line)
    best = min(best, time.process_time() - start)
print(len(lines) / best)
"""


def run() -> list[Result]:
    """All races; those with a peer that is not installed are left out."""
    return [_relieff(), _loess(), *_language_model()]


def _relieff() -> Result:
    from skrebate import ReliefF

    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 30))
    y = (x @ np.linspace(1, 0, 30) + rng.normal(size=2000) * 2 > 0).astype(int)
    theirs = ReliefF(n_neighbors=100)
    ours = relieff(x, y)
    equal = np.array_equal(np.argsort(-ours), theirs.fit(x, y).top_features_)
    _require(equal, "ReliefF ranks the features otherwise than skrebate")
    return _result("ReliefF, 2,000 × 30", "skrebate", lambda: relieff(x, y), lambda: theirs.fit(x, y), 10.0)


def _loess() -> Result:
    import statsmodels.api as sm

    rng = np.random.default_rng(2)
    x = np.sort(rng.normal(size=20_000))
    y = (rng.random(20_000) < 1 / (1 + np.exp(-x))).astype(float)
    at = np.quantile(x, np.linspace(0, 1, 50))

    def peer() -> npt.NDArray[np.float64]:
        values: npt.NDArray[np.float64] = sm.nonparametric.lowess(y, x, frac=0.5, it=0, xvals=at)
        return values

    _require(bool(np.allclose(loess(x, y, at), peer(), atol=1e-6)), "LOESS differs from statsmodels")
    return _result("LOESS, 20,000 points at 50", "statsmodels", lambda: loess(x, y, at), peer, None)


def _language_model() -> list[Result]:
    """Training and scoring speeds against the demanded figures; ``ratio`` is measured / demanded."""
    sentences = _zipf()
    start = time.process_time()
    model = train_language_model(sentences, 5)
    seconds = time.process_time() - start
    rows = [
        _absolute("language model, 3 M tokens, order 5", "at most 60 s", "s", seconds, 60.0, 60.0 / seconds)
    ]
    speeds = []
    for _ in range(5):
        start = time.process_time()
        model.score(sentences[:20_000])
        speeds.append(20_000 / (time.process_time() - start))
    rows.append(
        _absolute(
            "scoring, our reader", "at least 5,000/s", "sentences/s", min(speeds), 5000.0, min(speeds) / 5000
        )
    )
    if base.find_distribution_version("camel-kenlm") is not None:
        speed = _kenlm(model, sentences[:20_000])
        rows.append(
            _absolute(
                "scoring, kenlm", "at least 100,000/s", "sentences/s", speed, 100_000.0, speed / 100_000
            )
        )
    return rows


def _kenlm(model: object, sentences: list[list[str]]) -> float:
    """Sentences a second in a process of the tools' environment."""
    import subprocess

    from metrics.ranking.language_model import NgramModel

    if not isinstance(model, NgramModel):
        raise TypeError(f"expected a language model, got {type(model).__name__}")
    with tempfile.TemporaryDirectory() as folder:
        save_language_model(model, Path(folder) / "m.arpa")
        text = Path(folder) / "text"
        text.write_text("\n".join(" ".join(words) for words in sentences), encoding="utf-8")
        command = [str(base.find_python()), "-c", KENLM, f"{folder}/m.arpa", str(text)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(printed)


def _zipf() -> list[list[str]]:
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, TOKENS, p=weights / weights.sum())
    names = [f"w{number}" for number in range(WORDS)]
    return [[names[word] for word in drawn[at : at + SENTENCE]] for at in range(0, TOKENS, SENTENCE)]


def _result(
    job: str, peer: str, ours: Callable[[], object], theirs: Callable[[], object], demanded: float | None
) -> Result:
    mine, others = race(ours, theirs)
    ratios = [other / own for own, other in zip(mine, others, strict=True)]
    return Result(job, peer, "s", min(mine), min(others), min(ratios), statistics.median(ratios), demanded)


def _absolute(job: str, peer: str, unit: str, value: float, bound: float, ratio: float) -> Result:
    """A job whose demand is a figure and not a peer: the ratio is how many times it is met."""
    return Result(job, peer, unit, value, bound, ratio, ratio, 1.0)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise SystemExit(message)


def main() -> int:
    missed = 0
    for row in run():
        bad = row.demanded is not None and row.ratio_min < row.demanded
        missed += bad
        print(
            f"{row.job:38} {row.ours:12.3f} {row.unit:12} against {row.peer:18} {row.theirs:12.3f}"
            f"  ratio {row.ratio_min:8.2f} (median {row.ratio_median:.2f}, demanded {row.demanded})"
            + ("  MISSED" if bad else "")
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
