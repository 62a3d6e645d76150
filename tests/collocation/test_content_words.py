"""Content words: the example of paper 002 and the edges around it."""

from __future__ import annotations

import pytest

from metrics.collocation.content_words import ContentWords, find_content_words, make_english_canonical
from metrics.tools.base import ToolAbsent, load_wordnet

EXAMPLE = (
    "The/DT Egyptian/NNP Prime/NNP Minister/NNP ,/, Atif/NNP Abeer/NNP ,/, also/RB met/VBD the/DT "
    "Sudanese/NNP Minister/NNP today/NN to/TO discuss/VB mutual/JJ and/CC trade/NN relations/NNS "
    "between/IN Egypt/NNP and/CC Sudan/NNP ./."
)
CANONICAL = (
    "egyptian prime minister atif abeer also meet sudanese today discuss mutual trade relation egypt sudan"
)


def read(tagged: str) -> ContentWords:
    try:
        lexicon = load_wordnet()
    except ToolAbsent as error:
        pytest.skip(str(error))
    tokens, tags = zip(*(item.rsplit("/", 1) for item in tagged.split()), strict=True)
    return find_content_words(tokens, tags, make_english_canonical(lexicon))


def test_the_example_of_the_slides_gives_its_canonical_words() -> None:
    found = read(EXAMPLE)
    assert " ".join(found.words) == CANONICAL
    assert found.first_verb == CANONICAL.split().index("meet")


@pytest.mark.parametrize(
    ("tagged", "canonical"),
    [
        ("dogs/NNS", "dog"),
        ("dogged/VBD", "dog"),  # both from the slides
        ("relations/NNS", "relation"),  # has an entry of its own in WordNet
        ("meeting/VBG", "meet"),
        ("meeting/NN", "meeting"),
        ("better/JJR", "good"),
        ("best/RBS", "well"),
        ("'re/VBP", "be"),
        ("’s/VBZ", "be"),
        ("n't/RB", "n't"),  # as in the slides' list
        ("Banks/NNP", "banks"),  # a name does not inflect
        ("Nations/NNPS", "nation"),
        ("dogs/NN", "dog"),  # a slip of the tagger
        ("blorfs/NNS", "blorfs"),  # WordNet knows nothing better
    ],
)
def test_words_go_to_their_base_by_tag(tagged: str, canonical: str) -> None:
    assert read(tagged).words == (canonical,)


@pytest.mark.parametrize("tagged", ["the/DT", "can/MD", "97/CD", "%/NN", "--/NN", "to/TO", "./."])
def test_words_without_content_are_left_out(tagged: str) -> None:
    assert read(tagged) == ContentWords((), (), None)


def test_a_word_is_kept_once_at_its_first_place() -> None:
    found = read("Dogs/NNS chase/VBP dogs/NNS and/CC chased/VBD cats/NNS")
    assert found == ContentWords(("dog", "chase", "cat"), (0, 1, 5), 1)


def test_a_word_first_met_as_a_noun_is_not_the_first_verb() -> None:
    found = read("visits/NNS visit/VBP arrive/VBP")
    assert (found.words, found.first_verb) == (("visit", "arrive"), 1)


def test_tokens_and_tags_must_be_equally_many() -> None:
    with pytest.raises(ValueError, match="zip"):
        find_content_words(["a", "b"], ["NN"], lambda token, tag: token)
