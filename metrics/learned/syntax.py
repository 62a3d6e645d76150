"""The parse features of the extended set (Kulesza 2004, section 3.2), from the real constituency parser.

The log-probability of the best parse, raw and as the least and greatest ratio to those of the references; for
ADJP, FRAG, NP, NPB, PP, SBAR and VP the least and greatest ratio of counts. The thesis used Collins's model
3; here the Stanford PCFG parses, whose trees have no NPB: an NP that dominates no other NP is counted as one.

Where the parser fails the counts are 0, as in the thesis, and ``parse-failed`` says so. The thesis does not
say which score such a sentence had; here it takes the mean of its references, that is, ratio 1. Counts are
divided by max(count, 1) of the reference: the thesis met no zero there, other texts have them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from metrics.base import MetricUnavailable, Segment
from metrics.datasets import FloatArray

NODE = re.compile(r"\(([^\s()]*)|\)")
LABELS = ("ADJP", "FRAG", "NP", "NPB", "PP", "SBAR", "VP")
NAMES = (
    "parse-score",
    "parse-score-ratio-min",
    "parse-score-ratio-max",
    *(f"parse-{label}-ratio-{side}" for label in LABELS for side in ("min", "max")),
    "parse-failed",
)


Facts = tuple[float | None, Counter[str]]  # log-probability, if it parsed, and label counts


class Parsed(Protocol):
    """What the features need of one parse."""

    @property
    def tree(self) -> str | None: ...

    @property
    def score(self) -> float | None: ...


class Parser(Protocol):
    """What the features need of a parser: one parse per sentence, in order."""

    def parse(self, sentences: Sequence[str]) -> Sequence[Parsed]: ...


def syntax_features(segments: Sequence[Segment], parser: Parser) -> dict[str, FloatArray]:
    """Every feature of ``NAMES``."""
    texts = list(dict.fromkeys(text for s in segments for text in (s.hypothesis, *s.references)))
    parses = dict(zip(texts, parser.parse(texts), strict=True))
    facts = {text: _facts(parse) for text, parse in parses.items()}
    rows = [_row(facts[s.hypothesis], [facts[text] for text in s.references]) for s in segments]
    return dict(zip(NAMES, np.array(rows, dtype=np.float64).reshape(-1, len(NAMES)).T, strict=True))


def stanford_features(segments: Sequence[Segment]) -> dict[str, FloatArray]:
    """The same by the parser of this process: its best tree is enough, and with its k best all are served."""
    from metrics.linguistics.base import ToolAbsent
    from metrics.linguistics.constituency import shared_parser

    try:
        return syntax_features(segments, shared_parser())
    except ToolAbsent as error:
        raise MetricUnavailable(f"the extended features need the constituency parser: {error}") from error


def label_counts(tree: str) -> Counter[str]:
    """How often each label stands in a bracketed tree; NPB is an NP without an NP inside.

    >>> counts = label_counts("(S (NP (NP (DT the) (NN man)) (PP (IN in) (NP (NN town)))) (VP (VBD slept)))")
    >>> counts["NP"], counts["NPB"], counts["PP"]
    (3, 2, 1)
    """
    counts: Counter[str] = Counter()
    depth, lowest = 0, 0  # depth of the innermost open NP that holds none so far; 0 is no such NP
    for step in NODE.finditer(tree):
        if step[0] == ")":
            if depth == lowest:
                counts["NPB"] += 1
                lowest = 0
            depth -= 1
            continue
        depth += 1
        counts[step[1]] += 1
        if step[1] == "NP":
            lowest = depth  # every other NP that is still open holds this one
    return counts


def _facts(parse: Parsed) -> Facts:
    if parse.tree is None or parse.score is None:
        return None, Counter()
    return min(parse.score, -1e-9), label_counts(parse.tree)  # a log-probability; never 0, it is divided by


def _row(own: Facts, references: Sequence[Facts]) -> list[float]:
    score, counts = own
    known = [theirs for theirs, _ in references if theirs is not None]
    middle = sum(known) / len(known) if known else 0.0
    ratios = [score / theirs for theirs in known] if score is not None else []
    row = [middle if score is None else score, min(ratios, default=1.0), max(ratios, default=1.0)]
    for label in LABELS:
        shares = [counts[label] / max(theirs[label], 1) for _, theirs in references]
        row += [min(shares), max(shares)]
    return [*row, float(score is None)]
