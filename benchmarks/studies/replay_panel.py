"""Does a panel predict the answer of a judge who was left out?
``python -m benchmarks.studies.replay_panel --set DIR/PREFIX``.

Of a judged campaign every two outputs that two or more judges compared, over three labels. One answer of each
that three or more judged is held out; the panel is fitted on the rest, with people alone and with metrics as
one voter or each with its own, and asked for what was held out.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from appraise.lib.problems import InputError, Problem
from benchmarks.studies.base import note, write
from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Floats, Ints
from evaluation.panel.models import MODELS, ModelOptions, fit_model
from evaluation.panel.votes import VoterWeighting, mirror_labels
from metrics import registry
from metrics.base import Metric
from metrics.metaeval.datasets import find_set, read_dataset
from metrics.metaeval.scoring import score_dataset
from metrics.ranking.data import RankedSet, read_ranked_set

LABELS = ("A>B", "A=B", "A<B")
MACHINES = "bleu,chrf,ter,wer,nist,meteor"
OFTEN = 100  # answers of a judge whose reliability is printed
Row = tuple[str, tuple[int, int], str]  # member, two cells, label


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", metavar="DIR/PREFIX", action="append", required=True, dest="sets")
    parser.add_argument("--metrics", default=MACHINES, help="separated by commas (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        metrics = {name: registry.parse(name) for name in options.metrics.split(",")}
    except (registry.UnknownMetric, ValueError) as error:
        parser.error(str(error))
    write(lambda: {prefix: _of_set(prefix, metrics, options.seed) for prefix in options.sets})


def _of_set(prefix: str, metrics: Mapping[str, Metric], seed: int) -> dict[str, object]:
    files = find_set(prefix)
    dataset = read_dataset(files.segments, files.outputs)
    people = _often(list(_verdicts(read_ranked_set(prefix))))
    if not people:
        raise InputError(Problem("no_panel", "no two outputs were compared by two judges", file=prefix))
    cells = sorted({row[1] for row in people})
    machines: list[Row] = []
    for name, metric in metrics.items():
        note(f"{prefix}: {name} …")
        scores = score_dataset(metric, dataset).cells
        machines += [(name, cell, label) for cell, label in _machine_votes(cells, scores)]
    return _replay(people, machines, seed)


def _verdicts(ranked: RankedSet) -> Iterator[Row]:
    for ranking in ranked.rankings:
        for (a, x), (b, y) in itertools.combinations(ranking.ranks, 2):
            if ranked.texts[a] != ranked.texts[b]:
                (_, first, one), (_, second, other) = sorted(
                    [(ranked.systems[a], a, x), (ranked.systems[b], b, y)]
                )
                yield ranking.judge, (first, second), _label(other - one)


def _label(ahead: float) -> str:
    return LABELS[1 - int(np.sign(ahead))]


def _often(rows: Sequence[Row]) -> list[Row]:
    """The first answer of each judge, to what two or more of them judged."""
    first = {row[:2]: row for row in reversed(rows)}
    judges: dict[tuple[int, int], int] = {}
    for _, cell in first:
        judges[cell] = judges.get(cell, 0) + 1
    return [row for row in rows if judges[row[1]] > 1 and first[row[:2]] is row]


def _machine_votes(cells: Sequence[tuple[int, int]], scores: Floats) -> Iterator[tuple[tuple[int, int], str]]:
    for one, other in cells:
        ahead = scores[one] - scores[other]
        if not np.isnan(ahead):
            yield (one, other), _label(ahead)


def _replay(people: Sequence[Row], machines: Sequence[Row], seed: int) -> dict[str, object]:
    study = Judgements.from_rows(people, LABELS)
    held = _held_out(study, seed)
    rest = np.ones(len(study), dtype=bool)
    rest[held] = False
    fitted = [row for row, kept in zip(people, rest, strict=True) if kept]
    asked = [people[row] for row in held.tolist()]
    return {
        "fitted": len(fitted),
        "judges": len({row[0] for row in people}),
        "held_out": len(asked),
        "majority": _majority(fitted, asked),
        "panels": {
            seats.value: {model: _panel(fitted, machines, asked, seats, model) for model in MODELS}
            for seats in VoterWeighting
        },
    }


def _held_out(study: Judgements, seed: int) -> Ints:
    """One answer of each item that has three or more."""
    often = np.flatnonzero(study.counts.sum(axis=0)[study.items] >= 3)
    shuffled = np.random.default_rng(seed).permutation(often)
    return shuffled[np.unique(study.items[shuffled], return_index=True)[1]]


def _majority(fitted: Sequence[Row], asked: Sequence[Row]) -> float | None:
    """How often the others' majority says what was held out; where labels tie, what drawing would give."""
    counts: dict[tuple[int, int], dict[str, int]] = {}
    for _, cell, label in fitted:
        said = counts.setdefault(cell, {})
        said[label] = said.get(label, 0) + 1
    right = [_share(counts[cell], label) for _, cell, label in asked]
    return float(np.mean(right)) if right else None


def _share(said: Mapping[str, int], label: str) -> float:
    most = [name for name, often in said.items() if often == max(said.values())]
    return (label in most) / len(most)


def _panel(
    fitted: Sequence[Row], machines: Sequence[Row], asked: Sequence[Row], seats: VoterWeighting, model: str
) -> dict[str, object]:
    voters = [] if seats is VoterWeighting.PEOPLE else sorted({row[0] for row in machines})
    rows = [(f"judge {who}", cell, label) for who, cell, label in fitted]
    rows += [(f"metric {who}", cell, label) for who, cell, label in machines if voters]
    study = Judgements.from_rows(rows, LABELS)
    weak = 1 / len(voters) if voters and seats is VoterWeighting.ONE_VOTER else 1.0
    voices = np.array([weak if name.startswith("metric") else 1.0 for name in study.annotator_names])
    people = sum(name.startswith("judge") for name in study.annotator_names)  # they come first
    panel = fit_model(model, study, ModelOptions(voices, mirror_labels(LABELS), people))
    codes = {cell: code for code, cell in enumerate(dict.fromkeys(row[1] for row in rows))}
    items = [codes[cell] for _, cell, _ in asked]
    said = np.array([LABELS.index(label) for _, _, label in asked], dtype=np.int64)
    answers = np.bincount(study.annotators, minlength=len(voices))
    judges = ~np.array([name.startswith("metric") for name in study.annotator_names])
    return {
        "right": float((panel.consensus[items] == said).mean()) if asked else None,
        "confidence": float(panel.posterior[items].max(axis=1).mean()) if asked else None,
        "tie": float(panel.prior[1]),
        "judges": _median(panel.reliability[judges & (answers >= OFTEN)]),
        "machines": _median(panel.reliability[~judges]),
    }


def _median(values: Floats) -> float | None:
    return float(np.median(values)) if len(values) else None


if __name__ == "__main__":
    main()
