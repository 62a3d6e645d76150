"""Where elementary discourse units begin: a boundary classifier over words.

Paper 004's parser segments with a maximum-entropy model over lexical and syntactic features (Joty et al.
2012). Ours is a maximum-entropy model too, but looks at words alone: their neighbours, their endings, the
punctuation before them, what the unit so far contains. It reads from left to right, and each decision sees
where the last unit began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from metrics.discourse.lexicon import classes_of
from metrics.discourse.linear import Linear, fit

BEGIN = "begin"
EDGE = "<>"
AUXILIARIES_TEXT = """
am is are was were be been being 's 're 'm has have had 've do does did will would 'll 'd can could
may might must shall should n't not cannot
"""
AUXILIARIES = frozenset(AUXILIARIES_TEXT.split())
LEANS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MAX_EDUS = 60  # real sentences have under thirty; a longer line keeps its rest in the last unit


def segment(words: Sequence[str], model: Linear, classes: Mapping[str, str]) -> list[int]:
    """The places of the words that begin a unit; the first word always does, an empty sentence has none."""
    if not words:
        return []
    begins = [0]
    view = View(words, classes)
    for place in range(1, len(words)):
        if len(begins) < MAX_EDUS and model.odds(view.features(place, begins[-1])) > 0:
            begins.append(place)
    return begins


class View:
    """A sentence as the classifier sees it."""

    def __init__(self, words: Sequence[str], classes: Mapping[str, str]) -> None:
        low = [word.lower() for word in words]
        kinds = classes_of(low, classes)
        self.low = [EDGE, EDGE, EDGE, *low, EDGE, EDGE, EDGE]
        self.kinds = [EDGE, EDGE, EDGE, *kinds, EDGE, EDGE, EDGE]
        self.verbs = [0, *accumulate(map(_verbal, low, kinds))]
        self.capital = [word[:1].isupper() for word in words]
        self.next_stop = _next_stops(low)

    def features(self, place: int, begin: int) -> list[str]:
        """Names of what is true of the gap before this word, in a unit that began at ``begin``."""
        i = place + 3
        b3, b2, b1, w0, w1, w2 = self.low[i - 3 : i + 3]
        k3, k2, k1, c0, c1, c2 = self.kinds[i - 3 : i + 3]
        had = min(self.verbs[place] - self.verbs[begin], 2)
        stop = self.next_stop[place]
        coming = min(self.verbs[stop] - self.verbs[place], 2)
        ahead = min(self.verbs[min(place + 4, len(self.verbs) - 1)] - self.verbs[place], 2)
        length = min((place - begin).bit_length(), 5)
        rest = min((len(self.next_stop) - place).bit_length(), 5)
        first, kind = self.low[begin + 3], self.kinds[begin + 3]
        comma = b1 if not b1[-1:].isalnum() else "w"
        return [
            f"a{w0}", f"b{b1}", f"c{w1}", f"d{b2}", f"e{w2}", f"f{b3}",
            f"g{b1} {w0}", f"h{w0} {w1}", f"i{b2} {b1}", f"k{b1} {w0} {w1}",
            f"m{c0}", f"n{k1}", f"o{c1}", f"p{k1} {c0}", f"q{c0} {c1}", f"r{k2} {k1} {c0}",
            f"s{k1} {c0} {c1}", f"S{c0} {c1} {c2}", f"R{k3} {k2} {k1}", f"Q{k2} {k1}", f"O{w0} {c1}",
            f"P{w0} {c1} {c2}", f"N{k1} {w0}", f"M{k1} {w0} {c1}", f"L{b1} {c0} {c1}", f"K{b1} {c0}",
            f"t{had}{coming}{comma}", f"u{length} {comma}", f"v{w0} {had}{coming}", f"w{w0} {comma}",
            f"x{c0} {had}{coming}{comma}", f"y{self.capital[place]}{comma}", f"z{first} {comma}",
            f"A{first} {w0}", f"B{length}{rest}", f"C{w0} {ahead}{had}", f"D{had}{ahead}{length}{comma}",
            f"E{w0} {length}", f"F{comma}{c0} {c1}", f"H{first} {had}{coming}{comma}",
            f"I{kind} {c0} {comma}",
        ]  # fmt: skip


Units = Sequence[Sequence[str]]


def fit_segmenter(sentences: Sequence[Units], classes: Mapping[str, str], strength: float = 0.1) -> Linear:
    """Learn from sentences given as lists of units, which are lists of words.

    Boundaries are rare, so a maximum-entropy model finds too few of them. How far it should lean towards
    "yes" is found on every tenth sentence with a model of the other nine, then added to the bias of the
    final one.
    """
    rest = [units for number, units in enumerate(sentences) if number % 10]
    trial = _fitted(rest or sentences, classes, strength)
    lean = max(LEANS, key=lambda lean: boundary_f1(sentences[::10], _leaning(trial, lean), classes) or 0.0)
    return _leaning(_fitted(sentences, classes, strength), lean)


def boundary_f1(sentences: Sequence[Units], model: Linear, classes: Mapping[str, str]) -> float | None:
    """F1 of the boundaries inside sentences, where the first word does not count; None without any."""
    hits = found = true = 0
    for units in sentences:
        gold = begins_of(units) - {0}
        guess = set(segment([word for unit in units for word in unit], model, classes)) - {0}
        hits, found, true = hits + len(gold & guess), found + len(guess), true + len(gold)
    return 2 * hits / (found + true) if found + true else None


def _fitted(sentences: Sequence[Units], classes: Mapping[str, str], strength: float) -> Linear:
    examples, labels = [], []
    for units in sentences:
        words = [word for unit in units for word in unit]
        view, begin, begins = View(words, classes), 0, begins_of(units)
        for place in range(1, len(words)):
            examples.append(view.features(place, begin))
            labels.append("" if place not in begins else BEGIN)
            begin = place if place in begins else begin
    return fit(examples, labels, least=2, strength=strength)


def _leaning(model: Linear, lean: float) -> Linear:
    return replace(model, bias=model.bias + np.float32(lean))


def begins_of(units: Units) -> set[int]:
    """The places of the first words of the units."""
    places, at = set(), 0
    for unit in units:
        places.add(at)
        at += len(unit)
    return places


def _verbal(word: str, kind: str) -> bool:
    """Whether the word may be a verb: by its class, or without classes by its form."""
    if kind not in ("X", "9"):
        return "VB" in kind or kind.startswith("MD")
    return word in AUXILIARIES or (len(word) > 4 and word.endswith(("ed", "ing")))


def _next_stops(words: Sequence[str]) -> list[int]:
    """For every place, where the next punctuation mark stands, or the end."""
    stops, stop = [], len(words)
    for place in range(len(words) - 1, -1, -1):
        stop = place if place and not words[place][0].isalnum() and words[place][0] != "'" else stop
        stops.append(stop)
    return stops[::-1]
