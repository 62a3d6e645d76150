"""``train discourse``: trains the learned discourse parser on a folder of ``.dis`` files.

Every tenth document (in order of name) is held out. The figures that the command prints and the model stores
are measured there, with those of the right-branching baseline. With ``--treebank``, a folder of bracketed
parse trees, the parser also uses word classes; documents with the name of a held-out one are excluded from
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from appraise.lib.digests import pieces_digest
from appraise.lib.problems import InputError
from metrics.discourse.agreement import GoldSentence, split_sentences, tree_agreement
from metrics.discourse.learned import DiscourseModel, fit_parser, link_units
from metrics.discourse.segmenter import boundary_f1, fit_segmenter
from metrics.discourse.tree_files import read_trees
from metrics.discourse.trees import Node, edu, join
from metrics.discourse.words import learn_classes, read_tagged_words

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


def branch_right(units: list[str]) -> Node:
    """The baseline: every unit is elaborated by all that follow."""
    tree = edu(units[-1]) if units else edu("")
    for text in reversed(units[:-1]):
        tree = join("Elaboration", "NS", [edu(text), tree])
    return tree
