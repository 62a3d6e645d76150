"""The votes of a panel: rankings of people, and votes of voters (metrics, rankers) on the same pairs.

Voters say *better*, *equal* or *worse* and nothing finer, so all votes are read over the four-way labels.
Pairs that no person judged are left out: they would only show how similar the voters are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Ints
from evaluation.panel.models import ModelOptions
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study import Study
from evaluation.study.disagreements import count_votes
from evaluation.study.values import label_codes
from evaluation.voters import Vote


class VoterWeighting(StrEnum):
    """The weight of voters: none, all of them together as one person, or each as one person."""

    PEOPLE = "people"
    ONE_VOTER = "one voter"
    EACH = "each"


@dataclass(frozen=True, eq=False)
class PanelVotes:
    """All votes of a panel; ``pairs[i]`` is the study's code of item i; people come before voters."""

    judgements: Judgements
    pairs: Ints
    people: int

    @property
    def voters(self) -> tuple[str, ...]:
        return self.judgements.annotator_names[self.people :]

    def model_options(self, weighting: VoterWeighting) -> ModelOptions:
        """The weight of each member, and mirrored labels for the confusion matrices."""
        weight = 1 / max(1, len(self.voters)) if weighting is VoterWeighting.ONE_VOTER else 1.0
        weights = np.array([1.0] * self.people + [weight] * len(self.voters))
        return ModelOptions(weights, mirror_labels(FOUR_WAY.labels), self.people)


def mirror_labels(labels: Sequence[str]) -> tuple[int, ...] | None:
    """Return the code of each label with A and B exchanged; None if the labels do not compare A and B.

    >>> mirror_labels(("A>B", "A=B", "A<B")), mirror_labels(("yes", "no"))
    ((2, 1, 0), None)
    """
    images = {choice.value: choice.mirrored.value for choice in Choice}
    if any(images.get(label) not in labels for label in labels):
        return None
    return tuple(labels.index(images[label]) for label in labels)


def collect_panel_votes(study: Study, votes: Mapping[int, Sequence[Vote]] | None = None) -> PanelVotes:
    """Collect the rankings of people, and ``votes`` by the study's code of the pair.

    Of several votes of one voter on a pair the first counts.
    """
    pairs = np.flatnonzero(count_votes(study).any(axis=1))
    item_of = np.full(len(study.pair_sentences), -1)
    item_of[pairs] = np.arange(len(pairs))
    rows = [
        (vote.voter, int(item_of[pair]), FOUR_WAY.choices.index(vote.choice.collapsed))
        for pair, pair_votes in (votes or {}).items()
        for vote in pair_votes
        if item_of[pair] >= 0
    ]
    voters = sorted({voter for voter, *_ in rows})
    code_of = {name: len(study.annotator_names) + n for n, name in enumerate(voters)}
    codes = np.array([(code_of[voter], item, label) for voter, item, label in rows], dtype=np.int64)
    voter_codes, voter_items, voter_labels = codes.reshape(-1, 3).T
    counted = study.is_counted
    items = np.concatenate([item_of[study.pairs[counted]], voter_items])
    judgements = Judgements(
        annotators=np.concatenate([study.annotators[counted], voter_codes]),
        items=items,
        labels=np.concatenate([label_codes(FOUR_WAY)[study.labels[counted]], voter_labels]),
        sentences=study.pair_sentences[pairs][items] if len(pairs) else items,
        label_names=FOUR_WAY.labels,
        annotator_names=(*study.annotator_names, *voters),
    )
    return PanelVotes(judgements, pairs, len(study.annotator_names))
