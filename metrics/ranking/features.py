"""The features of Avramidis et al. 2011 (paper 001, section 2.3), and two named extensions.

Every output becomes a row of numbers; features of a missing tool are NaN, never 0. ``Extractor`` holds the
tools that there are; its ``tools`` say which ones answered. Names as in the paper's Table 1:

| family | features |
|---|---|
| length | ``len`` (source words / target words), ``len_target``, ``len_source`` |
| lm | ``ngram`` (order 5), ``unigram``, ``bigram``, ``trigram``: log10 p; ``unk``; ``ngram_mean`` per word |
| parse | ``logparse``, ``nparse``, ``confbestparse``, ``confavg``, their ``_ratio``s; ``noparse`` |
| shallow | counts ``NP``, ``VP``, ``PP``, ``NN``, ``PUNC`` and their ``_ratio`` to the source |
| alignment | ``ibm1`` (target given source), ``ibm1_back``; ``copied`` source words |
| consensus | see ``consensus.py`` |

A feature of the source alone is the same for all outputs that are compared, so it cannot order them; it
enters through the ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.tokens import tokenize
from metrics.linguistics.base import Mode, Tool
from metrics.linguistics.constituency import NEAR, Parse
from metrics.ranking import consensus
from metrics.ranking.data import RankedSet, is_human
from metrics.ranking.lexicon import Lexicon
from metrics.ranking.loess import FloatArray
from metrics.ranking.ngrams import IntArray, NgramModel

LABELS = ("NP", "VP", "PP", "NN", "PUNC")
PUNCTUATION = frozenset({".", ",", ":", "``", "''", "-LRB-", "-RRB-"})
PARSE = ("logparse", "nparse", "confbestparse", "confavg")

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "length": ("len", "len_target", "len_source"),
    "lm": ("ngram", "unigram", "bigram", "trigram", "unk", "ngram_mean"),
    "parse": (*PARSE, *(f"{name}_ratio" for name in PARSE), "noparse"),
    "shallow": (*LABELS, *(f"{label}_ratio" for label in LABELS)),
    "alignment": ("ibm1", "ibm1_back", "copied"),
    "consensus": consensus.NAMES,
}
NAMES: tuple[str, ...] = tuple(name for names in FAMILIES.values() for name in names)

PARSED = frozenset((*FAMILIES["parse"], *FAMILIES["shallow"]))  # whoever wants none of these needs no parser

Parser = Callable[[Sequence[str]], Sequence[Parse]]
Counts = Mapping[str, int]
Chunker = Callable[[Sequence[str]], Sequence[Counts | None]]


@dataclass(frozen=True, slots=True)
class Extractor:
    """The tools of one run; each may be absent, and then its features are missing.

    ``source_parser`` answers for the source language, or ``source_chunks`` counts phrases without parsing it.
    """

    source_language: str = ""
    target_language: str = "en"
    model: NgramModel | None = None
    parser: Parser | None = None
    source_parser: Parser | None = None
    source_chunks: Chunker | None = None
    lexicon: Lexicon | None = None
    lexicon_back: Lexicon | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)

    def extract(self, ranked: RankedSet, cells: IntArray) -> FloatArray:
        """Features of the given cells, columns as ``NAMES``; the other outputs only serve for consensus."""
        columns: dict[str, FloatArray] = {}
        texts = [ranked.texts[cell] for cell in cells]
        sources = [ranked.sources[ranked.source_of[cell]] for cell in cells]
        words = [_words(text, self.target_language) for text in texts]
        given = [_words(text, self.source_language) for text in sources]
        columns |= _lengths(words, given)
        columns |= self._lm(words)
        columns |= self._grammar(texts, sources)
        columns |= self._alignment(words, given)
        columns |= _consensus(ranked, cells, self.target_language)
        missing = np.full(len(cells), np.nan)
        return np.column_stack([columns.get(name, missing) for name in NAMES])

    def _lm(self, words: Sequence[tuple[str, ...]]) -> dict[str, FloatArray]:
        if self.model is None:
            return {}
        scored = self.model.score(words)
        by_order = scored.log_probs
        names = {"unigram": 1, "bigram": 2, "trigram": 3, "ngram": self.model.order}
        found = {name: by_order[:, n - 1] for name, n in names.items() if n <= self.model.order}
        return {
            **found,
            "unk": scored.unknown.astype(np.float64),
            "ngram_mean": by_order[:, -1] / (scored.lengths + 1),
        }

    def _grammar(self, texts: Sequence[str], sources: Sequence[str]) -> dict[str, FloatArray]:
        if self.parser is None:
            return {}
        target = [_of_parse(parse) for parse in self.parser(texts)]
        source = self._of_sources(sources)
        found: dict[str, FloatArray] = {"noparse": _column(target, "noparse")}
        for name in (*PARSE, *LABELS):
            ours, theirs = _column(target, name), _column(source, name)
            found[name] = ours
            known = np.isfinite(theirs) & (theirs != 0)
            found[f"{name}_ratio"] = np.divide(ours, theirs, out=np.full(len(ours), np.nan), where=known)
        return found

    def _of_sources(self, sources: Sequence[str]) -> list[dict[str, float]]:
        """Features of each source; each different one is analysed once."""
        different = list(dict.fromkeys(sources))
        if self.source_parser is not None:
            known = [_of_parse(parse) for parse in self.source_parser(different)]
        elif self.source_chunks is not None:
            known = [{**counts} if counts else {} for counts in self.source_chunks(different)]
        else:
            known = [{} for _ in different]
        by_text = dict(zip(different, known, strict=True))
        return [by_text[source] for source in sources]

    def _alignment(
        self, words: Sequence[tuple[str, ...]], given: Sequence[tuple[str, ...]]
    ) -> dict[str, FloatArray]:
        pairs = list(zip(given, words, strict=True))
        found = {"copied": np.array([_copied(source, target) for source, target in pairs], np.float64)}
        if self.lexicon is not None:
            found["ibm1"] = _numbers([self.lexicon.score(source, target) for source, target in pairs])
        if self.lexicon_back is not None:
            found["ibm1_back"] = _numbers(
                [self.lexicon_back.score(target, source) for source, target in pairs]
            )
        return found


def absent(name: str) -> Tool:
    """The identity that stands for a missing tool."""
    return Tool(name, "", None, Mode.ABSENT)


def label_counts(parse: Parse) -> dict[str, int]:
    """NP, VP, PP, nouns (every NN… tag) and punctuation of a parse.

    >>> label_counts(Parse("(ROOT (S (NP (NNS dogs)) (VP (VBP bark)) (. .)))", (-9.0,)))
    {'NP': 1, 'VP': 1, 'PP': 0, 'NN': 1, 'PUNC': 1}
    """
    labels = parse.labels
    counts = {label: labels[label] for label in ("NP", "VP", "PP")}
    counts["NN"] = sum(count for label, count in labels.items() if label.startswith("NN"))
    counts["PUNC"] = sum(count for label, count in labels.items() if label in PUNCTUATION)
    return counts


def _of_parse(parse: Parse) -> dict[str, float]:
    """What a parse says; an imported tree may come without scores, and then only its labels are known."""
    if parse.tree is None:
        return {"noparse": 1.0}
    known: dict[str, float] = {"noparse": 0.0, **label_counts(parse)}
    if parse.score is None or parse.confidence is None or parse.mean_confidence is None:
        return known
    return known | {
        "logparse": parse.score,
        "nparse": float(parse.trees_within(NEAR)),
        "confbestparse": parse.confidence,
        "confavg": parse.mean_confidence,
    }


def _lengths(words: Sequence[tuple[str, ...]], given: Sequence[tuple[str, ...]]) -> dict[str, FloatArray]:
    target = np.array([len(tokens) for tokens in words], np.float64)
    source = np.array([len(tokens) for tokens in given], np.float64)
    ratio = np.divide(source, target, out=np.full(len(target), np.nan), where=target > 0)
    return {"len": ratio, "len_target": target, "len_source": source}


def _consensus(ranked: RankedSet, cells: IntArray, language: str) -> dict[str, FloatArray]:
    """Against all outputs of the source in the set, judged or not; a human reference is no output."""
    wanted = {ranked.source_of[cell] for cell in cells}
    machine = [c for c, s in enumerate(ranked.source_of) if s in wanted and not is_human(ranked.systems[c])]
    rows = np.full((len(ranked.texts), len(consensus.NAMES)), np.nan)
    for group in ranked.groups(np.array(machine, np.int64)):
        rows[group] = consensus.consensus([_words(ranked.texts[cell], language) for cell in group])
    return {name: rows[cells, k] for k, name in enumerate(consensus.NAMES)}


def _words(text: str, language: str) -> tuple[str, ...]:
    """Lower-cased tokens, as the paper's language model had them."""
    return tokenize(text.lower(), language)


def _copied(source: tuple[str, ...], target: tuple[str, ...]) -> int:
    """Words of four letters and more that stand in the output as they stood in the source."""
    known = {word for word in source if len(word) > 3 and word.isalpha()}
    return sum(word in known for word in target)


def _column(rows: Sequence[Mapping[str, float]], name: str) -> FloatArray:
    return np.array([row.get(name, np.nan) for row in rows], np.float64)


def _numbers(values: Sequence[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], np.float64)
