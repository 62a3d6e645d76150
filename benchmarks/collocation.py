"""Collocations side by side with a Counter, scipy, NLTK and plain Python; limits in seconds for whole jobs.

The corpus is synthetic: 50,000 sentences of about eleven content words from a Zipf vocabulary of 32,000.
Counts, scores and trees are compared before anything is timed. Memory is that of a fresh process that counts
629,164 sentences, as many as paper 002 took from Gigaword.
"""

from __future__ import annotations

import math
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations

import numpy as np
import scipy.sparse
from nltk.metrics import BigramAssocMeasures

from benchmarks.base import Result, race
from metrics.collocation import loops
from metrics.collocation.association import AssociationMeasure, log_likelihood_ratio
from metrics.collocation.content_words import find_content_words
from metrics.collocation.counting import PairCounter
from metrics.collocation.loops import count_pairs
from metrics.collocation.scoring import Method, score_sentences
from metrics.collocation.table import CollocationTable, Corpus

VOCABULARY, SENTENCES = 32_000, 50_000
SYSTEMS, SEGMENTS = 12, 3_003
TREES = 2_000
Weights = dict[tuple[int, int], float]


def run() -> list[Result]:
    return [
        counting("Counter", _with_counter, 8),
        counting("scipy XᵀX", _with_scipy, 1.3),
        llr(),
        trees(Method.MST, "plain Kruskal", _plain_mst, 6),
        trees(Method.MST_NCB, "plain Kruskal", _plain_ncb, None),
        slowest_of_sixteen(),
        all_sixteen(),
        memory(),
    ]


# --- counting ---------------------------------------------------------------------------------------------


@cache
def sentences() -> list[list[int]]:
    """Distinct word numbers, in the order in which they were drawn."""
    rng = np.random.default_rng(1)
    cumulative = (1 / (np.arange(VOCABULARY) + 2.7)).cumsum()
    cumulative /= cumulative[-1]
    lengths = np.clip(rng.gamma(4, 3, SENTENCES).astype(int), 1, 60)
    drawn = np.minimum(np.searchsorted(cumulative, rng.random(lengths.sum())), VOCABULARY - 1)
    return [list(dict.fromkeys(part.tolist())) for part in np.split(drawn, lengths.cumsum()[:-1])]


def counting(peer: str, theirs: Callable[[], object], demanded: float) -> Result:
    ids, offsets = _flat()

    def ours() -> object:
        return count_pairs(ids.copy(), offsets, VOCABULARY)

    ours()
    _same_counts()
    return _summary(f"pair counts, {SENTENCES:,} sentences", peer, *race(ours, theirs), demanded)


@cache
def _flat() -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([word for sentence in sentences() for word in sentence], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences()])])
    return ids, offsets.astype(np.int64)


def _with_counter() -> Counter[tuple[int, int]]:
    counts: Counter[tuple[int, int]] = Counter()
    for sentence in sentences():
        counts.update(combinations(sorted(sentence), 2))
    return counts


def _with_scipy() -> scipy.sparse.csr_matrix:
    ids, offsets = _flat()
    shape = (SENTENCES, VOCABULARY)
    x = scipy.sparse.csr_matrix((np.ones(ids.size, np.int32), ids, offsets), shape=shape)
    return x.T @ x


@cache
def _same_counts() -> None:
    ids, offsets = _flat()
    rows, partners, counts = count_pairs(ids.copy(), offsets, VOCABULARY)
    larger = np.repeat(np.arange(VOCABULARY), np.diff(rows))
    found = zip(partners.tolist(), larger.tolist(), counts.tolist(), strict=True)
    _equal({(a, b): n for a, b, n in found} == _with_counter(), "Counter")
    product = scipy.sparse.triu(_with_scipy(), 1).tocsc()
    _equal(product.nnz == partners.size and product.sum() == counts.sum(), "scipy")


# --- association ------------------------------------------------------------------------------------------


def llr() -> Result:
    rng = np.random.default_rng(2)
    c12 = rng.integers(1, 50, 20_000)
    c1, c2 = c12 + rng.integers(0, 500, c12.size), c12 + rng.integers(0, 500, c12.size)
    rows = list(zip(c12.tolist(), c1.tolist(), c2.tolist(), strict=True))

    def ours() -> np.ndarray:
        return log_likelihood_ratio(c12, c1, c2, SENTENCES, base=math.e)

    def theirs() -> list[float]:
        return [BigramAssocMeasures.likelihood_ratio(a, (b, c), SENTENCES) for a, b, c in rows]

    _equal(np.allclose(ours(), theirs(), rtol=1e-6, atol=1e-6), "NLTK")
    return _summary(f"log-likelihood ratio, {c12.size:,} pairs", "NLTK", *race(ours, theirs), 15)


# --- trees ------------------------------------------------------------------------------------------------


@cache
def make_weighted() -> list[tuple[int, Weights]]:
    """Sentences of about twelve words; two of three pairs are collocations."""
    rng = np.random.default_rng(3)
    found = []
    for words in rng.integers(6, 19, TREES).tolist():
        pairs = [pair for pair in combinations(range(words), 2) if rng.random() < 2 / 3]
        found.append((words, {pair: float(rng.random()) for pair in pairs}))
    return found


def trees(
    method: Method, peer: str, plain: Callable[[int, Weights], float], demanded: float | None
) -> Result:
    starts = np.concatenate([[0], np.cumsum([len(weights) for _, weights in make_weighted()])]).astype(
        np.int64
    )
    pairs = np.array([pair for _, weights in make_weighted() for pair in weights], np.int32)
    left, right = (np.ascontiguousarray(pairs[:, end]) for end in (0, 1))
    weight = np.array([value for _, weights in make_weighted() for value in weights.values()])
    lengths = np.array([words for words, _ in make_weighted()], np.int32)
    verbs, code = np.full(TREES, loops.NO_VERB, np.int32), np.array([method.code], np.int64)

    def ours() -> np.ndarray:
        return loops.score_sentences(starts, left, right, weight, lengths, verbs, code)[0][:, 0]

    def theirs() -> list[float]:
        return [plain(words, weights) for words, weights in make_weighted()]

    _equal(np.allclose(ours(), theirs()), peer)
    return _summary(f"{method}, {TREES:,} sentences of 12 words", peer, *race(ours, theirs), demanded)


def _plain_mst(words: int, weights: Weights) -> float:
    return _plain_kruskal(words, weights, False)


def _plain_ncb(words: int, weights: Weights) -> float:
    return _plain_kruskal(words, weights, True)


def _plain_kruskal(words: int, weights: Weights, no_crossing: bool) -> float:
    tree, total = list(range(words)), 0.0
    kept: list[tuple[int, int]] = []

    def root(word: int) -> int:
        while tree[word] != word:
            tree[word] = tree[tree[word]]
            word = tree[word]
        return word

    for i, j in sorted(weights, key=weights.__getitem__, reverse=True):
        a, b = root(i), root(j)
        if a != b and not (no_crossing and any(x < i < y < j or i < x < j < y for x, y in kept)):
            tree[a] = b
            kept.append((i, j))
            total += weights[i, j]
    return total


# --- scoring ----------------------------------------------------------------------------------------------


@cache
def background() -> CollocationTable:
    counter = PairCounter()
    for sentence in sentences():
        counter.add(f"w{word}" for word in sentence)
    return counter.table(Corpus("synthetic", "Zipf words", "", 0))


@cache
def make_tagged() -> list[tuple[list[str], list[str]]]:
    """Twelve systems: the first sentences of the corpus, each system in another order of words."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(SYSTEMS):
        for sentence in sentences()[:SEGMENTS]:
            tokens = [f"W{word}" for word in rng.permutation(sentence).tolist()]
            found.append((tokens, ["VBD" if place == 2 else "NN" for place in range(len(tokens))]))
    return found


def slowest_of_sixteen() -> Result:
    """Each combination runs once, the slowest five times."""
    _score([AssociationMeasure.T], [Method.MST])  # compiles
    keys = [(measure, method) for measure in AssociationMeasure for method in Method]
    once = {key: _seconds(partial(_score, [key[0]], [key[1]])) for key in keys}
    measure, method = max(once, key=once.__getitem__)
    job = f"{SYSTEMS * SEGMENTS:,} tagged sentences, slowest of 16 ({measure} {method})"
    return _limit(job, 5, [measure], [method])


def all_sixteen() -> Result:
    return _limit(
        f"{SYSTEMS * SEGMENTS:,} tagged sentences, all 16", 20, list(AssociationMeasure), list(Method)
    )


def _limit(
    job: str, seconds: float, measures: Sequence[AssociationMeasure], methods: Sequence[Method]
) -> Result:
    times = [_seconds(lambda: _score(measures, methods)) for _ in range(5)]
    return _summary(job, f"the limit of {seconds:g} s", times, [seconds] * 5, 1)


def _score(measures: Sequence[AssociationMeasure], methods: Sequence[Method]) -> None:
    """From tokens and tags to the score of every sentence."""
    known: dict[str, str] = {}

    def canonical(token: str, tag: str) -> str:
        return known.setdefault(token, token.lower())

    score_sentences(
        background(), [find_content_words(*line, canonical) for line in make_tagged()], measures, methods
    )


def _seconds(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def memory() -> Result:
    """Peak memory of counting the paper's larger corpus, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.collocation", "memory"]
    sentences, pairs, peak = map(int, subprocess.check_output(command, text=True).split())
    used, allowed = peak / 1e6, 2.0
    ratio = allowed / used
    job = f"counting {sentences:,} sentences, {pairs:,} pairs"
    return Result(job, "the limit of 2 GB", "GB", used, allowed, ratio, ratio, 1)


def _count_gigaword() -> tuple[int, int, int]:
    """Sentences, pairs and peak resident kilobytes; words stream in, nothing else is kept."""
    rng = np.random.default_rng(5)
    cumulative = (1 / (np.arange(44_713) + 2.7)).cumsum()
    counter = PairCounter()
    for length in np.clip(rng.gamma(4, 3, 629_164).astype(int), 1, 60).tolist():
        drawn = np.searchsorted(cumulative, rng.random(length) * cumulative[-1])
        counter.add(f"w{word}" for word in drawn.tolist())
    made = counter.table(Corpus("synthetic", "Zipf words", "", 0))
    return counter.sentences, made.pairs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _summary(
    job: str, peer: str, ours: Sequence[float], theirs: Sequence[float], demanded: float | None
) -> Result:
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    middle = statistics.median(ours), statistics.median(theirs)
    return Result(job, peer, "s", *middle, min(ratios), statistics.median(ratios), demanded)


def _equal(same: object, peer: str) -> None:
    if not same:
        raise SystemExit(f"our values differ from those of {peer}")


if __name__ == "__main__":
    if sys.argv[1:] == ["memory"]:
        print(*_count_gigaword())
        sys.exit()
    for result in run():
        print(result)
