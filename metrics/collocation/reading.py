"""Finds the content words of sentences, with named tools for each language.

A table and the sentences scored with it must be processed alike, so a table records its reader and scoring
uses the same one.

==============  ==================================================================================
``en``          spaCy's tags, WordNet's base forms: the paper's manner
``en-rules``    a rule of thumb for tags, WordNet's base forms; for machines without the tools
``de``          HanTa's tags and lemmas
``cs es fr ru`` simplemma's lemmas of all words of four letters and more, as nothing there can tag
==============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from metrics.collocation.words import Canonical, ContentWords, content_words, english
from metrics.linguistics import wordnet
from metrics.linguistics.tagger import (
    HeuristicTagger,
    Tagged,
    Tagger,
    hanta_tagger,
    simplemma_tagger,
    spacy_tagger,
)

GERMAN_CONTENT = ("NN", "NE", "VV", "VA", "ADJ", "ADV")  # the beginnings of STTS tags


@dataclass(frozen=True)
class Reader:
    """One way to find content words; ``tools`` names the tools and their versions."""

    name: str
    language: str
    tools: str
    tagger: Tagger
    words_of: Callable[[Tagged], ContentWords]

    def read(self, sentences: Sequence[str]) -> list[ContentWords]:
        """The content words of each sentence, in order."""
        return [self.words_of(tagged) for tagged in self.tagger.tag(sentences)]


def reader(name: str) -> Reader:
    """A reader by name; raises ``ValueError`` for an unknown one, ``ToolAbsent`` where a tool is missing."""
    if name not in READERS:
        raise ValueError(f"unknown reader {name!r}; known are: {', '.join(READERS)}")
    return READERS[name]()


def lemma_words(tags: tuple[str, ...], tagged: Tagged) -> ContentWords:
    """Content words as lower-cased lemmas, chosen by the beginnings of their tags.

    >>> lemma_words(("NN",), Tagged(("Die", "Hunde"), ("ART", "NN"), ("die", "Hund"))).words
    ('hund',)
    """
    lemma_of = dict(zip(zip(tagged.tokens, tagged.tags, strict=True), tagged.lemmas, strict=True))

    def canonical(token: str, tag: str) -> str | None:
        is_content = tag.startswith(tags) and any(map(str.isalpha, token))
        return lemma_of[token, tag].lower() if is_content else None

    return content_words(tagged.tokens, tagged.tags, canonical)


@cache
def _english() -> Reader:
    tagger, lexicon = spacy_tagger(), wordnet.load()
    return Reader("en", "en", f"{tagger.tool}; {lexicon.tool}", tagger, _by(english(lexicon)))


@cache
def _english_rules() -> Reader:
    tagger, lexicon = HeuristicTagger(), wordnet.load()
    return Reader("en-rules", "en", f"{tagger.tool}; {lexicon.tool}", tagger, _by(english(lexicon)))


@cache
def _german() -> Reader:
    tagger = hanta_tagger()
    return Reader("de", "de", str(tagger.tool), tagger, partial(lemma_words, GERMAN_CONTENT))


@cache
def _by_length(language: str) -> Reader:
    tagger = simplemma_tagger(language)
    return Reader(language, language, str(tagger.tool), tagger, partial(lemma_words, ("W",)))


READERS: dict[str, Callable[[], Reader]] = {
    "en": _english,
    "en-rules": _english_rules,
    "de": _german,
    **{language: partial(_by_length, language) for language in ("cs", "es", "fr", "ru")},
}


def _by(canonical: Canonical) -> Callable[[Tagged], ContentWords]:
    return lambda tagged: content_words(tagged.tokens, tagged.tags, canonical)
