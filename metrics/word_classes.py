"""Provides the site's taggers to ``evaluation``: classes and base forms of words, tagged beforehand.

English by spaCy's tags and WordNet's base forms, German by HanTa. Answers are kept by sentence and tool
(``metrics.linguistics.cache``) in a file of their own, whose date says whether anything is new.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evaluation.word_classes import Word, WordClass, Words
from metrics.collocation.words import english
from metrics.linguistics import wordnet
from metrics.linguistics.base import ToolAbsent
from metrics.linguistics.cache import Cache, answers, default_path
from metrics.linguistics.process import Failure
from metrics.linguistics.tagger import Tagged, Tagger, hanta_tagger, spacy_tagger

AT_ONCE = 500
RULES = "word classes 1"  # increase it when the rules below change, to discard cached answers
ADVERBS = ("RB", "ADV")
AUXILIARIES = frozenset(("be", "have", "do"))
Rows = list[tuple[str, str, str]]  # form in small letters, class, base

PENN = {
    WordClass.NAME: ("NNP",),
    WordClass.NUMBER: ("CD",),
    WordClass.FUNCTION: ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "RP", "TO", "W"),
    WordClass.CONTENT: ("NN", "VB", "JJ", "RB"),
}
# STTS tags. Auxiliary and modal verbs are grammatical words; a separated prefix is a part of its verb.
STTS = {
    WordClass.NAME: ("NE",),
    WordClass.NUMBER: ("CARD",),
    WordClass.NEGATION: ("PTKNEG",),
    WordClass.CONTENT: ("NN", "VV", "ADJ", "ADV", "PTKVZ"),
    WordClass.FUNCTION: ("ART", "AP", "KO", "P", "VA", "VM"),
}


@dataclass(frozen=True)
class Reader:
    """One language: a tagger, what names its answers, and how they are read."""

    tool: str
    tagger: Tagger  # its process is started by the first sentence
    rows: Callable[[Tagged], Rows]

    @property
    def cache(self) -> Cache:
        return Cache(tags_path(), self.tagger.tool, f"{self.tool}; {RULES}")


def tags_path() -> Path:
    return default_path().with_name("tags.sqlite3")


class Taggers:
    """What was read on this site so far."""

    def tool(self, language: str) -> str | None:
        found = reader(_code(language))
        return found.tool if found else None

    def mark(self) -> Hashable:
        """When the file was last written to; a write-ahead log is part of it."""
        path = tags_path()
        files = (path, path.with_name(path.name + "-wal"))
        return tuple(file.stat().st_mtime_ns for file in files if file.exists())

    def known(self, language: str, sentences: Sequence[str]) -> Mapping[str, Words]:
        found = reader(_code(language))
        if found is None or not tags_path().exists():
            return {}
        return {text: _words(rows) for text, rows in found.cache.known(sentences).items()}


def read(language: str, sentences: Sequence[str], progress: Callable[[int], None]) -> int:
    """Tag and store what was not tagged before; returns how many sentences failed."""
    found = reader(_code(language))
    if found is None:
        raise ToolAbsent(f"A tagger for {language}")

    def ask(unknown: list[str]) -> list[Rows | Failure]:
        tagged = found.tagger.tag(unknown)
        return [Failure(one.reason) if one.reason else found.rows(one) for one in tagged]

    failed = 0
    for start in range(0, len(sentences), AT_ONCE):
        some = sentences[start : start + AT_ONCE]
        failed += sum(isinstance(answer, Failure) for answer in answers(some, found.cache, ask))
        progress(start + len(some))
    return failed


@cache
def reader(code: str) -> Reader | None:
    """The reader of a language; None where its tools are not installed. No process is started by asking."""
    try:
        return READERS[code]() if code in READERS else None
    except ToolAbsent:
        return None


def _english() -> Reader:
    tagger, lexicon = spacy_tagger(), wordnet.load()
    canonical = english(lexicon)

    def rows(tagged: Tagged) -> Rows:
        found: Rows = []
        for token, tag in zip(tagged.tokens, tagged.tags, strict=True):
            word, base = token.lower(), canonical(token, tag) or token.lower()
            helps = tag.startswith("VB") and base in AUXILIARIES
            found.append((word, WordClass.FUNCTION if helps else word_class(word, tag, PENN, "en"), base))
        return found

    return Reader(f"{tagger.tool}; {lexicon.tool}", tagger, rows)


def _german() -> Reader:
    def rows(tagged: Tagged) -> Rows:
        triples = zip(tagged.tokens, tagged.tags, tagged.lemmas, strict=True)
        return [
            (token.lower(), word_class(token.lower(), tag, STTS, "de"), lemma.lower())
            for token, tag, lemma in triples
        ]

    tagger = hanta_tagger()
    return Reader(str(tagger.tool), tagger, rows)


READERS: dict[str, Callable[[], Reader]] = {"en": _english, "de": _german}


def word_class(word: str, tag: str, classes: Mapping[WordClass, tuple[str, ...]], language: str) -> WordClass:
    """The first class with such a tag; of the adverbs, those of the list of function words are grammatical.

    >>> word_class("alps", "NNPS", PENN, "en").value, word_class("hills", "NNS", PENN, "en").value
    ('name', 'content')
    >>> [word_class(word, "RB", PENN, "en").value for word in ("quickly", "also")]
    ['content', 'function']
    """
    # Imported here because its package loads SciPy, which every command would wait for at start-up.
    from evaluation.phenomena.words import is_function_word

    if tag.startswith(ADVERBS) and is_function_word(word, language):
        return WordClass.FUNCTION
    return next((kind for kind, tags in classes.items() if tag.startswith(tags)), WordClass.OTHER)


def _words(rows: Rows) -> Words:
    """If a form occurs twice in a sentence, its first reading counts."""
    return {form: Word(WordClass(kind), base) for form, kind, base in reversed(rows)}


def _code(language: str) -> str:
    return language.lower().replace("_", "-").split("-")[0]
