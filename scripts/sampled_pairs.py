"""Random pairs of different system outputs of a set, the same for the same seed on every machine."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from evaluation.alignment import PhraseAlignment
from evaluation.tasks.planning import Planner
from metrics.metaeval.datasets import Dataset, find_set, read_dataset
from tests.alignment.drawing import imported


@dataclass(frozen=True, slots=True)
class Sampled:
    """Two systems' different outputs of one segment."""

    segment: str
    source: str
    outputs: Mapping[str, str]

    def __str__(self) -> str:
        return f"segment {self.segment}, {' and '.join(self.outputs)}"

    def align(self, planner: Planner) -> PhraseAlignment:
        return imported(planner, self.outputs)


def add_arguments(parser: argparse.ArgumentParser, *, count: int) -> None:
    add = parser.add_argument
    add("--set", required=True, metavar="DIR/PREFIX", help="PREFIX.segments.tsv and PREFIX.outputs.tsv (.gz)")
    add("--count", type=int, default=count, help="how many pairs (default: %(default)s)")
    add("--seed", type=int, default=1)
    add("--language", default="en", help="of the outputs (default: %(default)s)")


def read_sample(options: argparse.Namespace) -> list[Sampled]:
    files = find_set(options.set)
    return sample(read_dataset(files.segments, files.outputs), options.count, options.seed)


def sample(dataset: Dataset, count: int, seed: int) -> list[Sampled]:
    """Segments with equal chances, then two of their systems; no pair twice.

    A longer sample of the same seed begins with the shorter one.
    """
    outputs: dict[str, dict[str, str]] = {segment: {} for segment in dataset.texts}
    for cell in dataset.cells:
        outputs[cell.segment][cell.system] = cell.translation
    usable = [segment for segment, of in outputs.items() if len(set(of.values())) > 1]
    possible = sum(_different(list(outputs[segment].values())) for segment in usable)
    if count > possible:
        raise ValueError(f"{count} pairs requested; the set has {possible} of different outputs")
    random = Random(seed)
    samples: dict[tuple[str, ...], Sampled] = {}
    while len(samples) < count:
        segment = random.choice(usable)
        of = outputs[segment]
        systems = sorted(random.sample(sorted(of), 2))
        pair = {system: of[system] for system in systems}
        if len(set(pair.values())) > 1:
            samples.setdefault((segment, *systems), Sampled(segment, dataset.texts[segment].source, pair))
    return list(samples.values())


def _different(texts: list[str]) -> int:
    return sum(one != other for place, one in enumerate(texts) for other in texts[:place])
