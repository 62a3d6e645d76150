"""The encoder against figures of other programs, against a slow version, and against damaged files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import erf
from threadpoolctl import threadpool_limits

from metrics.neural import encoder, tool
from metrics.neural.encoder import Encoder, WrongModel
from metrics.neural.wordpiece import WordPieces
from metrics.tools.base import ToolAbsent

try:
    FOLDER = tool.find_model()
except ToolAbsent as absent:
    pytest.skip(str(absent), allow_module_level=True)

Array = npt.NDArray[np.float64]

# The pieces that the library `tokenizers` 0.22 finds with the same tokenizer.json.
PIECES = {
    "The naïve Straße — 3,000.50 (re-do)!": [
        1996, 15743, 2358, 27807, 1517, 1017, 1010, 2199, 1012, 2753, 1006, 2128, 1011, 2079, 1007, 999,
    ],
    "Übermäßig  internationalisation\tx\u200dy\u00ad z": [
        19169, 2863, 19310, 8004, 2248, 6648, 1060, 2100, 1062,
    ],
    "日本語 text 😀 Ωmega كتاب İstanbul": [
        1864, 1876, 1950, 3793, 100, 1179, 4168, 3654, 1293, 29817, 25573, 29816, 9960,
    ],
    "don't U.S.A. $5 <b> `q` ^x^": [
        2123, 1005, 1056, 1057, 1012, 1055, 1012, 1037, 1012, 1002, 1019, 1026, 1038, 1028, 1036, 1053, 1036,
        1034, 1060, 1034,
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Iterator[Encoder]:
    with threadpool_limits(1):  # as in the worker; two threads wait for each other on a busy machine
        yield Encoder(FOLDER)


@pytest.mark.parametrize("text", PIECES)
def test_word_pieces_equal_those_of_the_reference_implementation(model: Encoder, text: str) -> None:
    assert model.word_pieces.split(text) == PIECES[text]


def test_words_alone_have_the_pieces_of_the_text(model: Encoder) -> None:
    words = ["the", "unbelievable", "re-do", "of", "Straßen"]
    pieces, owners = model.word_pieces.split_each(words)
    assert pieces == model.word_pieces.split(" ".join(words))
    assert [owners.count(number) for number in range(len(words))] == [
        len(model.word_pieces.split(word)) for word in words
    ]


def test_a_long_word_is_unknown() -> None:
    pieces = WordPieces({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "x": 3, "##x": 4})
    assert pieces.split("x" * 100) == [3, *[4] * 99]
    assert pieces.split("x" * 101) == [0]


def encode_slowly(pieces: list[int], layers: int) -> Array:
    """Every piece alone, in 64 bits, by the formulas of Vaswani et al. 2017 and Devlin et al. 2019."""
    weights = {
        name: np.array(w, float) for name, w in encoder.read_weights(FOLDER / "model.safetensors").items()
    }

    def norm(x: Array, name: str) -> Array:
        scaled = (x - x.mean()) / np.sqrt(x.var() + 1e-12)
        return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"])

    def dense(x: Array, name: str) -> Array:
        return np.asarray(weights[f"{name}.weight"] @ x + weights[f"{name}.bias"])

    kinds = [weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")]
    sums = [kinds[0][piece] + kinds[1][place] + kinds[2][0] for place, piece in enumerate(pieces)]
    state = [norm(x, "embeddings.LayerNorm") for x in sums]
    for number in range(layers):
        name = f"encoder.layer.{number}"
        query, key, value = (
            [dense(x, f"{name}.attention.self.{part}") for x in state] for part in ("query", "key", "value")
        )
        for place in range(len(state)):
            heads = []
            for head in range(12):
                own = slice(32 * head, 32 * head + 32)
                raised = np.exp([query[place][own] @ other[own] / np.sqrt(32) for other in key])
                shares = raised / raised.sum()
                heads.append(sum(share * other[own] for share, other in zip(shares, value, strict=True)))
            attended = dense(np.concatenate(heads), f"{name}.attention.output.dense")
            middle = norm(state[place] + attended, f"{name}.attention.output.LayerNorm")
            wide = dense(middle, f"{name}.intermediate.dense")
            wide = wide * (1 + erf(wide / np.sqrt(2))) / 2
            query[place] = norm(middle + dense(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        state = query  # whose places have been overwritten by the outputs
    return np.array(state)


@pytest.mark.parametrize("layer", [1, 6])
def test_vectors_equal_those_of_a_slow_version(model: Encoder, layer: int) -> None:
    pieces = model.word_pieces.split("Prices rose.")
    others = [model.word_pieces.split(text) for text in ("", "It is raining.", "a " * 40)]
    encoded = model.encode([*others, pieces])[-1]
    slow = encode_slowly([101, *pieces, 102], layer)[1:-1]
    np.testing.assert_allclose(
        encoded.layers[layer - 1], slow / np.linalg.norm(slow, axis=1)[:, None], atol=2e-6
    )
    if layer == 6:
        mean = encode_slowly([101, *pieces, 102], 6).mean(axis=0)
        np.testing.assert_allclose(encoded.sentence, mean / np.linalg.norm(mean), atol=2e-6)


def test_a_text_has_the_same_vectors_in_any_company(model: Encoder) -> None:
    texts = [list(range(2000, 2000 + length)) for length in (7, 0, 1, 300, 7, 40)] * 3
    together = model.encode(texts)
    for number in range(6):
        alone = model.encode([texts[number]])[0]
        np.testing.assert_allclose(together[number].layers[4], alone.layers[4], atol=2e-6)
        np.testing.assert_allclose(together[number].sentence, alone.sentence, atol=2e-6)
        assert len(alone.layers[0]) == min(len(texts[number]), encoder.MOST_PIECES)


def copy_model(folder: Path) -> Path:
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md", "*.txt"))
    return folder


def test_files_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    folder = copy_model(tmp_path)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x7f")
    with pytest.raises(WrongModel, match=r"model.safetensors has the SHA-256 \w{64}, not 53aa51172d142c89"):
        Encoder(folder)
    vocabulary = json.loads((FOLDER / "tokenizer.json").read_text())
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(FOLDER / "model.safetensors")
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
    with pytest.raises(WrongModel, match=r"tokenizer.json has the SHA-256 \w{64}, not be50c3628f2bf5bb"):
        Encoder(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(
        ToolAbsent, match=r"The sentence encoder is not installed; .*tokenizer.json is missing"
    ):
        _ = tool.EncoderTool(folder, cache_path=tmp_path / "cache.sqlite3").tool
