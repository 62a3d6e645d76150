"""Weights of errors: named options of an analysis, never stored with the answers.

The score of an output is the negated sum of the weights of its errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.assessments.values import MarkedSpan

NO_ERROR = ("no-error", "neutral", "trivial")  # severities of remarks that are no errors


@dataclass(frozen=True, slots=True)
class SpanWeighting:
    """Weights by severity; the first rule that fits a span precedes them.

    Whole numbers and fractions are written as published rating files write them, 5 but 1.0.
    A rule is a severity (empty: any), a part of a category, and the weight. Case does not count.
    """

    name: str
    severities: tuple[tuple[str, float], ...]
    rules: tuple[tuple[str, str, float], ...] = ()

    def weigh(self, span: MarkedSpan) -> float:
        """Return the weight of an error; ``ValueError`` if its severity has none.

        >>> WEIGHTINGS["mqm-google"].weigh(MarkedSpan("Minor", "Fluency/Punctuation", 3, 4))
        0.1
        """
        severity, category = span.severity.casefold(), span.category.casefold()
        for rule_severity, part, weight in self.rules:
            if rule_severity in ("", severity) and part in category:
                return weight
        if severity in NO_ERROR:
            return 0.0
        for name, weight in self.severities:
            if name == severity:
                return weight
        raise ValueError(f"{self.name} has no weight for the severity {span.severity!r}")

    def score(self, spans: Iterable[MarkedSpan]) -> float:
        """Return the negated sum of the weights.

        >>> WEIGHTINGS["esa-spans"].score([MarkedSpan("major"), MarkedSpan("minor", "", 0, 3)])
        -6.0
        """
        return 0.0 - sum(map(self.weigh, spans))


WEIGHTINGS = {
    weighting.name: weighting
    for weighting in (
        SpanWeighting(
            "mqm-google",
            (("critical", 5), ("major", 5), ("minor", 1.0)),
            (
                ("", "non-translation", 25),
                ("", "source issue", 0),
                ("", "creative reinterpretation", 0),
                ("minor", "fluency/punctuation", 0.1),
            ),
        ),
        SpanWeighting(
            "mqm-esa",
            (("critical", 25.0), ("major", 5.0), ("minor", 1.0)),
            (("", "punctuation", 0.1),),
        ),
        SpanWeighting("esa-spans", (("critical", 5.0), ("major", 5.0), ("minor", 1.0), ("undecided", 0.0))),
    )
}
"""The weightings that are shipped."""


def weigh_as_stated(span: MarkedSpan) -> float:
    """Return the weight that the file states; ``ValueError`` if it states none."""
    if span.weight is None:
        raise ValueError("the file states no weights: name a weighting")
    return span.weight
