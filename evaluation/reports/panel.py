"""Annotators and voters as one panel: the reliability of each member, and a consensus on each pair.

The consensus is shown beside the raw votes and replaces none of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext as _, gettext_lazy
from ninja import Field
from numpy.typing import NDArray

from appraise.lib.tables import Table
from evaluation.agreement.judgements import Ints
from evaluation.models import Adjudication, PhrasePair
from evaluation.panel.models import Panel, fit_model
from evaluation.panel.reliability import (
    Calibration,
    HeldOut,
    Reliability,
    estimate_reliabilities,
    measure_calibration,
    measure_held_out,
)
from evaluation.panel.votes import PanelVotes, VoterWeighting, collect_panel_votes
from evaluation.reports import plots
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, get_study, load_names
from evaluation.reports.votes import collect_scope_votes, list_scope_span_voters
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study import Study
from evaluation.study.disagreements import find_majorities
from evaluation.voters import providers

MAX_OVERRULED = 20  # pairs on the page
MAX_LISTED = 30  # members on the page
RESAMPLES = 100
ASSUMED_VOTERS, ASSUMED_PAIRS = 5, 4  # in a task and in a comparison: counting is not worth a query
RESAMPLED_MICROSECONDS = 2.5  # for each vote and resample
MAX_RESAMPLED = 5_000  # votes; beyond that, resampling would take too long for a page


class PanelOptions(ReportOptions):
    model: Literal["staged", "dawid-skene", "mace"] = Field(
        default="staged",
        description="N/A apart from the other answers (staged), a confusion matrix per member (Dawid–Skene),"
        " or its probability of knowing the answer (MACE)",
    )
    voter_weighting: VoterWeighting = Field(
        default=VoterWeighting.ONE_VOTER,
        description="Weight of voters: one vote together, none, or one vote each",
    )
    resamples: int | None = Field(
        default=None,
        ge=0,
        le=10_000,
        description="Resamples behind the intervals (default: 100 up to 5,000 votes)",
    )


@dataclass(frozen=True, slots=True)
class FittedPanel:
    """A fitted panel, and how well it predicts answers that it has not seen."""

    options: PanelOptions
    votes: PanelVotes
    panel: Panel
    members: list[Reliability]
    held_out: HeldOut

    @property
    def resampled(self) -> bool:
        return any(member.low is not None for member in self.members)


@dataclass(frozen=True, slots=True)
class PanelMember:
    name: str
    is_voter: bool
    answers: int
    reliability: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class OverruledPair:
    """A pair on which the panel contradicts most people."""

    pair: PhrasePair
    votes: list[tuple[Choice, int]]
    consensus: Choice
    probability: float

    @property
    def is_unanimous(self) -> bool:
        """Whether two or more people gave the same answer and nobody another one."""
        return _are_unanimous(np.array([[n for _, n in self.votes]])).item()


@dataclass(frozen=True, slots=True)
class PanelPage:
    scope: Scope
    options: PanelOptions
    panel: FittedPanel | None
    members: list[PanelMember]
    overruled: list[OverruledPair]
    contradicted: int
    unanimous: int
    """Of the contradicted pairs, those on which all people agree."""
    adjudicated: Calibration
    majority_right: int
    has_voters: bool

    @property
    def listed_members(self) -> list[PanelMember]:
        """The members on the page; of very many, the least reliable. The file contains all."""
        return self.members[-MAX_LISTED:]

    @property
    def majority_accuracy(self) -> float | None:
        """How often the majority of people is right, over the adjudicated pairs."""
        return self.majority_right / self.adjudicated.n if self.adjudicated.n else None


def fit_panel(scope: Scope, options: PanelOptions) -> FittedPanel | None:
    """Fit the panel; cached until a vote changes. None where there is no vote."""
    study = get_study(scope)
    votes = _collect_votes(scope, study, options.voter_weighting)
    judgements = votes.judgements
    if not len(judgements):
        return None
    resamples = _count_resamples(options, len(judgements))
    checksum = zlib.crc32(np.stack([judgements.annotators, judgements.items, judgements.labels]).tobytes())

    def compute() -> FittedPanel:
        panel = fit_model(options.model, judgements, votes.model_options(options.voter_weighting))
        members = estimate_reliabilities(judgements, panel, resamples=resamples)
        return FittedPanel(options, votes, panel, members, measure_held_out(judgements, panel))

    # Voters can vote without a new answer arriving, so the votes are part of the cache key.
    return scope.cached("panel", compute, options.model, options.voter_weighting, resamples, checksum)


def _count_resamples(options: PanelOptions, votes: int) -> int:
    if options.resamples is not None:
        return options.resamples
    return RESAMPLES if votes <= MAX_RESAMPLED else 0


@report("panel", title=gettext_lazy("Panel"), section="agreement")
class ConsensusPanel(Report[PanelOptions, PanelPage]):
    """People and metrics as one panel: how reliable each is, and a consensus with probabilities."""

    options = PanelOptions
    tables = {
        "members": lambda page: member_table(page.panel) if page.panel else None,
        "consensus": lambda page: consensus_table(page.scope, page.panel) if page.panel else None,
    }
    plots = {"reliability": lambda page: reliability_plot(page.listed_members) if page.panel else None}
    microseconds_per_ranking = 15

    def seconds_for(self, rankings: int, scope: Scope, options: PanelOptions) -> float:
        votes = rankings
        if options.voter_weighting is not VoterWeighting.PEOPLE and providers():
            votes += ASSUMED_VOTERS * ASSUMED_PAIRS * sum(task.size for task in scope.tasks)
        resamples = _count_resamples(options, votes)
        return votes * (self.microseconds_per_ranking + resamples * RESAMPLED_MICROSECONDS) / 1_000_000

    def compute(self, scope: Scope, options: PanelOptions) -> PanelPage:
        fitted, names = fit_panel(scope, options), load_names(scope)
        if fitted is None:
            empty = Calibration(0, None, None, [])
            return PanelPage(scope, options, None, [], [], 0, 0, empty, 0, bool(providers()))
        study = get_study(scope)
        overruled = _find_overruled(fitted)
        people = _people_votes(fitted)
        listed = overruled[:MAX_OVERRULED]
        pairs = _load_pairs(scope, _ids(study, fitted.votes.pairs[listed]))
        truth, majority = _read_adjudications(pairs, study, fitted), find_majorities(people)
        return PanelPage(
            scope=scope,
            options=options,
            panel=fitted,
            members=list_members(fitted, names),
            overruled=_list_overruled(pairs, study, fitted, listed),
            contradicted=len(overruled),
            unanimous=int(_are_unanimous(people[overruled]).sum()),
            adjudicated=measure_calibration(fitted.panel.posterior, truth),
            majority_right=int(((truth >= 0) & (majority == truth)).sum()),
            has_voters=bool(providers()),
        )

    def context(self, page: PanelPage) -> dict[str, object]:
        models = {"staged": _("N/A apart"), "dawid-skene": "Dawid–Skene", "mace": "MACE"}
        return {"models": models.items(), "span_voters": list_scope_span_voters(page.scope)}

    def missing(self, page: PanelPage) -> str:
        return "" if page.panel else f"nobody has judged anything in {page.scope.slug}"

    def document(self, page: PanelPage) -> dict[str, Any]:  # Any: JSON
        fitted = page.panel
        return {
            "model": page.options.model,
            "voter_weighting": page.options.voter_weighting.value,
            "pairs": len(fitted.votes.pairs) if fitted else 0,
            "members": [asdict(member) for member in page.members],
            "contradicted": page.contradicted,
            "contradicted_unanimous": page.unanimous,
            "held_out": fitted.held_out._asdict() if fitted else None,
            "adjudicated": {**page.adjudicated._asdict(), "majority_accuracy": page.majority_accuracy},
        }


def list_members(fitted: FittedPanel, names: dict[str, str] | None = None) -> list[PanelMember]:
    """Return annotators and voters, the most reliable first."""
    rows = [
        PanelMember(
            name=(names or {}).get(row.member, row.member),
            is_voter=number >= fitted.votes.people,
            answers=row.answers,
            reliability=row.value,
            interval=None if row.low is None or row.high is None else (row.low, row.high),
        )
        for number, row in enumerate(fitted.members)
        if row.answers
    ]
    return sorted(rows, key=lambda row: -(row.reliability or 0.0))


def reliability_plot(members: Sequence[PanelMember]) -> plots.Plot:
    rows = [(member.name, member.reliability, member.interval) for member in members]
    label = _("Reliability of each member, with intervals over sentences")
    return plots.named_values(label, _("reliability"), _("member"), rows)


def member_table(fitted: FittedPanel) -> Table:
    rows = tuple(
        (row.name, "voter" if row.is_voter else "annotator", row.answers, row.reliability,
         *(row.interval or (None, None)))
        for row in list_members(fitted)
    )  # fmt: skip
    title = f"Reliability: {fitted.options.model}, voters: {fitted.options.voter_weighting}"
    return Table(title, ("member", "kind", "answers", "reliability", "low", "high"), rows)


def consensus_table(scope: Scope, fitted: FittedPanel) -> Table:
    """Return every judged pair with the votes of people, their plurality, and the consensus beside them.

    The plurality is empty where two labels have equally many votes.
    """
    columns = ("pk", "task__slug", "owner__item__key", "key", "first", "second")
    pairs = PhrasePair.objects.filter(task__in=scope.task_ids).values_list(*columns)
    texts = {pk: rest for pk, *rest in pairs}
    votes, posterior, consensus = _people_votes(fitted), fitted.panel.posterior, fitted.panel.consensus
    majorities, unanimous = find_majorities(votes), _are_unanimous(votes)
    rows = [
        (
            *texts[pk], *votes[n].tolist(), None if majorities[n] < 0 else FOUR_WAY.labels[majorities[n]],
            FOUR_WAY.labels[consensus[n]],
            "unanimous" if is_against and unanimous[n] else "plurality" if is_against else None,
            *posterior[n].tolist(),
        )
        for n, pk in enumerate(_ids(get_study(scope), fitted.votes.pairs))
        for is_against in [0 <= majorities[n] != consensus[n]]
    ]  # fmt: skip
    shares = tuple(f"p({label})" for label in FOUR_WAY.labels)
    answers = ("plurality", "consensus", "contradicts")
    heads = ("task", "item", "pair", "first", "second", *FOUR_WAY.labels, *answers, *shares)
    return Table("Consensus and answers of the annotators", heads, tuple(rows))


def _collect_votes(scope: Scope, study: Study, weighting: VoterWeighting) -> PanelVotes:
    if weighting is VoterWeighting.PEOPLE or not providers():
        return collect_panel_votes(study)
    code_of = {int(key): code for code, key in enumerate(study.pair_keys)}
    by_pair = collect_scope_votes(scope)
    return collect_panel_votes(
        study, {code_of[pair]: votes for pair, votes in by_pair.items() if pair in code_of}
    )


def _people_votes(fitted: FittedPanel) -> Ints:
    """Return the votes of people as items × labels."""
    votes = fitted.votes.judgements
    by_people = votes.annotators < fitted.votes.people
    size = votes.size
    cells = votes.items[by_people].astype(np.int64) * size + votes.labels[by_people]
    return np.bincount(cells, minlength=len(fitted.votes.pairs) * size).reshape(-1, size)


def _are_unanimous(votes: Ints) -> NDArray[np.bool_]:
    """Return which rows of votes have two or more, all of one label."""
    return np.asarray((votes.sum(axis=1) > 1) & ((votes > 0).sum(axis=1) == 1))


def _find_overruled(fitted: FittedPanel) -> list[int]:
    """Return the items on which the panel contradicts most people, the surest first."""
    majority, consensus = find_majorities(_people_votes(fitted)), fitted.panel.consensus
    items = np.flatnonzero((majority >= 0) & (majority != consensus))
    sure = fitted.panel.posterior[items].max(axis=1)
    ordered: list[int] = items[np.lexsort([items, -sure])].tolist()
    return ordered


def _load_pairs(scope: Scope, ids: Sequence[int]) -> dict[int, tuple[PhrasePair, str | None]]:
    """Return some pairs, and all adjudicated ones, with the choice of the last adjudication. One query."""
    choices = Adjudication.objects.filter(pair=OuterRef("pk")).order_by("-pk").values("choice")[:1]
    adjudicated = Adjudication.objects.filter(pair__task__in=scope.task_ids).values("pair")
    pairs = PhrasePair.objects.filter(Q(pk__in=adjudicated) | Q(pk__in=ids))
    rows = pairs.select_related("task", "owner__item").annotate(adjudicated=Subquery(choices))
    return {pair.pk: (pair, pair.adjudicated) for pair in rows}


def _list_overruled(
    pairs: Mapping[int, tuple[PhrasePair, str | None]],
    study: Study,
    fitted: FittedPanel,
    items: Sequence[int],
) -> list[OverruledPair]:
    ids = _ids(study, fitted.votes.pairs[items])
    votes, posterior = _people_votes(fitted), fitted.panel.posterior
    return [
        OverruledPair(
            pair=pairs[pk][0],
            votes=[(choice, int(n)) for choice, n in zip(FOUR_WAY.choices, votes[item], strict=True) if n],
            consensus=FOUR_WAY.choices[int(posterior[item].argmax())],
            probability=float(posterior[item].max()),
        )
        for item, pk in zip(items, ids, strict=True)
    ]


def _read_adjudications(
    pairs: Mapping[int, tuple[PhrasePair, str | None]], study: Study, fitted: FittedPanel
) -> Ints:
    """Return the label of the last adjudication of each item, −1 where there is none."""
    labels = {
        pk: FOUR_WAY.choices.index(Choice(choice).collapsed) for pk, (_, choice) in pairs.items() if choice
    }
    return np.array([labels.get(pk, -1) for pk in _ids(study, fitted.votes.pairs)], dtype=np.int64)


def _ids(study: Study, codes: Ints) -> list[int]:
    return [int(study.pair_keys[code]) for code in codes]
