"""Named sets of features, among them the combinations of Table 1 of Avramidis et al. 2011 (paper 001).

The table has twelve rows, one of them printed twice: eleven combinations. ``PRINTED`` holds the figures
of the paper for each: ρ and τ of naïve Bayes, ρ and τ of kNN, on its own test set.

The paper's ``VP`` and ``NP`` are count ratios to the source. Its ``logparse`` is a ratio too; here it is the
target's log-likelihood, which needs no parser of the source: the ratio only divides it by a number that is
equal for all outputs of a source.
"""

from __future__ import annotations

from collections.abc import Mapping

from appraise.lib.problems import InputError, Problem
from metrics.ranking.features import FAMILIES, NAMES

Names = tuple[str, ...]

_COLUMN_NAMES = {"VP": "VP_ratio", "NP": "NP_ratio"}

PRINTED: Mapping[str, tuple[float, float, float, float]] = {
    "ngram": (0.19, 0.05, 0.13, 0.01),
    "unk, len": (0.67, 0.20, 0.73, 0.24),
    "unk, len, bigram": (0.61, 0.21, 0.74, 0.21),
    "unk, len, ngram": (0.63, 0.19, 0.59, 0.21),
    "unk, len, trigram": (0.67, 0.20, 0.76, 0.21),
    "unk, len, logparse": (0.75, 0.21, 0.74, 0.25),
    "unk, len, nparse, VP": (0.67, 0.24, 0.61, 0.20),
    "unk, len, nparse, VP, confbestparse": (0.78, 0.25, 0.75, 0.24),
    "unk, len, nparse, NP, confbestparse": (0.78, 0.23, 0.74, 0.23),
    "unk, len, nparse, VP, confavg": (0.75, 0.21, 0.78, 0.23),
    "unk, len, nparse, VP, logparse": (0.81, 0.26, 0.75, 0.23),
}
EXTENDED_PRINTED = (0.60, 0.23, 0.28, 0.02)  # the last combination again, trained on 2008 and 2009

TABLE1: Mapping[str, Names] = {
    row: tuple(_COLUMN_NAMES.get(name, name) for name in row.split(", ")) for row in PRINTED
}
_CONSTANT = frozenset({"len_source"})  # equal for all outputs of a source
GRAMMAR: Names = tuple(
    name
    for family in ("length", "lm", "parse", "shallow")
    for name in FAMILIES[family]
    if name not in _CONSTANT
)
COMBINED: Mapping[str, Names] = {
    "grammar": GRAMMAR,
    "grammar + alignment": (*GRAMMAR, *FAMILIES["alignment"]),
    "consensus": FAMILIES["consensus"],
    "grammar + alignment + consensus": (*GRAMMAR, *FAMILIES["alignment"], *FAMILIES["consensus"]),
}
PRESETS: Mapping[str, Mapping[str, Names]] = {"table1": TABLE1, "combined": COMBINED}


def find_features(text: str) -> Names:
    """Feature names of a row of a preset, or from a comma-separated list; raises ``InputError``.

    >>> find_features("unk, len, nparse, VP")
    ('unk', 'len', 'nparse', 'VP_ratio')
    >>> find_features("ngram_mean,copied")
    ('ngram_mean', 'copied')
    """
    for preset in PRESETS.values():
        if text in preset:
            return preset[text]
    names = tuple(name.strip() for name in text.split(","))
    if unknown := [name for name in names if name not in NAMES]:
        known = ", ".join((*COMBINED, *NAMES))
        raise InputError(Problem("unknown_feature", f"there is no feature {unknown[0]!r}", f"known: {known}"))
    return names
