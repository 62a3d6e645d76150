"""Content words of sentences, canonical and unique (paper 002, "Collocations Defined").

Content words are nouns, verbs, adjectives and adverbs in all forms, by Penn tag; modals, numbers and tokens
without a letter are not. Words are lower-cased and reduced to their base form, and each is listed once, at
its first position.

A table and the sentences scored with it must be processed alike, so a table records the name of its reader:

==============  =================================================================
``en``          tags by spaCy, base forms by WordNet, as in the paper
``de``          tags and lemmas by HanTa
==============  =================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from evaluation.alignment.wordnet import PartOfSpeech, WordNet
from metrics.tools.base import load_wordnet, wordnet_tool
from metrics.tools.tagger import Tagged, Tagger, hanta_tagger, spacy_tagger

Canonical = Callable[[str, str], str | None]
"""(token, tag) → the canonical word, or None if the token is not a content word."""

PARTS = {
    "N": PartOfSpeech.NOUN,
    "V": PartOfSpeech.VERB,
    "J": PartOfSpeech.ADJECTIVE,
    "R": PartOfSpeech.ADVERB,
}
NAME_TAG = "NNP"
INFLECTED_TAGS = frozenset(("NNS", "NNPS", "VBD", "VBG", "VBN", "VBZ", "JJR", "JJS", "RBR", "RBS"))
CONTENT_TAGS = INFLECTED_TAGS | {"NN", NAME_TAG, "VB", "VBP", "JJ", "RB"}
GERMAN_CONTENT = ("NN", "NE", "VV", "VA", "ADJ", "ADV")  # prefixes of STTS tags
CLITICS = {"'s": "be", "'re": "be", "'m": "be", "'ve": "have", "'d": "have"}


@dataclass(frozen=True, slots=True)
class ContentWords:
    """The distinct content words of a sentence in order of first appearance.

    ``places`` are their token positions; ``first_verb`` is the index of the first word tagged as a verb.
    """

    words: tuple[str, ...]
    places: tuple[int, ...]
    first_verb: int | None


def find_content_words(tokens: Sequence[str], tags: Sequence[str], canonical: Canonical) -> ContentWords:
    """Collect the content words of one tagged sentence.

    >>> lower = lambda token, tag: token.lower() if tag in CONTENT_TAGS else None
    >>> find_content_words(["Dogs", "chase", "the", "dogs"], ["NNS", "VBP", "DT", "NNS"], lower)
    ContentWords(words=('dogs', 'chase'), places=(0, 1), first_verb=1)
    """
    positions: dict[str, int] = {}
    first_verb = None
    for place, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        word = canonical(token, tag)
        if word is not None and word not in positions:
            if first_verb is None and tag[:1] == "V":
                first_verb = len(positions)
            positions[word] = place
    return ContentWords(tuple(positions), tuple(positions.values()), first_verb)


def make_english_canonical(lexicon: WordNet) -> Canonical:
    """Canonical English words by Penn tag and WordNet, with a cache of every (token, tag).

    A name (NNP) stays as it is; a plural, past or compared form is reduced to its base even if WordNet lists
    the form itself; a clitic verb becomes the verb that it abbreviates.
    """

    @cache
    def canonical(token: str, tag: str) -> str | None:
        word = token.lower().replace("’", "'")
        if tag not in CONTENT_TAGS or not any(map(str.isalpha, word)):
            return None
        if tag == NAME_TAG:
            return word
        if tag[0] == "V" and word in CLITICS:
            return CLITICS[word]
        return lexicon.base_form(word, PARTS[tag[0]], inflected=tag in INFLECTED_TAGS)

    return canonical


def find_lemmas(tag_prefixes: tuple[str, ...], tagged: Tagged) -> ContentWords:
    """Content words as lower-cased lemmas, chosen by the prefixes of their tags.

    >>> find_lemmas(("NN",), Tagged(("Die", "Hunde"), ("ART", "NN"), ("die", "Hund"))).words
    ('hund',)
    """
    lemma_of = dict(zip(zip(tagged.tokens, tagged.tags, strict=True), tagged.lemmas, strict=True))

    def canonical(token: str, tag: str) -> str | None:
        is_content = tag.startswith(tag_prefixes) and any(map(str.isalpha, token))
        return lemma_of[token, tag].lower() if is_content else None

    return find_content_words(tagged.tokens, tagged.tags, canonical)


@dataclass(frozen=True)
class ContentWordReader:
    """One way to find content words; ``tools`` names the tools and their versions."""

    name: str
    language: str
    tools: str
    tagger: Tagger
    words_of: Callable[[Tagged], ContentWords]

    def read(self, sentences: Sequence[str]) -> list[ContentWords]:
        """The content words of each sentence, in order."""
        return [self.words_of(tagged) for tagged in self.tagger.tag(sentences)]


def get_reader(name: str) -> ContentWordReader:
    """A reader by name; raises ``ValueError`` for an unknown name, ``ToolAbsent`` if a tool is missing."""
    if name not in READERS:
        raise ValueError(f"unknown reader {name!r}; known: {', '.join(READERS)}")
    return READERS[name]()


@cache
def _english_reader() -> ContentWordReader:
    tagger, lexicon = spacy_tagger(), load_wordnet()
    canonical = make_english_canonical(lexicon)
    return ContentWordReader(
        "en",
        "en",
        f"{tagger.tool}; {wordnet_tool(lexicon)}",
        tagger,
        lambda tagged: find_content_words(tagged.tokens, tagged.tags, canonical),
    )


@cache
def _german_reader() -> ContentWordReader:
    tagger = hanta_tagger()
    return ContentWordReader("de", "de", str(tagger.tool), tagger, partial(find_lemmas, GERMAN_CONTENT))


READERS: dict[str, Callable[[], ContentWordReader]] = {"en": _english_reader, "de": _german_reader}
