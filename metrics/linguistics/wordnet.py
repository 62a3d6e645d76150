"""WordNet's own files: base forms in the manner of paper 002, synonyms for anyone who needs them.

WordNet's ``morphy`` returns a word unchanged when it has an entry, so *relations* stays *relations*. Han &
Lavie 2005 send inflected words to their base all the same (relations → relation, met → meet, dogged → dog).
Here the caller says whether the word *is* inflected, which a Penn tag tells: for an inflected word the
exception lists and detachment rules come first and the surface form last; for a base form it is the other
way round.

Reads ``index.*`` and ``*.exc`` of WordNet 3.0 as Debian's ``wordnet-base`` installs them; needs no NLTK.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

from evaluation.problems import InputError, Problem
from metrics.linguistics.base import Mode, Tool, ToolAbsent, file_digest, nltk_root


class PartOfSpeech(StrEnum):
    """The four open word classes, by the names of WordNet's files."""

    NOUN = "noun"
    VERB = "verb"
    ADJECTIVE = "adj"
    ADVERB = "adv"


Synset = tuple[PartOfSpeech, int]

# Detachment rules in the order of morphy(7WN).
RULES: dict[PartOfSpeech, tuple[tuple[str, str], ...]] = {
    PartOfSpeech.NOUN: (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    PartOfSpeech.VERB: (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    PartOfSpeech.ADJECTIVE: (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    PartOfSpeech.ADVERB: (),
}


class WordNet:
    """The files of one folder; each is read when it is first needed, words are lower case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lemmas: dict[PartOfSpeech, dict[str, tuple[int, ...]]] = {}
        self._exceptions: dict[PartOfSpeech, dict[str, tuple[str, ...]]] = {}
        self._members: dict[Synset, tuple[str, ...]] = {}

    @property
    def tool(self) -> Tool:
        """The identity that tables and signatures name."""
        return Tool("wordnet", "3.0", file_digest(self.folder / "index.noun"), Mode.REAL)

    def base_form(self, word: str, part: PartOfSpeech, *, inflected: bool) -> str:
        """The base of a lower-case word; the word itself when WordNet knows nothing better."""
        bases = self.bases(word, part)
        if word in self.lemmas(part) and not (inflected and bases):
            return word
        return bases[0] if bases else word

    def bases(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """The bases of an inflected word, exceptions before rules; empty when it has none."""
        if word in self.exceptions(part):
            return self.exceptions(part)[word]
        lemmas = self.lemmas(part)
        shorter = (
            word[: len(word) - len(ending)] + new for ending, new in RULES[part] if word.endswith(ending)
        )
        return tuple(base for base in shorter if base in lemmas)

    def synsets(self, word: str) -> frozenset[Synset]:
        """All meanings of a base form, over all parts of speech."""
        found = ((part, offset) for part in PartOfSpeech for offset in self.lemmas(part).get(word, ()))
        return frozenset(found)

    def synonyms(self, word: str) -> frozenset[str]:
        """The other words that share a meaning with a base form."""
        members = self._synset_members()
        return frozenset(other for synset in self.synsets(word) for other in members[synset]) - {word}

    def lemmas(self, part: PartOfSpeech) -> dict[str, tuple[int, ...]]:
        """Every base form of a part of speech with the offsets of its synsets."""
        if part not in self._lemmas:
            self._lemmas[part] = dict(_read_index(self.folder / f"index.{part}"))
        return self._lemmas[part]

    def exceptions(self, part: PartOfSpeech) -> dict[str, tuple[str, ...]]:
        """Irregular forms with their bases."""
        if part not in self._exceptions:
            rows = _lines(self.folder / f"{part}.exc")
            self._exceptions[part] = {form: tuple(bases) for form, *bases in (row.split() for row in rows)}
        return self._exceptions[part]

    def _synset_members(self) -> dict[Synset, tuple[str, ...]]:
        if not self._members:
            for part in PartOfSpeech:
                for word, offsets in self.lemmas(part).items():
                    for offset in offsets:
                        self._members[part, offset] = (*self._members.get((part, offset), ()), word)
        return self._members


@cache
def load() -> WordNet:
    """WordNet where it is installed; raises ToolAbsent where it is not.

    Looked for in ``WNSEARCHDIR`` (WordNet's own variable), among the project's tools, and in Debian's folder.
    """
    for folder in _places():
        if (folder / "index.noun").is_file():
            return WordNet(folder)
    raise ToolAbsent("WordNet", "run `make tools`, or on Debian: apt install wordnet-base")


def _places() -> Iterator[Path]:
    if named := os.environ.get("WNSEARCHDIR"):
        yield Path(named)
    yield nltk_root() / "corpora" / "wordnet"
    yield Path("/usr/share/wordnet")


def _read_index(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Rows of wndb(5WN): lemma, class, synset count, pointer symbols, sense counts, offsets."""
    for number, line in enumerate(_lines(path), 1):
        if line.startswith(" "):  # the licence
            continue
        fields = line.split()
        try:
            count = int(fields[2])
            yield fields[0].replace("_", " "), tuple(map(int, fields[len(fields) - count :]))
        except (IndexError, ValueError) as error:
            raise InputError(
                Problem(
                    "wordnet_index", f"not a row of WordNet's index: {line!r}", file=str(path), line=number
                )
            ) from error


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from file
