"""The features of Avramidis et al. 2011 (paper 001, section 2.3), and two named extensions.

Every output is a row of numbers; features of a missing tool are NaN, never 0. ``Extractor`` holds the
available tools, and ``Extractor.tools`` their identities. Names as in Table 1 of the paper:

| family | features |
|---|---|
| length | ``len`` (source words / target words), ``len_target``, ``len_source`` |
| lm | ``ngram`` (order 5), ``unigram``, ``bigram``, ``trigram``: log10 p; ``unk``; ``ngram_mean`` per word |
| parse | ``logparse``, ``nparse``, ``confbestparse``, ``confavg``, their ``_ratio``s; ``noparse`` |
| shallow | counts ``NP``, ``VP``, ``PP``, ``NN``, ``PUNC`` and their ``_ratio`` to the source |
| alignment | ``ibm1`` (target given source), ``ibm1_back``; ``copied`` source words |
| consensus | ``consensus1`` … ``consensus4``, ``consensus_chars``, ``consensus_length`` |

A feature of the source alone is equal for all outputs that are compared, so it cannot order them; it enters
through the ratios.

Consensus is an extension that paper 001 does not have: what several systems write independently is more often
right, the idea behind minimum-Bayes-risk decoding. It is the mean F₁ of the n-gram overlap with each other
output of the source, for word n-grams of order 1 to 4 and character 4-grams, and the agreement in length. A
source with one output has no consensus: its features are missing.

``PRESETS`` are named sets of features, among them the combinations of Table 1. The table has twelve rows, one
of them printed twice: eleven combinations. ``PRINTED`` holds the figures of the paper for each: ρ and τ of
naïve Bayes, ρ and τ of kNN, on its own test set. The ``VP`` and ``NP`` of the paper are count ratios to the
source. Its ``logparse`` is a ratio too; here it is the target's log-likelihood, which needs no parser of the
source: the ratio only divides it by a number that is equal for all outputs of a source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from appraise.lib.problems import InputError
from evaluation.tokens import tokenize
from metrics.ranking.classifiers import FloatArray
from metrics.ranking.data import RankedSet, is_human
from metrics.ranking.language_model import IntArray, NgramModel
from metrics.ranking.models import TranslationLexicon
from metrics.tools.base import Tool, ToolMode
from metrics.tools.constituency import NEAR, Parse

LABELS = ("NP", "VP", "PP", "NN", "PUNC")
PUNCTUATION = frozenset({".", ",", ":", "``", "''", "-LRB-", "-RRB-"})
PARSE = ("logparse", "nparse", "confbestparse", "confavg")
ORDERS = (1, 2, 3, 4)  # of the word n-grams of consensus
CHARACTERS = 4
CONSENSUS = (*(f"consensus{n}" for n in ORDERS), "consensus_chars", "consensus_length")

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "length": ("len", "len_target", "len_source"),
    "lm": ("ngram", "unigram", "bigram", "trigram", "unk", "ngram_mean"),
    "parse": (*PARSE, *(f"{name}_ratio" for name in PARSE), "noparse"),
    "shallow": (*LABELS, *(f"{label}_ratio" for label in LABELS)),
    "alignment": ("ibm1", "ibm1_back", "copied"),
    "consensus": CONSENSUS,
}
NAMES: tuple[str, ...] = tuple(name for names in FAMILIES.values() for name in names)

PARSED = frozenset((*FAMILIES["parse"], *FAMILIES["shallow"]))  # the features that need a parser

Parser = Callable[[Sequence[str]], Sequence[Parse]]
Counts = Mapping[str, int]
Chunker = Callable[[Sequence[str]], Sequence[Counts | None]]


@dataclass(frozen=True, slots=True)
class Extractor:
    """The tools of one run; where one is absent, its features are missing.

    ``source_parser`` parses the source language, or ``source_chunks`` counts its phrases without parsing.
    """

    source_language: str = ""
    target_language: str = "en"
    model: NgramModel | None = None
    parser: Parser | None = None
    source_parser: Parser | None = None
    source_chunks: Chunker | None = None
    lexicon: TranslationLexicon | None = None
    lexicon_back: TranslationLexicon | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)

    def extract(self, ranked: RankedSet, cells: IntArray) -> FloatArray:
        """Features of the cells, columns as ``NAMES``; the other outputs count for consensus only."""
        texts = [ranked.texts[cell] for cell in cells]
        sources = [ranked.sources[ranked.source_of[cell]] for cell in cells]
        words = [_words(text, self.target_language) for text in texts]
        source_words = [_words(text, self.source_language) for text in sources]
        columns = _lengths(words, source_words) | self._lm(words) | self._grammar(texts, sources)
        columns |= self._alignment(words, source_words) | _consensus(ranked, cells, self.target_language)
        missing = np.full(len(cells), np.nan)
        return np.column_stack([columns.get(name, missing) for name in NAMES])

    def describe(self, sources: Sequence[str], texts: Sequence[str], source_of: Sequence[int]) -> FloatArray:
        """Features of texts without rankings; ``source_of`` gives the source of each text by its number."""
        systems = tuple(map(str, range(len(texts))))
        documents = tuple(map(str, range(len(sources))))
        ranked = RankedSet(tuple(sources), documents, systems, tuple(texts), tuple(source_of), ())
        return self.extract(ranked, np.arange(len(texts)))

    def _lm(self, words: Sequence[tuple[str, ...]]) -> dict[str, FloatArray]:
        if self.model is None:
            return {}
        scored = self.model.score(words)
        by_order = scored.log_probs
        names = {"unigram": 1, "bigram": 2, "trigram": 3, "ngram": self.model.order}
        return {
            **{name: by_order[:, n - 1] for name, n in names.items() if n <= self.model.order},
            "unk": scored.unknown.astype(np.float64),
            "ngram_mean": by_order[:, -1] / (scored.lengths + 1),
        }

    def _grammar(self, texts: Sequence[str], sources: Sequence[str]) -> dict[str, FloatArray]:
        if self.parser is None:
            return {}
        target = [_parse_features(parse) for parse in self.parser(texts)]
        source = self._source_features(sources)
        columns: dict[str, FloatArray] = {"noparse": _column(target, "noparse")}
        for name in (*PARSE, *LABELS):
            ours, theirs = _column(target, name), _column(source, name)
            columns[name] = ours
            known = np.isfinite(theirs) & (theirs != 0)
            columns[f"{name}_ratio"] = np.divide(ours, theirs, out=np.full(len(ours), np.nan), where=known)
        return columns

    def _source_features(self, sources: Sequence[str]) -> list[dict[str, float]]:
        """Features of each source; equal sources are analysed once."""
        distinct = list(dict.fromkeys(sources))
        if self.source_parser is not None:
            known = [_parse_features(parse) for parse in self.source_parser(distinct)]
        elif self.source_chunks is not None:
            known = [{**counts} if counts else {} for counts in self.source_chunks(distinct)]
        else:
            known = [{} for _ in distinct]
        by_text = dict(zip(distinct, known, strict=True))
        return [by_text[source] for source in sources]

    def _alignment(
        self, words: Sequence[tuple[str, ...]], source_words: Sequence[tuple[str, ...]]
    ) -> dict[str, FloatArray]:
        pairs = list(zip(source_words, words, strict=True))
        columns = {
            "copied": np.array([_count_copied(source, target) for source, target in pairs], np.float64)
        }
        if self.lexicon is not None:
            columns["ibm1"] = np.array([self.lexicon.score(*pair) for pair in pairs], np.float64)
        if self.lexicon_back is not None:
            columns["ibm1_back"] = np.array(
                [self.lexicon_back.score(target, source) for source, target in pairs], np.float64
            )
        return columns


def feature_columns(names: Sequence[str]) -> list[int]:
    """Positions of features in ``NAMES``."""
    return [NAMES.index(name) for name in names]


def absent_tool(name: str) -> Tool:
    """The identity of a tool that is not available."""
    return Tool(name, "", None, ToolMode.ABSENT)


def count_labels(parse: Parse) -> dict[str, int]:
    """Count NP, VP, PP, nouns (every NN… tag) and punctuation of a parse.

    >>> count_labels(Parse("(ROOT (S (NP (NNS dogs)) (VP (VBP bark)) (. .)))", (-9.0,)))
    {'NP': 1, 'VP': 1, 'PP': 0, 'NN': 1, 'PUNC': 1}
    """
    labels = parse.labels
    counts = {label: labels[label] for label in ("NP", "VP", "PP")}
    counts["NN"] = sum(count for label, count in labels.items() if label.startswith("NN"))
    counts["PUNC"] = sum(count for label, count in labels.items() if label in PUNCTUATION)
    return counts


def _parse_features(parse: Parse) -> dict[str, float]:
    """Features of one parse; of an imported tree without scores, only its labels."""
    if parse.tree is None:
        return {"noparse": 1.0}
    known: dict[str, float] = {"noparse": 0.0, **count_labels(parse)}
    if parse.score is None or parse.confidence is None or parse.mean_confidence is None:
        return known
    return known | {
        "logparse": parse.score,
        "nparse": float(parse.trees_within(NEAR)),
        "confbestparse": parse.confidence,
        "confavg": parse.mean_confidence,
    }


def _lengths(
    words: Sequence[tuple[str, ...]], source_words: Sequence[tuple[str, ...]]
) -> dict[str, FloatArray]:
    target = np.array([len(tokens) for tokens in words], np.float64)
    source = np.array([len(tokens) for tokens in source_words], np.float64)
    ratio = np.divide(source, target, out=np.full(len(target), np.nan), where=target > 0)
    return {"len": ratio, "len_target": target, "len_source": source}


def _consensus(ranked: RankedSet, cells: IntArray, language: str) -> dict[str, FloatArray]:
    """Consensus with all outputs of the source in the set, judged or not, but without human references."""
    wanted = {ranked.source_of[cell] for cell in cells}
    machine = [c for c, s in enumerate(ranked.source_of) if s in wanted and not is_human(ranked.systems[c])]
    rows = np.full((len(ranked.texts), len(CONSENSUS)), np.nan)
    for group in ranked.groups(np.array(machine, np.int64)):
        rows[group] = measure_consensus([_words(ranked.texts[cell], language) for cell in group])
    return {name: rows[cells, k] for k, name in enumerate(CONSENSUS)}


def _words(text: str, language: str) -> tuple[str, ...]:
    """Lower-cased tokens, as in the language model of the paper."""
    return tokenize(text.lower(), language)


def _count_copied(source: tuple[str, ...], target: tuple[str, ...]) -> int:
    """Words of four letters and more that the output copies from the source."""
    known = {word for word in source if len(word) > 3 and word.isalpha()}
    return sum(word in known for word in target)


def _column(rows: Sequence[Mapping[str, float]], name: str) -> FloatArray:
    return np.array([row.get(name, np.nan) for row in rows], np.float64)


def measure_consensus(outputs: Sequence[Sequence[str]]) -> FloatArray:
    """One row per tokenised output of a source, columns as ``CONSENSUS``.

    >>> measure_consensus([["a", "b"], ["a", "b"], ["c"]])[:, 0].tolist()
    [0.5, 0.5, 0.0]
    """
    if len(outputs) < 2:
        return np.full((len(outputs), len(CONSENSUS)), np.nan)
    columns = [_mean_f1([_ngrams(words, n) for words in outputs]) for n in ORDERS]
    columns.append(_mean_f1([_ngrams(" ".join(words), CHARACTERS) for words in outputs]))
    columns.append(_length_agreement(np.array([len(words) for words in outputs], np.float64)))
    return np.column_stack(columns)


def _ngrams(text: Sequence[str] | str, n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(text[k:] for k in range(n)), strict=False))


def _mean_f1(bags: Sequence[Counter[tuple[str, ...]]]) -> FloatArray:
    """Mean over the others of 2·|A ∩ B| / (|A| + |B|); 0 for two empty bags."""
    from scipy import sparse  # here, because only rankers need it

    ids: dict[tuple[str, ...], int] = {}
    # A bag becomes a 0/1 row with one column per (n-gram, occurrence), so that a product counts the overlap.
    rows, columns = [], []
    for row, bag in enumerate(bags):
        for gram, count in bag.items():
            for k in range(count):
                rows.append(row)
                columns.append(ids.setdefault((*gram, str(k)), len(ids)))
    matrix = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(bags), max(1, len(ids))))
    overlap = np.asarray((matrix @ matrix.T).todense())
    sizes = np.array([bag.total() for bag in bags], np.float64)
    both = sizes[:, None] + sizes[None, :]
    f1 = np.divide(2 * overlap, both, out=np.zeros_like(both), where=both > 0)
    np.fill_diagonal(f1, 0.0)
    return np.asarray(f1.sum(axis=1) / (len(bags) - 1))


def _length_agreement(lengths: FloatArray) -> FloatArray:
    """Minus the absolute log ratio of an output's length to the mean length of the others."""
    others = (lengths.sum() - lengths) / (len(lengths) - 1)
    return np.asarray(-np.abs(np.log((lengths + 1) / (others + 1))))


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
        raise InputError.of("unknown_feature", f"there is no feature {unknown[0]!r}", f"known: {known}")
    return names
