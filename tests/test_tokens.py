"""What a token is, in many scripts, and what every tokenisation promises."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from evaluation.tokens import is_punctuation, offsets, split, tokenize, words

CASES = [
    ("en", "Don't stop—it's Anna's.", "Don't stop — it's Anna's ."),
    ("en", "A well-known e-mail (1,234.5 kg at 12:30)", "A well-known e-mail ( 1,234.5 kg at 12:30 )"),
    ("en", "The U.S. won 3-1... really?!", "The U.S. won 3-1 ... really ? !"),
    ("en", "Fish &amp; chips &#39;s", "Fish &amp; chips &#39; s"),
    ("fr", "L'homme d’or, aujourd'hui.", "L' homme d’ or , aujourd' hui ."),
    ("it", "dell'arte", "dell' arte"),
    ("de", "Geht's? z.B. 50%-ig „so“", "Geht's ? z.B. 50 % - ig „ so “"),
    ("cs", "Řekl: „Přijdu v 5.“", "Řekl : „ Přijdu v 5 . “"),
    ("ru", "Он — кто-то.", "Он — кто-то ."),
    ("zh", "我爱北京2024!", "我 爱 北 京 2024 !"),
    ("ja", "猫がテレビを見る。", "猫 が テレビ を 見 る 。"),
    ("th", "ไปที่นี่", "ไป ที่ นี่"),
    ("ko", "나는 학교에 간다.", "나는 학교에 간다 ."),
    ("hi", "हिन्दी में है।", "हिन्दी में है ।"),
    ("fa", "می\u200cخواهم؟", "می\u200cخواهم ؟"),
    ("ar", "قال: نعم", "قال : نعم"),
    ("", "👩‍👩‍👧 ok 👍🏽!", "👩‍👩‍👧 ok 👍🏽 !"),
    ("", "e\u0301te\u0301", "e\u0301te\u0301"),
    ("", "", ""),
    ("", " \t\u3000\u00a0\n", ""),
]


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_tokens(language: str, text: str, expected: str) -> None:
    assert list(tokenize(text, language)) == expected.split(" ") if expected else tokenize(text) == ()


def test_only_eliding_languages_split_after_the_apostrophe() -> None:
    assert tokenize("l'an", "fr-CA") == ("l'", "an")
    assert tokenize("l'an", "en") == ("l'an",)


def test_split_counts_as_alignment_tools_count() -> None:
    text = "10\u00a0% of it .\u3000x"
    assert words(text, split(text)) == ("10\u00a0%", "of", "it", ".\u3000x")


@given(st.text(), st.sampled_from(["", "en", "fr", "zh", "th"]))
def test_tokens_are_in_order_and_leave_only_what_nobody_sees(text: str, language: str) -> None:
    spans = offsets(text, language)
    assert words(text, spans) == tokenize(text, language)
    last = 0
    for start, end in spans:
        assert last <= start < end
        assert all(_invisible(char) for char in text[last:start])
        last = end
    assert all(_invisible(char) for char in text[last:])


def _invisible(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) == "Cf"


@example("1.a.\u0301")
@given(st.text(alphabet="aé\u0301\u0308กิ่ักकाि한漢カ゛'-. 1"))
def test_a_combining_mark_is_never_split_from_its_base(text: str) -> None:
    for start, _ in offsets(text):
        if start and not text[start - 1].isspace():
            assert not unicodedata.category(text[start]).startswith("M")


@given(st.text())
def test_a_token_by_itself_has_no_white_space(text: str) -> None:
    assert not any(char.isspace() for token in tokenize(text) for char in token)


def test_punctuation() -> None:
    assert is_punctuation("„") and is_punctuation("...") and is_punctuation("。")  # noqa: PT018 — one thought
    assert not any(map(is_punctuation, ["a.", "$", "1", ""]))
