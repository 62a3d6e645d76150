"""Known answers on published human judgements: WMT12 decisive pairs and system-level BLEU, and more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from metrics.metaeval import datasets

pytestmark = pytest.mark.realdata

WMT12 = {"cs-en": (11021, 0.886), "de-en": (11934, 0.671), "es-en": (9796, 0.874), "fr-en": (11594, 0.811)}
WMT13 = {"cs-en": 85469, "de-en": 128668, "es-en": 67832, "fr-en": 80741}


def metaeval(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("metaeval", *arguments, "--resamples=0")
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.slow
@pytest.mark.parametrize("pair", WMT12)
def test_wmt12_pairs_and_system_level_bleu(
    real_data: Path, capsys: pytest.CaptureFixture[str], pair: str
) -> None:
    """Callison-Burch et al. 2012: the pairs of the metrics task, Spearman of corpus BLEU with win shares."""
    prefix = real_data / "rr_wmt12" / pair
    found = metaeval(
        capsys,
        f"--segments={prefix}.segments.tsv.gz",
        f"--outputs={prefix}.outputs.tsv.gz",
        f"--rankings={prefix}.rankings.jsonl.gz",
        "--metrics=bleu",
    )["bleu"]
    assert found["pairs"] == WMT12[pair][0]
    assert found["system_rho"] == pytest.approx(WMT12[pair][1], abs=0.0006)
    assert 0.15 < found["tau"] < 0.26


@pytest.mark.slow
@pytest.mark.parametrize("pair", WMT13)
def test_wmt13_decisive_pairs(real_data: Path, pair: str) -> None:
    files = datasets.find_set(real_data / "rr_wmt13_pairs" / pair)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    paths = [path for path in (files.rankings, files.pairs) if path]
    assert paths
    read = datasets.read_rankings if files.rankings else datasets.read_pairs
    assert len(read(paths[0], dataset).better) == WMT13[pair]


@pytest.mark.slow
def test_direct_assessment_by_language_pair(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = metaeval(
        capsys,
        f"--judged={real_data}/da_wmt17/newstest2017_toen_DAseg.tsv.gz",
        "--score-column=da_z",
        "--by=lp",
        "--metrics=chrf",
    )["chrf"]
    assert list(found["by"]) == ["cs-en", "de-en", "fi-en", "ru-en"]
    assert all(part["pearson"] > 0.4 for part in found["by"].values())


@pytest.mark.slow
def test_references_are_not_judged_as_systems(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prefix = real_data / "mqm" / "ted.zh-en"
    arguments = [f"--scores={prefix}.scores.tsv.gz", f"--segments={prefix}.segments.tsv.gz", "--metrics=chrf"]
    found = metaeval(capsys, *arguments)["chrf"]
    assert found["systems"] == 13
    assert found["pearson"] > 0.1
