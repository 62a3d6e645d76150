"""Files of language models: ARPA, the text format that every toolkit reads, and NPZ, which loads fast.

Reading is strict: a file is refused, with line and reason, if a section is missing, a count is wrong, a
log-probability is positive, or an n-gram contains a word or a prefix that is not listed.
A model without ``<unk>`` gets one at log10 p = −100, as kenlm does.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Literal, NoReturn, cast

import numpy as np

from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import convert_read_errors, read_arrays
from metrics.ranking.language_model import SPECIAL, FloatArray, IntArray, NgramModel

ABSENT = -100.0
COUNT = re.compile(r"ngram (\d+)=(\d+)")
CHUNK = 100_000
VERSION = 1


def load_language_model(path: Path) -> NgramModel:
    """Read a model from ``.npz``, ``.arpa`` or ``.arpa.gz``; raises ``InputError``."""
    if path.suffix == ".npz":
        return _load_npz(path)
    with (
        convert_read_errors(path.name),
        _open(path, "rb") as file,
        TextIOWrapper(file, encoding="utf-8", newline="\n") as lines,
    ):
        return _ArpaReader(path.name, lines).read()


def save_language_model(model: NgramModel, path: Path) -> None:
    """Write ``.npz`` or, under any other name, ARPA (gzipped for ``.gz``)."""
    if path.suffix == ".npz":
        _save_npz(model, path)
        return
    with _open(path, "wb") as file, TextIOWrapper(file, encoding="utf-8", newline="\n") as out:
        out.writelines(format_arpa(model))


def _open(path: Path, mode: Literal["rb", "wb"]) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, mode, 1)) if path.suffix == ".gz" else open(path, mode)


def format_arpa(model: NgramModel) -> Iterator[str]:
    """Yield the ARPA file in blocks of text."""
    yield "\\data\\\n"
    for n, log_probs in enumerate(model.log_probs, start=1):
        yield f"ngram {n}={len(log_probs)}\n"
    texts = list(model.words)
    for n in range(1, model.order + 1):
        if n > 1:
            keys = model.keys[n - 2]
            pairs = zip((keys // len(model.words)).tolist(), (keys % len(model.words)).tolist(), strict=True)
            texts = [f"{texts[prefix]} {model.words[word]}" for prefix, word in pairs]
        yield f"\n\\{n}-grams:\n"
        yield from _rows(model, n, texts)
    yield "\n\\end\\\n"


def _rows(model: NgramModel, n: int, texts: list[str]) -> Iterator[str]:
    for start in range(0, len(texts), CHUNK):
        part = slice(start, start + CHUNK)
        probs, weights = model.log_probs[n - 1][part].tolist(), model.backoffs[n - 1][part].tolist()
        if n == model.order:
            yield "".join([f"{p:.7g}\t{t}\n" for p, t in zip(probs, texts[part], strict=True)])
        else:
            rows = zip(probs, texts[part], weights, strict=True)
            yield "".join([f"{p:.7g}\t{t}\t{w:.7g}\n" for p, t, w in rows])


class _ArpaReader:
    """One pass over an ARPA file."""

    def __init__(self, name: str, lines: Iterator[str]) -> None:
        self.name = name
        self.numbered = enumerate(lines, start=1)
        self.line = 0

    def read(self) -> NgramModel:
        counts = self._header()
        ids: dict[str, int] = {word: i for i, word in enumerate(SPECIAL)}
        model: NgramModel | None = None
        for n, count in enumerate(counts, start=1):
            grams, log_probs, weights = self._section(n, count)
            if model is None:
                model = self._unigrams(ids, grams, log_probs, weights)
            else:
                model = self._add_order(model, n, grams, log_probs, weights)
        self._expect("\\end\\")
        if model is None:
            self._refuse("no_ngrams", "the header lists no n-grams", "is this an ARPA file?")
        return model

    def _header(self) -> list[int]:
        self._expect("\\data\\")
        counts: list[int] = []
        while match := COUNT.fullmatch(line := self._next()):
            if int(match[1]) != len(counts) + 1:
                self._refuse("bad_header", f"expected the count of {len(counts) + 1}-grams, found {line!r}")
            counts.append(int(match[2]))
        if line:
            self._refuse("bad_header", f"expected an empty line after the counts, found {line!r}")
        return counts

    def _section(self, n: int, count: int) -> tuple[list[list[str]], FloatArray, FloatArray]:
        self._expect(f"\\{n}-grams:")
        grams: list[list[str]] = []
        numbers = np.zeros((count, 2))
        while line := self._next():
            parts = line.split()
            if len(grams) == count or len(parts) not in (n + 1, n + 2):
                self._refuse(
                    "bad_ngram", f"expected {count} {n}-grams, found {line[:60]!r}", "check the counts"
                )
            numbers[len(grams)] = (
                self._number(parts[0]),
                self._number(parts[n + 1]) if len(parts) > n + 1 else 0.0,
            )
            if not numbers[len(grams), 0] <= 0:  # also true for NaN
                self._refuse("positive_log_probability", f"log10 p is {parts[0]}", "it must not exceed 0")
            grams.append(parts[1 : n + 1])
        if len(grams) != count:
            self._refuse("ngram_count", f"expected {count} {n}-grams, found {len(grams)}")
        return grams, numbers[:, 0], numbers[:, 1]

    def _unigrams(
        self, ids: dict[str, int], grams: list[list[str]], log_probs: FloatArray, weights: FloatArray
    ) -> NgramModel:
        for gram in grams:
            ids.setdefault(gram[0], len(ids))
        probs, backoff = np.full(len(ids), ABSENT), np.zeros(len(ids))
        rows = np.array([ids[gram[0]] for gram in grams], np.int64)
        probs[rows], backoff[rows] = log_probs, weights
        return NgramModel(tuple(ids), (), (probs,), (backoff,))

    def _add_order(
        self, model: NgramModel, n: int, grams: list[list[str]], log_probs: FloatArray, weights: FloatArray
    ) -> NgramModel:
        prefix, word = self._rows(model, grams, n)
        keys = prefix * len(model.words) + word
        order = np.argsort(keys, kind="stable")
        if np.any(np.diff(keys[order]) == 0):
            self._refuse("repeated_ngram", f"one of the {n}-grams is listed twice")
        return NgramModel(
            model.words,
            (*model.keys, keys[order]),
            (*model.log_probs, log_probs[order]),
            (*model.backoffs, weights[order]),
        )

    def _rows(self, model: NgramModel, grams: list[list[str]], n: int) -> tuple[IntArray, IntArray]:
        ids = model.ids
        try:
            columns = [np.array([ids[gram[k]] for gram in grams], np.int64) for k in range(n)]
        except KeyError as error:
            self._refuse("unlisted_word", f"{error} is in a {n}-gram but not among the unigrams")
        prefix = columns[0]
        for k in range(1, n - 1):
            prefix = model.find(prefix, columns[k], k + 1)
        if np.any(prefix < 0):
            first = " ".join(grams[int(np.argmax(prefix < 0))])
            self._refuse("missing_prefix", f"the first {n - 1} words of {first!r} are not listed")
        return prefix, columns[-1]

    def _number(self, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            self._refuse("bad_number", f"expected a logarithm, found {text[:30]!r}")

    def _expect(self, wanted: str) -> None:
        line = ""
        while not line:
            line = self._next(required=wanted)
        if line != wanted:
            self._refuse("bad_section", f"expected {wanted!r}, found {line[:60]!r}", "is this an ARPA file?")

    def _next(self, required: str = "") -> str:
        try:
            self.line, line = next(self.numbered)
        except StopIteration:
            if required:
                self._refuse("truncated", f"the file ends before {required!r}")
            return ""
        except UnicodeDecodeError as error:
            self._refuse("bad_utf8", f"the file is not UTF-8 ({error.reason})")
        return line.strip()

    def _refuse(self, code: str, message: str, remedy: str = "") -> NoReturn:
        raise InputError(Problem(code, message, remedy, self.name, self.line or None))


def _save_npz(model: NgramModel, path: Path) -> None:
    arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
        "version": np.array([VERSION]),
        "words": np.frombuffer("\n".join(model.words).encode(), np.uint8),
    }
    for n in range(1, model.order + 1):
        arrays[f"log_probs{n}"] = model.log_probs[n - 1].astype(np.float32)
        arrays[f"backoffs{n}"] = model.backoffs[n - 1].astype(np.float32)
        if n > 1:
            arrays[f"keys{n}"] = model.keys[n - 2]
    np.savez_compressed(path, allow_pickle=False, **arrays)


def _load_npz(path: Path) -> NgramModel:
    try:
        stored = read_arrays(path)
        words = tuple(bytes(stored["words"]).decode().split("\n"))
        order = sum(name.startswith("log_probs") for name in stored)
        return NgramModel(
            words,
            tuple(stored[f"keys{n}"] for n in range(2, order + 1)),
            tuple(stored[f"log_probs{n}"].astype(float) for n in range(1, order + 1)),
            tuple(stored[f"backoffs{n}"].astype(float) for n in range(1, order + 1)),
        )
    except (KeyError, ValueError) as error:
        problem = Problem("bad_model", f"not a language model ({error})", "train it again", path.name)
        raise InputError(problem) from error
