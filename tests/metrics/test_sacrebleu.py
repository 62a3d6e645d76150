"""BLEU, chrF and TER equal sacrebleu, segment by segment and as corpora, on text of many scripts."""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from metrics import registry
from metrics.base import MetricUnavailable, score_systems
from metrics.lexical.tokenizers import block_text
from tests.metrics import twins

SENTENCES = [
    'He said: "It\'s 3,000.50 (approx.), isn\'t it?" -- No.',
    "Die Straße kostet 1.000.000 €; 5-10 % mehr!",
    "Он сказал: «Привет, мир!» — и ушёл в 7.30.",
    "他说：“你好，世界！”然后在2024年离开了 Beijing.",
    "彼は「こんにちは」と言った。A/B test, v2.0",
    "قال: «مرحبا بالعالم!» ثم غادر، في ٧:٣٠.",
    "&quot;x&quot; &amp; y &lt;b&gt; <skipped> z-\u00ad1 ½ x² 10-Q",
    ".5 and 5. , a,b 1,2 ,3 .. ...", "😀 ok 👍🏽 #tag @user http://a.b/c?d=e&f=g", "नमस्ते, दुनिया। कैसे हो?",
    "e\u0301té naïve ﬁn … ‘q’ ‚r‘", "", " ", "a", ".", "1.", "a  b\u00a0c\u3000d ",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """sacrebleu warns that text looks tokenised."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def shaken(line: str, seed: int) -> str:
    """The same words with some lost, some moved and some from elsewhere."""
    source = random.Random(seed)
    words = [word for word in line.split() if source.random() > 0.2]
    if len(words) > 2:
        place = source.randrange(len(words))
        words = words[place:] + words[:place]
    return " ".join([*words, *source.choice(SENTENCES).split()[:2]])


OUTPUTS = [shaken(line, seed) for seed in range(3) for line in SENTENCES] + SENTENCES
REFERENCES = [
    SENTENCES * 4,
    [shaken(line, 9) for line in SENTENCES] * 4,
    [line[::-1] for line in SENTENCES] * 4,
]


def tokenize(line: str, name: str) -> str:
    return " ".join(block_text([[line]], name).split())


@pytest.mark.parametrize("name", ["none", "13a", "intl", "char", "zh"])
def test_tokenisation_equals_sacrebleu(name: str) -> None:
    peer = BLEU(tokenize=name).tokenizer
    for line in OUTPUTS + REFERENCES[2]:
        assert tokenize(line, name).split() == peer(line.rstrip()).split(), line


@settings(max_examples=150)
@given(st.text(alphabet=st.sampled_from("ab 1.,-/&;“”«»€²½的，。\u00a0'\"()<>\t"), max_size=14))
@example("-.5,.-1")
def test_tokenisation_equals_sacrebleu_on_hostile_punctuation(line: str) -> None:
    for name in ("13a", "intl", "zh"):
        assert tokenize(line, name).split() == BLEU(tokenize=name).tokenizer(line.rstrip()).split()


@pytest.mark.usefixtures("compiled_loops")
@settings(max_examples=60)
@given(st.text(alphabet=st.sampled_from("a1.,-/的é \n"), max_size=12))
def test_the_kernel_parts_punctuation_as_the_patterns_do(text: str) -> None:
    from metrics.compiled.punctuation import separate

    expected = re.sub(r"([{-~[-` -&(-+:-@/])", r" \1 ", text)
    expected = re.sub(r"([^0-9\n])([.,])", r"\1 \2 ", expected)
    expected = re.sub(r"([.,])([^0-9\n])", r" \1 \2", expected)
    assert separate(text) == re.sub(r"([0-9])(-)", r"\1 \2 ", expected)


def test_a_word_hyphenated_across_lines_is_joined_by_13a() -> None:
    assert tokenize("inter-\nnational law\nhere", "13a") == "international law here"


def test_japanese_is_refused_with_a_sentence_where_mecab_is_missing() -> None:
    if find_spec("MeCab") and find_spec("ipadic"):
        assert tokenize("これはペンです。", "ja-mecab") == "これ は ペン です 。"
    else:
        with pytest.raises(MetricUnavailable, match="mecab"):
            tokenize("これはペンです。", "ja-mecab")


@pytest.mark.parametrize("name", ["none", "13a", "intl", "char", "zh"])
@pytest.mark.parametrize("references", [1, 3])
def test_bleu_equals_sacrebleu(name: str, references: int) -> None:
    known = REFERENCES[:references]
    ours = score_systems(registry.get("bleu", tokenize=name), {"s": OUTPUTS}, known)["s"]
    peer = BLEU(tokenize=name, effective_order=True)
    theirs = [
        peer.sentence_score(o, list(r)).score for o, r in zip(OUTPUTS, zip(*known, strict=True), strict=True)
    ]
    np.testing.assert_allclose(ours.segments, theirs, rtol=1e-12, atol=1e-12)
    assert ours.corpus == pytest.approx(BLEU(tokenize=name).corpus_score(OUTPUTS, known).score, rel=1e-12)


@pytest.mark.parametrize(("name", "words"), [("chrf", 0), ("chrf++", 2)])
@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize("lowercase", [False, True])
def test_chrf_equals_sacrebleu(name: str, words: int, references: int, lowercase: bool) -> None:
    known = REFERENCES[:references]
    ours = score_systems(registry.get(name, lowercase=lowercase), {"s": OUTPUTS}, known)["s"]
    peer = CHRF(word_order=words, lowercase=lowercase)
    theirs = [
        peer.sentence_score(o, list(r)).score for o, r in zip(OUTPUTS, zip(*known, strict=True), strict=True)
    ]
    np.testing.assert_allclose(ours.segments, theirs, rtol=1e-12, atol=1e-12)
    assert ours.corpus == pytest.approx(peer.corpus_score(OUTPUTS, known).score, rel=1e-12)


@pytest.mark.parametrize("references", [1, 3])
def test_ter_equals_sacrebleu(references: int) -> None:
    known = REFERENCES[:references]
    ours = score_systems(registry.get("ter"), {"s": OUTPUTS}, known)["s"]
    peer = TER()
    theirs = [
        peer.sentence_score(o, list(r)).score for o, r in zip(OUTPUTS, zip(*known, strict=True), strict=True)
    ]
    assert ours.segments.tolist() == theirs
    assert ours.corpus == pytest.approx(peer.corpus_score(OUTPUTS, known).score, rel=1e-12)


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcdefgh"), max_size=16), st.lists(st.sampled_from("abcdefgh"), max_size=16))
def test_shifts_equal_sacrebleu_on_random_words(words: list[str], reference: list[str]) -> None:
    assert _edits([" ".join(words)], [" ".join(reference)]) == _their_edits([words], [reference])


LONG = [pytest.param(size, marks=pytest.mark.slow) for size in (63, 64, 80, 130)]


@pytest.mark.parametrize("size", [23, 24, 25, 26, 47, 65, *LONG])
def test_shifts_equal_sacrebleu_where_the_beam_matters(size: int) -> None:
    """Rotations with losses: long shifts, distances around the bound, one and more machine words."""
    source = random.Random(size)
    reference = [f"w{number}" for number in range(size)]
    outputs = []
    for lost in (0.0, 0.5):
        place = source.randrange(size)
        turned = reference[place:] + reference[:place]
        outputs.append([word if source.random() > lost else "?" for word in turned])
    outputs += [reference[:3], reference + ["more"] * 40, reference[::2]]
    lines, known = [" ".join(words) for words in outputs], [" ".join(reference)] * len(outputs)
    assert _edits(lines, known) == _their_edits(outputs, [reference] * len(outputs))


def test_shifts_equal_sacrebleu_when_lengths_differ_wildly() -> None:
    reference = [f"w{number}" for number in range(220)]
    outputs = [["w0"], ["w219", "w0"], ["w5", "?", "w100"], []]
    lines = [" ".join(words) for words in outputs]
    assert _edits(lines, [" ".join(reference)] * 4) == _their_edits(outputs, [reference] * 4)


def _edits(outputs: list[str], references: list[str]) -> list[float]:
    scores = score_systems(registry.get("ter"), {"s": outputs}, [references])["s"]
    assert scores.statistics is not None
    found: list[float] = scores.statistics[:, 0].tolist()
    return found


def _their_edits(outputs: list[list[str]], references: list[list[str]]) -> list[float]:
    peer = TER()
    pairs = zip(outputs, references, strict=True)
    return [peer.sentence_score(" ".join(o), [" ".join(r)]).num_edits for o, r in pairs]


@settings(max_examples=40)
@given(twins.sets())
def test_bleu_and_chrf_equal_sacrebleu_on_hostile_text(
    texts: tuple[list[list[str]], list[list[str]]],
) -> None:
    references, systems = texts
    known = list(zip(*references, strict=True))
    peers = {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "chrf++": CHRF(word_order=2)}
    for name, peer in peers.items():
        ours = score_systems(registry.get(name), {"s": systems[0]}, references)["s"]
        theirs = [peer.sentence_score(o, list(r)).score for o, r in zip(systems[0], known, strict=True)]
        np.testing.assert_allclose(ours.segments, theirs, rtol=1e-12, atol=1e-12)


def test_a_long_run_of_blanks_is_cut_in_a_moment() -> None:
    """Where every blank was tried as the beginning of the line's end, this took two minutes."""
    began = time.perf_counter()
    assert tokenize("a" + " " * 100_000 + "b ", "intl") == "a b"
    assert time.perf_counter() - began < 4
