"""The table of features of every learner, and its scaling: named columns over translations.

A feature name is one of

* the basic set of Kulesza 2004, section 3.2: length ratios, n-gram precisions 1–5, WER, PER (nine),
* the parse features of the extended set (``syntax``),
* fine-grained overlap (``matching``),
* any registered metric with its parameters, ``chrf++`` or ``meteor:alpha=0.8``, as its segment score, negated
  if lower is better.

Texts are tokenised and cased by the ``Preparation``; metrics follow their own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics import registry
from metrics.base import MetricUnavailable, Segment, may_be_undefined
from metrics.learned import matching, syntax
from metrics.lexical import tokenizers
from metrics.lexical.blocks import Block, Texts, count_in_blocks, ngram_matches, word_errors
from metrics.lexical.core import divide
from metrics.lexical.errors import fewest_errors
from metrics.metaeval.datasets import FloatArray

VERSION = 1  # of the features of this package; metrics have their own
HIGHEST_ORDER = 5
BASIC = (
    "length-ratio-min",
    "length-ratio-max",
    *(f"precision-{order}" for order in range(1, HIGHEST_ORDER + 1)),
    "wer-count",
    "per-count",
)
EXTENDED = (*BASIC, *syntax.NAMES)
# Without NIST: the score of a segment depends on the texts that it is scored with.
METRICS = ("bleu", "chrf", "chrf++", "ter", "meteor:tokenize=13a", "rouge-l:tokenize=13a")
RICH = (*matching.NAMES, *METRICS)
SCALINGS = ("none", "standard", "minmax")
MISSING = {"standard": 0.0, "minmax": 0.5}  # what a missing value becomes: the mean, the middle
NEURAL = ("minilm-cosine", *(f"minilm-f1:layer={layer}" for layer in range(1, 7)))  # English, `make tools`
LEXICAL = (*RICH, "meteor-1.5", "meteor-synonyms:tokenize=13a")  # English, WordNet
RECOMMENDED = "recommended"
SETS = {
    "basic": BASIC,
    "extended": EXTENDED,
    "rich": RICH,
    "lexical": LEXICAL,
    "neural": NEURAL,
    RECOMMENDED: (*LEXICAL, *NEURAL),
}


@dataclass(frozen=True, slots=True)
class Preparation:
    """How texts are tokenised and cased before features are counted."""

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        tokenizers.check(self.tokenize)


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names that ``basic``, ``rich,ter`` or ``wer-count,chrf`` stands for, without repetition.

    >>> parse_names("wer-count, basic")[:3]
    ('wer-count', 'length-ratio-min', 'length-ratio-max')
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    names = tuple(dict.fromkeys(name for part in parts for name in SETS.get(part, (part,))))
    if not names:
        raise ValueError("no feature is named")
    return names


def select_available(names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names that can be computed here, and why the others cannot."""
    reasons: dict[str, str] = {}
    for name in names:
        if _provider(name) is None:
            find_reason = getattr(registry.parse(name), "unavailable_because", lambda: None)
            if reason := find_reason():
                reasons[name] = reason
    return tuple(name for name in names if name not in reasons), reasons


def compute(
    names: Sequence[str], segments: Sequence[Segment], preparation: Preparation | None = None
) -> FloatArray:
    """Return the table ``[segment, feature]``; every segment needs a reference.

    A value is NaN where a metric that ``may_be_undefined`` has no score.

    >>> compute(["precision-1", "wer-count"], [Segment("he walked the dog", ("he took the dog for a walk",))])
    array([[0.75, 4.  ]])
    """
    check(names)
    without = [number for number, segment in enumerate(segments, start=1) if not segment.references]
    if without:
        raise MetricUnavailable(f"the features compare with references; segment {without[0]} has none")
    table = np.empty((len(segments), len(names)))
    for count in sorted({len(segment.references) for segment in segments}):
        rows = [number for number, segment in enumerate(segments) if len(segment.references) == count]
        table[rows] = _columns(names, [segments[number] for number in rows], preparation or Preparation())
    is_optional = np.array(
        [_provider(name) is None and may_be_undefined(registry.parse(name)) for name in names]
    )
    is_known = (np.isfinite(table) | (np.isnan(table) & is_optional)).all(axis=0)
    if not is_known.all():
        bad = names[int(np.flatnonzero(~is_known)[0])]
        raise ValueError(f"feature {bad!r} has values that are not finite")
    return table


def check(names: Sequence[str]) -> None:
    """Raise ``UnknownMetric`` for a name that is not a feature."""
    for name in names:
        if _provider(name) is None:
            registry.parse(name)


def signatures(names: Sequence[str], preparation: Preparation | None = None) -> dict[str, str]:
    """Return the exact definition of each feature; a model is refused if one has changed."""
    preparation = preparation or Preparation()
    ours = f"v:{VERSION}|tok:{preparation.tokenize}|case:{'lc' if preparation.lowercase else 'mixed'}"
    return {name: registry.parse(name).signature if _provider(name) is None else ours for name in names}


def preparation_of(values: dict[str, object]) -> Preparation:
    """Return the preparation of a model file."""
    tokenize, lowercase = values.get("tokenize"), values.get("lowercase")
    if not isinstance(tokenize, str) or not isinstance(lowercase, bool):
        raise ValueError(f"expected tokenize and lowercase, found {values!r}")
    return Preparation(tokenize, lowercase)


def _columns(names: Sequence[str], segments: Sequence[Segment], preparation: Preparation) -> FloatArray:
    """Return the table of segments with equally many references."""
    known: dict[str, FloatArray] = {}
    for name in names:
        if name not in known:
            provider = _provider(name)
            known |= provider(segments, preparation) if provider else {name: _metric(name, segments)}
    return np.column_stack([known[name] for name in names]).reshape(len(segments), len(names))


def _provider(name: str) -> Callable[[Sequence[Segment], Preparation], dict[str, FloatArray]] | None:
    if name in BASIC:
        return _basic
    if name in matching.NAMES:
        return lambda segments, preparation: matching.match_features(segments, preparation.tokenize)
    if name in syntax.NAMES:
        return lambda segments, _: syntax.stanford_features(segments)
    return None


def _basic(segments: Sequence[Segment], preparation: Preparation) -> dict[str, FloatArray]:
    """Return the features ``BASIC``; an empty reference counts as one word in the length ratios."""

    def count(references: Texts, outputs: Texts) -> FloatArray:
        def block(of: Texts) -> Block:
            tokenize, lowercase = preparation.tokenize, preparation.lowercase
            text = tokenizers.block_text([*of, *outputs], tokenize, lowercase=lowercase)
            return Block(text, len(outputs[0]), len(of), len(outputs))

        matches, lengths = ngram_matches(block(references), HIGHEST_ORDER)
        ngrams = np.maximum(lengths.systems[..., None] - np.arange(HIGHEST_ORDER), 0)
        ratios = lengths.systems[:, None] / np.maximum(lengths.references, 1)
        errors = [word_errors(block([reference])) for reference in references]
        edits, free = (fewest_errors([(counts[..., i], sizes) for counts, sizes in errors]) for i in (0, 1))
        precisions = divide(matches.astype(float), ngrams.astype(float))
        columns = [ratios.min(axis=1), ratios.max(axis=1), *np.moveaxis(precisions, -1, 0)]
        return np.stack([*columns, edits[..., 0], free[..., 0]], axis=-1)

    references = list(zip(*(segment.references for segment in segments), strict=True))
    values = count_in_blocks(count, references, [[segment.hypothesis for segment in segments]])[0]
    return dict(zip(BASIC, values.reshape(len(segments), len(BASIC)).T, strict=True))


def _metric(name: str, segments: Sequence[Segment]) -> FloatArray:
    metric = registry.parse(name)
    sign = 1.0 if metric.higher_is_better else -1.0
    return np.asarray(sign * metric.score(segments).segments)


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """x ↦ (x − shift) / width, column by column; saved with the model.

    ``none`` keeps the raw values (the thesis does not mention scaling), ``standard`` gives every column of
    the training set mean 0 and deviation 1, ``minmax`` maps it to 0 … 1. A constant column is only shifted.
    A missing value (NaN) becomes the mean of the training set or the middle of its range.

    >>> scaling = Scaling.fit(np.array([[1.0, 5.0], [5.0, 5.0]]), "minmax")
    >>> scaling(np.array([[2.0, 6.0], [np.nan, 5.0]])).tolist()
    [[0.25, 1.0], [0.5, 0.0]]
    """

    kind: str
    shift: FloatArray
    width: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        scaled = (rows - self.shift) / self.width
        is_missing = np.isnan(scaled)
        if is_missing.any() and self.kind not in MISSING:
            raise ValueError(f"the scaling {self.kind!r} has no place for missing values")
        return np.asarray(np.where(is_missing, MISSING.get(self.kind, 0.0), scaled))

    @classmethod
    def fit(cls, rows: FloatArray, kind: str) -> Scaling:
        if kind not in SCALINGS:
            raise ValueError(f"unknown scaling {kind!r}; known: {', '.join(SCALINGS)}")
        columns = rows.shape[1]
        if kind == "none":
            return cls(kind, np.zeros(columns), np.ones(columns))
        rows = np.where(np.isnan(rows).all(axis=0), 0.0, rows)  # a column without any value
        if kind == "minmax":
            shift = np.nanmin(rows, axis=0)
            width = np.nanmax(rows, axis=0) - shift
        else:
            shift, width = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
        return cls(kind, shift, np.where(width > 0, width, 1.0))
