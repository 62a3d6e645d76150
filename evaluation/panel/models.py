"""Two models of annotators, fitted by expectation–maximisation on columns of judgements.

Both alternate between the same two steps. *Expectation*: given what we believe of each member, how probable
is each label of each item? *Maximisation*: given those probabilities, what do we believe of each member? They
differ only in what they believe: a table of confusions (Dawid & Skene 1979), or a probability of knowing the
answer and a habit for guessing (MACE, Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013).

Both start from the vote shares of each item, so the result depends on nothing but the votes: no random
restarts, and "label 1" means the same before and after. Small pseudo-counts (``SMOOTHING``) keep a member
with two answers from looking infallible.

Both suppose that members err independently. Machines that read the same reference do not: four of them that
share one error would outvote any two people, and be believed. So each member has a *voice*, the power to
which its evidence is raised (1 for people); the machines of a panel can share a single one. That is EM for a
composite likelihood, and still never goes down.

Which of two texts is stored first says nothing, and pages show either on the left. So where labels have a
*mirror image* (A>B and A<B), a member's table may be held to be the same from both sides: half as much to
learn from the same answers. What is more frequent, A>B or A<B, stays free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Codes, Floats, Ints

SMOOTHING = 0.1  # pseudo-answers in each cell of a member's table
ENOUGH = 1e-4  # the probabilities have settled when none moves more than this
ENOUGH_FOR_A_SAMPLE = 1e-3
MOST_STEPS = 500


@dataclass(frozen=True, eq=False)
class Rules:
    """How much each member's answers weigh (None: 1), and the mirror image of each label (None: no image)."""

    voices: Floats | None = None
    mirror: tuple[int, ...] | None = None


NO_RULES = Rules()


@dataclass(frozen=True, eq=False)
class Panel:
    """What a model believes: of the labels, of each item, and of each member.

    ``posterior`` is items × labels; ``confusion[j, k, l]`` is the probability that member j says l where k is
    true; ``reliability[j]`` is one number between 0 and 1, whose meaning the model defines.
    """

    model: str
    prior: Floats
    posterior: Floats
    confusion: Floats
    reliability: Floats
    log_likelihood: float
    steps: int
    rules: Rules

    @property
    def consensus(self) -> Ints:
        """The most probable label of each item; the first of equals."""
        return np.asarray(self.posterior.argmax(axis=1))


def dawid_skene(judgements: Judgements, rules: Rules = NO_RULES) -> Panel:
    """Each member has a table of confusions; reliability is the expected share of right answers.

    >>> panel = dawid_skene(Judgements.from_matrix([[0, 1, 1, 0], [0, 1, 1, 0], [1, 1, 1, 0]], ("yes", "no")))
    >>> panel.consensus.tolist()
    [0, 1, 1, 0]
    """
    return _Fit(judgements, rules).run("dawid-skene")


def mace(judgements: Judgements, rules: Rules = NO_RULES) -> Panel:
    """Each member knows the label with a probability, their reliability, or answers from a habit.

    >>> panel = mace(Judgements.from_matrix([[0, 1, 1, 0], [0, 1, 1, 0], [1, 1, 1, 1]], ("yes", "no")))
    >>> bool(panel.reliability[0] > panel.reliability[2])
    True
    """
    return _Fit(judgements, rules).run("mace")


MODELS: dict[str, Callable[[Judgements, Rules], Panel]] = {"dawid-skene": dawid_skene, "mace": mace}


def refitted(judgements: Judgements, panel: Panel, samples: Iterable[Floats]) -> Iterator[Panel]:
    """The same model on samples of the items, each from where ``panel`` ended.

    A sample says of each item how often it counts.
    """
    fit = _Fit(judgements, panel.rules)
    for counted in samples:
        yield fit.run(panel.model, counted, panel)


# From expected counts (members × true × said) and the tables believed so far to new tables and reliabilities.
Belief = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def _tables_of_confusion(counts: Floats, _before: Floats, prior: Floats) -> tuple[Floats, Floats]:
    table = counts + SMOOTHING
    table /= table.sum(axis=2, keepdims=True)
    return table, np.einsum("jkk,k->j", table, prior)


def _knowing_or_guessing(counts: Floats, before: Floats, _prior: Floats) -> tuple[Floats, Floats]:
    """Split the right answers into known and guessed ones, then count again.

    The tables believed so far hold θ + (1 − θ)ξ_k on the diagonal and (1 − θ)ξ_l elsewhere, so a wrong answer
    was guessed for certain, and a right one with probability (1 − θ)ξ_k / (θ + (1 − θ)ξ_k).
    """
    labels = counts.shape[2]
    diagonal = np.arange(labels)
    habit = before.copy()  # what guessing alone gives: a column's value outside the diagonal
    for label in diagonal:
        habit[:, label, label] = before[:, (label + 1) % labels, label]
    guessed_share = np.divide(habit, before, out=np.ones_like(before), where=before > 0)
    guessed = counts * np.minimum(guessed_share, 1.0)
    known = (counts - guessed).sum(axis=(1, 2))
    by_habit = guessed.sum(axis=1) + SMOOTHING
    total = by_habit.sum(axis=1)
    knows = (known + SMOOTHING) / (known + SMOOTHING + total)
    tables = np.repeat(((1 - knows) / total)[:, None, None] * by_habit[:, None, :], labels, axis=1)
    tables[:, diagonal, diagonal] += knows[:, None]
    return tables, knows


BELIEFS: dict[str, Belief] = {"dawid-skene": _tables_of_confusion, "mace": _knowing_or_guessing}


def different_rows(votes: Codes, labels: int) -> tuple[Codes, Ints]:
    """The rows of −1 … labels − 1 that occur, in order, and which of them each row is.

    Rows are read as numbers where those are not too large: numbers are sorted ten times as fast.

    >>> different_rows(np.array([[1, -1], [0, 1], [1, -1]]), 2)
    (array([[ 0,  1],
           [ 1, -1]]), array([1, 0, 1]))
    """
    base, members = labels + 1, votes.shape[1]
    if base**members > np.iinfo(np.int64).max:
        found, row_of = np.unique(votes, axis=0, return_inverse=True)
        return found, row_of.reshape(-1)
    places = np.array([base**power for power in reversed(range(members))], dtype=np.int64)
    _, first, row_of = np.unique((votes + 1) @ places, return_index=True, return_inverse=True)
    return votes[first], row_of.reshape(-1)


class _Fit:
    """The two steps, over *patterns*: items with the same votes are one item that counts more.

    A panel of five with four labels has far fewer patterns than items, which makes a bootstrap cheap. Who
    said what stands in two sparse tables, so that each step is one product: ``heard`` is patterns × (member,
    label) with the voice of the member, ``sayings`` the same turned round with ones.
    """

    def __init__(self, judgements: Judgements, rules: Rules) -> None:
        first = judgements.first_only
        if not len(first):
            raise ValueError("a panel needs at least one judgement")
        self.labels, self.members = first.size, len(first.annotator_names)
        self.rules = rules
        voices = np.ones(self.members) if rules.voices is None else rules.voices
        if len(voices) != self.members:
            raise ValueError(f"{self.members} members need as many voices, found {len(voices)}")
        length = judgements.counts.shape[1]
        votes = np.full((length, self.members), -1, dtype=np.int8)
        votes[first.items, first.annotators] = first.labels
        patterns, self.pattern_of = different_rows(votes, self.labels)
        pattern, member = np.nonzero(patterns >= 0)
        said = member * self.labels + patterns[pattern, member]
        self.length = len(patterns)
        shape = (self.length, self.members * self.labels)
        self.heard = sparse.csr_array((voices[member], (pattern, said)), shape=shape)
        self.sayings = sparse.csr_array((np.ones(len(said)), (said, pattern)), shape=shape[::-1])
        self.judged = np.bincount(pattern, minlength=self.length) > 0

    def run(self, model: str, counted: Floats | None = None, start: Panel | None = None) -> Panel:
        believe = BELIEFS[model]
        self.weights = np.bincount(self.pattern_of, weights=counted, minlength=self.length) * self.judged
        if start is None:
            posterior, tables = self._vote_shares(), self._first_tables()
        else:
            tables = start.confusion
            posterior, _ = self._expect(start.prior, tables)
        enough = ENOUGH if start is None else ENOUGH_FOR_A_SAMPLE
        steps, moved = 0, np.inf
        while moved >= enough and steps < MOST_STEPS:
            steps += 1
            prior = self._prior(posterior)
            tables, reliability = believe(self._counts(posterior), tables, prior)
            before = posterior
            posterior, likelihood = self._expect(prior, tables)
            moved = np.abs(posterior - before).max()
        every = posterior[self.pattern_of]
        return Panel(model, prior, every, tables, reliability, likelihood, steps, self.rules)

    def _vote_shares(self) -> Floats:
        votes = self.heard @ np.tile(np.eye(self.labels), (self.members, 1))
        total = votes.sum(axis=1)
        return np.asarray(votes / np.where(total > 0, total, 1)[:, None])

    def _first_tables(self) -> Floats:
        """Before anything is known: right four times in five, else any label alike."""
        tables = np.full((self.members, self.labels, self.labels), 0.2 / self.labels)
        tables[:, np.arange(self.labels), np.arange(self.labels)] += 0.8
        return tables

    def _prior(self, posterior: Floats) -> Floats:
        mass = self.weights @ posterior + SMOOTHING
        return np.asarray(mass / mass.sum())

    def _counts(self, posterior: Floats) -> Floats:
        """members × true × said: how often, as far as we believe, each said what where what was true."""
        said: Floats = self.sayings @ (posterior * self.weights[:, None])
        counts = said.reshape(self.members, self.labels, self.labels).transpose(0, 2, 1)
        if self.rules.mirror is not None:
            image = list(self.rules.mirror)
            counts = (counts + counts[:, image][:, :, image]) / 2
        return counts

    def _expect(self, prior: Floats, tables: Floats) -> tuple[Floats, float]:
        logs = np.log(tables).transpose(0, 2, 1).reshape(-1, self.labels)
        scores = self.heard @ logs + np.log(prior)
        top = scores.max(axis=1, keepdims=True)
        posterior = np.exp(scores - top)
        mass = posterior.sum(axis=1, keepdims=True)
        likelihood = ((np.log(mass) + top)[:, 0] * self.weights).sum()
        return posterior / mass, float(likelihood)
