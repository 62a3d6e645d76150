"""``train discourse``: our discourse parser from a folder of ``.dis`` files.

Every tenth document (in order of name) is held out; the figures that the command prints and the model keeps
are measured there, beside the right-branching baseline. With ``--treebank``, a folder of bracketed parse
trees, the parser also knows word classes; documents of the same name as a held-out one are left out of it.
"""

from __future__ import annotations

import hashlib
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from evaluation.problems import InputError, Problem
from metrics.discourse.formats import read_file
from metrics.discourse.gold import Gold, sentences
from metrics.discourse.learned import Model
from metrics.discourse.lexicon import learn_classes, tagged_words
from metrics.discourse.parseval import Agreement, agreement, right_branching
from metrics.discourse.segmenter import boundary_f1, fit_segmenter
from metrics.discourse.shift_reduce import fit_parser, parse
from metrics.discourse.trees import Node

HELD_OUT = 10
Note = Callable[[str], None]


class Kinds(Protocol):
    """What argparse hands out for sub-commands."""

    def add_parser(self, name: str, *, help: str) -> ArgumentParser: ...


def add_trainers(kinds: Kinds) -> None:
    """Add this family's kinds to the command ``train``."""
    parser = kinds.add_parser("discourse", help="our discourse parser, from a folder of .dis files")
    parser.add_argument("--trees", required=True, help="folder with .dis files")
    parser.add_argument("--treebank", help="folder with bracketed parse trees (.ptb, .mrg) for word classes")
    parser.add_argument("--out", required=True, help="model file to write (.npz)")
    parser.set_defaults(train=train_discourse)


def train_discourse(
    options: dict[str, Any], note: Note
) -> dict[str, Any]:  # Any: argparse's and JSON's values
    """Train on nine tenths, measure on the last, write the model; the summary is kept in the model."""
    files = _files(options["trees"], ("*.dis",), "trees")
    treebank = _files(options["treebank"], ("*.ptb", "*.mrg"), "treebank") if options.get("treebank") else []
    held_out = {path.stem for path in files[HELD_OUT - 1 :: HELD_OUT]}
    note(f"reading {len(files)} documents")
    documents = {path.stem: [gold for tree in read_file(path) for gold in sentences(tree)] for path in files}
    train = [gold for name, found in documents.items() if name not in held_out for gold in found]
    test = [gold for name, found in documents.items() if name in held_out for gold in found]
    classes = learn_classes(
        pair
        for path in treebank
        if path.stem not in held_out
        for pair in tagged_words(path.read_text("utf-8"))
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
    Model(model.classes, model.segmenter, model.parser, about).save(Path(options["out"]))
    return {"out": str(options["out"]), **about}


def fit_model(train: Sequence[Gold], classes: dict[str, str], note: Note) -> Model:
    """Segmenter and parser from gold sentences; raises ``InputError`` where there is too little to learn."""
    trees = [(gold.units, gold.tree) for gold in train if gold.tree and len(gold.units) > 1]
    try:
        note(f"learning to segment from {len(train)} sentences")
        segmenter = fit_segmenter([gold.units for gold in train], classes)
        note(f"learning to link from {len(trees)} trees")
        return Model(classes, segmenter, fit_parser(trees, classes), {})
    except ValueError as error:
        problem = Problem("too_little_data", str(error), "train on more trees with several units")
        raise InputError(problem) from error


def measure(model: Model, test: Sequence[Gold]) -> dict[str, Any]:
    """Segmentation and parsing figures on held-out sentences, the baseline beside."""
    whole = [gold for gold in test if gold.tree]
    several = [(gold, gold.tree) for gold in whole if gold.tree and len(gold.units) > 1]
    linked = [(tree, parse(gold.units, model.parser, model.classes)) for gold, tree in several]
    baseline = [(tree, right_branching([" ".join(unit) for unit in gold.units])) for gold, tree in several]
    own = [(gold.tree, model.parse(" ".join(word for unit in gold.units for word in unit))) for gold in whole]
    return {
        "sentences": len(test),
        "segmentation_f1": boundary_f1([gold.units for gold in test], model.segmenter, model.classes),
        "gold_units": _figures(agreement(linked)),
        "gold_units_baseline": _figures(agreement(baseline)),
        "own_units": _figures(agreement(_both(own))),
    }


def _both(pairs: Iterable[tuple[Node | None, Node]]) -> list[tuple[Node, Node]]:
    return [(gold, guess) for gold, guess in pairs if gold is not None]


def _figures(found: Agreement) -> dict[str, float | int | None]:
    return {
        "span": found.span,
        "nuclearity": found.nuclearity,
        "relation": found.relation,
        "full": found.full,
        "nodes": found.nodes,
    }


def _files(folder: str, patterns: Sequence[str], what: str) -> list[Path]:
    found = sorted(path for pattern in patterns for path in Path(folder).glob(pattern))
    if not found:
        message = f"no {' or '.join(patterns)} files for --{what}"
        raise InputError(Problem("no_files", message, "name a folder that has some", folder))
    return found


def _digest(files: Sequence[Path]) -> str:
    """Start of the SHA-256 over names and contents."""
    total = hashlib.sha256()
    for path in files:
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]
