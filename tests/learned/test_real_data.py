"""A combination learned from one year's rankings judges another year's outputs better than its best part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command


@pytest.mark.realdata
@pytest.mark.slow
def test_weights_from_wmt15_beat_single_metrics_on_wmt12(
    real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/learned.md has the full experiment; this is a part of it that takes a minute."""
    out = tmp_path / "tuned.json"
    sets = [f"--set={real_data}/rr_wmt15/{pair}" for pair in ("de-en", "fr-en")]
    call_command("train", "combination", *sets, "--features=lexical", f"--out={out}")
    capsys.readouterr()
    prefix = real_data / "rr_wmt12" / "cs-en"
    files = [f"--segments={prefix}.segments.tsv.gz", f"--outputs={prefix}.outputs.tsv.gz"]
    rankings = f"--rankings={prefix}.rankings.jsonl.gz"
    call_command("metaeval", *files, rankings, "--metrics=bleu,chrf++", f"--model={out}", "--resamples=0")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["tuned"]["tau"] > 0.27 > found["chrf++"]["tau"] > found["bleu"]["tau"]
