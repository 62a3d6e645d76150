"""The parse features of the extended set (Kulesza 2004, section 3.2), from the constituency parser.

They are the log-probability of the best parse, raw and as the least and greatest ratio to those of the
references, and for ADJP, FRAG, NP, NPB, PP, SBAR and VP the least and greatest ratio of counts. The thesis
used Collins's model 3. The trees of the Stanford PCFG have no NPB; an NP that dominates no other NP is
counted as one.

If the parser fails, the counts are 0, as in the thesis, and ``parse-failed`` is 1. The thesis does not state
the score of such a sentence; here it is the mean of its references, that is, ratio 1. Counts are divided by
max(count, 1) of the reference: the data of the thesis has no zero there, other texts do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from metrics.base import MetricUnavailable, Segment
from metrics.metaeval.datasets import FloatArray
from metrics.syntax.overlap import constituents

if TYPE_CHECKING:
    from metrics.tools.constituency import Parse

LABELS = ("ADJP", "FRAG", "NP", "NPB", "PP", "SBAR", "VP")
NAMES = (
    "parse-score",
    "parse-score-ratio-min",
    "parse-score-ratio-max",
    *(f"parse-{label}-ratio-{side}" for label in LABELS for side in ("min", "max")),
    "parse-failed",
)


Facts = tuple[float | None, Counter[str]]  # log-probability, if it parsed, and label counts


def syntax_features(
    segments: Sequence[Segment], parse: Callable[[Sequence[str]], Sequence[Parse]]
) -> dict[str, FloatArray]:
    """Return every feature of ``NAMES``."""
    texts = list(dict.fromkeys(text for s in segments for text in (s.hypothesis, *s.references)))
    parses = dict(zip(texts, parse(texts), strict=True))
    facts = {text: _facts(parse) for text, parse in parses.items()}
    rows = [_row(facts[s.hypothesis], [facts[text] for text in s.references]) for s in segments]
    return dict(zip(NAMES, np.array(rows, dtype=np.float64).reshape(-1, len(NAMES)).T, strict=True))


def stanford_features(segments: Sequence[Segment]) -> dict[str, FloatArray]:
    """Return the features from the shared parser of this process."""
    from metrics.tools.base import ToolAbsent
    from metrics.tools.constituency import shared_parser

    try:
        return syntax_features(segments, shared_parser().parse)
    except ToolAbsent as error:
        raise MetricUnavailable(f"the extended features need the constituency parser: {error}") from error


def label_counts(tree: str) -> Counter[str]:
    """Count the labels of a bracketed tree; NPB is an NP without an NP inside.

    >>> counts = label_counts("(S (NP (NP (DT the) (NN man)) (PP (IN in) (NP (NN town)))) (VP (VBD slept)))")
    >>> counts["NP"], counts["NPB"], counts["PP"]
    (3, 2, 1)
    """
    nodes = list(constituents(tree).subtrees())
    counts = Counter(str(node.label()) for node in nodes)
    phrases = [node for node in nodes if node.label() == "NP"]
    counts["NPB"] = sum(sum(inner.label() == "NP" for inner in node.subtrees()) == 1 for node in phrases)
    return counts


def _facts(parse: Parse) -> Facts:
    if parse.tree is None or parse.score is None:
        return None, Counter()
    return min(parse.score, -1e-9), label_counts(parse.tree)  # below 0, because the score is a divisor


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
