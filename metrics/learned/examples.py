"""Training examples for "human or machine?" (Kulesza 2004, sections 2.3 and 3.1).

*Translators*, as in the thesis: with several references, each translator in turn is left out and becomes the
human hypothesis, compared with the other translators; a random machine output is compared with the same
references. So a human hypothesis is never compared with its own translator, both classes have equally many
references, and half of the examples are human. Four references give four human and four machine examples per
segment, 21,144 in the thesis.

*Ranked*, for sets with one reference: the only human translation could be compared only with machine outputs,
would look worse than they do, and the classifier would learn the opposite. If people ranked the outputs,
those that won at least two thirds of their comparisons replace the human class, and those that won at most a
third are the machine class. This uses human judgements, which the thesis avoids; the model records it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.base import Segment
from metrics.learned.combination import BLOCK
from metrics.metaeval.datasets import Comparisons, Dataset, IntArray, Text
from metrics.metaeval.systems import machine_systems, wins_share

VALIDATION = 3  # every third document is held out, 2:1 as in the thesis


@dataclass(frozen=True, slots=True)
class Example:
    """One hypothesis with its references; a ``document`` is never split between training and validation."""

    segment: Segment
    human: bool
    document: str


class TooFewExamples(ValueError):
    """There are too few examples to train a classifier; the message states what is missing."""


def translator_examples(
    dataset: Dataset,
    *,
    seed: int,
    references: int | None = None,
    systems: Sequence[str] = (),
    n_best: Mapping[str, Sequence[str]] | None = None,
) -> list[Example]:
    """Leave out each reference in turn; ``references`` limits the number of references per example.

    Machine hypotheses are sampled from ``systems`` (all if empty), or from ``n_best`` lists by segment.
    Segments with fewer than two references or without a machine output give no example.
    """
    rng = np.random.default_rng(seed)
    outputs = n_best if n_best is not None else _outputs(dataset, systems)
    documents = documents_of(dataset.texts)
    examples: list[Example] = []
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
                examples.append(Example(segment, is_human, documents[name]))
    if not examples:
        raise TooFewExamples("two references of one segment, and a machine output of it, are needed")
    return examples


def ranked_examples(dataset: Dataset, human: Comparisons, *, seed: int) -> list[Example]:
    """Oppose outputs that won at least two thirds of their comparisons to those that won at most a third.

    Every segment gives equally many of each, so that an easy sentence does not look like a good translation;
    the surplus is dropped at random.
    """
    rng = np.random.default_rng(seed)
    documents = documents_of(dataset.texts)
    classes: dict[str, tuple[list[Example], list[Example]]] = {}
    for cell, share in wins_share(human, len(dataset.cells)).items():
        if 1 / 3 < share < 2 / 3:
            continue
        segment, won = dataset.cells[cell].segment, share >= 2 / 3
        example = Example(dataset.segment(cell), won, documents[segment])
        classes.setdefault(segment, ([], []))[won].append(example)
    chosen: list[Example] = []
    for lost, winners in classes.values():
        size = min(len(lost), len(winners))
        for examples in (winners, lost):
            chosen += [examples[place] for place in sorted(rng.choice(len(examples), size, replace=False))]
    if not chosen:
        raise TooFewExamples("no segment has outputs that mostly won and outputs that mostly lost")
    return chosen


def split(examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """Split examples into training and validation, 2:1: every third document is held out."""
    examples = list(examples)
    order = {document: number for number, document in enumerate(dict.fromkeys(e.document for e in examples))}
    held_out = [order[example.document] % VALIDATION == VALIDATION - 1 for example in examples]
    training = [example for example, out in zip(examples, held_out, strict=True) if not out]
    validation = [example for example, out in zip(examples, held_out, strict=True) if out]
    if not training or not validation:
        raise TooFewExamples(f"{len(order)} documents cannot be split; at least {VALIDATION} are needed")
    return training, validation


def sample(examples: Sequence[Example], most: int, *, seed: int) -> list[Example]:
    """Sample at most ``most`` examples, half of each class, and keep their order."""
    rng = np.random.default_rng(seed)
    chosen: list[int] = []
    for human in (True, False):
        places = [place for place, example in enumerate(examples) if example.human == human]
        size = min(len(places), most // 2)
        chosen += rng.choice(np.array(places, dtype=np.int64), size, replace=False).tolist()
    return [examples[place] for place in sorted(chosen)]


def split_and_sample(
    groups: Iterable[Iterable[Example]], most: int, *, seed: int
) -> tuple[list[Example], list[Example]]:
    """Split each group, and sample at most ``most`` examples for training and half as many for validation."""
    parts: tuple[list[Example], list[Example]] = ([], [])
    for group in groups:
        for part, more in zip(parts, split(group), strict=True):
            part.extend(more)
    return sample(parts[0], most, seed=seed), sample(parts[1], max(2, most // 2), seed=seed)


def documents_of(texts: Mapping[str, Text]) -> dict[str, str]:
    """Return the document of every segment; if none is named, blocks of consecutive segments replace them.

    A block has 30 segments, or a third of a set that is too small for three such blocks. Larger blocks have
    fewer borders, where sentences of one text can fall on both sides of a split.
    """
    small, size = len(texts) < VALIDATION * BLOCK, len(texts)
    return {
        name: text.document or f"block {number * VALIDATION // size if small else number // BLOCK}"
        for number, (name, text) in enumerate(texts.items())
    }


def document_numbers(dataset: Dataset, cells: IntArray) -> IntArray:
    """Return the document of each cell, numbered in the order of the file."""
    documents = documents_of(dataset.texts)
    order = {document: number for number, document in enumerate(dict.fromkeys(documents.values()))}
    numbers = [order[documents[dataset.cells[cell].segment]] for cell in cells.tolist()]
    return np.array(numbers, dtype=np.int64)


def is_in_thirds(texts: Mapping[str, Text]) -> bool:
    """Whether thirds of the set replace documents; models record it."""
    return len(texts) < VALIDATION * BLOCK and not all(text.document for text in texts.values())


def _outputs(dataset: Dataset, systems: Sequence[str]) -> dict[str, list[str]]:
    selected = set(systems or machine_systems(dataset))
    unknown = selected - {cell.system for cell in dataset.cells}
    if unknown:
        raise TooFewExamples(f"there is no output of {', '.join(sorted(unknown))}")
    outputs: dict[str, list[str]] = {}
    for cell in dataset.cells:
        if cell.system in selected:
            outputs.setdefault(cell.segment, []).append(cell.translation)
    return outputs
