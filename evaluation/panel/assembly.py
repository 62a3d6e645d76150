"""The members of a panel: everybody who judged a pair, and the machines that voted on the same pairs.

Machines say *better*, *equal* or *worse* and nothing finer, so all votes are read over the four-way labels.
Pairs that no person has judged are left out: there one would only learn how alike machines are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Ints
from evaluation.panel.models import Rules
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study import Study
from evaluation.study.disputes import vote_counts
from evaluation.study.values import label_codes
from evaluation.votes import Vote


class Seats(StrEnum):
    """How much machines weigh: nothing, all of them together as much as one person, or each as much."""

    PEOPLE = "people"
    ONE_VOICE = "one voice"
    EACH = "each"


@dataclass(frozen=True, eq=False)
class Assembly:
    """All votes of a panel; ``pairs[i]`` is the study's code of item i, people come before machines."""

    judgements: Judgements
    pairs: Ints
    people: int

    @property
    def machines(self) -> tuple[str, ...]:
        return self.judgements.annotator_names[self.people :]

    def rules(self, seats: Seats) -> Rules:
        """How much each member weighs; verdicts look the same from both sides."""
        of_machine = 1 / max(1, len(self.machines)) if seats is Seats.ONE_VOICE else 1.0
        return Rules(
            np.array([1.0] * self.people + [of_machine] * len(self.machines)), mirror_of(FOUR_WAY.labels)
        )


def mirror_of(labels: Sequence[str]) -> tuple[int, ...] | None:
    """The mirror image of each label; None where they are not verdicts on two phrases.

    >>> mirror_of(("A>B", "A=B", "A<B")), mirror_of(("yes", "no"))
    ((2, 1, 0), None)
    """
    images = {choice.value: choice.mirrored.value for choice in Choice}
    if any(images.get(label) not in labels for label in labels):
        return None
    return tuple(labels.index(images[label]) for label in labels)


def assemble(study: Study, said: Mapping[int, Sequence[Vote]] | None = None) -> Assembly:
    """People, and the machines of ``said`` (votes by the code of the pair); of two votes of one voter the
    first counts."""
    pairs = np.flatnonzero(vote_counts(study).any(axis=1))
    item_of = np.full(len(study.pair_sentences), -1)
    item_of[pairs] = np.arange(len(pairs))
    rows = [
        (vote.voter, int(item_of[pair]), vote.choice)
        for pair, votes in (said or {}).items()
        for vote in votes
    ]
    rows = [row for row in rows if row[1] >= 0]
    machines = sorted({voter for voter, *_ in rows})
    code_of = {name: len(study.annotator_names) + n for n, name in enumerate(machines)}
    codes = {choice: FOUR_WAY.choices.index(choice.collapsed) for _, _, choice in rows}
    votes = np.array([(code_of[who], item, codes[choice]) for who, item, choice in rows], dtype=np.int64)
    who, items, labels = votes.reshape(-1, 3).T
    seen = study.counted
    items = np.concatenate([item_of[study.pairs[seen]], items])
    judgements = Judgements(
        annotators=np.concatenate([study.annotators[seen], who]),
        items=items,
        labels=np.concatenate([label_codes(FOUR_WAY)[study.labels[seen]], labels]),
        sentences=study.pair_sentences[pairs][items] if len(pairs) else items,
        label_names=FOUR_WAY.labels,
        annotator_names=(*study.annotator_names, *machines),
    )
    return Assembly(judgements, pairs, len(study.annotator_names))
