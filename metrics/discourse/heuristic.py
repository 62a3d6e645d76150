"""A discourse parser without any model, mode "heuristic": connectives and punctuation, right-branching.

The fallback that is always present. A unit begins at a connective (*because*, *although*, *which* …) that
has a verb on either side of it, and after the comma that ends a sentence-initial subordinate clause. The
connective names the relation; a clause that it introduces is the satellite. Verbs of saying make an
attribution. Everything else elaborates what went before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from metrics.discourse.segmenter import AUXILIARIES, MAX_EDUS
from metrics.discourse.trees import Node, edu, join
from metrics.discourse.words import words
from metrics.linguistics.base import Mode, Tool

REMEMBERED = 20_000  # sentences; a few metrics ask for the same ones
CONNECTIVES = {
    "because": "Explanation", "since": "Explanation", "as": "Background", "when": "Background",
    "while": "Background", "after": "Temporal", "before": "Temporal", "until": "Temporal", "once": "Temporal",
    "if": "Condition", "unless": "Condition", "provided": "Condition", "although": "Contrast",
    "though": "Contrast", "whereas": "Contrast", "despite": "Contrast", "which": "Elaboration",
    "who": "Elaboration", "whose": "Elaboration", "where": "Elaboration", "so": "Cause", "therefore": "Cause",
    "to": "Enablement", "by": "Manner-Means", "without": "Manner-Means", "than": "Comparison",
}  # fmt: skip
COORDINATORS = {"and": "Joint", "or": "Joint", "but": "Contrast", "yet": "Contrast", ";": "Joint"}
SAYING_TEXT = """
say says said tell tells told think thinks thought believe believes believed report reports reported
announce announced claim claims claimed argue argues argued suggest suggests suggested state stated
add added explain explained note noted hope hopes know knows knew admit admitted warn warned
"""
SAYING = frozenset(SAYING_TEXT.split())
ATTRIBUTION, ELABORATION = ("Attribution", "SN"), ("Elaboration", "NS")
CLAUSE_OPENERS = frozenset(
    ["that", "he", "she", "it", "they", "we", "i", "you", "there", '"', "“", "``", "the"]
)


class HeuristicParser:
    """Parses by rules; the same answer everywhere and always."""

    tool = Tool("appraise-connectives", "1", None, Mode.HEURISTIC)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One tree per sentence."""
        return [_remembered(sentence) for sentence in sentences]


def parse(sentence: str) -> Node:
    """The tree of one sentence.

    >>> from metrics.discourse.formats.brackets import write
    >>> print(write([parse("He said that he stayed because it was raining.")]), end="")
    (Attribution[S][N] "He said" (Explanation[N][S] "that he stayed" "because it was raining ."))
    """
    units = _units(words(sentence))
    texts = [" ".join(unit) for unit in units]
    tree = edu(texts[-1]) if texts else edu("")
    for number in range(len(units) - 2, -1, -1):
        relation, pattern = _relation(
            [word.lower() for word in units[number]], units[number + 1][0].lower(), number
        )
        tree = join(relation, pattern, [edu(texts[number]), tree])
    return tree


_remembered = lru_cache(maxsize=REMEMBERED)(parse)


def _units(found: Sequence[str]) -> list[Sequence[str]]:
    low = [word.lower() for word in found]
    verbs = [
        0,
        *accumulate(map(_may_be_verb, low)),
    ]  # before each place: a slice is not searched again and again
    begins = [0] if found else []
    for place in range(1, len(found)):
        if len(begins) < MAX_EDUS and _begins(low, verbs, place, begins[-1]):
            begins.append(place)
    return [found[a:b] for a, b in pairwise([*begins, len(found)])]


def _begins(low: Sequence[str], verbs: Sequence[int], place: int, begin: int) -> bool:
    word, before = low[place], low[place - 1]
    if before in SAYING:
        return word in CLAUSE_OPENERS
    if verbs[place] == verbs[begin]:
        return False
    if before == "," and low[begin] in CONNECTIVES and begin == 0:
        return True  # the main clause after a sentence-initial subordinate clause
    if word in COORDINATORS:
        return before == "," and verbs[min(place + 6, len(low))] > verbs[place + 1]
    if word == "to":
        return not _may_be_verb(before) and place + 1 < len(low) and before not in CONNECTIVES
    return word in CONNECTIVES and verbs[-1] > verbs[place + 1]


def _relation(unit: Sequence[str], opener: str, number: int) -> tuple[str, str]:
    if unit[-1] in SAYING or (unit[-1] == "," and len(unit) > 1 and unit[-2] in SAYING):
        return ATTRIBUTION
    if number == 0 and unit[0] in CONNECTIVES:
        return CONNECTIVES[unit[0]], "SN"
    if opener in COORDINATORS:
        return COORDINATORS[opener], "NN"
    return (CONNECTIVES[opener], "NS") if opener in CONNECTIVES else ELABORATION


def _may_be_verb(word: str) -> bool:
    return word in AUXILIARIES or word in SAYING or (len(word) > 3 and word.endswith(("ed", "ing", "s", "t")))
