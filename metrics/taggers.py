"""Provides the site's taggers to ``evaluation``: classes and base forms of words, tagged beforehand.

English uses spaCy's tags and WordNet's base forms, German uses HanTa. Tags are cached by sentence and tool
(``metrics.tools.cache``) in a file of their own, whose modification time shows whether there are new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evaluation.voters import TaggedWord, WordClass, Words
from metrics.collocation.content_words import make_english_canonical
from metrics.tools.base import ToolAbsent, load_wordnet, wordnet_tool
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.process import Failure
from metrics.tools.tagger import Tagged, Tagger, hanta_tagger, spacy_tagger

AT_ONCE = 500
RULES = "word classes 1"  # increase when the rules below change, to discard cached tags
ADVERBS = ("RB", "ADV")
AUXILIARIES = frozenset(("be", "have", "do"))
Rows = list[tuple[str, str, str]]  # lower-case form, class, base form

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
class LanguageTagger:
    """The tagger of a language, the name under which its tags are cached, and how they become rows."""

    tool: str
    tagger: Tagger  # starts its process with the first sentence
    rows: Callable[[Tagged], Rows]

    @property
    def cache(self) -> Cache:
        return Cache(tags_path(), self.tagger.tool, f"{self.tool}; {RULES}")


def tags_path() -> Path:
    return default_path().with_name("tags.sqlite3")


class Taggers:
    """The tags that this site has cached."""

    def find_tool_name(self, language: str) -> str | None:
        tagger = find_tagger(_code(language))
        return tagger.tool if tagger else None

    def get_version(self) -> Hashable:
        """Return when the file was last modified, its write-ahead log included."""
        path = tags_path()
        files = (path, path.with_name(path.name + "-wal"))
        return tuple(file.stat().st_mtime_ns for file in files if file.exists())

    def load_words(self, language: str, sentences: Sequence[str]) -> Mapping[str, Words]:
        tagger = find_tagger(_code(language))
        if tagger is None or not tags_path().exists():
            return {}
        return {text: _words(rows) for text, rows in tagger.cache.known(sentences).items()}


def tag_sentences(language: str, sentences: Sequence[str], progress: Callable[[int], None]) -> int:
    """Tag and cache the sentences that are not tagged yet; returns how many failed."""
    tagger = find_tagger(_code(language))
    if tagger is None:
        raise ToolAbsent(f"A tagger for {language}")

    def ask(unknown: list[str]) -> list[Rows | Failure]:
        results = tagger.tagger.tag(unknown)
        return [Failure(tagged.reason) if tagged.reason else tagger.rows(tagged) for tagged in results]

    failed = 0
    for start in range(0, len(sentences), AT_ONCE):
        batch = sentences[start : start + AT_ONCE]
        failed += sum(isinstance(answer, Failure) for answer in answers(batch, tagger.cache, ask))
        progress(start + len(batch))
    return failed


@cache
def find_tagger(code: str) -> LanguageTagger | None:
    """Return the tagger of a language; None if its tools are not installed. Starts no process."""
    try:
        return TAGGERS[code]() if code in TAGGERS else None
    except ToolAbsent:
        return None


def _english() -> LanguageTagger:
    tagger, lexicon = spacy_tagger(), load_wordnet()
    canonical = make_english_canonical(lexicon)

    def rows(tagged: Tagged) -> Rows:
        result: Rows = []
        for token, tag in zip(tagged.tokens, tagged.tags, strict=True):
            word, base = token.lower(), canonical(token, tag) or token.lower()
            is_auxiliary = tag.startswith("VB") and base in AUXILIARIES
            result.append(
                (word, WordClass.FUNCTION if is_auxiliary else word_class(word, tag, PENN, "en"), base)
            )
        return result

    return LanguageTagger(f"{tagger.tool}; {wordnet_tool(lexicon)}", tagger, rows)


def _german() -> LanguageTagger:
    def rows(tagged: Tagged) -> Rows:
        triples = zip(tagged.tokens, tagged.tags, tagged.lemmas, strict=True)
        return [
            (token.lower(), word_class(token.lower(), tag, STTS, "de"), lemma.lower())
            for token, tag, lemma in triples
        ]

    tagger = hanta_tagger()
    return LanguageTagger(str(tagger.tool), tagger, rows)


TAGGERS: dict[str, Callable[[], LanguageTagger]] = {"en": _english, "de": _german}


def word_class(word: str, tag: str, classes: Mapping[WordClass, tuple[str, ...]], language: str) -> WordClass:
    """Return the first class with such a tag; adverbs in the list of function words are grammatical words.

    >>> word_class("alps", "NNPS", PENN, "en").value, word_class("hills", "NNS", PENN, "en").value
    ('name', 'content')
    >>> [word_class(word, "RB", PENN, "en").value for word in ("quickly", "also")]
    ['content', 'function']
    """
    # Imported here because its package loads SciPy, which every command would wait for at start-up.
    from evaluation.phenomena.classification import is_function_word

    if tag.startswith(ADVERBS) and is_function_word(word, language):
        return WordClass.FUNCTION
    return next((kind for kind, tags in classes.items() if tag.startswith(tags)), WordClass.OTHER)


def _words(rows: Rows) -> Words:
    """If a form occurs twice in a sentence, its first reading counts."""
    return {form: TaggedWord(WordClass(kind), base) for form, kind, base in reversed(rows)}


def _code(language: str) -> str:
    return language.lower().replace("_", "-").split("-")[0]
