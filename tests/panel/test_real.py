"""WMT15's judges as a panel: it foretells the answer of a judge who was left out (docs/panel.md)."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.agreement import Judgements
from evaluation.panel.models import MODELS, ModelOptions, fit_model
from evaluation.panel.votes import mirror_labels

pytestmark = pytest.mark.realdata
LABELS = ("A>B", "A=B", "A<B")


def verdicts(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Judge, cell, label, sentence: every two outputs of a ranking, the first answer of a judge."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            ranking = json.loads(line)
            ranked = [(systems, rank) for systems, rank in ranking["items"] if rank is not None]
            for (some, one), (others, other) in itertools.combinations(ranked, 2):
                for a, b in itertools.product(some, others):
                    (first, x), (second, y) = sorted([(a, one), (b, other)])
                    label = "A>B" if x < y else "A<B" if x > y else "A=B"
                    yield ranking["judge"], f"{ranking['seg']} {first} {second}", label, ranking["seg"]


@pytest.fixture(scope="module")
def study(real_data: Path) -> Judgements:
    rows = verdicts(real_data / "rr_wmt15" / "fr-en.rankings.jsonl.gz")
    found = Judgements.from_rows(rows, LABELS).first_judgements
    return found.filter_rows(found.counts.sum(axis=0)[found.items] > 1)


@pytest.mark.parametrize("model", MODELS)
def test_the_consensus_foretells_a_judge_better_than_the_majority_of_the_others(
    study: Judgements, model: str
) -> None:
    random = np.random.default_rng(1)
    often = np.flatnonzero(study.counts.sum(axis=0)[study.items] >= 3)
    shuffled = random.permutation(often)
    held = shuffled[np.unique(study.items[shuffled], return_index=True)[1]]  # one answer of each cell
    rest = np.ones(len(study), dtype=bool)
    rest[held] = False
    others = replace(
        study,
        annotators=study.annotators[rest],
        items=study.items[rest],
        labels=study.labels[rest],
        sentences=study.sentences[rest],
    )
    cells, said = study.items[held], study.labels[held]
    top = others.counts == others.counts.max(axis=0)
    by_majority = (top / top.sum(axis=0))[said, cells].mean()
    panel = fit_model(model, others, ModelOptions(mirror=mirror_labels(LABELS)))
    assert len(held) > 2000
    assert (panel.consensus[cells] == said).mean() > by_majority + 0.01
