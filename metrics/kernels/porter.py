"""Porter's stemmer (Porter 1980, "An algorithm for suffix stripping"), over the code points of whole texts.

With the additions of NLTK's default mode, so that stems equal those that other tools of the field find: a few
irregular forms, *-ied* and *-ies* of four letters, *y* after a consonant, *-alli* first, *-fulli*, *-logi*.
Any character that is no vowel is a consonant, so every script passes through. A stem is never longer than its
word, which is what lets a text be rewritten in place.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.characters import HIGHEST_SPACE, SPACES
from metrics.kernels.compiler import COMPILED, Flags, Ints, kernel

A, D, E, G, EYE, L, N, OH, S, T, U, W, X, Y, Z = map(ord, "adegilnostuwxyz")
LETTERS = 128
_IRREGULAR = (
    "sky:sky skies:sky dying:die lying:lie tying:tie news:news innings:inning inning:inning outings:outing "
    "outing:outing cannings:canning canning:canning howe:howe proceed:proceed exceed:exceed succeed:succeed"
)
_PLURALS = "sses:ss ies:i ss:ss s:"
_RESTORED = "at:ate bl:ble iz:ize"
_SECOND = (
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous "
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive "
    "biliti:ble fulli:ful"
)
_THIRD = "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:"
_FOURTH = "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:"


def _table(rules: str) -> Ints:
    """One row a rule: length of the ending, its letters from the last to the first, length and letters of
    what replaces it.
    """
    rows = np.zeros((len(rules.split()), 20), np.int32)
    for row, rule in zip(rows, rules.split(), strict=True):
        ending, new = rule.split(":")
        row[: len(ending) + 1] = [len(ending), *map(ord, reversed(ending))]
        row[10 : len(new) + 11] = [len(new), *map(ord, new)]
    return rows


def _lasts(table: Ints) -> Flags:
    """Which last letters a table of rules is about."""
    found = np.zeros(LETTERS, np.bool_)
    found[table[:, 1]] = True
    return found


IRREGULAR, PLURALS, RESTORED = _table(_IRREGULAR), _table(_PLURALS), _table(_RESTORED)
ALLI, LOGI = _table("alli:al"), _table("logi:log")
SECOND, THIRD, FOURTH = _table(_SECOND), _table(_THIRD), _table(_FOURTH)
ODD, LAST2, LAST3, LAST4 = map(_lasts, (IRREGULAR, SECOND, THIRD, FOURTH))


def stemmed(text: str) -> str:
    """Every word of a lower-case text by its stem, all else as it is.

    >>> stemmed("she walks\\nthe flying skies\\n")
    'she walk\\nthe fli sky\\n'
    """
    if COMPILED:
        return _rewritten(text)
    # Uncompiled, each different word once: the loops below are slow there.
    pieces = text.replace("\n", " \n ").split(" ")
    types = [piece for piece in set(pieces) if piece != "\n"]
    stems = dict(zip(types, _rewritten("\n".join(types)).split("\n"), strict=True)) | {"\n": "\n"}
    return " ".join(map(stems.__getitem__, pieces)).replace(" \n ", "\n")


def _rewritten(text: str) -> str:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).view(np.int32)
    out = np.empty(len(codes) + 1, np.int32)
    size = stem_words(codes, SPACES, out)
    return out[:size].tobytes().decode("utf-32-le", "surrogatepass")


@kernel
def stem_words(codes: Ints, spaces: Flags, out: Ints) -> int:
    """Copy the text, each word replaced by its stem; returns how much was written."""
    written = 0
    here = 0
    while here < len(codes):
        if codes[here] <= HIGHEST_SPACE and spaces[codes[here]]:
            out[written] = codes[here]
            written += 1
            here += 1
            continue
        start = written
        while here < len(codes) and (codes[here] > HIGHEST_SPACE or not spaces[codes[here]]):
            out[written] = codes[here]
            written += 1
            here += 1
        if written - start > 2:
            written = start + stem(out[start:written], written - start)
    return written


@kernel
def stem(word: Ints, size: int) -> int:
    """Stem a word in place; returns the length of its stem."""
    last = word[size - 1]
    if last >= LETTERS:
        return size
    if ODD[last]:
        found = irregular(word, size)
        if found:
            return found
    if last == S:
        size = without_plural(word, size)
    if word[size - 1] == D or word[size - 1] == G:
        size = without_past(word, size)
    if word[size - 1] == Y and size > 2 and is_consonant(word, size - 2):
        word[size - 1] = EYE
    if word[size - 1] < LETTERS and LAST2[word[size - 1]]:
        size = second_step(word, size)
    if word[size - 1] < LETTERS and LAST3[word[size - 1]]:
        size = rewrite(word, size, THIRD, 1)
    if size and word[size - 1] < LETTERS and LAST4[word[size - 1]]:
        size = rewrite(word, size, FOURTH, 2)
    return tidied(word, size)


@kernel
def irregular(word: Ints, size: int) -> int:
    """The length of an irregular stem, written in place, or 0."""
    if size > 8:
        return 0
    for rule in range(len(IRREGULAR)):
        if IRREGULAR[rule, 0] == size and ends(word, size, IRREGULAR, rule):
            return replaced(word, 0, IRREGULAR, rule)
    return 0


@kernel
def without_plural(word: Ints, size: int) -> int:
    """Step 1a; *dies* keeps its e."""
    if size == 4 and word[1] == EYE and word[2] == E:
        return 3
    return rewrite(word, size, PLURALS, 0)


@kernel
def without_past(word: Ints, size: int) -> int:
    """Step 1b: *-ed* and *-ing*, and what then has to be mended."""
    if size > 2 and word[size - 1] == D and word[size - 2] == E:
        if word[size - 3] == EYE:
            return 3 if size == 4 else size - 2
        if word[size - 3] == E:
            return size - 1 if measure(word, size - 3) > 0 else size
        shorter = size - 2
    elif size > 3 and word[size - 1] == G and word[size - 2] == N and word[size - 3] == EYE:
        shorter = size - 3
    else:
        return size
    return mended(word, shorter) if has_vowel(word, shorter) else size


@kernel
def mended(word: Ints, size: int) -> int:
    for rule in range(len(RESTORED)):
        if ends(word, size, RESTORED, rule):
            return replaced(word, size - RESTORED[rule, 0], RESTORED, rule)
    last = word[size - 1]
    if size > 1 and last == word[size - 2] and is_consonant(word, size - 1):
        return size if last in (L, S, Z) else size - 1
    if measure(word, size) == 1 and ends_cvc(word, size):
        word[size] = E
        return size + 1
    return size


@kernel
def second_step(word: Ints, size: int) -> int:
    """Step 2; *-alli* is looked at first, and what it leaves once more."""
    while ends(word, size, ALLI, 0) and measure(word, size - 4) > 0:
        size -= 2
    before = size
    size = rewrite(word, size, SECOND, 1)
    if size == before and ends(word, size, LOGI, 0) and measure(word, size - 3) > 0:
        return size - 1  # the l of -logi belongs to what is left, so that geo and theo are enough
    return size


@kernel
def tidied(word: Ints, size: int) -> int:
    """Step 5: a last e, a double l."""
    if size and word[size - 1] == E:
        m = measure(word, size - 1)
        if m > 1 or (m == 1 and not ends_cvc(word, size - 1)):
            size -= 1
    if size > 1 and word[size - 1] == L and word[size - 2] == L and measure(word, size - 1) > 1:
        size -= 1
    return size


@kernel
def rewrite(word: Ints, size: int, rules: Ints, least: int) -> int:
    """The first rule whose ending fits decides; it applies if what is left has at least this measure."""
    for rule in range(len(rules)):
        if ends(word, size, rules, rule):
            left = size - rules[rule, 0]
            if least and measure(word, left) < least:
                return size
            is_ion = least == 2 and rules[rule, 0] == 3 and word[left] == EYE and word[left + 1] == OH
            if is_ion and word[left - 1] != S and word[left - 1] != T:
                return size
            return replaced(word, left, rules, rule)
    return size


@kernel
def ends(word: Ints, size: int, rules: Ints, rule: int) -> bool:
    length = rules[rule, 0]
    place = 1
    while place <= length and place <= size and word[size - place] == rules[rule, place]:
        place += 1
    return bool(place > length)


@kernel
def replaced(word: Ints, left: int, rules: Ints, rule: int) -> int:
    """Write what replaces the ending; returns the new length."""
    for place in range(rules[rule, 10]):
        word[left + place] = rules[rule, 11 + place]
    return left + int(rules[rule, 10])


@kernel
def is_vowel_letter(code: int) -> bool:
    return code in (A, E, EYE, OH, U)


@kernel
def measure(word: Ints, size: int) -> int:
    """How often a consonant follows a vowel; y is a vowel after a consonant."""
    found = 0
    vowel = False
    for place in range(size):
        code = word[place]
        now = is_vowel_letter(code) or (code == Y and place > 0 and not vowel)
        if vowel and not now:
            found += 1
        vowel = now
    return found


@kernel
def has_vowel(word: Ints, size: int) -> bool:
    place = 0
    while place < size and not (is_vowel_letter(word[place]) or (word[place] == Y and place > 0)):
        place += 1
    return place < size


@kernel
def is_consonant(word: Ints, place: int) -> bool:
    if word[place] != Y:
        return not is_vowel_letter(word[place])
    first = place  # of a run of y, which take turns
    while first > 0 and word[first - 1] == Y:
        first -= 1
    begins = first == 0 or is_vowel_letter(word[first - 1])
    return bool(begins) == ((place - first) % 2 == 0)


@kernel
def ends_cvc(word: Ints, size: int) -> bool:
    """Consonant, vowel, consonant other than w, x, y; or a vowel and a consonant alone."""
    if size == 2:
        return not is_consonant(word, 0) and is_consonant(word, 1)
    if size < 3:
        return False
    last = word[size - 1]
    return (
        is_consonant(word, size - 3)
        and not is_consonant(word, size - 2)
        and is_consonant(word, size - 1)
        and last not in (W, X, Y)
    )
