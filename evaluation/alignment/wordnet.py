"""Which words share a WordNet sense, read from the database files themselves.

Only the four ``index.*`` files and the ``*.exc`` exception lists are needed, some five megabytes that load in
a fraction of a second; NLTK's reader builds the whole network instead. The files are looked for where NLTK
and Debian keep them. Without them there are simply no synonyms, and the aligner's version says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from evaluation.lightly import import_lightly

_PARTS = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}
"""Detachment rules of WordNet's morphological processor (morphy(7WN))."""


class WordNet:
    """Senses of English words, inflected forms included."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"wordnet:{folder.name}"
        self._senses = {part: dict(_index(folder, part)) for part in _PARTS}
        self._exceptions = {part: dict(_exceptions(folder, part)) for part in _PARTS}

    def senses(self, word: str) -> frozenset[str]:
        """Names of all synsets that a lower-case word or one of its base forms belongs to."""
        found: set[str] = set()
        for part, index in self._senses.items():
            for lemma in self._lemmas(word, part):
                found.update(part[0] + offset for offset in index.get(lemma, "").split())
        return frozenset(found)

    def _lemmas(self, word: str, part: str) -> set[str]:
        lemmas = {word, *self._exceptions[part].get(word, ())}
        for rule in _PARTS[part].split():
            ending, _, replacement = rule.partition(":")
            if word.endswith(ending):
                lemmas.add(word.removesuffix(ending) + replacement)
        return lemmas


@cache
def find_wordnet() -> WordNet | None:
    """WordNet from the usual folders, or None where it is not installed."""
    data = import_lightly("nltk.data")  # here, because importing NLTK takes half a second
    folders = [Path(root) / "corpora" / "wordnet" for root in data.path]
    for folder in (*folders, Path("/usr/share/wordnet")):
        if all((folder / f"index.{part}").is_file() for part in _PARTS):
            return WordNet(folder)
    return None


def _index(folder: Path, part: str) -> Iterator[tuple[str, str]]:
    """Lemma and its synset offsets: ``lemma pos synsets pointers [pointer…] senses tagged offset…``."""
    for line in (folder / f"index.{part}").read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith(" "):
            lemma, _, rest = line.partition(" ")
            count = int(rest.split(" ", 2)[1])
            yield lemma, " ".join(rest.split()[-count:])


def _exceptions(folder: Path, part: str) -> Iterator[tuple[str, list[str]]]:
    path = folder / f"{part}.exc"
    if path.is_file():
        for line in path.read_text(encoding="utf-8").split("\n"):
            form, *lemmas = line.split() or [""]
            yield form, lemmas
