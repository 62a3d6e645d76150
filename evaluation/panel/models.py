"""Models of annotators, fitted by expectation–maximisation (EM).

All alternate between two steps. *Expectation*: the probability of each label of each item, given the error
rates of the members. *Maximisation*: the error rates, given those probabilities. They differ in the error
model: a full confusion matrix (Dawid & Skene 1979), or a probability of knowing the label and a distribution
of guesses (MACE, Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013).

*N/A* says that two phrases cannot be compared, not that one is better, and it is rare. In one confusion
matrix with the other labels it collects the items that fit none of them, so that three answers A=B may become
N/A. The default, ``staged``, asks two questions with a model each: can the phrases be compared, and if so,
which is better? Its confusion matrices are drawn towards that of all members (``STRENGTH``) and towards the
right answers (``TRUST``), because most members of a campaign use each label only a few times.

All start from the vote shares of each item, so the result depends on the votes alone, without random
restarts, and labels cannot be permuted. Pseudo-counts (``SMOOTHING``) keep a member with two answers from
looking infallible.

All assume that members err independently. Metrics with the same reference do not: four of them that share an
error would outvote two people. So each member has a *weight*, the power to which its likelihood is raised (1
for people); the voters of a panel can share a single one. This is EM for a composite likelihood, which still
never decreases.

Which of two texts is stored first carries no information, and pages show either on the left. So where labels
have a mirror image (A>B and A<B), a member's confusion matrix can be constrained to be the same from both
sides, which halves the number of parameters. The prior of A>B and A<B stays free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.schemes import Choice

SMOOTHING = 0.1  # pseudo-count in each cell of a confusion matrix
TRUST = 5.0  # ``staged``: pseudo-counts in each row of a matrix, as of a member who is mostly right …
STRENGTH = 5.0  # … and as of all members together
TOLERANCE = 1e-4  # EM ends when no probability changes by more than this
RESAMPLE_TOLERANCE = 1e-3
MAX_STEPS = 500
MODELS = ("staged", "dawid-skene", "mace")
NOT_APPLICABLE = Choice.NOT_APPLICABLE.value


@dataclass(frozen=True, eq=False)
class ModelOptions:
    """The weight of each member (None: 1 each), and the mirror image of each label (None: no mirroring).

    The first ``people`` members are people (None: all). The others are voters, which are pooled with each
    other only; a voter that never says N/A cannot say it.
    """

    weights: Floats | None = None
    mirror: tuple[int, ...] | None = None
    people: int | None = None


DEFAULT_OPTIONS = ModelOptions()


@dataclass(frozen=True, eq=False)
class Panel:
    """A fitted model: ``prior`` of the labels, and the probabilities of items and members.

    ``posterior`` is items × labels; ``confusion[j, k, l]`` is the probability that member j says l where k is
    true; ``reliability[j]`` is a number between 0 and 1 that each model defines. ``stages`` are the panels
    that the model consists of, if any.
    """

    model: str
    prior: Floats
    posterior: Floats
    confusion: Floats
    reliability: Floats
    log_likelihood: float
    options: ModelOptions
    stages: tuple[Panel, ...] = ()

    @property
    def consensus(self) -> Ints:
        """The most probable label of each item; the first of equals."""
        return np.asarray(self.posterior.argmax(axis=1))


def fit_model(name: str, judgements: Judgements, options: ModelOptions = DEFAULT_OPTIONS) -> Panel:
    """Fit one of ``MODELS``.

    ``staged``: N/A apart from the other labels, with pooled confusion matrices.
    ``dawid-skene``: one confusion matrix per member. The reliability of both is the expected share of right
    answers.
    ``mace``: one probability of knowing the label, the reliability, and a distribution of guesses per member.

    >>> votes = [[0, 1, 1, 0], [0, 1, 1, 0], [1, 1, 1, 0]]
    >>> fit_model("dawid-skene", Judgements.from_matrix(votes, ("yes", "no"))).consensus.tolist()
    [0, 1, 1, 0]
    """
    return _make_fit(name, judgements, options).run()


def refit_samples(judgements: Judgements, panel: Panel, samples: Iterable[Floats]) -> Iterator[Panel]:
    """Fit the model of ``panel`` to samples of the items, starting from ``panel``.

    A sample is the number of times that each item counts.
    """
    fit = _make_fit(panel.model, judgements, panel.options)
    for item_counts in samples:
        yield fit.run(item_counts, panel)


# From expected counts (members × true × said), the current confusion matrices and the prior to new confusion
# matrices and reliabilities.
Maximisation = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def _maximise_dawid_skene(counts: Floats, _confusion: Floats, prior: Floats) -> tuple[Floats, Floats]:
    confusion = counts + SMOOTHING
    confusion /= confusion.sum(axis=2, keepdims=True)
    return confusion, np.einsum("jkk,k->j", confusion, prior)


def _maximise_pooled(people: int) -> Maximisation:
    """Return the step of Dawid & Skene with confusion matrices that are drawn towards that of their group."""

    def maximise(counts: Floats, _confusion: Floats, prior: Floats) -> tuple[Floats, Floats]:
        confusion = counts + TRUST * _mostly_right(len(prior))
        for group in (slice(people), slice(people, None)):
            pooled = counts[group].sum(axis=0) + SMOOTHING
            confusion[group] += STRENGTH * pooled / pooled.sum(axis=1, keepdims=True)
        confusion /= confusion.sum(axis=2, keepdims=True)
        # Not of the pooled matrix, in which the best and the worst member look too much alike.
        return confusion, _maximise_dawid_skene(counts, confusion, prior)[1]

    return maximise


def _mostly_right(labels: int) -> Floats:
    """The matrix of a member who is right four times in five, and else gives any label equally likely."""
    return np.full((labels, labels), 0.2 / labels) + 0.8 * np.eye(labels)


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


class _PanelFit:
    """EM over *patterns*: items with the same votes are one item with a larger weight.

    A panel of five with four labels has far fewer patterns than items, which makes a bootstrap cheap. A
    vote is an entry of ``patterns``, ``columns`` (member and label) and ``weights``. ``codes`` are the labels
    of the rows of ``first``, −1 where the row is not a vote.
    """

    def __init__(
        self, model: str, first: Judgements, codes: Codes, labels: int, options: ModelOptions
    ) -> None:
        self.model, self.labels, self.members = model, labels, len(first.annotator_names)
        self.options = options
        people = self.members if options.people is None else options.people
        self.maximise: Maximisation = {
            "dawid-skene": _maximise_dawid_skene,
            "mace": _maximise_mace,
        }.get(model) or _maximise_pooled(people)
        weights = np.ones(self.members) if options.weights is None else options.weights
        if len(weights) != self.members:
            raise ValueError(f"expected {self.members} weights, one for each member, found {len(weights)}")
        table = np.full((first.counts.shape[1], self.members), -1, dtype=np.int8)
        table[first.items, first.annotators] = codes
        patterns, pattern_of = np.unique(table, axis=0, return_inverse=True)
        self.pattern_of: Ints = pattern_of.reshape(-1)
        pattern, member = np.nonzero(patterns >= 0)
        self.length = len(patterns)
        self.patterns, self.weights = pattern, weights[member]
        self.columns = member * self.labels + patterns[pattern, member]
        self.has_votes = np.bincount(pattern, minlength=self.length) > 0

    def run(self, item_counts: Floats | None = None, start: Panel | None = None) -> Panel:
        counts = np.bincount(self.pattern_of, weights=item_counts, minlength=self.length)
        self.pattern_weights = counts * self.has_votes
        if start is None:
            posterior, confusion = (
                self._vote_shares(),
                np.tile(_mostly_right(self.labels), (self.members, 1, 1)),
            )
        else:
            confusion = start.confusion
            posterior, _ = self._expect(start.prior, confusion)
        tolerance = TOLERANCE if start is None else RESAMPLE_TOLERANCE
        steps, change = 0, np.inf
        while change >= tolerance and steps < MAX_STEPS:
            steps += 1
            mass = self.pattern_weights @ posterior + SMOOTHING
            prior = np.asarray(mass / mass.sum())
            confusion, reliability = self.maximise(self._expected_counts(posterior), confusion, prior)
            previous = posterior
            posterior, likelihood = self._expect(prior, confusion)
            change = np.abs(posterior - previous).max()
        by_item = posterior[self.pattern_of]
        return Panel(self.model, prior, by_item, confusion, reliability, likelihood, self.options)

    def _vote_shares(self) -> Floats:
        votes = self._sum_votes(np.tile(np.eye(self.labels), (self.members, 1)))
        total = votes.sum(axis=1)
        return np.asarray(votes / np.where(total > 0, total, 1)[:, None])

    def _sum_votes(self, values: Floats) -> Floats:
        """Return the weighted sums over the votes of each pattern; ``values`` has one row per column."""
        return np.column_stack(
            [
                np.bincount(self.patterns, column[self.columns] * self.weights, self.length)
                for column in values.T.copy()
            ]
        )

    def _expected_counts(self, posterior: Floats) -> Floats:
        """Members × true × said."""
        weighted = posterior * self.pattern_weights[:, None]
        by_vote = np.stack(
            [
                np.bincount(self.columns, column[self.patterns], self.members * self.labels)
                for column in weighted.T.copy()
            ]
        )
        shape = self.labels, self.members, self.labels
        counts: Floats = np.asarray(by_vote, dtype=np.float64).reshape(shape).transpose(1, 0, 2)
        if self.options.mirror is not None:
            mirror = list(self.options.mirror)
            counts = (counts + counts[:, mirror][:, :, mirror]) / 2
        return counts

    def _expect(self, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
        logs = np.log(confusion).transpose(0, 2, 1).reshape(-1, self.labels)
        scores = self._sum_votes(logs) + np.log(prior)
        top = scores.max(axis=1, keepdims=True)
        posterior = np.exp(scores - top)
        mass = posterior.sum(axis=1, keepdims=True)
        likelihood = ((np.log(mass) + top)[:, 0] * self.pattern_weights).sum()
        return posterior / mass, float(likelihood)


class _StagedFit:
    """Two panels on the same items: comparable or N/A, and the other labels where a member gave one."""

    def __init__(self, first: Judgements, options: ModelOptions) -> None:
        self.first, self.options, self.size = first, options, first.size
        self.absent = first.label_names.index(NOT_APPLICABLE)
        self.graded = np.flatnonzero(np.arange(self.size) != self.absent)
        is_absent = first.labels == self.absent
        can_say = np.ones(len(first.annotator_names), dtype=bool)
        if options.people is not None:
            says = np.bincount(first.annotators, is_absent, len(can_say)) > 0
            can_say[options.people :] = says[options.people :]
        codes = np.where(can_say[first.annotators], is_absent, -1)
        self.applicable = _PanelFit("staged", first, codes, 2, replace(options, mirror=None))
        code_of = np.full(self.size, -1)
        code_of[self.graded] = np.arange(len(self.graded))
        mirror = options.mirror and tuple(int(code_of[options.mirror[label]]) for label in self.graded)
        grade_options = replace(options, mirror=mirror)
        self.grades = _PanelFit("staged", first, code_of[first.labels], len(self.graded), grade_options)

    def run(self, item_counts: Floats | None = None, start: Panel | None = None) -> Panel:
        starts = start.stages if start else (None, None)
        applicable, grades = (
            fit.run(item_counts, begin)
            for fit, begin in zip((self.applicable, self.grades), starts, strict=True)
        )
        prior, posterior = (
            self._join(a, g)
            for a, g in (
                (applicable.prior, grades.prior),
                (applicable.posterior, grades.posterior),
            )
        )
        confusion = self._join_confusion(applicable.confusion, grades)
        return Panel(
            "staged",
            prior,
            posterior,
            confusion,
            self._expected_accuracy(posterior, item_counts),
            applicable.log_likelihood + grades.log_likelihood,
            self.options,
            (applicable, grades),
        )

    def _expected_accuracy(self, posterior: Floats, item_counts: Floats | None) -> Floats:
        """Return the expected share of right answers; not from the confusion matrices, which are pooled."""
        items, members, size = self.first.items, self.first.annotators, len(self.first.annotator_names)
        counts = np.ones(len(items)) if item_counts is None else item_counts[items]
        right = np.bincount(members, counts * posterior[items, self.first.labels], size)
        return np.asarray(right / np.maximum(np.bincount(members, counts, size), 1e-9))

    def _join(self, applicable: Floats, grades: Floats) -> Floats:
        """Return probabilities of all labels, from those of both stages in the last dimension."""
        joined = np.empty((*applicable.shape[:-1], self.size))
        joined[..., self.graded] = applicable[..., :1] * grades
        joined[..., self.absent] = applicable[..., 1]
        return joined

    def _join_confusion(self, applicable: Floats, grades: Panel) -> Floats:
        """A member who compares what cannot be compared answers as on any other item."""
        confusion = np.empty((len(applicable), self.size, self.size))
        of_graded = np.repeat(applicable[:, :1], len(self.graded), axis=1)
        confusion[:, self.graded] = self._join(of_graded, grades.confusion)
        usual = np.einsum("k,jkl->jl", grades.prior, grades.confusion)
        if grades.options.mirror:
            usual = (usual + usual[:, list(grades.options.mirror)]) / 2
        confusion[:, self.absent] = self._join(applicable[:, 1], usual)
        return confusion


def _make_fit(model: str, judgements: Judgements, options: ModelOptions) -> _PanelFit | _StagedFit:
    first = judgements.first_judgements
    if not len(first):
        raise ValueError("a panel needs at least one judgement")
    if model not in MODELS:
        raise ValueError(f"expected one of {', '.join(MODELS)}, found {model!r}")
    if model == "staged" and NOT_APPLICABLE in first.label_names:
        return _StagedFit(first, options)
    return _PanelFit(model, first, first.labels, first.size, options)
