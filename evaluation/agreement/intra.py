"""Do annotators agree with themselves? Agreement over items that one annotator judged twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.chance import Chance, Labels
from evaluation.agreement.coefficients import corrected, defined, ratio
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.agreement.tally import own_pairs


@dataclass(frozen=True, slots=True)
class Intra:
    """Pairs of judgements of one annotator on one item."""

    pairs: int
    p_a: float | None
    p_e: float | None
    kappa: float | None


def intra_agreement(judgements: Judgements, chance: Chance = Chance.FIXED) -> Intra:
    """Agreement of all annotators with themselves; repeats are judgements on the same item.

    >>> rows = [("a", 1, "x"), ("a", 1, "x"), ("a", 2, "x"), ("a", 2, "y")]
    >>> intra_agreement(Judgements.from_rows(rows, ("x", "y")))
    Intra(pairs=2, p_a=0.5, p_e=0.5, kappa=0.0)
    """
    agreeing, pairs = own_pairs(judgements).sum(axis=1)
    p_a = ratio(agreeing, pairs)
    p_e = Labels.of(judgements).expected(_label_totals(judgements), chance)
    return Intra(int(pairs), defined(p_a), defined(p_e), defined(corrected(p_a, p_e)))


def intra_by_annotator(judgements: Judgements, chance: Chance = Chance.FIXED) -> dict[str, Intra]:
    """The same for each annotator who repeated something."""
    who = np.unique(judgements.annotators[judgements.where_repeated])
    return {
        judgements.annotator_names[a]: intra_agreement(judgements.where(judgements.annotators == a), chance)
        for a in who
    }


def _label_totals(judgements: Judgements) -> Floats:
    """Labels of the sentences in which the same annotator repeated something.

    The WMT organisers take the share of ties from these: the (sentence, annotator) groups in which at least
    one item was judged twice.
    """
    groups = judgements.sentences.astype(np.int64) * len(judgements.annotator_names) + judgements.annotators
    chosen = np.isin(groups, groups[judgements.where_repeated])
    return np.bincount(judgements.labels[chosen], minlength=judgements.size).astype(np.float64)
