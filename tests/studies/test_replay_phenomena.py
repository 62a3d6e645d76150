"""WMT15 outputs that differ in one place: is what the rules call omitted missed? (docs/phenomena.md)"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.studies.replay_phenomena import main

pytestmark = pytest.mark.realdata


def test_omitted_words_are_missed_and_inserted_ones_are_not(
    real_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = [f"--set={real_data / 'rr_wmt15' / pair}" for pair in ("de-en", "fr-en")]
    main(sets)
    found = json.loads(capsys.readouterr().out)
    won = found["with_and_without_won"]
    assert won["omission"][0] > 1.5 * won["omission"][1] > 0
    assert won["insertion"][1] > won["insertion"][0] > 0
    kappa = {line["phenomenon"]: line["agreement"]["kappa"] for line in found["phenomena"]}
    assert kappa["negation"] > found["all"]["kappa"] > kappa["word order"]
