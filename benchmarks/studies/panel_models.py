"""Which model of a panel should be the default?
``python -m benchmarks.studies.panel_models [--simulate] [--set DIR/PREFIX] [--wmt08 FILE] [--bundle FILE]``.

* ``--simulate``: campaigns of ten people, one careless and one biased, three answers to each pair, with rare
  and carelessly used N/A; the truth is known.
* The other options name real campaigns. Each annotator with 30 or more answers is left out, and the consensus
  of the others predicts the answers to the pairs that two or more others judged.

Every figure is given for each model and for the plurality of the answers.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.studies.base import note, write
from benchmarks.studies.published_campaigns import reread
from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Floats, Ints
from evaluation.exporters.bundle_reader import Bundle, read_study
from evaluation.panel.models import MODELS, ModelOptions, Panel, fit_model
from evaluation.panel.reliability import (
    measure_calibration,
    measure_held_out,
    score_plurality,
    select_rows,
)
from evaluation.panel.votes import mirror_labels
from evaluation.schemes import FOUR_WAY
from metrics.ranking.data import read_ranked_set

PEOPLE, ITEMS, VOTES, CAMPAIGNS = 10, 300, 3, 20
OFTEN = 30  # answers of an annotator who is left out
MOST_ANNOTATORS = 40  # with the most answers
NOT_APPLICABLE = FOUR_WAY.labels.index("N/A")
Figures = dict[str, object]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulate", action="store_true", help="simulate campaigns with a known truth")
    parser.add_argument("--set", metavar="DIR/PREFIX", action="append", default=[], dest="sets")
    parser.add_argument("--wmt08", metavar="FILE", action="append", default=[])
    parser.add_argument("--bundle", metavar="FILE", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    readers: list[tuple[str, Callable[[str], Judgements]]] = [
        *((name, read_campaign) for name in options.sets),
        *((name, read_phrase_rankings) for name in options.wmt08),
        *((name, read_bundle) for name in options.bundle),
    ]
    write(
        lambda: {
            **({"simulated": _simulate(options.seed)} if options.simulate else {}),
            **{name: _leave_annotators_out(name, read(name)) for name, read in readers},
        }
    )


# --- campaigns ------------------------------------------------------------------------------------------


def read_campaign(prefix: str) -> Judgements:
    return reread({prefix: read_ranked_set(prefix)}).study.judgements()


def read_bundle(path: str) -> Judgements:
    bundle = Bundle.open(Path(path))
    with bundle.archive:
        return read_study(bundle)[0].judgements(FOUR_WAY)


def read_phrase_rankings(path: str) -> Judgements:
    """Read the rankings of phrases (type CONSTITUENT) of the evaluation of WMT08."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = [row for line in csv.DictReader(lines) for row in _compare_phrases(line)]
    return Judgements.from_rows(rows, FOUR_WAY.labels).first_judgements


def _compare_phrases(line: dict[str, str]) -> Iterator[tuple[str, str, str, str]]:
    if line["TYPE"] == "CONSTITUENT":
        scores = [(line[f"SYSTEM_{n}"], line[f"SCORE_{n}_A"]) for n in range(5)]
        sentence = f"{line['TASK']} {line['ITEM_ID']}"
        ranked = sorted(
            (system, int(score)) for system, score in scores if system and score not in ("", "-1")
        )
        for (a, rank_a), (b, rank_b) in itertools.combinations(ranked, 2):
            label = FOUR_WAY.labels[1 + (rank_a > rank_b) - (rank_a < rank_b)]
            yield line["ANNOTATOR_ID"], f"{sentence} {a} {b}", label, sentence


# --- leaving annotators out -----------------------------------------------------------------------------


def _leave_annotators_out(name: str, judgements: Judgements) -> Figures:
    study = judgements.first_judgements
    study = study.filter_rows(study.counts.sum(axis=0)[study.items] > 1)
    judges = study.counts.sum(axis=0)
    answers = np.bincount(study.annotators, minlength=1)
    left_out = [code for code in np.argsort(-answers, kind="stable") if answers[code] >= OFTEN]
    hits: dict[str, list[Floats]] = {model: [] for model in ("plurality", *MODELS)}
    for number, code in enumerate(left_out[:MOST_ANNOTATORS], 1):
        note(f"{name}: annotator {number} …")
        own = (study.annotators == code) & (judges[study.items] > 2)
        others = select_rows(study, study.annotators != code)
        items, labels = study.items[own], study.labels[own]
        hits["plurality"].append(score_plurality(others, items, labels))
        for model in MODELS:
            hits[model].append(_fit(model, others).consensus[items] == labels)
    fits = {model: _fit(model, study) for model in MODELS}
    return {
        "answers": len(study),
        "annotators": len(left_out[:MOST_ANNOTATORS]),
        "left_out": sum(map(len, hits["plurality"])),
        "right": {model: _mean(np.concatenate(parts)) if parts else None for model, parts in hits.items()},
        "calibration_error": {
            model: measure_held_out(study, fit).calibration_error for model, fit in fits.items()
        },
        "against_unanimous": {model: int(is_overruled(study, fit).sum()) for model, fit in fits.items()},
    }


def _fit(model: str, judgements: Judgements) -> Panel:
    return fit_model(model, judgements, ModelOptions(mirror=mirror_labels(FOUR_WAY.labels)))


def is_overruled(study: Judgements, panel: Panel) -> Ints:
    """Return which items got two or more equal answers, and another consensus."""
    counts = study.counts
    is_unanimous = (counts.sum(axis=0) > 1) & ((counts > 0).sum(axis=0) == 1)
    return np.asarray(is_unanimous & (counts.argmax(axis=0) != panel.consensus))


def _mean(values: Sequence[float] | Floats) -> float:
    return round(float(np.mean(values)), 4)


# --- simulated campaigns --------------------------------------------------------------------------------


def simulate_campaign(random: np.random.Generator) -> tuple[Judgements, Ints]:
    """Return the answers and the truth; person 0 answers at random and person 1 prefers the first text."""
    truth = random.choice(4, size=ITEMS, p=[0.34, 0.34, 0.29, 0.03])
    rows = []
    for item, label in enumerate(truth):
        for person in random.choice(PEOPLE, size=VOTES, replace=False):
            said = label
            if person == 0 or random.random() > 0.75:
                said = random.choice(4, p=[0.31, 0.31, 0.31, 0.07])
            if person == 1 and random.random() < 0.4:
                said = 0
            rows.append((f"person {person}", item, FOUR_WAY.labels[said]))
    return Judgements.from_rows(rows, FOUR_WAY.labels), truth


def _simulate(seed: int) -> Figures:
    random = np.random.default_rng(seed)
    right: dict[str, list[float]] = {model: [] for model in ("plurality", *MODELS)}
    errors: dict[str, list[float]] = {model: [] for model in MODELS}
    overruled, invented = dict.fromkeys(MODELS, 0), dict.fromkeys(MODELS, 0)
    for _ in range(CAMPAIGNS):
        study, truth = simulate_campaign(random)
        right["plurality"].append(_mean(score_plurality(study, np.arange(ITEMS), truth)))
        without_any = study.counts[NOT_APPLICABLE] == 0
        for model in MODELS:
            panel = _fit(model, study)
            right[model].append(_mean(panel.consensus == truth))
            errors[model].append(measure_calibration(panel.posterior, truth).expected_error or 0)
            overruled[model] += int(is_overruled(study, panel).sum())
            invented[model] += int((panel.consensus[without_any] == NOT_APPLICABLE).sum())
    return {
        "campaigns": CAMPAIGNS,
        "right": {model: _mean(values) for model, values in right.items()},
        "calibration_error": {model: _mean(values) for model, values in errors.items()},
        "against_unanimous": overruled,
        "not_applicable_without_a_vote": invented,
    }


if __name__ == "__main__":
    main()
