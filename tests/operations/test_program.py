"""The program ``appraise``: version, completion, citation, and foreign packages of the same names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from appraise.lib.digests import find_version
from appraise.operations.management.commands.completion import format_script
from appraise_mt import PACKAGES, find_foreign
from evaluation.management.base import CommandLine
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
START = "import sys; sys.argv = ['appraise', '--version']; from appraise_mt import main; main()"


def start(*path: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": ":".join(map(str, path)), "APPRAISE_HOME": str(path[0] / "home")}
    command = [sys.executable, "-P", "-c", START]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def make_package(folder: Path, name: str, text: str) -> Path:
    file = folder / name / "__init__.py"
    file.parent.mkdir()
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", PACKAGES)
def test_a_foreign_package_before_ours_is_one_line(name: str, tmp_path: Path) -> None:
    file = make_package(tmp_path, name, "raise ImportError\n")
    run = start(tmp_path, ROOT)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (1, "", 1)
    assert run.stderr.startswith(f"foreign_package: Python finds another package named {name}, {file}, not ")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_foreign_package_installed_over_ours_is_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "appraise_mt.py").write_bytes((ROOT / "appraise_mt.py").read_bytes())
    for each in PACKAGES:
        ours = (ROOT / each / "__init__.py").read_text("utf-8")
        make_package(tmp_path, each, "import numpy\n" if each == name else ours)
    run = start(tmp_path)
    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert f"named {name}, {tmp_path / name / '__init__.py'}, not that of Appraise" in run.stderr


def test_a_foreign_package_behind_ours_is_no_obstacle(tmp_path: Path) -> None:
    for name in PACKAGES:
        make_package(tmp_path, name, "raise ImportError\n")
    run = start(ROOT, tmp_path)
    assert (run.returncode, run.stderr, run.stdout) == (0, "", f"Appraise {PROJECT['version']}\n")


def test_our_packages_are_ours_and_typed() -> None:
    assert [find_foreign(name) for name in PACKAGES] == [None] * 3
    assert all((ROOT / name / "py.typed").is_file() for name in PACKAGES)


@pytest.mark.parametrize("words", [["--version"], ["version"], ["plan", "--version"]])
def test_the_version_is_that_of_appraise(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):
        CommandLine(["appraise", *words]).execute()
    assert capsys.readouterr().out == f"Appraise {PROJECT['version']}\n"


@pytest.mark.parametrize(
    ("words", "status"), [(["nonsense"], 1), (["plan", "--nonsense"], 2), (["plan", "--help"], 0)]
)
def test_exit_statuses_are_those_of_the_documentation(words: list[str], status: int) -> None:
    assert f"| {status} | " in (ROOT / "docs" / "operators.md").read_text("utf-8")
    with pytest.raises(SystemExit) as end:
        CommandLine(["appraise", *words]).execute()
    assert end.value.code == status


@pytest.fixture(scope="module")
def script() -> str:
    return format_script()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("export", {"export", "export_schema"}),
        ("report agreement --form", {"--format"}),
        ("run --por", {"--port"}),
        ("start --por", {"--port"}),
        ("startapp --por", set()),
        ("export_schema c", {"csv"}),
        ("export --task x --for", {"--format", "--force-color"}),
        ("nonsense --por", set()),
    ],
)
def test_completion_offers_what_can_follow(script: str, typed: str, offered: set[str]) -> None:
    line = f"COMP_WORDS=(appraise {typed}); COMP_CWORD={len(typed.split())}"
    asking = f'{script}\n{line}; _appraise; echo "${{COMPREPLY[@]}}"'
    run = subprocess.run(["bash", "-c", asking], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == offered


def test_the_citation_is_of_this_version_and_names_the_five_papers() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == find_version() == PROJECT["version"]
    assert (citation["license"], citation["authors"]) == (PROJECT["license"], PROJECT["authors"])
    first_authors = [(paper["authors"][0]["family-names"], paper["year"]) for paper in citation["references"]]
    assert first_authors == [
        ("Kulesza", 2004), ("Han", 2005), ("Federmann", 2010), ("Avramidis", 2011), ("Guzmán", 2014),
    ]  # fmt: skip


def test_no_text_installs_the_other_project() -> None:
    """``pip install appraise`` would fetch another project."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").iterdir()]
    pages += [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    wrong = re.compile(r"install\b[^\n`;]*[\s'\"]appraise(?!-mt|_mt)[\[=<>'\"\s]")
    assert wrong.search("pip install 'appraise[cluster]'")
    assert wrong.search("uv tool install appraise\n")
    texts = {path: path.read_text("utf-8") for path in pages if path.is_file()}
    assert [str(path) for path, text in texts.items() if wrong.search(text)] == []


def test_the_documentation_names_the_wheel_of_this_version() -> None:
    wheel = f"appraise_mt-{PROJECT['version']}-py3-none-any.whl"
    assert PROJECT["name"] == "appraise-mt"
    assert f"dist/{wheel}" in (ROOT / "docs" / "operators.md").read_text("utf-8")
