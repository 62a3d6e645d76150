"""Trained models of this family and their files: rankers, language models, lexicons of IBM model 1.

The files are NPZ with a JSON header, never pickle. A ranker's file names its features, its classifier, the
digest of its training data, the tools that computed the features, and the language model and lexicon that it
needs, by file name and digest. Curves and coefficients are stored as they are; neighbours and boosted trees
are stored as their training pairs and fitted again on loading, which is exact because both are deterministic.
A language model can also be written, but not read, as ARPA, the text format of other toolkits.

The lexicon answers how well the words of one side explain those of the other (Brown et al. 1993). The
discussion of paper 001 asks for alignment features, so that a well-formed sentence that has nothing to do
with the source does not win. A sentence is scored by the mean log-probability of its words given the words of
the other side and the empty word.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from appraise.lib.problems import InputError
from appraise.lib.streams import Arrays, read_arrays
from metrics.ranking.classifiers import CLASSIFIERS, Classifier, Curve, FloatArray, NaiveBayes
from metrics.ranking.language_model import IntArray, NgramModel

VERSION = 1
EMPTY = ""  # the word of the given side that explains what no other word explains
FLOOR = 1e-7  # least probability of a word
Sentence = Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class RankerModel:
    """A fitted ranker: its features, its classifier, and the provenance of both."""

    features: tuple[str, ...]
    kind: str
    classifier: Classifier
    about: Mapping[str, Any]  # Any: JSON
    pairs: FloatArray
    won: FloatArray


@dataclass(frozen=True, eq=False)
class TranslationLexicon:
    """t(word | given): ``keys`` are sorted ``given · V + word``, ``table`` their probabilities."""

    given: tuple[str, ...]
    words: tuple[str, ...]
    keys: IntArray
    table: FloatArray

    @cached_property
    def _given_ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.given)}

    @cached_property
    def _word_ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def score(self, given: Sentence, words: Sentence) -> float | None:
        """Mean natural log p(word | the other side); None for a sentence without words."""
        if not words:
            return None
        left = np.array([self._given_ids.get(word, -1) for word in (EMPTY, *given)], np.int64)
        right = np.array([self._word_ids.get(word, -1) for word in words], np.int64)
        return float(np.log(np.maximum(self.probabilities(left, right).mean(axis=0), FLOOR)).mean())

    def probabilities(self, left: IntArray, right: IntArray) -> FloatArray:
        """t for every combination of two rows of word numbers; 0 for a pair that training never saw."""
        wanted = left[:, None] * len(self.words) + right[None, :]
        row = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (left[:, None] >= 0) & (right[None, :] >= 0) & (self.keys[row] == wanted)
        return np.where(known, self.table[row], 0.0)


def fit_ranker(
    features: tuple[str, ...], kind: str, pairs: FloatArray, won: FloatArray, about: Mapping[str, Any]
) -> RankerModel:
    """Train a classifier by name on examples whose columns are ``features``; raises ``ValueError``."""
    if kind not in CLASSIFIERS:
        raise ValueError(f"unknown classifier {kind!r}; known: {', '.join(CLASSIFIERS)}")
    if len(won) == 0:
        raise ValueError("there is no decided pair to learn from")
    return RankerModel(features, kind, CLASSIFIERS[kind](pairs, won), about, pairs, won)


def train_lexicon(pairs: Sequence[tuple[Sentence, Sentence]], rounds: int = 5) -> TranslationLexicon:
    """IBM model 1 of the second side given the first, by EM; raises ``ValueError`` without sentence pairs.

    >>> model = train_lexicon([(["das", "Haus"], ["the", "house"]), (["das"], ["the"])])
    >>> model.score(["das"], ["the"]) > model.score(["das"], ["house"])
    True
    """
    from evaluation.alignment.hmm import Direction  # imports scipy.special

    pairs = [(a, b) for a, b in pairs if a and b]
    if not pairs:
        raise ValueError("a lexicon needs at least one pair of sentences with words")
    given = {word: i for i, word in enumerate(dict.fromkeys((EMPTY, *(w for a, _ in pairs for w in a))))}
    words = {word: i for i, word in enumerate(dict.fromkeys(w for _, b in pairs for w in b))}
    sources = [np.array([given[word] for word in a], np.int64) for a, _ in pairs]
    targets = [np.array([words[word] for word in b], np.int64) for _, b in pairs]
    model = Direction(sources, targets, len(words))
    owners = model.keys // len(words)
    model.t[:-1] = 1.0 / np.bincount(owners, minlength=len(given))[owners]
    batches = model.batches(sources, targets)
    for _ in range(rounds):
        model.learn_relative_frequencies(batches, model.model1(batches))
    return TranslationLexicon(tuple(given), tuple(words), model.keys, model.t[:-1])


def save_ranker(model: RankerModel, path: Path) -> None:
    about = {"features": model.features, "classifier": model.kind, **model.about}
    arrays: Arrays = {}
    if isinstance(model.classifier, NaiveBayes):
        arrays["prior"] = np.array([model.classifier.prior])
        for k, curve in enumerate(model.classifier.curves):
            if curve is not None:
                arrays[f"curve{k}"] = np.stack([curve.grid, curve.values])
    else:
        arrays |= {"pairs": model.pairs, "won": model.won}
    _save(path, "appraise-ranker", about, arrays)


def load_ranker(path: Path) -> RankerModel:
    """Raises ``InputError`` when the file is not a ranker."""
    with _refuse_other_files(path):
        arrays, header = _load(path, "appraise-ranker")
        features, kind = tuple(header["features"]), header["classifier"]
        if kind != "naive-bayes":
            return fit_ranker(features, kind, arrays["pairs"], arrays["won"], header)
        curves = (arrays.get(f"curve{k}") for k in range(len(features)))
        bayes = NaiveBayes(
            float(arrays["prior"][0]),
            tuple(None if both is None else Curve(both[0], both[1]) for both in curves),
        )
        return RankerModel(features, kind, bayes, header, np.zeros((0, len(features))), np.zeros(0))


def save_lexicons(
    forward: TranslationLexicon, backward: TranslationLexicon, path: Path, about: Mapping[str, Any]
) -> None:
    """Write both directions of IBM model 1 to one file."""
    arrays: Arrays = {}
    for name, lexicon in (("there", forward), ("back", backward)):
        arrays[f"{name}_given"] = _as_array("\n".join(lexicon.given))
        arrays[f"{name}_words"] = _as_array("\n".join(lexicon.words))
        arrays[f"{name}_keys"] = lexicon.keys
        arrays[f"{name}_table"] = lexicon.table.astype(np.float32)
    _save(path, "appraise-lexicon", about, arrays)


def load_lexicons(path: Path) -> tuple[TranslationLexicon, TranslationLexicon]:
    """Target given source, and source given target; raises ``InputError``."""
    with _refuse_other_files(path):
        arrays, _ = _load(path, "appraise-lexicon")
        forward, backward = (
            TranslationLexicon(
                tuple(bytes(arrays[f"{name}_given"]).decode().split("\n")),
                tuple(bytes(arrays[f"{name}_words"]).decode().split("\n")),
                arrays[f"{name}_keys"],
                arrays[f"{name}_table"].astype(np.float64),
            )
            for name in ("there", "back")
        )
        return forward, backward


def save_language_model(model: NgramModel, path: Path) -> None:
    """Write ``.npz`` or, under any other name, ARPA (gzipped for ``.gz``)."""
    if path.suffix != ".npz":
        packed = path.suffix == ".gz"
        with gzip.open(path, "wt", 1, "utf-8") if packed else path.open("w", encoding="utf-8") as file:
            file.writelines(format_arpa(model))
        return
    arrays: Arrays = {"version": np.array([VERSION]), "words": _as_array("\n".join(model.words))}
    for n in range(1, model.order + 1):
        arrays[f"log_probs{n}"] = model.log_probs[n - 1].astype(np.float32)
        arrays[f"backoffs{n}"] = model.backoffs[n - 1].astype(np.float32)
        if n > 1:
            arrays[f"keys{n}"] = model.keys[n - 2]
    np.savez_compressed(path, allow_pickle=False, **arrays)


def load_language_model(path: Path) -> NgramModel:
    """Read an NPZ file; raises ``InputError``."""
    with _refuse_other_files(path):
        stored = read_arrays(path)
        order = sum(name.startswith("log_probs") for name in stored)
        return NgramModel(
            tuple(bytes(stored["words"]).decode().split("\n")),
            tuple(stored[f"keys{n}"] for n in range(2, order + 1)),
            tuple(stored[f"log_probs{n}"].astype(float) for n in range(1, order + 1)),
            tuple(stored[f"backoffs{n}"].astype(float) for n in range(1, order + 1)),
        )


def format_arpa(model: NgramModel) -> Iterator[str]:
    """Yield the lines of the ARPA file."""
    yield "\\data\\\n"
    for n, log_probs in enumerate(model.log_probs, start=1):
        yield f"ngram {n}={len(log_probs)}\n"
    texts = list(model.words)
    for n in range(1, model.order + 1):
        if n > 1:
            prefixes, last = np.divmod(model.keys[n - 2], len(model.words))
            pairs = zip(prefixes.tolist(), last.tolist(), strict=True)
            texts = [f"{texts[prefix]} {model.words[word]}" for prefix, word in pairs]
        yield f"\n\\{n}-grams:\n"
        rows = zip(model.log_probs[n - 1].tolist(), texts, model.backoffs[n - 1].tolist(), strict=True)
        for p, text, weight in rows:
            yield f"{p:.7g}\t{text}\n" if n == model.order else f"{p:.7g}\t{text}\t{weight:.7g}\n"
    yield "\n\\end\\\n"


def _save(path: Path, kind: str, about: Mapping[str, Any], arrays: Arrays) -> None:
    header = _as_array(json.dumps({"format": kind, "version": VERSION, **about}))
    with path.open("wb") as file:  # a file, because savez would add a suffix to a name
        np.savez_compressed(file, allow_pickle=False, header=header, **arrays)


def _load(path: Path, kind: str) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file, and its header."""
    arrays = read_arrays(path)
    header = json.loads(bytes(arrays["header"]))
    if header["format"] != kind:
        message = f"expected {kind}, found {header['format']}"
        raise InputError.of("bad_model", message, "name another file", path.name)
    return arrays, header


def _as_array(text: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer(text.encode(), np.uint8)


@contextmanager
def _refuse_other_files(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError.of(
            "bad_model", f"not a model file ({error})", "train it again", path.name
        ) from error
