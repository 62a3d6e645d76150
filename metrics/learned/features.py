"""One table of features for every learner: named columns over translations.

A feature name is one of

* the basic set of Kulesza 2004, section 3.2: length ratios, n-gram precisions 1–5, WER, PER (nine),
* the parse features that make it the extended set (``syntax``),
* fine-grained overlap (``matching``),
* any registered metric with its parameters, ``chrf++`` or ``meteor:alpha=0.8``, as its segment score, negated
  if lower is better.

Texts are tokenised and cased as the ``Preparation`` says; a metric follows its own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from metrics import registry, tokenizers
from metrics.base import MetricUnavailable, Segment
from metrics.datasets import FloatArray
from metrics.learned import matching, syntax
from metrics.lexical.precision import BASIC_FEATURES, basic_features

VERSION = 1  # of the features made here; metrics bring their own
BASIC = BASIC_FEATURES
EXTENDED = (*BASIC, *syntax.NAMES)
# No NIST: its weights come from the texts that are scored together, so a segment would not stand alone.
METRICS = ("bleu", "chrf", "chrf++", "ter", "meteor:tokenize=13a", "rouge-l:tokenize=13a")
RICH = (*matching.NAMES, *METRICS)
SETS = {"basic": BASIC, "extended": EXTENDED, "rich": RICH}


@dataclass(frozen=True, slots=True)
class Preparation:
    """How texts are cut and cased before features are counted."""

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        tokenizers.check(self.tokenize)


def named(text: str) -> tuple[str, ...]:
    """The names that ``basic``, ``rich,ter`` or ``wer-count,chrf`` stands for; each once, in order.

    >>> named("wer-count, basic")[:3]
    ('wer-count', 'length-ratio-min', 'length-ratio-max')
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    names = tuple(dict.fromkeys(name for part in parts for name in SETS.get(part, (part,))))
    if not names:
        raise ValueError("no feature is named")
    return names


def compute(
    names: Sequence[str], segments: Sequence[Segment], preparation: Preparation | None = None
) -> FloatArray:
    """The table ``[segment, feature]``; every segment needs a reference.

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
    if not np.isfinite(table).all():
        bad = names[int(np.flatnonzero(~np.isfinite(table).all(axis=0))[0])]
        raise ValueError(f"feature {bad!r} has values that are no numbers")
    return table


def check(names: Sequence[str]) -> None:
    """Raise ``UnknownMetric`` for a name that is no feature, before anything is computed."""
    for name in names:
        if _provider(name) is None:
            registry.parse(name)


def signatures(names: Sequence[str], preparation: Preparation | None = None) -> dict[str, str]:
    """What each feature is, exactly; a model refuses to score when one of them has changed."""
    preparation = preparation or Preparation()
    ours = f"v:{VERSION}|tok:{preparation.tokenize}|case:{'lc' if preparation.lowercase else 'mixed'}"
    return {name: registry.parse(name).signature if _provider(name) is None else ours for name in names}


def preparation_of(values: dict[str, object]) -> Preparation:
    """The preparation of a model file."""
    tokenize, lowercase = values.get("tokenize"), values.get("lowercase")
    if not isinstance(tokenize, str) or not isinstance(lowercase, bool):
        raise ValueError(f"expected tokenize and lowercase, found {values!r}")
    return Preparation(tokenize, lowercase)


def as_dict(preparation: Preparation) -> dict[str, object]:
    return asdict(preparation)


def _columns(names: Sequence[str], segments: Sequence[Segment], preparation: Preparation) -> FloatArray:
    """All segments have equally many references here."""
    known: dict[str, FloatArray] = {}
    for name in names:
        if name not in known:
            provider = _provider(name)
            known |= provider(segments, preparation) if provider else {name: _metric(name, segments)}
    return np.column_stack([known[name] for name in names]).reshape(len(segments), len(names))


def _provider(
    name: str,
) -> Callable[[Sequence[Segment], Preparation], dict[str, FloatArray]] | None:
    if name in BASIC:
        return _basic
    if name in matching.NAMES:
        return lambda segments, preparation: matching.match_features(segments, preparation.tokenize)
    if name in syntax.NAMES:
        return lambda segments, _: syntax.stanford_features(segments)
    return None


def _basic(segments: Sequence[Segment], preparation: Preparation) -> dict[str, FloatArray]:
    values = basic_features(
        [[segment.hypothesis for segment in segments]],
        list(zip(*(segment.references for segment in segments), strict=True)),
        tokenize=preparation.tokenize,
        lowercase=preparation.lowercase,
    )[0]
    return dict(zip(BASIC, values.reshape(len(segments), len(BASIC)).T, strict=True))


def _metric(name: str, segments: Sequence[Segment]) -> FloatArray:
    metric = registry.parse(name)
    sign = 1.0 if metric.higher_is_better else -1.0
    values: FloatArray = sign * metric.score(segments).segments
    return values
