"""Very long and very strange segments: finite values in bounded time and memory."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from metrics import registry
from metrics.base import Segment, score_systems
from tests.conftest import ROOT

REFERENCED = [
    entry.name for entry in registry.list_metrics() if entry.needs.reference and not entry.needs.resource
]


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCED)
def test_a_segment_of_ten_thousand_words_is_scored(name: str) -> None:
    source = random.Random(5)
    words = [f"w{int(source.paretovariate(0.7))}" for _ in range(10_000)]
    other = words[3000:] + words[:2500]
    segment = Segment(" ".join(other), (" ".join(words),), "x")
    assert np.isfinite(registry.get(name).score([segment]).segments).all()


@pytest.mark.parametrize("name", ["bleu", "wer", "chrf", "ter", "nist", "meteor", "rouge-l", "fms-2"])
def test_lone_surrogates_and_controls_are_text_like_any_other(name: str) -> None:
    odd = ["\ud800 a", "\x00 \x07", "\ufeff\u200b x", "a" * 5000]
    scores = score_systems(registry.get(name), {"s": odd, "t": odd[::-1]}, [odd])
    for found in scores.values():
        assert np.isfinite(found.segments).all()


def test_scoring_needs_no_folder_for_a_cache() -> None:
    """Where numba can write nowhere it says so with an error at import; we compile for this process alone."""
    code = (
        "import numba.core.caching as c\n"
        "def none(*a, **k): raise RuntimeError('cannot cache function: no locator available')\n"
        "c.CacheImpl.__init__ = none\n"
        "from metrics.compiled.compiler import compiled\n"
        "@compiled\n"
        "def f(x): return x + 1\n"
        "assert f(1) == 2\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_without_numba_the_numbers_are_the_same() -> None:
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from metrics import registry; from metrics.base import score_systems\n"
        "s, r = {'s': ['the cat sat', 'a b a', '']}, [['a cat sat', 'b a', 'c'], ['the cat', 'a', '']]\n"
        "print([score_systems(registry.get(n), s, r)['s'].segments.tolist()"
        " for n in ('bleu', 'wer', 'per', 'chrf', 'ter')])\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code.replace("= None", given)],
            cwd=ROOT,
            env=os.environ | {"APPRAISE_NUMBA": mode},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for mode, given in (("0", "= None"), ("source", "= None"))
    ]
    systems = {"s": ["the cat sat", "a b a", ""]}
    references = [["a cat sat", "b a", "c"], ["the cat", "a", ""]]
    compiled = [
        score_systems(registry.get(name), systems, references)["s"].segments.tolist()
        for name in ("bleu", "wer", "per", "chrf", "ter")
    ]
    assert runs == [f"{compiled}\n"] * 2
