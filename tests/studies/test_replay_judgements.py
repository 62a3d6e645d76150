"""Plans and stopping rules on judgements of real people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.studies.replay_judgements import main


def test_where_no_two_systems_share_enough_sentences_there_is_nothing_to_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.segments.tsv").write_text("seg\tsource\n1\ts\n", encoding="utf-8")
    (tmp_path / "x.outputs.tsv").write_text("system\tseg\ttranslation\na\t1\tt\nb\t1\tu\n", encoding="utf-8")
    (tmp_path / "x.pairs.tsv").write_text("seg\tbetter\tworse\n1\ta\tb\n", encoding="utf-8")
    main(["--set", str(tmp_path / "x")])
    (found,) = json.loads(capsys.readouterr().out).values()
    assert (found["pairs"], found["against_the_whole"]) == (0, 0)
    assert (found["sentences"], found["decided_after"], found["power"]) == (None, None, None)


@pytest.mark.realdata
def test_plans_hold_and_looking_all_the_time_finds_no_more_than_it_may_on_wmt15(
    real_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(real_data / "rr_wmt15" / "fr-en")
    main(["--set", where])
    found = json.loads(capsys.readouterr().out)[where]
    assert found["pairs"] == 21
    assert found["null_decided"] / found["null_runs"] <= 0.05
    assert 0.7 < found["power"] < 0.9  # planned for 0.8
    assert found["decided_after"] < found["sentences"]
    assert found["against_the_whole"] == 0
