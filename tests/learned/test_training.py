"""``manage.py train svm|combination`` and ``metaeval --model``: from files to a metric and its figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from metrics import registry
from metrics.base import Needs, Scores, Segment
from metrics.learned import features, models
from metrics.learned.combination import FeatureWeights
from metrics.learned.features import compute
from metrics.learned.training import parse_grid
from tests.learned.data import write_set


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command(*arguments)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def evaluate(capsys: pytest.CaptureFixture[str], prefix: Path, *more: str) -> dict[str, Any]:
    files = [
        f"--{kind}={prefix}.{kind}.{end}"
        for kind, end in (("segments", "tsv"), ("outputs", "tsv"), ("rankings", "jsonl"))
    ]
    return run(capsys, "metaeval", *files, "--resamples=50", *more)


def test_weights_learned_on_one_set_serve_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learn, test = write_set(tmp_path, "learn"), write_set(tmp_path, "test", seed=2)
    out = tmp_path / "tuned.json"
    summary = run(
        capsys,
        "train",
        "combination",
        f"--set={learn}",
        f"--out={out}",
        "--features=precision-1,wer-count",
        "--folds=3",
    )
    assert summary["training"]["pairs"] == 180
    assert summary["weights"]["precision-1"] > 0 > summary["weights"]["wer-count"]
    assert summary["held_out_tau_wmt14"][f"{tmp_path.name}/learn"] > 0.6
    assert len(summary["training"]["sha256"]) == 64
    found = evaluate(capsys, test, "--metrics=wer", f"--model={out}")
    assert list(found) == ["wer", "tuned"]
    assert found["tuned"]["tau"] >= 0.6
    assert found["tuned"]["system_rho"] == pytest.approx(1)


def test_the_machine_is_trained_on_translators_where_there_are_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learn, test = (
        write_set(tmp_path, "learn", references=3, segments=120),
        write_set(tmp_path, "test", seed=2),
    )
    out = tmp_path / "svm.npz"
    summary = run(
        capsys,
        "train",
        "svm",
        f"--set={learn}",
        f"--out={out}",
        "--grid=1,10:1,10",
        "--references-per-example=1",
        "--lowercase",
    )
    assert summary["training"]["classes"] == "translators"
    assert len(summary["grid"]) == 4
    assert summary["chosen"]["accuracy"] == max(point["accuracy"] for point in summary["grid"])
    assert summary["chosen"]["accuracy"] > 0.6
    assert evaluate(capsys, test, f"--model={out}")["svm"]["tau"] > 0.2
    assert models.load(out).kind == "svm"


def test_references_may_lie_in_files_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same examples as from the same references in columns, so the same machine."""
    three = write_set(tmp_path, "three", references=3, segments=120)
    rows = [line.split("\t") for line in Path(f"{three}.segments.tsv").read_text().splitlines()]
    places = [place for place, name in enumerate(rows[0]) if name.startswith("ref")]
    one = tmp_path / "one.tsv"
    one.write_text("".join("\t".join(row[: places[1]] + row[places[-1] + 1 :]) + "\n" for row in rows))
    extra = [tmp_path / f"extra{place}" for place in places[1:]]
    for path, place in zip(extra, places[1:], strict=True):
        path.write_text("".join(f"{row[place]}\n" for row in rows[1:]))
    common = ["--grid=1,10:1,10", "--name=m"]
    whole = run(capsys, "train", "svm", f"--set={three}", f"--out={tmp_path / 'a.npz'}", *common)
    texts = [f"--segments={one}", f"--outputs={three}.outputs.tsv", f"--rankings={three}.rankings.jsonl"]
    apart = ["train", "svm", *texts, "--references", *map(str, extra), f"--out={tmp_path / 'b.npz'}", *common]
    assert run(capsys, *apart)["grid"] == whole["grid"]
    extra[1].write_text("too short\n")
    with pytest.raises(CommandError, match="line_count: expected 120 lines"):
        call_command(*apart)


@pytest.mark.parametrize(
    "option", ["--seed=-1", "--limit=0", "--refine=-1", "--references-per-example=0"], ids=lambda o: o[2:]
)
def test_numbers_that_make_no_sense_are_refused_by_name(tmp_path: Path, option: str) -> None:
    learn, out = write_set(tmp_path, "learn", references=2), tmp_path / "m.npz"
    with pytest.raises(CommandError, match=f"bad_value: {option.split('=')[0]} must be at least"):
        call_command("train", "svm", f"--set={learn}", f"--out={out}", option)


def test_one_reference_and_rankings_give_a_machine_that_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learn = write_set(tmp_path, "learn", segments=120)
    summary = run(
        capsys, "train", "svm", f"--set={learn}", f"--out={tmp_path / 'm.npz'}", "--grid=1:3", "--name=ranked"
    )
    assert summary["training"]["classes"] == "ranked"
    assert summary["name"] == "ranked"
    assert "split_in_thirds" not in summary["training"]


def test_a_machine_of_few_sentences_says_how_they_were_split(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learn = write_set(tmp_path, "learn", segments=24, references=2)
    summary = run(capsys, "train", "svm", f"--set={learn}", f"--out={tmp_path / 'm.npz'}", "--grid=1:3")
    assert summary["training"]["split_in_thirds"] == summary["training"]["sets"]
    assert (summary["training"]["examples"], summary["training"]["validation"]) == (64, 32)


def test_the_uniform_combination_gives_every_metric_the_same_weight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learn = write_set(tmp_path, "learn")
    summary = run(
        capsys,
        "train",
        "combination",
        "--method=uniform",
        "--metrics=chrf,wer",
        f"--segments={learn}.segments.tsv",
        f"--outputs={learn}.outputs.tsv",
        f"--out={tmp_path / 'u.json'}",
    )
    assert summary["weights"] == {"chrf": 0.5, "wer": 0.5}


BAD = {
    "no set": ([], "missing_file"),
    "no such set": (["--set=nowhere"], "missing_file"),
    "outputs without segments": (["--outputs=x"], "belong together"),
    "unknown feature": (["--features=vibes"], "unknown_feature"),
    "unknown tokeniser": (["--tokenize=klingon", "--features=wer"], "klingon"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("kind", ["svm", "combination"])
def test_bad_arguments_exit_with_status_two(
    tmp_path: Path, kind: str, arguments: list[str], message: str
) -> None:
    given = (
        arguments
        if "set" in "".join(arguments) or not arguments or "outputs" in arguments[0]
        else [f"--set={write_set(tmp_path, 'x')}", *arguments]
    )
    with pytest.raises(CommandError, match=message) as error:
        call_command("train", kind, f"--out={tmp_path / 'm'}", *given)
    assert error.value.returncode == 2
    assert not (tmp_path / "m").exists()


def test_a_model_without_a_place_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot_open: this is a folder; name a file that can be written"):
        call_command("train", "svm", f"--out={tmp_path}", "--set=nowhere")
    with pytest.raises(CommandError, match="missing_file"):
        call_command("train", "svm", f"--out={tmp_path / 'new' / 'm'}", "--set=nowhere")


def test_one_reference_without_rankings_is_refused_in_a_sentence(tmp_path: Path) -> None:
    learn = write_set(tmp_path, "learn")
    (tmp_path / "learn.rankings.jsonl").unlink()
    with pytest.raises(CommandError, match="one reference and no rankings"):
        call_command("train", "svm", f"--set={learn}", f"--out={tmp_path / 'm'}")
    with pytest.raises(CommandError, match="no_judgements"):
        call_command("train", "combination", f"--set={learn}", f"--out={tmp_path / 'm'}")


def test_a_set_without_references_is_refused_in_a_sentence(tmp_path: Path) -> None:
    learn = write_set(tmp_path, "learn")
    rows = (tmp_path / "learn.segments.tsv").read_text().splitlines()
    (tmp_path / "learn.segments.tsv").write_text("\n".join(row.rsplit("\t", 1)[0] for row in rows) + "\n")
    with pytest.raises(CommandError, match="references"):
        call_command("train", "combination", f"--set={learn}", f"--out={tmp_path / 'm'}", "--features=basic")


def test_a_bad_grid_is_refused() -> None:
    for text in ("tiny", "1,2", "1:2:3", "a:b"):
        with pytest.raises(ValueError, match="a grid is"):
            parse_grid(text)


def test_machine_hypotheses_can_come_from_nbest_lists(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learn = write_set(tmp_path, "learn", references=3, segments=120)
    lists = tmp_path / "nbest"
    lists.write_text(
        "".join(f"{n} ||| nonsense word salad {n} ||| -1\n" for n in range(120)), encoding="utf-8"
    )
    arguments = ["train", "svm", f"--set={learn}", f"--out={tmp_path / 'm.npz'}", "--grid=10:1"]
    found = run(capsys, *arguments, f"--nbest={lists}")
    assert found["chosen"]["machine"] == 1.0  # nobody takes such lists for people
    lists.write_text("120 ||| text\n", encoding="utf-8")
    with pytest.raises(CommandError, match="unknown_segment"):
        run(capsys, *arguments, f"--nbest={lists}")
    with pytest.raises(CommandError, match="single set with several references"):
        run(capsys, *arguments, f"--set={write_set(tmp_path, 'other', references=3)}", f"--nbest={lists}")


@dataclass(frozen=True)
class LongOutputs:
    """The number of words, undefined below four."""

    name: ClassVar[str] = "long-outputs"
    title: ClassVar[str] = "words of long outputs"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs(reference=False)
    may_be_undefined: ClassVar[bool] = True
    signature: ClassVar[str] = "long-outputs|v:1"

    def score(self, segments: Sequence[Segment]) -> Scores:
        lengths = np.array([float(len(segment.hypothesis.split())) for segment in segments])
        return Scores(np.where(lengths < 4, np.nan, lengths), None, self.signature)


def test_the_recommended_features_are_those_that_can_be_computed_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metrics.neural.metric.EncoderMetric.unavailable_because", lambda self: "no encoder")
    monkeypatch.setattr("metrics.lexical.meteor.RankedMeteor.unavailable_because", lambda self: "no WordNet")
    learn, out = write_set(tmp_path, "learn"), tmp_path / "combination.json"
    call_command("train", "combination", f"--set={learn}", f"--out={out}")
    said = capsys.readouterr().err
    assert "left out: meteor-1.5: no WordNet" in said
    assert "left out: minilm-cosine: no encoder" in said
    assert set(features.RICH) <= set(models.load(out).names) < set(features.SETS["recommended"])


@pytest.mark.parametrize("method", ["tuned", "uniform"])
def test_a_feature_with_missing_values_can_be_combined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    registry.list_names()
    monkeypatch.setattr(registry, "_metrics", {**registry._metrics, "long-outputs": LongOutputs})
    learn, out = write_set(tmp_path, "learn"), tmp_path / "combination.json"
    features = "--features=wer-count,long-outputs"
    run(capsys, "train", "combination", f"--set={learn}", features, f"--method={method}", f"--out={out}")
    model = models.load(out)
    reference = "one two three four five"
    known, missing = (
        compute(model.names, [Segment(text, (reference,))], model.preparation)
        for text in ("one two three four", "one two")
    )
    assert np.isfinite(known).all()
    assert np.isnan(missing).tolist() == [[False, True]]
    as_usual = missing.copy()
    scaling = cast(FeatureWeights, model.function).scaling
    middle = {"tuned": 0.0, "uniform": 0.5}[method]
    as_usual[0, 1] = scaling.shift[1] + middle * scaling.width[1]
    assert model.values(missing) == pytest.approx(model.values(as_usual))
    assert "undefined" not in evaluate(capsys, learn, f"--model={out}")["combination"]
