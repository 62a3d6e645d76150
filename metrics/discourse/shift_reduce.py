"""Linking units into a tree: a greedy shift–reduce parser over the units of one sentence.

Units wait in a queue; the parser either shifts the next one onto a stack or reduces the two topmost entries
into one, linked by a relation with its nuclearity (for instance ``Elaboration NS``). One maximum-entropy
model decides, seeing the edges of the two entries, their own relations, and the unit that comes next. Paper
004's parser is a CRF with a CKY-like search (Joty et al. 2012); ours is simpler, and linear in the number of
units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metrics.discourse.lexicon import classes_of
from metrics.discourse.linear import Linear, fit
from metrics.discourse.trees import Node, edu, join

SHIFT = "shift"
NOTHING = "<>"


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished part of the sentence: its tree, and the places of its first, last and most nuclear words."""

    tree: Node
    first: int
    last: int
    head: int
    units: int
    label: str


class Sentence:
    """Units as words with their classes, read by place."""

    def __init__(self, units: Sequence[Sequence[str]], classes: Mapping[str, str]) -> None:
        self.units = units
        self.words = [word.lower() for unit in units for word in unit]
        self.kinds = classes_of(self.words, classes)
        self.begins = [0]
        for unit in units:
            self.begins.append(self.begins[-1] + len(unit))

    def entry(self, number: int) -> Entry:
        begin, end = self.begins[number], self.begins[number + 1]
        return Entry(edu(" ".join(self.units[number])), begin, end - 1, begin, 1, "EDU")

    def word(self, place: int) -> str:
        return self.words[place] if 0 <= place < len(self.words) else NOTHING

    def kind(self, place: int) -> str:
        return self.kinds[place] if 0 <= place < len(self.kinds) else NOTHING


def parse(units: Sequence[Sequence[str]], model: Linear, classes: Mapping[str, str]) -> Node:
    """The tree of a sentence given as units of words; no units give the empty tree."""
    if not units:
        return edu("")
    sentence, stack, waiting = Sentence(units, classes), list[Entry](), 0
    labels = model.classes
    while waiting < len(units) or len(stack) > 1:
        if len(stack) < 2:
            action = SHIFT
        else:
            scores = model.scores(features(sentence, stack, waiting))
            if waiting == len(units) and SHIFT in labels:
                scores[labels.index(SHIFT)] = float("-inf")
            action = labels[int(scores.argmax())]
        waiting += _act(action, sentence, stack, waiting)
    return stack[0].tree


def fit_parser(trees: Sequence[tuple[Sequence[Sequence[str]], Node]], classes: Mapping[str, str]) -> Linear:
    """Learn from sentences with their binarised gold trees."""
    examples, labels = [], []
    for units, tree in trees:
        sentence, stack, waiting = Sentence(units, classes), list[Entry](), 0
        for action in actions(tree):
            if len(stack) > 1:
                examples.append(features(sentence, stack, waiting))
                labels.append(action)
            waiting += _act(action, sentence, stack, waiting)
    if len(set(labels)) < 3:  # of two, the model would have one column, and the parser one answer
        raise ValueError(f"a parser needs three actions or more to choose from, got {sorted(set(labels))}")
    return fit(examples, labels, least=3, strength=0.1, steps=100)


def actions(tree: Node) -> Iterator[str]:
    """What a parser does to build a binarised tree, reducing as soon as it can.

    >>> list(actions(join("Cause", "NS", [edu("a"), edu("b")])))
    ['shift', 'shift', 'Cause NS']
    """
    if tree.is_edu:
        yield SHIFT
        return
    for child in tree.children:
        yield from actions(child)
    yield f"{tree.linked_by} {tree.pattern}"


def _act(action: str, sentence: Sentence, stack: list[Entry], waiting: int) -> int:
    """Do it; how many units left the queue."""
    if action == SHIFT:
        stack.append(sentence.entry(waiting))
        return 1
    relation, pattern = action.rsplit(" ", 1)
    right, left = stack.pop(), stack.pop()
    tree = join(relation, pattern, [left.tree, right.tree])
    head = right.head if pattern == "SN" else left.head
    stack.append(Entry(tree, left.first, right.last, head, left.units + right.units, action))
    return 0


def features(sentence: Sentence, stack: Sequence[Entry], waiting: int) -> list[str]:
    """Names of what is true of the two topmost entries and the next unit."""
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


def _size(entry: Entry) -> int:
    return min((entry.last - entry.first + 1).bit_length(), 5)
