"""Plans and stopping rules on judgements of real people."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command


@pytest.mark.realdata
def test_plans_hold_and_looking_all_the_time_finds_no_more_than_it_may_on_wmt15(real_data: Path) -> None:
    out, where = StringIO(), str(real_data / "rr_wmt15" / "fr-en")
    call_command("replay_judgements", "--set", where, stdout=out)
    found = json.loads(out.getvalue())[where]
    assert found["pairs"] == 21
    assert found["null_decided"] / found["null_runs"] <= 0.05
    assert 0.7 < found["power"] < 0.9  # planned for 0.8
    assert found["decided_after"] < found["sentences"]
    assert found["against_the_whole"] == 0
