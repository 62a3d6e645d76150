"""``statistical``: word alignment trained on the task's own sentence pairs.

Both directions are trained jointly, after Liang, Taskar and Klein (2006): a link is weighted in training by
the posteriors of both directions. They multiply the posteriors; we take the geometric mean, because from a
few hundred sentences the product learns too little. A link is accepted if the product of the posteriors
reaches a threshold. A task is a small corpus, so words are reduced to lower-case prefixes, and words with the
same spelling start with a higher probability.

For two candidates in one language every pair is used in both orders, so exchanging A and B mirrors the links.
For source and target the direction of training is the direction of use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from evaluation.alignment.aligners import Corpus
from evaluation.alignment.hmm import Batch, Direction, Floats, Ints
from evaluation.alignment.values import Link

Posteriors = list[tuple[Floats, Floats]]
"""For each batch the posteriors of words and of NULL."""

ROUNDS = (1, 8)  # of model 1, of the HMM
THRESHOLD = 0.2  # for the product of both posteriors
PREFIX = 4  # letters that identify a word
ALIKE = 20.0  # initial weight of words with the same spelling, relative to others


class StatisticalAligner:
    """IBM model 1 and HMM in both directions, trained on a corpus of tokenised sentence pairs."""

    name = "statistical"

    def __init__(self, corpus: Corpus, *, monolingual: bool = False, prefix: int = PREFIX) -> None:
        pairs = [(a, b) for a, b in corpus if a and b]
        if not pairs:
            raise ValueError("the statistical aligner needs at least one sentence pair to train on")
        self._prefix = prefix
        self._numbers: dict[str, int] = {}
        if monolingual:
            pairs += [(b, a) for a, b in pairs]
        self._train([self._number_words(a) for a, _ in pairs], [self._number_words(b) for _, b in pairs])
        kind = "monolingual" if monolingual else "directed"
        self.version = (
            f"statistical-2 {kind} rounds={ROUNDS[0]}+{ROUNDS[1]} prefix={prefix} corpus={_digest(corpus)}"
        )

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        """Return the links for which the product of both posteriors reaches the threshold."""
        if not a or not b:
            return ()
        agreed = self._joint_posteriors([self._look_up(a)], [self._look_up(b)]).reshape(len(a), len(b))
        return tuple([(int(i), int(j)) for i, j in zip(*np.nonzero(agreed >= THRESHOLD), strict=True)])

    def _key(self, word: str) -> str:
        return word.lower()[: self._prefix]

    def _number_words(self, words: Iterable[str]) -> Ints:
        numbers = self._numbers
        return np.array(
            [numbers.setdefault(self._key(word), len(numbers) + 1) for word in words], dtype=np.int64
        )

    def _look_up(self, words: Iterable[str]) -> Ints:
        unknown = len(self._numbers) + 1
        return np.array([self._numbers.get(self._key(word), unknown) for word in words], dtype=np.int64)

    def _train(self, a: list[Ints], b: list[Ints]) -> None:
        width = len(self._numbers) + 2
        self._ab, self._ba = Direction(a, b, width), Direction(b, a, width)
        for direction in (self._ab, self._ba):
            alike = direction.keys // width == direction.keys % width
            direction.t[:-1][alike] = ALIKE
        batches = self._batches(a, b)
        for _ in range(ROUNDS[0]):
            self._train_jointly(batches, self._ab.model1(batches[0]), self._ba.model1(batches[1]))
        for _ in range(ROUNDS[1]):
            (forward, jumps), (backward, returns) = self._ab.hmm(batches[0]), self._ba.hmm(batches[1])
            self._train_jointly(batches, forward, backward)
            self._ab.learn_jumps(jumps)
            self._ba.learn_jumps(returns)

    def _batches(self, a: list[Ints], b: list[Ints]) -> tuple[list[Batch], list[Batch]]:
        return self._ab.batches(a, b), self._ba.batches(b, a, turned=True)

    def _train_jointly(
        self, batches: tuple[list[Batch], list[Batch]], forward: Posteriors, backward: Posteriors
    ) -> None:
        """Train each direction on the posteriors of both."""
        agreed = np.sqrt(_flatten(batches[0], forward) * _flatten(batches[1], backward))
        for direction, own, posteriors in ((self._ab, batches[0], forward), (self._ba, batches[1], backward)):
            direction.learn(
                own,
                [
                    (agreed[batch.cells] * batch.real[:, :, None], null)
                    for batch, (_, null) in zip(own, posteriors, strict=True)
                ],
            )

    def _joint_posteriors(self, a: list[Ints], b: list[Ints]) -> Floats:
        forward, backward = self._batches(a, b)
        return _flatten(forward, self._ab.hmm(forward)[0]) * _flatten(backward, self._ba.hmm(backward)[0])


def _flatten(batches: Sequence[Batch], posteriors: Posteriors) -> Floats:
    """Return the posteriors of all cells in one array."""
    size = 1 + max(int(batch.cells.max()) for batch in batches)
    flat = np.zeros(size)
    for batch, (words, _) in zip(batches, posteriors, strict=True):
        flat[batch.cells[batch.real]] = words[batch.real]
    return flat


def _digest(corpus: Corpus) -> str:
    digest = blake2b(digest_size=6)
    for a, b in corpus:
        digest.update(f"{' '.join(a)}\t{' '.join(b)}\n".encode(errors="surrogatepass"))
    return digest.hexdigest()
