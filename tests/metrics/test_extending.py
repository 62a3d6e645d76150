"""The metric that docs/extending.md shows, and the example package: built, installed and used as they are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from metrics import registry
from metrics.base import MetricUnavailable
from metrics.laws import Verdict, check_laws
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "extending.md"
PACKAGE = ROOT / "docs" / "examples" / "plugin"


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.list_names()  # every family has registered its own before they are copied
    monkeypatch.setattr(registry, "_metrics", dict(registry._metrics))


def test_the_smallest_metric_keeps_every_law() -> None:
    code = re.search(r"```python\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert code
    exec(compile(code[1], PAGE.name, "exec"), {"__name__": "example"})
    results = check_laws(registry.get("length-ratio"))
    assert [result for result in results if result.verdict is Verdict.BROKEN] == []


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, built as a wheel and installed in a folder of its own, without a network."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PACKAGE, folder / "source")
    uv("build", "--wheel", "--no-build-isolation", "--out-dir", folder, folder / "source")
    uv("pip", "install", "--no-deps", "--target", folder / "site", *folder.glob("*.whl"))
    return folder / "site"


def uv(*arguments: str | Path) -> None:
    program = Path(sys.executable).parent / "uv"
    subprocess.run([program, *arguments, "--quiet", "--offline", "--python", sys.executable], check=True)


def manage(plugin: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(plugin)}
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_an_installed_metric_and_ranker_score(plugin: Path, tmp_path: Path) -> None:
    for name, text in {"one": "abc\n", "two": "abcdefg\n", "reference": "abcdefg\n"}.items():
        (tmp_path / name).write_text(text)
    hypotheses = [f"{name}={tmp_path / name}" for name in ("one", "two")]
    options = ["--hyp", *hypotheses, "--ref", str(tmp_path / "reference")]
    scores = json.loads(manage(plugin, "score", "--metrics", "length-ratio,length-consensus", *options))
    assert scores["length-ratio"]["corpus"] == {"one": pytest.approx(0.6931, abs=1e-4), "two": 0}
    assert not scores["length-ratio"]["higher_is_better"]
    assert scores["length-consensus"]["corpus"]["one"] == pytest.approx(-0.3466, abs=1e-4)


@pytest.mark.parametrize("name", ["length-ratio", "length-consensus"])
def test_an_installed_metric_keeps_the_laws(plugin: Path, name: str) -> None:
    results = json.loads(manage(plugin, "check_metric", name, "--format", "json"))
    assert {result["verdict"] for result in results} == {"kept", "does not apply"}


def install_entry_point(folder: Path, name: str, target: str) -> None:
    about = folder / "plugins_of_others-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugins-of-others\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[appraise.metrics]\n{name} = {target}\n")


def test_a_plugin_that_cannot_be_loaded_is_listed_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_entry_point(tmp_path, "lost", "no_such_module:Metric")
    monkeypatch.syspath_prepend(tmp_path)
    entry = next(entry for entry in registry.list_metrics() if entry.name == "lost")
    reason = "the plug-in lost of plugins-of-others cannot be loaded: No module named 'no_such_module'"
    assert entry.missing == reason
    with pytest.raises(MetricUnavailable, match="cannot be loaded"):
        registry.get("lost").score([])


def test_a_plugin_with_another_name_than_its_entry_point_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_entry_point(tmp_path, "mine", "metrics.lexical.meteor:Meteor")
    monkeypatch.syspath_prepend(tmp_path)
    assert "its metric has the name 'meteor'" in registry.get("mine").reason  # type: ignore[attr-defined]


def test_a_plugin_does_not_replace_a_metric_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_entry_point(tmp_path, "chrf", "no_such_module:Metric")
    monkeypatch.syspath_prepend(tmp_path)
    assert registry.get("chrf").title.startswith("chrF")
    assert "chrf" in registry.list_names()


def check(*arguments: str, plugin: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(plugin)}
    command = [sys.executable, "manage.py", "check_metric", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_check_metric_counts_what_it_checked() -> None:
    kept = check("chrf")
    assert (kept.returncode, kept.stdout.splitlines()[-1]) == (0, "16 kept, 0 broken, 0 does not apply")


def test_check_metric_exits_with_1_after_a_breach(tmp_path: Path) -> None:
    install_entry_point(tmp_path, "length-gap", "tests.metrics.breaches:Upwards")
    broken = check("length-gap", plugin=tmp_path)
    assert broken.returncode == 1
    assert "broken         its direction is what it says: higher_is_better is True" in broken.stdout


@pytest.mark.parametrize(
    ("name", "reason"), [("bleux", "unknown metric 'bleux'"), ("imported", "imported scores need a file")]
)
def test_check_metric_refuses_what_it_cannot_check(name: str, reason: str) -> None:
    refused = check(name)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert reason in refused.stderr
