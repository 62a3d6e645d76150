"""Two models of annotators, fitted by expectation–maximisation (EM).

Both alternate between two steps. *Expectation*: the probability of each label of each item, given the error
rates of the members. *Maximisation*: the error rates, given those probabilities. They differ in the error
model: a full confusion matrix (Dawid & Skene 1979), or a probability of knowing the label and a distribution
of guesses (MACE, Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013).

Both start from the vote shares of each item, so the result depends on the votes alone, without random
restarts, and labels cannot be permuted. Pseudo-counts (``SMOOTHING``) keep a member with two answers from
looking infallible.

Both assume that members err independently. Metrics with the same reference do not: four of them that share an
error would outvote two people. So each member has a *weight*, the power to which its likelihood is raised (1
for people); the voters of a panel can share a single one. This is EM for a composite likelihood, which still
never decreases.

Which of two texts is stored first carries no information, and pages show either on the left. So where labels
have a mirror image (A>B and A<B), a member's confusion matrix can be constrained to be the same from both
sides, which halves the number of parameters. The prior of A>B and A<B stays free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Floats, Ints

SMOOTHING = 0.1  # pseudo-count in each cell of a confusion matrix
TOLERANCE = 1e-4  # EM ends when no probability changes by more than this
RESAMPLE_TOLERANCE = 1e-3
MAX_STEPS = 500


@dataclass(frozen=True, eq=False)
class ModelOptions:
    """The weight of each member (None: 1 each), and the mirror image of each label (None: no mirroring)."""

    weights: Floats | None = None
    mirror: tuple[int, ...] | None = None


DEFAULT_OPTIONS = ModelOptions()


@dataclass(frozen=True, eq=False)
class Panel:
    """A fitted model: ``prior`` of the labels, and the probabilities of items and members.

    ``posterior`` is items × labels; ``confusion[j, k, l]`` is the probability that member j says l where k is
    true; ``reliability[j]`` is a number between 0 and 1 that each model defines.
    """

    model: str
    prior: Floats
    posterior: Floats
    confusion: Floats
    reliability: Floats
    log_likelihood: float
    options: ModelOptions

    @property
    def consensus(self) -> Ints:
        """The most probable label of each item; the first of equals."""
        return np.asarray(self.posterior.argmax(axis=1))


def fit_model(name: str, judgements: Judgements, options: ModelOptions = DEFAULT_OPTIONS) -> Panel:
    """Fit one of ``MODELS``.

    ``dawid-skene``: one confusion matrix per member; reliability is the expected share of right answers.
    ``mace``: one probability of knowing the label, the reliability, and a distribution of guesses per member.

    >>> votes = [[0, 1, 1, 0], [0, 1, 1, 0], [1, 1, 1, 0]]
    >>> fit_model("dawid-skene", Judgements.from_matrix(votes, ("yes", "no"))).consensus.tolist()
    [0, 1, 1, 0]
    """
    return _PanelFit(judgements, options).run(name)


def refit_samples(judgements: Judgements, panel: Panel, samples: Iterable[Floats]) -> Iterator[Panel]:
    """Fit the model of ``panel`` to samples of the items, starting from ``panel``.

    A sample is the number of times that each item counts.
    """
    fit = _PanelFit(judgements, panel.options)
    for item_counts in samples:
        yield fit.run(panel.model, item_counts, panel)


# From expected counts (members × true × said), the current confusion matrices and the prior to new confusion
# matrices and reliabilities.
Maximisation = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def _maximise_dawid_skene(counts: Floats, _confusion: Floats, prior: Floats) -> tuple[Floats, Floats]:
    confusion = counts + SMOOTHING
    confusion /= confusion.sum(axis=2, keepdims=True)
    return confusion, np.einsum("jkk,k->j", confusion, prior)


def _maximise_mace(counts: Floats, confusion: Floats, _prior: Floats) -> tuple[Floats, Floats]:
    """Divide the right answers into known and guessed ones, then count both.

    The current matrices have θ + (1 − θ)ξ_k on the diagonal and (1 − θ)ξ_l elsewhere, so a wrong answer was
    guessed for certain, and a right one with probability (1 − θ)ξ_k / (θ + (1 − θ)ξ_k).
    """
    labels = counts.shape[2]
    diagonal = np.arange(labels)
    guess = confusion.copy()  # the probability of a guess: any value of the column outside the diagonal
    for label in diagonal:
        guess[:, label, label] = confusion[:, (label + 1) % labels, label]
    guessed_share = np.divide(guess, confusion, out=np.ones_like(confusion), where=confusion > 0)
    guessed = counts * np.minimum(guessed_share, 1.0)
    known = (counts - guessed).sum(axis=(1, 2))
    guesses = guessed.sum(axis=1) + SMOOTHING
    total = guesses.sum(axis=1)
    knowledge = (known + SMOOTHING) / (known + SMOOTHING + total)
    updated = np.repeat(((1 - knowledge) / total)[:, None, None] * guesses[:, None, :], labels, axis=1)
    updated[:, diagonal, diagonal] += knowledge[:, None]
    return updated, knowledge


MODELS: dict[str, Maximisation] = {"dawid-skene": _maximise_dawid_skene, "mace": _maximise_mace}


class _PanelFit:
    """EM over *patterns*: items with the same votes are one item with a larger weight.

    A panel of five with four labels has far fewer patterns than items, which makes a bootstrap cheap. Each
    step is one sparse product: ``weighted_votes`` is patterns × (member, label) with the weight of the
    member, ``votes`` is its transpose with ones.
    """

    def __init__(self, judgements: Judgements, options: ModelOptions) -> None:
        first = judgements.first_judgements
        if not len(first):
            raise ValueError("a panel needs at least one judgement")
        self.labels, self.members = first.size, len(first.annotator_names)
        self.options = options
        weights = np.ones(self.members) if options.weights is None else options.weights
        if len(weights) != self.members:
            raise ValueError(f"expected {self.members} weights, one for each member, found {len(weights)}")
        table = np.full((judgements.counts.shape[1], self.members), -1, dtype=np.int8)
        table[first.items, first.annotators] = first.labels
        patterns, pattern_of = np.unique(table, axis=0, return_inverse=True)
        self.pattern_of: Ints = pattern_of.reshape(-1)
        pattern, member = np.nonzero(patterns >= 0)
        column = member * self.labels + patterns[pattern, member]
        self.length = len(patterns)
        shape = (self.length, self.members * self.labels)
        self.weighted_votes = sparse.csr_array((weights[member], (pattern, column)), shape=shape)
        self.votes = sparse.csr_array((np.ones(len(column)), (column, pattern)), shape=shape[::-1])
        self.has_votes = np.bincount(pattern, minlength=self.length) > 0

    def run(self, model: str, item_counts: Floats | None = None, start: Panel | None = None) -> Panel:
        maximise = MODELS[model]
        counts = np.bincount(self.pattern_of, weights=item_counts, minlength=self.length)
        self.pattern_weights = counts * self.has_votes
        if start is None:
            posterior, confusion = self._vote_shares(), self._initial_confusion()
        else:
            confusion = start.confusion
            posterior, _ = self._expect(start.prior, confusion)
        tolerance = TOLERANCE if start is None else RESAMPLE_TOLERANCE
        steps, change = 0, np.inf
        while change >= tolerance and steps < MAX_STEPS:
            steps += 1
            mass = self.pattern_weights @ posterior + SMOOTHING
            prior = np.asarray(mass / mass.sum())
            confusion, reliability = maximise(self._expected_counts(posterior), confusion, prior)
            previous = posterior
            posterior, likelihood = self._expect(prior, confusion)
            change = np.abs(posterior - previous).max()
        by_item = posterior[self.pattern_of]
        return Panel(model, prior, by_item, confusion, reliability, likelihood, self.options)

    def _vote_shares(self) -> Floats:
        votes = self.weighted_votes @ np.tile(np.eye(self.labels), (self.members, 1))
        total = votes.sum(axis=1)
        return np.asarray(votes / np.where(total > 0, total, 1)[:, None])

    def _initial_confusion(self) -> Floats:
        """Members are right four times in five, else any label is equally likely."""
        confusion = np.full((self.members, self.labels, self.labels), 0.2 / self.labels)
        confusion[:, np.arange(self.labels), np.arange(self.labels)] += 0.8
        return confusion

    def _expected_counts(self, posterior: Floats) -> Floats:
        """Members × true × said."""
        by_vote: Floats = self.votes @ (posterior * self.pattern_weights[:, None])
        counts = by_vote.reshape(self.members, self.labels, self.labels).transpose(0, 2, 1)
        if self.options.mirror is not None:
            mirror = list(self.options.mirror)
            counts = (counts + counts[:, mirror][:, :, mirror]) / 2
        return counts

    def _expect(self, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
        logs = np.log(confusion).transpose(0, 2, 1).reshape(-1, self.labels)
        scores = self.weighted_votes @ logs + np.log(prior)
        top = scores.max(axis=1, keepdims=True)
        posterior = np.exp(scores - top)
        mass = posterior.sum(axis=1, keepdims=True)
        likelihood = ((np.log(mass) + top)[:, 0] * self.pattern_weights).sum()
        return posterior / mass, float(likelihood)
