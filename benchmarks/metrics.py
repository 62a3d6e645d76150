"""Lexical metrics against the tools people use: text in, a score per segment out, CPU time.

Ours scores twelve systems at once, encoding the references once, or one system alone; the peer scores
segments of one system. Both are counted per segment. Equal values are asserted before anything is timed.

Run with ``python -m benchmarks.metrics``.
"""

from __future__ import annotations

import logging
import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.base import Result, race, row
from benchmarks.corpus import corpus, read_published
from metrics import registry
from metrics.base import AddableMetric, score_systems
from metrics.scoring.significance import bootstrap_scores

MIDDLE = 4  # the system that peers score; ours is checked on it
ROUNDS = 5


@dataclass(frozen=True)
class Job:
    """``ours(systems, references)`` gives an array per system, ``theirs(outputs, references)`` a list."""

    name: str
    peer: str
    ours: Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], Sequence[np.ndarray]]
    theirs: Callable[[Sequence[str], Sequence[Sequence[str]]], Sequence[float]]
    references: int = 1
    segments: int = 3003  # how many the peer scores; it may be slow
    demanded: float | None = None  # minimum ratio, references encoded once; not for a single system
    equal: bool = True
    spread: bool = False  # take the peer's segments from all systems, since the cost depends on the errors
    real: bool = False  # on a published test set instead of the synthetic one


def run() -> list[Result]:
    return list(_results())


def _results() -> Iterator[Result]:
    logging.disable(logging.WARNING)  # sacrebleu warns that the text is tokenised, which is the point
    _check_nist()
    _check_rouge()
    for job in _jobs():
        yield from _measure(job)
    yield _bootstrap()


def _check_nist() -> None:
    """NLTK gives one number for a whole text, so the corpus score is what can be compared."""
    from benchmarks import peers

    references, systems = corpus()
    ours = score_systems(registry.get("nist"), {"s": systems[MIDDLE]}, references[:1])["s"].corpus
    theirs = peers.nist(systems[MIDDLE], references[:1])[0]
    if ours is None or not math.isclose(ours, theirs, rel_tol=1e-9):
        raise ValueError(f"NIST is {ours} here and {theirs} in NLTK")


def _check_rouge() -> None:
    """Where the peers do the same job: rouge-score on text without punctuation, which it drops; rouge-metric
    at weight 1, where it does no harm that it weighs twice.
    """
    from benchmarks import peers

    references, systems = corpus()
    lines, known = ([_plain(line) for line in texts[:300]] for texts in (systems[MIDDLE], references[0]))
    np.testing.assert_allclose(
        _scores("rouge-l")([lines], [known])[0], peers.rouge_l(lines, [known]), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        _scores("rouge-w", weight=1.0)([lines], [known])[0],
        peers.rouge_w(lines, [known], 1.0),
        rtol=1e-9,
        atol=1e-9,
    )


def _plain(line: str) -> str:
    return " ".join(re.findall("[a-z0-9]+", line.lower()))


def _measure(job: Job) -> Iterator[Result]:
    texts = read_published() if job.real else corpus()
    if texts is None:
        return
    references, systems = texts.references[: job.references], texts.systems
    outputs, known = _peer_texts(job, systems, references)
    if job.equal:
        mine, theirs = job.ours([outputs], known)[0], job.theirs(outputs, known)
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
    if not job.spread:
        yield _race(
            f"{job.name}, {len(systems)} systems",
            job,
            (lambda: job.ours(systems, references), len(systems) * len(references[0])),
            (lambda: job.theirs(outputs, known), len(outputs)),
            job.demanded,
        )
    yield _race(
        f"{job.name}, {'the same segments' if job.spread else '1 system'}",
        job,
        (lambda: job.ours([outputs], known), len(outputs)),
        (lambda: job.theirs(outputs, known), len(outputs)),
        job.demanded if job.spread else None,
    )


def _peer_texts(
    job: Job, systems: list[list[str]], references: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    if not job.spread:
        return systems[MIDDLE][: job.segments], [texts[: job.segments] for texts in references]
    each = job.segments // len(systems)
    part = slice(1000, 1000 + each)  # anywhere but at the start
    outputs = [line for system in systems for line in system[part]]
    return outputs, [texts[part] * len(systems) for texts in references]


Timed = tuple[Callable[[], object], int]


def _race(name: str, job: Job, ours: Timed, theirs: Timed, demanded: float | None) -> Result:
    ours[0]()  # compile, load, fill caches that a process keeps
    mine, others = race(ours[0], theirs[0], ROUNDS)
    mine = [seconds / ours[1] * 1e6 for seconds in mine]
    others = [seconds / theirs[1] * 1e6 for seconds in others]
    ratios = [other / own for own, other in zip(mine, others, strict=True)]
    medians = (statistics.median(mine), statistics.median(others))
    return Result(name, job.peer, "µs/segment", *medians, min(ratios), statistics.median(ratios), demanded)


def _scores(name: str, **parameters: registry.Value) -> Callable[..., Sequence[np.ndarray]]:
    def ours(systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> list[np.ndarray]:
        named = {str(number): outputs for number, outputs in enumerate(systems)}
        scored = score_systems(registry.get(name, **parameters), named, references)
        return [scores.segments for scores in scored.values()]

    return ours


def _jobs() -> list[Job]:
    from benchmarks import peers

    bleu = _scores("bleu", tokenize="none")
    return [
        Job("sentence BLEU, 1 reference", "sacrebleu", bleu, peers.bleu("none"), 1, 3003, 20),
        Job("sentence BLEU, 4 references", "sacrebleu", bleu, peers.bleu("none"), 4, 1000, 25),
        Job("sentence BLEU, 13a", "sacrebleu", _scores("bleu"), peers.bleu("13a"), 1, 1000),
        Job("WER + PER", "rapidfuzz (WER alone)", _wer_and_per, peers.wer, 1, 3003, 1.2),
        Job("TER", "sacrebleu", _scores("ter"), peers.ter, 1, 120, 70, spread=True),
        Job("chrF", "sacrebleu", _scores("chrf"), peers.chrf, 1, 600, 25),
        Job("NIST", "NLTK", _scores("nist"), peers.nist, 1, 3003, 8, equal=False),
        Job("METEOR, words and stems", "NLTK", _scores("meteor"), peers.meteor, 1, 3003, 8),
        Job("ROUGE-L", "rouge-score", _scores("rouge-l"), peers.rouge_l, 1, 600, 15, equal=False),
        Job("ROUGE-W", "rouge-metric", _scores("rouge-w"), peers.rouge_w, 1, 600, 20, equal=False),
        Job("F-measure, e = 2", "naive greedy", _scores("fms-2"), peers.fms_2, 1, 600, 30),
        Job(
            "newstest2012 de-en: BLEU, 13a",
            "sacrebleu",
            _scores("bleu"),
            peers.bleu("13a"),
            1,
            1000,
            real=True,
        ),
        Job(
            "newstest2012 de-en: WER + PER",
            "rapidfuzz (WER alone)",
            _wer_and_per,
            peers.wer,
            1,
            3003,
            real=True,
        ),
        Job("newstest2012 de-en: chrF", "sacrebleu", _scores("chrf"), peers.chrf, 1, 600, real=True),
        Job(
            "newstest2012 de-en: TER", "sacrebleu", _scores("ter"), peers.ter, 1, 112, spread=True, real=True
        ),
    ]


def _wer_and_per(systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Both counts come from one pass; the peer is asked for the first alone."""
    from metrics.lexical.blocks import Block, count_in_blocks, word_errors
    from metrics.lexical.tokenizers import block_text

    def count(some: Sequence[Sequence[str]], outputs: Sequence[Sequence[str]]) -> np.ndarray:
        return word_errors(Block(block_text([*some, *outputs]), len(some[0]), 1, len(outputs)))[0]

    return list(count_in_blocks(count, references, systems)[..., 0])


def _bootstrap() -> Result:
    """Text to resampled scores: 1,000 samples of twelve systems."""
    from benchmarks import peers

    references, systems = corpus()
    named = {f"s{number:02d}": outputs for number, outputs in enumerate(systems)}
    metric = registry.get("bleu", tokenize="none")
    if not isinstance(metric, AddableMetric):
        raise TypeError("BLEU has addable statistics")

    def ours() -> dict[str, np.ndarray]:
        scored = score_systems(metric, named, references[:1])
        counts = {name: scores.statistics for name, scores in scored.items() if scores.statistics is not None}
        return bootstrap_scores(metric, counts, resamples=1000, seed=12345)

    theirs = peers.paired_bootstrap(named, references[:1])
    mean = float(np.mean(ours()["s04"]))
    np.testing.assert_allclose(mean, theirs()["s04"], rtol=1e-5)
    mine, others = race(ours, theirs, ROUNDS)
    ratios = [other / own for own, other in zip(mine, others, strict=True)]
    medians = (statistics.median(mine), statistics.median(others))
    return Result(
        "paired bootstrap, 1,000 × 12 systems",
        "sacrebleu",
        "s",
        *medians,
        min(ratios),
        statistics.median(ratios),
        15,
    )


if __name__ == "__main__":
    for found in _results():
        print(row(found), flush=True)
