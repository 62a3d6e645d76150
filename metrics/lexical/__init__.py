"""Metrics that compare the words or characters of an output with those of its references.

Importing this package registers them all. It loads neither numba nor any compiled loop.
"""

from __future__ import annotations

from metrics.lexical import bleu, chrf, errors, fmeasure, meteor, nist

__all__ = ["bleu", "chrf", "errors", "fmeasure", "meteor", "nist"]
