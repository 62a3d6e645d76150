"""The metrics of the encoder: figures of another program, formulas by hand, failures, votes on phrases."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluation.presentation import ShownPhrase, Stave
from evaluation.schemes import Choice
from evaluation.tokens import offsets
from metrics import registry
from metrics.base import MetricUnavailable, Segment, score_systems
from metrics.neural import metric, tool
from metrics.neural.metric import SentenceCosine, TokenF1, learn_weights
from metrics.neural.tool import EncoderFailed, EncoderTool
from metrics.scoring.phrase_votes import AlignedOccurrence, phrase_votes
from metrics.scoring.task_texts import ItemText
from metrics.tools.base import ToolAbsent
from metrics.tools.process import Worker

try:
    FOLDER = tool.find_model()
except ToolAbsent as absent:
    pytest.skip(str(absent), allow_module_level=True)

HYPOTHESES = ["The cat sat on the mat.", "Prices rose by three percent.", "it raining raining"]
REFERENCES = ["A cat was sitting on the mat.", "Prices went up three percent.", "It is raining ."]
# Computed with PyTorch 2.9 and transformers 4.57 from the same weights.
COSINES = [0.9491, 0.8945, 0.93839]
F1 = {1: [0.85558, 0.77555, 0.78228], 3: [0.87335, 0.84636, 0.81338], 5: [0.91828, 0.84875, 0.80997],
      6: [0.90681, 0.82552, 0.85019]}  # fmt: skip


def test_cosines_equal_those_of_transformers() -> None:
    scores = score_systems(SentenceCosine(), {"s": HYPOTHESES}, [REFERENCES])["s"]
    np.testing.assert_allclose(scores.segments, COSINES, atol=2e-5)


@pytest.mark.parametrize("layer", F1)
def test_f1_equals_that_of_transformers(layer: int) -> None:
    scores = score_systems(TokenF1(layer=layer), {"s": HYPOTHESES}, [REFERENCES])["s"]
    np.testing.assert_allclose(scores.segments, F1[layer], atol=2e-5)


def test_weights_are_the_rarity_of_pieces_in_the_distinct_references() -> None:
    weigh = learn_weights(tool.shared_encoder().word_pieces, {"the cat", "the dog", "the the"})
    np.testing.assert_allclose(weigh("the cat bird"), np.log([4 / 4, 4 / 2, 4 / 1]))


def test_with_idf_each_piece_counts_by_its_weight() -> None:
    encoder = tool.shared_encoder()
    pair = ("the cat runs", "the cat sits")
    ((own, theirs),) = encoder.compare_pieces([pair], 4)
    weights = np.log([2 / 2, 2 / 2, 2 / 1]), np.log([2 / 2, 2 / 2, 2 / 2])  # one reference: all pieces known
    precision, recall = own @ weights[0] / weights[0].sum(), theirs.mean()
    score = TokenF1(idf=True).score([Segment(pair[0], (pair[1],))]).segments[0]
    assert score == pytest.approx(2 * precision * recall / (precision + recall))
    assert TokenF1().score([Segment(pair[0], (pair[1],))]).segments[0] == pytest.approx(
        2 * own.mean() * theirs.mean() / (own.mean() + theirs.mean()), abs=2e-5
    )


def test_of_several_references_the_best_counts() -> None:
    both = TokenF1(layer=5).score([Segment(HYPOTHESES[0], (REFERENCES[1], REFERENCES[0]))])
    assert both.segments[0] == pytest.approx(F1[5][0], abs=2e-5)


@pytest.mark.parametrize("name", ["minilm-cosine", "minilm-f1", "minilm-f1:idf=true"])
def test_hostile_texts_have_a_score(name: str) -> None:
    texts = ["", " ", "\udc80", "\x00", "日本", "😀" * 300, "a " * 2000, "x" * 5000, "[CLS] [SEP]"]
    segments = [Segment(text, (other,)) for text in texts for other in [*texts[:3], "a b"]]
    assert np.isfinite(registry.parse(name).score(segments).segments).all()


def test_a_layer_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="layer from 1 to 6, not 7"):
        registry.parse("minilm-f1:layer=7")


class BrokenEncoder(EncoderTool):
    """Starts another program instead of the model."""

    program = "import sys; sys.exit('out of memory')"

    def _worker(self) -> Worker:
        return Worker([sys.executable, "-c", self.program], timeout=1, startup_timeout=4)


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BrokenEncoder]:
    with BrokenEncoder(FOLDER, cache_path=tmp_path / "cache.sqlite3") as encoder:
        monkeypatch.setattr(metric, "shared_encoder", lambda: encoder)
        yield encoder


def test_a_crash_is_explained(broken: BrokenEncoder) -> None:
    with pytest.raises(MetricUnavailable, match="failed on 1 pairs of texts: crash: out of memory"):
        TokenF1().score([Segment("a", ("b",))])


def test_the_worker_refuses_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = EncoderTool(FOLDER, cache_path=tmp_path / "cache.sqlite3")
    _ = encoder.tool
    (tmp_path / "model").mkdir()
    encoder.folder = tmp_path / "model"  # replaced after it was checked
    with encoder, pytest.raises(EncoderFailed, match=r"model.safetensors is missing"):
        encoder.compare([("a", "b")])


def votes(first: str, second: str, phrases: Sequence[ShownPhrase], reference: str) -> Choice:
    a, b = (Stave(text, offsets(text, "en")) for text in (first, second))
    occurrence = AlignedOccurrence(7, 1, a, b, tuple(phrases), (1,), flipped=False)
    (vote,) = phrase_votes(TokenF1(), [occurrence], {1: ItemText("1", "", (reference,))})
    return vote.choice


def test_it_votes_for_the_phrase_that_means_the_same_as_the_reference() -> None:
    phrases = [
        ShownPhrase((0, 1), (0, 1), True, False),
        ShownPhrase((1, 2), (1, 2), False, False),
        ShownPhrase((2, 5), (2, 5), True, False),
    ]
    texts = ["a big house is here", "a green house is here"]
    assert votes(texts[0], texts[1], phrases, "a large house is here") is Choice.A_BETTER
    assert votes(texts[1], texts[0], phrases, "a large house is here") is Choice.B_BETTER
