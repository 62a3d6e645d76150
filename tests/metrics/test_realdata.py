"""Published data with known answers; skipped, visibly, where it is not at hand.

Multi-reference BLEU: MultEval's regression set. Significance: newstest2017 en-de with the p-values that
sacrebleu's test suite quotes from Moses and MultEval. Equality: real system outputs against sacrebleu.
"""

from __future__ import annotations

import csv
import gzip
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from metrics import registry
from metrics.base import AddableMetric, score_systems
from metrics.metaeval.text_files import read_segments
from metrics.scoring.significance import approximate_randomisation, paired_bootstrap

pytestmark = pytest.mark.realdata


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("closest", [29.10, 29.16, 28.51, 29.30]), ("shortest", [30.17, 30.39, 29.73, 30.49])],
)
def test_bleu_with_four_references(real_data: Path, rule: str, expected: list[float]) -> None:
    folder = real_data / "multiref" / "set1"
    references = [read_segments(path) for path in sorted(folder.glob("set1.ref*.gz"))]
    systems = {path.name: read_segments(path) for path in sorted(folder.glob("set1.out.*.gz"))}
    scores = score_systems(registry.get("bleu", tokenize="none", length=rule), systems, references)
    assert [round(found.corpus or 0, 2) for found in scores.values()] == expected


def significance_set(folder: Path) -> tuple[dict[str, list[str]], list[str]]:
    with gzip.open(folder / "outputs.tsv.gz", "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts: dict[str, list[str]] = {}
    for row in rows:
        texts.setdefault(row["system"], []).append(row["text"])
    reference = next(name for name in texts if name.lower().startswith("ref"))
    return {name: lines for name, lines in texts.items() if name != reference}, texts[reference]


@pytest.mark.slow
def test_published_p_values_come_out(real_data: Path) -> None:
    folder = real_data / "significance_wmt17_ende"
    expected = json.loads((folder / "expected.json").read_text())
    systems, reference = significance_set(folder)
    metric = registry.get("bleu", tokenize="none")
    assert isinstance(metric, AddableMetric)
    scored = score_systems(metric, systems, [reference])
    statistics = {name: found.statistics for name, found in scored.items() if found.statistics is not None}
    bootstrap = paired_bootstrap(metric, statistics, expected["baseline"], resamples=2000, seed=1)
    for result in bootstrap[1:]:
        assert result.p == pytest.approx(expected["moses_bootstrap_p"][result.system], abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "column"), [("bleu:tokenize=none", 0), ("ter", 1)])
def test_published_p_values_of_randomisation_come_out(real_data: Path, name: str, column: int) -> None:
    folder = real_data / "significance_wmt17_ende"
    expected = json.loads((folder / "expected.json").read_text())
    systems, reference = significance_set(folder)
    metric = registry.parse(name)
    assert isinstance(metric, AddableMetric)
    scored = score_systems(metric, systems, [reference])
    statistics = {name: found.statistics for name, found in scored.items() if found.statistics is not None}
    swaps = approximate_randomisation(metric, statistics, expected["baseline"], trials=3000, seed=1)
    assert len(swaps) == 16
    for result in swaps[1:]:
        assert result.p == pytest.approx(expected["multeval_ar_p_bleu_ter"][result.system][column], abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["de-en", "en-cs"])
def test_real_outputs_equal_sacrebleu(real_data: Path, pair: str) -> None:
    folder = real_data / "rr_wmt12"
    known = {row["seg"]: row["reference"] for row in rows(folder / f"{pair}.segments.tsv.gz")}
    outputs = [row for row in rows(folder / f"{pair}.outputs.tsv.gz") if int(row["seg"]) % 200 == 7]
    lines = [row["translation"] for row in outputs]
    references = [known[row["seg"]] for row in outputs]
    for name, peer in {
        "bleu": BLEU(effective_order=True),
        "chrf": CHRF(),
        "chrf++": CHRF(word_order=2),
    }.items():
        ours = score_systems(registry.get(name), {"s": lines}, [references])["s"].segments
        theirs = [peer.sentence_score(o, [r]).score for o, r in zip(lines, references, strict=True)]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    short = [i for i, line in enumerate(lines) if len(line.split()) < 25][:60]
    ours = score_systems(registry.get("ter"), {"s": lines}, [references])["s"].segments
    peer = TER()
    assert ours[short].tolist() == [peer.sentence_score(lines[i], [references[i]]).score for i in short]


def rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
