"""A discourse parser for sentences, mode "learned": a segmenter, then a greedy shift–reduce parser.

Units wait in a queue; the parser either shifts the next one onto a stack or reduces the two topmost entries
to one, linked by a relation with its nuclearity (for example ``Elaboration NS``). One maximum-entropy model
decides from the edges of the two entries, their own relations and the next unit. The parser of paper 004 is
a CRF with a CKY-like search (Joty et al. 2012); this one is simpler, and linear in the number of units. It
exists because real parsers need about 0.25 s a sentence and a test set has a hundred thousand.

``train discourse`` makes the model from a folder of trees: an NPZ file of plain arrays (never pickle) that
names its training data, versions and figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from appraise.lib.problems import InputError
from appraise.lib.streams import read_arrays
from metrics.discourse.segmenter import EDGE, LinearClassifier, fit_classifier, segment
from metrics.discourse.trees import Node, edu, join
from metrics.discourse.words import find_classes, split_words

FORMAT = "appraise-discourse-1"
SHIFT = "shift"
Units = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class DiscourseModel:
    """Word classes, the two classifiers, and their provenance."""

    classes: Mapping[str, str]
    segmenter: LinearClassifier
    parser: LinearClassifier
    about: Mapping[str, Any]  # Any: JSON

    def parse(self, sentence: str) -> Node:
        """The tree of one sentence; a sentence without words gives the empty tree."""
        words = split_words(sentence)
        begins = segment(words, self.segmenter, self.classes)
        units = [words[a:b] for a, b in pairwise([*begins, len(words)])]
        return link_units(units, self.parser, self.classes)

    def save(self, path: Path) -> None:
        """Write the file; equal models give equal bytes."""
        lists = {
            "class_names": np.array(list(self.classes)),
            "class_values": np.array(list(self.classes.values())),
        }
        about = json.dumps({"format": FORMAT, **self.about}, sort_keys=True)
        arrays = {**lists, **self.segmenter.arrays("segmenter"), **self.parser.arrays("parser")}
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, about=np.array(about), **arrays)

    @classmethod
    def load(cls, path: Path) -> DiscourseModel:
        """Read the file; raises ``InputError`` for any other file."""
        try:
            arrays = read_arrays(path)
            about = json.loads(str(arrays["about"]))
            if about.get("format") != FORMAT:
                raise ValueError(f"format {about.get('format')!r}, expected {FORMAT!r}")
            names, values = arrays["class_names"].tolist(), arrays["class_values"].tolist()
            classes = dict(zip(names, values, strict=True))
            segmenter = LinearClassifier.from_arrays(arrays, "segmenter")
            return cls(classes, segmenter, LinearClassifier.from_arrays(arrays, "parser"), about)
        except (KeyError, ValueError, AttributeError) as error:
            remedy = "make one with: train discourse"
            raise InputError.of("bad_model", f"not a discourse model: {error}", remedy, str(path)) from error


@dataclass(frozen=True, slots=True)
class StackEntry:
    """A finished part of the sentence: its tree, and positions of its first, last and most nuclear word."""

    tree: Node
    first: int
    last: int
    head: int
    units: int
    label: str


class SentenceUnits:
    """The units of a sentence: words and their classes by position."""

    def __init__(self, units: Units, classes: Mapping[str, str]) -> None:
        self.units = units
        self.words = [word.lower() for unit in units for word in unit]
        self.kinds = find_classes(self.words, classes)
        self.begins = [*accumulate(map(len, units), initial=0)]

    def entry(self, number: int) -> StackEntry:
        begin, end = self.begins[number], self.begins[number + 1]
        return StackEntry(edu(" ".join(self.units[number])), begin, end - 1, begin, 1, "EDU")

    def word(self, place: int) -> str:
        return self.words[place] if 0 <= place < len(self.words) else EDGE

    def kind(self, place: int) -> str:
        return self.kinds[place] if 0 <= place < len(self.kinds) else EDGE


def link_units(units: Units, model: LinearClassifier, classes: Mapping[str, str]) -> Node:
    """The tree over the units of a sentence; the empty tree without units."""
    if not units:
        return edu("")
    sentence, stack, waiting = SentenceUnits(units, classes), list[StackEntry](), 0
    labels = model.classes
    while waiting < len(units) or len(stack) > 1:
        if len(stack) < 2:
            action = SHIFT
        else:
            scores = model.scores(parser_features(sentence, stack, waiting))
            if waiting == len(units) and SHIFT in labels:
                scores[labels.index(SHIFT)] = float("-inf")
            action = labels[int(scores.argmax())]
        waiting += _apply(action, sentence, stack, waiting)
    return stack[0].tree


def fit_parser(trees: Sequence[tuple[Units, Node]], classes: Mapping[str, str]) -> LinearClassifier:
    """Learn from sentences with their binarised gold trees."""
    examples, labels = [], []
    for units, tree in trees:
        sentence, stack, waiting = SentenceUnits(units, classes), list[StackEntry](), 0
        for action in list_actions(tree):
            if len(stack) > 1:
                examples.append(parser_features(sentence, stack, waiting))
                labels.append(action)
            waiting += _apply(action, sentence, stack, waiting)
    if len(set(labels)) < 3:  # with two labels the model would have a single column
        raise ValueError(f"a parser needs at least three different actions, got {sorted(set(labels))}")
    return fit_classifier(examples, labels, least=3, strength=0.1, steps=100)


def list_actions(tree: Node) -> Iterator[str]:
    """The actions that build a binarised tree, reducing as early as possible.

    >>> list(list_actions(join("Cause", "NS", [edu("a"), edu("b")])))
    ['shift', 'shift', 'Cause NS']
    """
    if tree.is_edu:
        yield SHIFT
        return
    for child in tree.children:
        yield from list_actions(child)
    yield f"{tree.linked_by} {tree.pattern}"


def _apply(action: str, sentence: SentenceUnits, stack: list[StackEntry], waiting: int) -> int:
    """Apply an action; returns the number of units taken from the queue."""
    if action == SHIFT:
        stack.append(sentence.entry(waiting))
        return 1
    relation, pattern = action.rsplit(" ", 1)
    right, left = stack.pop(), stack.pop()
    tree = join(relation, pattern, [left.tree, right.tree])
    head = right.head if pattern == "SN" else left.head
    stack.append(StackEntry(tree, left.first, right.last, head, left.units + right.units, action))
    return 0


def parser_features(sentence: SentenceUnits, stack: Sequence[StackEntry], waiting: int) -> list[str]:
    """Names of the features of the two topmost entries and the next unit."""
    left, right = stack[-2], stack[-1]
    word, kind = sentence.word, sentence.kind
    queue = sentence.begins[waiting] if waiting < len(sentence.units) else len(sentence.words)
    l1, l2, r1, r2 = word(left.first), word(left.first + 1), word(right.first), word(right.first + 1)
    k1, k2, m1, m2 = kind(left.first), kind(left.first + 1), kind(right.first), kind(right.first + 1)
    q1, q2, n1 = word(queue), word(queue + 1), kind(queue)
    le, re = word(left.last), word(right.last)
    lk, rk = kind(left.last), kind(right.last)
    lh, rh = word(left.head), word(right.head)
    sizes = f"{min(left.units, 3)}{min(right.units, 3)}{min(len(sentence.units) - waiting, 2)}"
    lengths = f"{_size(left)}{_size(right)}"
    # The letter names the template: a letter that is used twice would mix the weights of two templates.
    return [
        f"a{l1}", f"b{r1}", f"c{q1}", f"d{le}", f"e{re}", f"f{l1} {l2}", f"g{r1} {r2}", f"h{q1} {q2}",
        f"i{k1}", f"j{m1}", f"k{n1}", f"l{lk}", f"m{rk}", f"n{k1} {k2}", f"o{m1} {m2}", f"p{l1} {r1}",
        f"q{r1} {q1}", f"r{le} {r1}", f"s{re} {q1}", f"t{le} {m1} {m2}", f"u{re} {n1}", f"v{left.label}",
        f"w{right.label}", f"x{left.label} {right.label}", f"y{sizes}", f"z{lengths}", f"A{sizes} {lengths}",
        f"B{lh} {rh}", f"C{lh}", f"D{rh}", f"E{word(left.last - 1)} {le}", f"F{k1} {m1}", f"G{m1} {n1}",
        f"H{r1} {right.label}", f"I{r1} {left.label}", f"J{right.label} {q1}",
        f"K{sizes} {r1}", f"L{sizes} {q1}", f"M{lk} {m1}", f"N{k1} {r1}", f"O{l1} {m1}",
        f"P{word(right.last - 1)}", f"Q{sizes} {m1} {n1}",
        f"R{word(left.last - 1)}", f"S{kind(left.last - 1)} {lk} {m1}",
        f"T{le} {m1}", f"U{word(right.first + 2)}",
    ]  # fmt: skip


def _size(entry: StackEntry) -> int:
    return min((entry.last - entry.first + 1).bit_length(), 5)
