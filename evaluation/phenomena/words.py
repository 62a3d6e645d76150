"""Small closed lists: short grammatical words and words of negation, by language.

Only languages with a list can show *function word* and *negation*; where there is none, a difference in such
a word counts as a difference in word choice, and the report says so.
"""

from __future__ import annotations

from evaluation.alignment.function_words import FUNCTION_WORDS


def _lists(**lists: str) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in lists.items()}


NEGATIONS = _lists(
    en="""
        no not n't never none nothing nobody neither nor nowhere without cannot can't don't doesn't didn't
        won't wouldn't isn't aren't wasn't weren't hasn't haven't hadn't couldn't shouldn't mustn't
    """,
    de="""
        nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo kein keine keinen keinem
        keiner keines keinerlei weder noch ohne nein
    """,
    fr="ne n' pas jamais rien personne aucun aucune ni sans non nulle nul",
    es="no nunca jamás nada nadie ningún ninguna ninguno ni sin tampoco",
    cs="ne nikdy nic nikdo žádný žádná žádné ani bez není nejsou nebyl nebyla nebylo",
)

# The aligner's list leaves out words of up to three letters, which here matter most.
SHORT_WORDS = _lists(
    en="""
        a an the of to in on at by for as is are was be has had do did can may and or but if so it he she we
        you i me him her us my our its his not no than that this with from who how all any out up off per via
    """,
    de="""
        der die das den dem des ein um am an im in zu zum zur auf aus bei mit von vom vor für und ob als wie
        so da wo ist war hat er sie es wir ihr ich du man sich mir mich dir dich uns ihm ihn ins ans nur
    """,
    fr="""
        le la les l' un une des du de d' à au aux en et ou où que qu' qui quoi ce c' se s' sa son ses il on je
        tu me te y ne n' pas par sur est sont a ont si ni car
    """,
    es="""
        el la los las un una de del a al en y e o u que se su sus lo le les me te es son por con sin si ni no
        ya más muy
    """,
    cs="""
        a i o u v ve k ke s se z ze na za po do od pro při že si je jsem jsou by ale ani co to ta ten který
    """,
)


def knows(language: str) -> bool:
    """Whether function words and negation can be told apart in this language."""
    return language in SHORT_WORDS


def is_function_word(lower: str, language: str) -> bool:
    """Whether a word (in small letters) is a grammatical one.

    >>> is_function_word("the", "en"), is_function_word("while", "en"), is_function_word("house", "en")
    (True, True, False)
    """
    return lower in SHORT_WORDS.get(language, ()) or (knows(language) and lower in FUNCTION_WORDS)
