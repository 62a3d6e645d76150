"""Constituency parses that were made elsewhere, read from a file.

One sentence a line, tab-separated: the sentence exactly as in the data, the log-likelihood of the best tree
(or several, separated by spaces, best first), and the bracketing on one line. Scores may be empty when only
the tree is known; a sentence that is not in the file has no parse.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from metrics.linguistics.base import Mode, Tool, file_digest
from metrics.linguistics.constituency import Parse
from metrics.tables import Faults, lines


class ImportedParses:
    """Answers like a parser, from a file; raises InputError when the file is malformed."""

    def __init__(self, path: Path) -> None:
        self._parses: dict[str, Parse] = {}
        faults = Faults(path)
        for number, line in lines(path):
            self._add(line, number, faults)
        faults.raise_if_any()
        self.tool = Tool("imported-parses", "", file_digest(path), Mode.IMPORTED)

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        return [self._parses.get(text, Parse(None, (), "not in the file")) for text in sentences]

    def _add(self, line: str, number: int, faults: Faults) -> None:
        columns = line.split("\t")
        if len(columns) != 3:
            faults.add(
                "column_count", f"expected 3 columns, found {len(columns)}", "sentence, scores, tree", number
            )
            return
        text, numbers, tree = columns
        try:
            scores = tuple(float(score) for score in numbers.split())
        except ValueError:
            faults.add(
                "bad_number", f"scores are {numbers!r}", "write log-likelihoods with spaces between", number
            )
            return
        if list(scores) != sorted(scores, reverse=True):
            faults.add("bad_order", f"scores are {numbers!r}", "write the best first", number)
        if tree.count("(") != tree.count(")") or not tree.startswith("("):
            faults.add(
                "bad_tree", f"{tree[:40]!r} is no bracketing", "write one tree in round brackets", number
            )
        self._parses[text] = Parse(tree, scores)
