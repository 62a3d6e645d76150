"""Content words of a tagged sentence, canonical and unique (paper 002, "Collocations Defined").

Kept are nouns, verbs, adjectives and adverbs of all forms, by Penn tag; modals, numbers and anything without
a letter are not words of content. Words are lower-cased and sent to their base form, and each is kept once,
at its first place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.linguistics.wordnet import PartOfSpeech, WordNet

Canonical = Callable[[str, str], str | None]
"""(token, tag) → the canonical word, or None for a word without content."""

PARTS = {
    "N": PartOfSpeech.NOUN,
    "V": PartOfSpeech.VERB,
    "J": PartOfSpeech.ADJECTIVE,
    "R": PartOfSpeech.ADVERB,
}
NAME_TAG = "NNP"
INFLECTED_TAGS = frozenset(("NNS", "NNPS", "VBD", "VBG", "VBN", "VBZ", "JJR", "JJS", "RBR", "RBS"))
CONTENT_TAGS = INFLECTED_TAGS | {"NN", NAME_TAG, "VB", "VBP", "JJ", "RB"}
CLITICS = {"'s": "be", "'re": "be", "'m": "be", "'ve": "have", "'d": "have"}


@dataclass(frozen=True, slots=True)
class ContentWords:
    """The different content words of a sentence in order of first appearance.

    ``places`` are their token numbers; ``first_verb`` is the first of the words that was tagged as a verb.
    """

    words: tuple[str, ...]
    places: tuple[int, ...]
    first_verb: int | None


def content_words(tokens: Sequence[str], tags: Sequence[str], canonical: Canonical) -> ContentWords:
    """Collect the content words of one tagged sentence.

    >>> lower = lambda token, tag: token.lower() if tag in CONTENT_TAGS else None
    >>> content_words(["Dogs", "chase", "the", "dogs"], ["NNS", "VBP", "DT", "NNS"], lower)
    ContentWords(words=('dogs', 'chase'), places=(0, 1), first_verb=1)
    """
    found: dict[str, int] = {}
    first_verb = None
    for place, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        word = canonical(token, tag)
        if word is not None and word not in found:
            if first_verb is None and tag[:1] == "V":
                first_verb = len(found)
            found[word] = place
    return ContentWords(tuple(found), tuple(found.values()), first_verb)


def english(wordnet: WordNet) -> Canonical:
    """Canonical English words by Penn tag and WordNet, remembering every (token, tag) it has met.

    A name (NNP) stays as it is; a plural, past or compared form goes to its base even where WordNet lists
    the form itself; a clitic verb becomes the verb it stands for.
    """
    known: dict[tuple[str, str], str | None] = {}

    def canonical(token: str, tag: str) -> str | None:
        key = token, tag
        if key not in known:
            known[key] = _english(token, tag, wordnet)
        return known[key]

    return canonical


def _english(token: str, tag: str, wordnet: WordNet) -> str | None:
    word = token.lower().replace("’", "'")
    if tag not in CONTENT_TAGS or not any(map(str.isalpha, word)):
        return None
    if tag == NAME_TAG:
        return word
    if tag[0] == "V" and word in CLITICS:
        return CLITICS[word]
    return wordnet.base_form(word, PARTS[tag[0]], inflected=tag in INFLECTED_TAGS)
