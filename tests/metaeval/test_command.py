"""``manage.py metaeval``: exact keys, every human format, and refusals with status 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.metaeval import samples

KEYS = ["tau", "tau_ci", "pairs", "system_rho", "systems", "pearson", "pearson_ci", "spearman"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    samples.write(
        tmp_path,
        segments=samples.SEGMENTS,
        outputs_gz=samples.OUTPUTS,
        pairs=samples.PAIRS,
        rankings=samples.RANKINGS,
        scores=samples.SCORES,
        judged=samples.JUDGED,
    )
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("metaeval", *arguments)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def texts(folder: Path) -> list[str]:
    return [f"--segments={folder}/x.segments.tsv", f"--outputs={folder}/x.outputs.tsv.gz"]


@pytest.mark.parametrize("human", ["rankings=x.rankings.jsonl", "pairs=x.pairs.tsv"])
def test_rankings_and_pairs_give_every_figure(
    folder: Path, capsys: pytest.CaptureFixture[str], human: str
) -> None:
    kind, name = human.split("=")
    found = run(capsys, *texts(folder), f"--{kind}={folder}/{name}", "--metrics=wer,chrf", "--ties=drop")
    assert list(found) == ["wer", "chrf"]
    assert list(found["wer"]) == [*KEYS, "signature"]
    assert found["wer"]["pairs"] == 5
    assert found["wer"]["systems"] == 3
    assert found["wer"]["tau"] == pytest.approx(3 / 5)
    assert found["wer"]["tau_ci"][0] <= found["wer"]["tau"] <= found["wer"]["tau_ci"][1]


def test_each_metric_is_named_before_its_work_begins(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("metaeval", *texts(folder), f"--pairs={folder}/x.pairs.tsv", "--metrics=wer,chrf")
    told = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in told if line.endswith("translations")] == ["wer", "chrf"]


def test_without_resamples_there_is_no_interval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, *texts(folder), f"--pairs={folder}/x.pairs.tsv", "--metrics=wer", "--resamples=0")
    assert found["wer"]["tau_ci"] is None


def test_scores_need_no_outputs_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, texts(folder)[0], f"--scores={folder}/x.scores.tsv", "--metrics=chrf")
    assert found["chrf"]["pearson"] is not None
    assert found["chrf"]["pairs"] == 1
    assert found["chrf"]["pearson_ci"] is None, "three judged cells are too few for Fisher's interval"


def test_judged_files_are_reported_whole_and_by_group(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [f"--judged={folder}/x.judged.tsv", "--score-column=da", "--metrics=chrf"]
    found = run(capsys, *arguments, "--by=lp")
    assert list(found["chrf"]) == [
        *KEYS,
        "acc_eq",
        "acc_eq_epsilon",
        "system_pearson",
        "spa",
        "signature",
        "by",
    ]
    assert list(found["chrf"]["by"]) == ["de-en", "cs-en"]
    assert found["chrf"]["by"]["de-en"]["tau"] == 1
    assert found["chrf"]["pairs"] == 2
    assert "by" not in run(capsys, *arguments)["chrf"]


def test_details_name_the_signature_and_test_metrics_against_each_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(
        capsys,
        *texts(folder),
        f"--pairs={folder}/x.pairs.tsv",
        "--metrics=wer,chrf",
        "--details",
        "--resamples=20",
    )
    assert found["wer"]["signature"].startswith("wer|")
    assert found["wer"]["concordant_discordant_tied"] == [4, 1, 0]
    assert list(found["wer"]["against"]) == ["chrf"]
    assert found["wer"]["against"] == {"chrf": found["chrf"]["against"]["wer"]}


def test_a_table_for_people_has_a_line_a_metric(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "metaeval", *texts(folder), f"--pairs={folder}/x.pairs.tsv", "--metrics=wer,chrf", "--format=text"
    )
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["metric", "wer", "chrf"]
    assert len({line.count("\t") for line in lines}) == 1


def test_the_tests_between_metrics_are_told_in_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [f"--pairs={folder}/x.pairs.tsv", "--metrics=wer,chrf", "--format=text", "--details"]
    call_command("metaeval", *texts(folder), *options)
    table = capsys.readouterr().out
    assert "\tchrf tau_p " in table
    assert "{" not in table


def test_a_metric_with_parameters_keeps_its_specification_as_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, *texts(folder), f"--pairs={folder}/x.pairs.tsv", "--metrics=chrf:characters=3,chrf")
    assert list(found) == ["chrf:characters=3", "chrf"]


BAD = {
    "no metric": (["--pairs=x.pairs.tsv"], "at least one metric"),
    "unknown metric": (["--pairs=x.pairs.tsv", "--metrics=vibes"], "vibes"),
    "unknown parameter": (["--pairs=x.pairs.tsv", "--metrics=wer:x=1"], "x=1"),
    "groups without judged": (["--pairs=x.pairs.tsv", "--metrics=wer", "--by=lp"], "belongs to --judged"),
    "judged without column": (["--judged=x.judged.tsv", "--metrics=wer"], "needs --score-column"),
    "missing column": (["--judged=x.judged.tsv", "--metrics=wer", "--score-column=z"], "bad_header"),
    "missing file": (["--rankings=none.jsonl", "--metrics=wer"], r"none\.jsonl"),
    "missing model": (["--pairs=x.pairs.tsv", "--model=none.json"], r"none\.json"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_arguments_exit_with_status_two(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(CommandError, match=message) as error:
        call_command("metaeval", *texts(folder), *arguments)
    assert error.value.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics=wer"], "required"),
        (
            ["--pairs=x.pairs.tsv", "--metrics=wer", "--ties=wmt99"],
            r"wmt99.*\(choose from 'wmt12', 'wmt14', 'drop'\)",
        ),
        (["--pairs=x.pairs.tsv", "--metrics=wer", "--colour=red"], "colour"),
        (
            ["--pairs=x.pairs.tsv", "--metrics=wer", "--resamples=-1"],
            "resamples: '-1' is no whole number",
        ),
        (["--pairs=x.pairs.tsv", "--metrics=wer", "--workers=0"], "workers: '0' is no whole number"),
    ],
    ids=["no human side", "unknown tie rule", "unknown option", "negative resamples", "no workers"],
)
def test_bad_options_are_refused_by_the_parser(folder: Path, arguments: list[str], message: str) -> None:
    """On a command line the parser itself ends with status 2."""
    with pytest.raises(CommandError, match=message):
        call_command("metaeval", *texts(folder), *arguments)


def test_rankings_without_segments_or_outputs_are_refused(folder: Path) -> None:
    for arguments, message in (([], "--segments is needed"), (texts(folder)[:1], "--outputs is needed")):
        with pytest.raises(CommandError, match=message):
            call_command("metaeval", *arguments, f"--pairs={folder}/x.pairs.tsv", "--metrics=wer")


def test_a_set_without_references_is_refused_in_a_sentence(folder: Path) -> None:
    samples.write(folder, segments="seg\tsource\n1\teins\n2\tzwei\n")
    with pytest.raises(CommandError, match="needs a reference"):
        call_command("metaeval", *texts(folder), f"--pairs={folder}/x.pairs.tsv", "--metrics=wer")
