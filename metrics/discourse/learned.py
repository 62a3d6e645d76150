"""Our own discourse parser for sentences, mode "learned": a segmenter, then a shift–reduce parser.

The model is made by ``train discourse`` from a folder of trees; it is an NPZ file of plain arrays (never
pickle) that names its training data, versions and figures. It is not the parser of paper 004 and is never
presented as such; it exists because real parsers need about 0.25 s a sentence and a test set has a hundred
thousand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.problems import InputError, Problem
from metrics.discourse.linear import Linear
from metrics.discourse.segmenter import segment
from metrics.discourse.shift_reduce import parse
from metrics.discourse.trees import Node
from metrics.discourse.words import words
from metrics.linguistics.base import Mode, Tool, file_digest
from metrics.npz import read_arrays

REMEMBERED = 100_000  # sentences; about 2 kB each
FORMAT = "appraise-discourse-1"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Word classes, the two classifiers, and where they come from."""

    classes: Mapping[str, str]
    segmenter: Linear
    parser: Linear
    about: Mapping[str, Any]  # Any: whatever JSON can say

    def parse(self, sentence: str) -> Node:
        """The tree of one sentence; a sentence without words gives the empty tree."""
        found = words(sentence)
        begins = segment(found, self.segmenter, self.classes)
        units = [found[a:b] for a, b in pairwise([*begins, len(found)])]
        return parse(units, self.parser, self.classes)

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
    def load(cls, path: Path) -> Model:
        """Read the file; raises ``InputError`` for anything that is not such a model."""
        try:
            arrays = read_arrays(path)
            about = json.loads(str(arrays["about"]))
            if about.get("format") != FORMAT:
                raise ValueError(f"format {about.get('format')!r}, expected {FORMAT!r}")
            names, values = arrays["class_names"].tolist(), arrays["class_values"].tolist()
            classifiers = (Linear.from_arrays(arrays, "segmenter"), Linear.from_arrays(arrays, "parser"))
            return cls(dict(zip(names, values, strict=True)), *classifiers, about)
        except (KeyError, ValueError, AttributeError) as error:
            remedy = "make one with: train discourse"
            problem = Problem("bad_model", f"not a discourse model: {error}", remedy, str(path))
            raise InputError(problem) from error


class LearnedParser:
    """Parses with a model file; remembers the latest sentences, since several metrics ask for the same."""

    def __init__(self, path: Path) -> None:
        self.model = Model.load(path)
        self._remembered = lru_cache(maxsize=REMEMBERED)(self.model.parse)
        self.tool = Tool("appraise-rst", FORMAT.rpartition("-")[2], file_digest(path), Mode.LEARNED)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One tree per sentence; equal sentences are parsed once."""
        return [self._remembered(sentence) for sentence in sentences]
