"""Reads the WordNet database: lemmas with their synsets, and the rules for base forms.

Only the four ``index.*`` files and the ``*.exc`` exception lists are read. They have about five megabytes and
load in a fraction of a second, whereas NLTK's reader builds the whole network. ``find_wordnet`` looks in the
folders of NLTK and Debian. Without the files the aligner works without synonyms and states so in its version.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

from appraise.lib.problems import InputError


class PartOfSpeech(StrEnum):
    """The four open word classes, by the names of WordNet's files."""

    NOUN = "noun"
    VERB = "verb"
    ADJECTIVE = "adj"
    ADVERB = "adv"


_RULES = {
    PartOfSpeech.NOUN: "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y",
    PartOfSpeech.VERB: "s: ies:y es:e es: ed:e ed: ing:e ing:",
    PartOfSpeech.ADJECTIVE: "er: est: er:e est:e",
    PartOfSpeech.ADVERB: "",
}
"""Detachment rules of WordNet's morphological processor, in their original order (morphy(7WN))."""


class WordNet:
    """The database in one folder; each file is read on first use. Words are lower case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"wordnet:{folder.name}"
        self._lemmas: dict[PartOfSpeech, dict[str, str]] = {}
        self._exceptions: dict[PartOfSpeech, dict[str, tuple[str, ...]]] = {}

    def senses(self, word: str) -> frozenset[str]:
        """Return the names of all synsets of a lower-case word and of its base forms."""
        synsets: set[str] = set()
        for part in PartOfSpeech:
            lemmas = self.lemmas(part)
            bases = {word, *self.exceptions(part).get(word, ()), *strip_endings(word, part)}
            if part is PartOfSpeech.NOUN and word.endswith("ves"):  # a rule of NLTK that WordNet lacks
                bases.add(word.removesuffix("ves") + "f")
            for base in bases:
                synsets.update(part[0] + offset for offset in lemmas.get(base, "").split())
        return frozenset(synsets)

    def base_form(self, word: str, part: PartOfSpeech, *, inflected: bool) -> str:
        """Return the base form of a lower-case word; the word itself if WordNet has no other.

        WordNet's ``morphy`` keeps every word that has an entry of its own, such as *relations*. Han & Lavie
        2005 map inflected words to their base form all the same (relations → relation, met → meet), so the
        caller states whether the word is inflected, which its Penn tag tells.
        """
        bases = self.bases(word, part)
        if word in self.lemmas(part) and not (inflected and bases):
            return word
        return bases[0] if bases else word

    def bases(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """Return the base forms of an inflected word; irregular forms take precedence over rules."""
        if word in self.exceptions(part):
            return self.exceptions(part)[word]
        return tuple(base for base in strip_endings(word, part) if base in self.lemmas(part))

    def synsets(self, lemma: str) -> frozenset[tuple[PartOfSpeech, int]]:
        """Return the synsets of a lemma in all parts of speech."""
        return frozenset(
            (part, int(offset))
            for part in PartOfSpeech
            for offset in self.lemmas(part).get(lemma, "").split()
        )

    def lemmas(self, part: PartOfSpeech) -> dict[str, str]:
        """Return every lemma of a part of speech with the offsets of its synsets."""
        if part not in self._lemmas:
            self._lemmas[part] = dict(_read_index(self.folder / f"index.{part}"))
        return self._lemmas[part]

    def exceptions(self, part: PartOfSpeech) -> dict[str, tuple[str, ...]]:
        """Return irregular forms with their base forms."""
        if part not in self._exceptions:
            path = self.folder / f"{part}.exc"
            rows = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
            self._exceptions[part] = {
                form: tuple(bases) for form, *bases in map(str.split, filter(None, rows))
            }
        return self._exceptions[part]


def strip_endings(word: str, part: PartOfSpeech) -> list[str]:
    """Return the base forms that the rules allow, whether WordNet knows them or not.

    >>> strip_endings("hoping", PartOfSpeech.VERB)
    ['hope', 'hop']
    """
    rules = (rule.split(":") for rule in _RULES[part].split())
    return [word.removesuffix(ending) + new for ending, new in rules if word.endswith(ending)]


@cache
def find_wordnet() -> WordNet | None:
    """Return WordNet from the folders of NLTK or Debian; None if it is not installed."""
    from nltk import data  # here, because it is slow to import

    folders = [Path(root) / "corpora" / "wordnet" for root in data.path]
    for folder in (*folders, Path("/usr/share/wordnet")):
        if all((folder / f"index.{part}").is_file() for part in PartOfSpeech):
            return WordNet(folder)
    return None


def _read_index(path: Path) -> Iterator[tuple[str, str]]:
    """Yield lemma and offsets of each row (wndb(5WN)).

    A row has lemma, class, synset count, pointer symbols, sense counts and offsets.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line or line.startswith(" "):  # the licence
            continue
        fields = line.split()
        try:
            yield fields[0], " ".join(fields[-int(fields[2]) :])
        except (IndexError, ValueError) as error:
            message = f"not a row of a WordNet index: {line[:60]!r}"
            raise InputError.of(
                "wordnet_index", message, "install WordNet again", str(path), number
            ) from error
