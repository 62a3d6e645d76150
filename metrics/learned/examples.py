"""Training examples for "human or machine?" (Kulesza 2004, sections 2.3 and 3.1).

*Translators*, the thesis's way: with several references each translator in turn is taken out and becomes the
human hypothesis, compared with the translators that are left; a machine output drawn at random is compared
with the very same references. So a human hypothesis never meets itself or its translator, both classes see
equally many references, and half of the examples are human. Four references give four human and four machine
examples a segment, 21,144 in the thesis.

*Ranked*, for sets with one reference: the only human translation has nothing human to be compared with.
Compared with machine outputs instead it would look worse than they do, and the classifier would learn the
opposite. Where people ranked outputs, those that won at least two thirds of their comparisons stand in for
the human class and those that won at most a third are the machine class. This uses human verdicts, which the
thesis avoids, and a model trained this way says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.base import Segment
from metrics.datasets import Comparisons, Dataset, IntArray, Text
from metrics.learned.combination import BLOCK
from metrics.metaeval.people import machine_systems
from metrics.metaeval.systems import wins_share

VALIDATION = 3  # every third document is held out, 2:1 as in the thesis


@dataclass(frozen=True, slots=True)
class Example:
    """One hypothesis with its references; sentences of one ``document`` stay on one side of the split."""

    segment: Segment
    human: bool
    document: str


class TooFewExamples(ValueError):
    """There are too few examples to train a classifier; the message says what is missing."""


def translator_examples(
    dataset: Dataset,
    *,
    seed: int,
    references: int | None = None,
    systems: Sequence[str] = (),
    n_best: Mapping[str, Sequence[str]] | None = None,
) -> list[Example]:
    """Leave one reference out, segment by segment; ``references`` limits how many are compared with.

    Machine hypotheses are drawn from ``systems`` (all if empty), or from ``n_best`` lists by segment.
    Segments with fewer than two references or without a machine output give no example.
    """
    rng = np.random.default_rng(seed)
    outputs = n_best if n_best is not None else _outputs(dataset, systems)
    documents = documents_of(dataset.texts)
    found: list[Example] = []
    for name, text in dataset.texts.items():
        for left_out, human in enumerate(text.references if outputs.get(name) else ()):
            others = [text for number, text in enumerate(text.references) if number != left_out]
            if not others:
                continue
            count = min(references or len(others), len(others))
            known = tuple(others[place] for place in sorted(rng.choice(len(others), count, replace=False)))
            machine = outputs[name][int(rng.integers(len(outputs[name])))]
            for hypothesis, is_human in ((human, True), (machine, False)):
                segment = Segment(hypothesis, known, text.source)
                found.append(Example(segment, is_human, documents[name]))
    if not found:
        raise TooFewExamples("two references of one segment, and a machine output of it, are needed")
    return found


def ranked_examples(dataset: Dataset, human: Comparisons, *, seed: int) -> list[Example]:
    """Outputs that won at least two thirds of their comparisons against those that won at most a third.

    As many of each in every segment, so that an easy sentence does not pass for a good translation; the
    surplus is dropped at random.
    """
    rng = np.random.default_rng(seed)
    documents = documents_of(dataset.texts)
    classes: dict[str, tuple[list[Example], list[Example]]] = {}
    for cell, share in wins_share(human, len(dataset.cells)).items():
        if 1 / 3 < share < 2 / 3:
            continue
        _, segment, translation = dataset.cells[cell]
        text = dataset.texts[segment]
        won = share >= 2 / 3
        example = Example(Segment(translation, text.references, text.source), won, documents[segment])
        classes.setdefault(segment, ([], []))[won].append(example)
    found: list[Example] = []
    for lost, winners in classes.values():
        size = min(len(lost), len(winners))
        for examples in (winners, lost):
            found += [examples[place] for place in sorted(rng.choice(len(examples), size, replace=False))]
    if not found:
        raise TooFewExamples("no segment has outputs that mostly won and outputs that mostly lost")
    return found


def split(examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """Training and validation examples, 2:1 by whole documents: every third document is held out."""
    examples = list(examples)
    order = {document: number for number, document in enumerate(dict.fromkeys(e.document for e in examples))}
    held_out = [order[example.document] % VALIDATION == VALIDATION - 1 for example in examples]
    training = [example for example, out in zip(examples, held_out, strict=True) if not out]
    validation = [example for example, out in zip(examples, held_out, strict=True) if out]
    if not training or not validation:
        raise TooFewExamples(f"{len(order)} documents cannot be split; at least {VALIDATION} are needed")
    return training, validation


def sample(examples: Sequence[Example], most: int, *, seed: int) -> list[Example]:
    """At most ``most`` examples, half of each class, in their order."""
    rng = np.random.default_rng(seed)
    chosen: list[int] = []
    for human in (True, False):
        places = [place for place, example in enumerate(examples) if example.human == human]
        size = min(len(places), most // 2)
        chosen += rng.choice(np.array(places, dtype=np.int64), size, replace=False).tolist()
    return [examples[place] for place in sorted(chosen)]


def documents_of(texts: Mapping[str, Text]) -> dict[str, str]:
    """The document of every segment; where none is named, consecutive segments stand in for one.

    30 of them, or a third of a set too small for three such blocks: larger parts have fewer borders, and only
    at a border can sentences of one text come to stand on both sides of a split.
    """
    small, size = len(texts) < VALIDATION * BLOCK, len(texts)
    return {
        name: text.document or f"block {number * VALIDATION // size if small else number // BLOCK}"
        for number, (name, text) in enumerate(texts.items())
    }


def document_numbers(dataset: Dataset, cells: IntArray) -> IntArray:
    """The document of each of these cells, numbered in the order of the file."""
    documents = documents_of(dataset.texts)
    order = {document: number for number, document in enumerate(dict.fromkeys(documents.values()))}
    found = [order[documents[dataset.cells[cell].segment]] for cell in cells.tolist()]
    return np.array(found, dtype=np.int64)


def is_in_thirds(texts: Mapping[str, Text]) -> bool:
    """Whether thirds of the set stand in for documents; what is trained on it says so."""
    return len(texts) < VALIDATION * BLOCK and not all(text.document for text in texts.values())


def _outputs(dataset: Dataset, systems: Sequence[str]) -> dict[str, list[str]]:
    wanted = set(systems or machine_systems(dataset))
    unknown = wanted - {cell.system for cell in dataset.cells}
    if unknown:
        raise TooFewExamples(f"there is no output of {', '.join(sorted(unknown))}")
    outputs: dict[str, list[str]] = {}
    for cell in dataset.cells:
        if cell.system in wanted:
            outputs.setdefault(cell.segment, []).append(cell.translation)
    return outputs
