"""``train discourse``: trains the learned discourse parser on a folder of ``.dis`` files.

Every tenth document (in order of name) is held out. The figures that the command prints and the model stores
are measured there, with those of the right-branching baseline. With ``--treebank``, a folder of bracketed
parse trees, the parser also uses word classes; documents with the name of a held-out one are excluded from
it.

``.dis`` files do not mark sentences. A sentence ends at a unit that ends in a full stop, question or
exclamation mark (quotation marks and brackets may follow); a heading is therefore part of the next sentence.
The tree of a sentence is the subtree that spans exactly its units; a sentence without one (about one in
eight of GUM) is used for the segmenter only.

Agreement is counted over the inner nodes of binarised trees, each with its nuclearity pattern and relation
(the standard Parseval of Morey et al. 2017). Units are compared by the words that they cover, so that the
measure also applies to the parser's own segmentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from appraise.lib.digests import pieces_digest
from appraise.lib.problems import InputError
from metrics.discourse.learned import DiscourseModel, fit_parser, link_units
from metrics.discourse.segmenter import boundary_f1, fit_segmenter
from metrics.discourse.tree_files import read_trees
from metrics.discourse.trees import Node, as_root, binarise, coarse, edu, join, rename_relations
from metrics.discourse.words import learn_classes, read_tagged_words, split_words

HELD_OUT = 10
Note = Callable[[str], None]


def add_trainers(kinds: Any) -> None:  # Any: argparse's private type
    """Register ``train discourse``."""
    parser = kinds.add_parser("discourse", help="train the discourse parser from a folder of .dis files")
    parser.add_argument("--trees", required=True, help="folder with .dis files")
    parser.add_argument("--treebank", help="folder with bracketed parse trees (.ptb, .mrg) for word classes")
    parser.add_argument("--out", required=True, help="model file to write (.npz)")
    parser.set_defaults(train=train_discourse)


def train_discourse(
    options: dict[str, Any], note: Note
) -> dict[str, Any]:  # Any: argparse's and JSON's values
    """Train on nine tenths, measure on the rest, write the model; returns the summary stored in it."""
    files = _list_files(options["trees"], ("*.dis",), "trees")
    treebank = (
        _list_files(options["treebank"], ("*.ptb", "*.mrg"), "treebank") if options.get("treebank") else []
    )
    held_out = {path.stem for path in files[HELD_OUT - 1 :: HELD_OUT]}
    note(f"reading {len(files)} documents")
    documents = {
        path.stem: [gold for tree in read_trees(path) for gold in split_sentences(tree)] for path in files
    }
    train = [gold for name, golds in documents.items() if name not in held_out for gold in golds]
    test = [gold for name, golds in documents.items() if name in held_out for gold in golds]
    classes = learn_classes(
        pair
        for path in treebank
        if path.stem not in held_out
        for pair in read_tagged_words(path.read_text("utf-8"))
    )
    model = fit_model(train, classes, note)
    about = {
        "trees": _digest(files),
        "treebank": _digest(treebank) if treebank else None,
        "documents": len(files),
        "held_out": len(held_out),
        "sentences": len(train),
        "measured": measure(model, test),
    }
    replace(model, about=about).save(Path(options["out"]))
    return {"out": str(options["out"]), **about}


def fit_model(train: Sequence[GoldSentence], classes: dict[str, str], note: Note) -> DiscourseModel:
    """Segmenter and parser from gold sentences; raises ``InputError`` for too little data."""
    trees = [(gold.units, gold.tree) for gold in train if gold.tree and len(gold.units) > 1]
    try:
        note(f"learning to segment from {len(train)} sentences")
        segmenter = fit_segmenter([gold.units for gold in train], classes)
        note(f"learning to link from {len(trees)} trees")
        return DiscourseModel(classes, segmenter, fit_parser(trees, classes), {})
    except ValueError as error:
        raise InputError.of(
            "too_little_data", str(error), "train on more trees with several units"
        ) from error


def measure(model: DiscourseModel, test: Sequence[GoldSentence]) -> dict[str, Any]:
    """Segmentation and parsing figures on held-out sentences, with those of the baseline."""
    with_tree = [(gold.units, gold.tree) for gold in test if gold.tree]
    several = [(units, tree) for units, tree in with_tree if len(units) > 1]
    linked = [(tree, link_units(units, model.parser, model.classes)) for units, tree in several]
    baseline = [(tree, branch_right([" ".join(unit) for unit in units])) for units, tree in several]
    parsed = [
        (tree, model.parse(" ".join(word for unit in units for word in unit))) for units, tree in with_tree
    ]
    return {
        "sentences": len(test),
        "segmentation_f1": boundary_f1([gold.units for gold in test], model.segmenter, model.classes),
        "gold_units": asdict(tree_agreement(linked)),
        "gold_units_baseline": asdict(tree_agreement(baseline)),
        "own_units": asdict(tree_agreement(parsed)),
    }


def _list_files(folder: str, patterns: Sequence[str], what: str) -> list[Path]:
    files = sorted(path for pattern in patterns for path in Path(folder).glob(pattern))
    if not files:
        message = f"no {' or '.join(patterns)} files for --{what}"
        raise InputError.of("no_files", message, "choose a folder that contains them", folder)
    return files


def _digest(files: Sequence[Path]) -> str:
    """The first digits of the SHA-256 of names and contents."""
    return pieces_digest(path.name.encode() + b"\0" + path.read_bytes() for path in files)[:16]


VIEWS = ((0, 1), (0, 1, 2), (0, 1, 3), (0, 1, 2, 3))  # of (first word, last word, pattern, relation)
END = re.compile(r"[.?!…][\"'”’)\]»\s]*$")


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """The units of a sentence as words, and its binarised tree with coarse relations, if it has one."""

    units: tuple[tuple[str, ...], ...]
    tree: Node | None


def split_sentences(document: Node) -> Iterator[GoldSentence]:
    """The sentences of a document, in order; the text of a unit is its words, joined by spaces."""
    plain = _split_text(rename_relations(binarise(document), coarse))
    spans: dict[tuple[int, int], Node] = {}
    for first, last, node in _walk(plain, lambda unit: 1):
        spans.setdefault((first, last), node)
    leaves = list(plain.edus())
    start = 0
    for end, leaf in enumerate(leaves, 1):
        if end < len(leaves) and not END.search(leaf.text):
            continue
        units = tuple(tuple(unit.text.split()) for unit in leaves[start:end])
        tree = spans.get((start, end)) if all(units) else None
        yield GoldSentence(tuple(filter(None, units)), as_root(tree) if tree else None)
        start = end


def _split_text(node: Node) -> Node:
    return replace(
        node, text=" ".join(split_words(node.text)), children=tuple(map(_split_text, node.children))
    )


Spans = Generator[tuple[int, int, Node], None, int]


def _walk(node: Node, size: Callable[[Node], int], start: int = 0) -> Spans:
    """Yield the start and end of every node, children first; returns the end. ``size`` measures a unit."""
    end = start + size(node) if node.is_edu else start
    for child in node.children:
        end = yield from _walk(child, size, end)
    yield start, end, node
    return end


@dataclass(frozen=True, slots=True)
class TreeAgreement:
    """F1 of spans alone, with nuclearity, with relation, and with both; None without data.

    ``nodes`` is the number of gold nodes.
    """

    span: float | None
    nuclearity: float | None
    relation: float | None
    full: float | None
    nodes: int


def tree_agreement(pairs: Iterable[tuple[Node, Node]]) -> TreeAgreement:
    """F1 over all (gold, guess) pairs together; both are binarised trees over the same words.

    >>> gold = join("Cause", "NS", [edu("a b"), edu("c")])
    >>> tree_agreement([(gold, join("Cause", "NN", [edu("a b"), edu("c")]))])
    TreeAgreement(span=1.0, nuclearity=0.0, relation=1.0, full=0.0, nodes=1)
    """
    hits, gold_nodes, guess_nodes = [0] * len(VIEWS), 0, 0
    for gold, guess in pairs:
        true, guessed = _inner_nodes(gold), _inner_nodes(guess)
        gold_nodes += len(true)
        guess_nodes += len(guessed)
        for number, view in enumerate(VIEWS):
            parts = {tuple(node[part] for part in view) for node in true}
            hits[number] += len(parts & {tuple(node[part] for part in view) for node in guessed})
    total = gold_nodes + guess_nodes
    span, nuclearity, relation, full = (2 * hit / total if total else None for hit in hits)
    return TreeAgreement(span, nuclearity, relation, full, gold_nodes)


def _inner_nodes(tree: Node) -> set[tuple[int, int, str, str]]:
    """Every inner node as first word, last word, pattern and relation."""
    words = _walk(tree, lambda unit: len(unit.text.split()))
    return {(start, end, node.pattern, node.linked_by) for start, end, node in words if node.children}


def branch_right(units: list[str]) -> Node:
    """The baseline: every unit is elaborated by all that follow."""
    tree = edu(units[-1]) if units else edu("")
    for text in reversed(units[:-1]):
        tree = join("Elaboration", "NS", [edu(text), tree])
    return tree
