"""Word segmenters: their laws, and sentence pairs of the project whose words were marked by hand.

``words/zh.tsv`` and ``words/ja.tsv`` hold two translations of one sentence a line, words separated by ``|``.
Chinese numerals, classifiers and particles are words of their own. In Japanese a verb or adjective with its
endings is one word, so are a numeral with its counter and a noun with する; particles and the copula stand
alone. The last six pairs of each file were written after the rules were fixed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import PhraseAlignment, align, load_aligner, segmenters
from evaluation.alignment.differences import Difference, list_differences
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import PhraseGroup, group_questions, list_runs
from evaluation.alignment.segmenters import SegmenterMissing, WordSegmenter, load_segmenter
from evaluation.alignment.values import Span
from evaluation.alignment.word_classes import find_classes
from evaluation.tokens import offsets, words

WRITTEN = ("zh", "ja")
TEXTS = st.text(
    st.sampled_from(
        "我昨天食べました三人テレビラ店ฉันอยากให้ทุกT恤シャツe\u0301 𠮷3.5a-b's，。「」·\u200b\u00ad😀"
    )
)


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence and where its words begin and end, by hand."""

    text: str
    edges: frozenset[int]

    @classmethod
    def parse(cls, marked: str) -> MarkedSentence:
        parts = marked.split("|")
        return cls("".join(parts), frozenset(accumulate(map(len, parts), initial=0)))


@dataclass(frozen=True, slots=True)
class AskedPair:
    """Two marked sentences with their questions."""

    sentences: tuple[MarkedSentence, MarkedSentence]
    spans: tuple[tuple[Span, ...], tuple[Span, ...]]
    alignment: PhraseAlignment
    questions: tuple[PhraseGroup, ...]

    def cuts_word(self, question: PhraseGroup) -> bool:
        """Whether a question begins or ends inside a word."""
        return any(
            not {spans[first][0], spans[last - 1][1]} <= sentence.edges
            for side, sentence, spans in zip("ab", self.sentences, self.spans, strict=True)
            for first, last in list_runs(self.alignment, question.phrases, side)
        )


def ask(language: str, segmenter: WordSegmenter | None) -> Iterator[AskedPair]:
    rules = QuestionRules(find_classes(language))
    lines = Path(__file__).with_name("words").joinpath(f"{language}.tsv").read_text("utf-8").splitlines()
    for line in lines[1:]:
        first, second = map(MarkedSentence.parse, line.split("\t"))
        spans = [
            segmenter.offsets(sentence.text) if segmenter else offsets(sentence.text, language)
            for sentence in (first, second)
        ]
        alignment = align(
            words(first.text, spans[0]),
            words(second.text, spans[1]),
            aligner=load_aligner("lexical", language),
            ignore_case=True,
            ignore_punctuation=True,
        )
        questions = group_questions(alignment, rules)
        yield AskedPair((first, second), (spans[0], spans[1]), alignment, questions)


@pytest.mark.parametrize("language", WRITTEN)
def test_no_question_cuts_inside_a_word(language: str) -> None:
    pairs = list(ask(language, load_segmenter(language)))
    assert len(pairs) == 26
    assert all(pair.questions for pair in pairs)
    assert not [q for pair in pairs for q in pair.questions if pair.cuts_word(q)]


@pytest.mark.parametrize("language", WRITTEN)
def test_characters_cut_inside_words(language: str) -> None:
    """Otherwise the test above would show nothing."""
    assert [q for pair in ask(language, None) for q in pair.questions if pair.cuts_word(q)]


@pytest.mark.parametrize("language", WRITTEN)
def test_islands_of_one_or_two_characters_are_swallowed(language: str) -> None:
    """Unless the question would be too long to judge, or a pause stands between."""
    rules = QuestionRules(find_classes(language))
    islands = left = 0
    for pair in ask(language, None):
        text = rules.describe(pair.alignment)
        question_of = {n: question for question in pair.questions for n in question.phrases}
        chain = list_differences(pair.alignment)
        for number, island in enumerate(chain.islands):
            size = sum([b - a for n in island if (span := pair.alignment.phrases[n].a) for a, b in [span]])
            words = {
                w for n in island if (p := pair.alignment.phrases[n]).a for w in pair.alignment.a[slice(*p.a)]
            }
            if not 1 <= size <= 2 or words & set("，、；："):
                continue
            islands += 1
            if not question_of.keys() >= set(island):
                neighbours = chain.differences[number : number + 2]
                joined = {n for d in neighbours for m in d.phrases for n in question_of[m].phrases}
                hull = _hull(pair.alignment, joined)
                assert not rules.is_short(text, hull), (pair.sentences, hull)
                left += 1
    assert islands > 30
    assert left < islands / 10


def _hull(alignment: PhraseAlignment, group: set[int]) -> Difference:
    runs_a, runs_b = list_runs(alignment, group, "a"), list_runs(alignment, group, "b")
    return Difference((runs_a[0][0], runs_a[-1][1]), (runs_b[0][0], runs_b[-1][1]), [])


@pytest.mark.parametrize("language", sorted(segmenters.SEGMENTERS))
@given(text=TEXTS)
def test_a_segmenter_only_joins_tokens(language: str, text: str) -> None:
    plain, joined = offsets(text, language), load_segmenter(language).offsets(text)
    assert {i for span in joined for i in range(*span)} == {i for span in plain for i in range(*span)}
    assert [a for a, _ in joined] == sorted({a for a, _ in joined})
    assert {a for a, _ in joined} <= {a for a, _ in plain}
    assert {b for _, b in joined} <= {b for _, b in plain}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh-Hans", "她买了3件T恤，很高兴。", "她 买 了 3 件 T恤 ， 很 高兴 。"),
        ("zh", "see the well-known e-mail", "see the well-known e-mail"),
        ("ja", "3人で食べさせられたくなかった。", "3人 で 食べさせられたくなかった 。"),
        ("ja", "静かな部屋で勉強しても、眠くない。", "静かな 部屋 で 勉強しても 、 眠くない 。"),
        ("ja", "彼は学生でした", "彼 は 学生 でした"),
        ("ja", "お名前を読み始めたので、行けばいい", "お名前 を 読み始めた ので 、 行けば いい"),
        ("th", "ฉันอยากให้ทุกคนพิจารณาข้อเท็จจริง 2.5 km", "ฉัน อยาก ให้ ทุกคน พิจารณา ข้อเท็จจริง 2.5 km"),
    ],
)
def test_words_of_a_sentence(language: str, text: str, expected: str) -> None:
    assert words(text, load_segmenter(language).offsets(text)) == tuple(expected.split())


def test_texts_longer_than_a_library_takes_are_segmented() -> None:
    assert len(load_segmenter("ja").offsets("静かな部屋です。" * 3_000)) == 12_000


def test_threads_share_a_segmenter() -> None:
    segmenter = load_segmenter("ja")
    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(segmenter.offsets, ["昨日の会議では結論は出ませんでした。"] * 2_000))
    assert len(results) == 1


@pytest.mark.parametrize(
    ("language", "module", "packages"),
    [
        ("zh", "rjieba", "rjieba"),
        ("ja", "sudachidict_core", "sudachipy sudachidict-core"),
        ("th", "pythainlp.tokenize", "pythainlp"),
    ],
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, language: str, module: str, packages: str
) -> None:
    segmenters._load.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SegmenterMissing, match=f"python -m pip install {packages}$"):
        load_segmenter(language)


def test_a_language_without_a_segmenter_is_refused() -> None:
    with pytest.raises(ValueError, match="known: ja, th, zh"):
        load_segmenter("de")
