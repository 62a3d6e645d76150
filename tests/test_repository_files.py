"""Files for contributors name what exists, and fetch nothing but what they must."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
PAGES = ["CONTRIBUTING.md", "RELEASING.md", "README.md", ".github/pull_request_template.md"]


def read(name: str) -> Any:  # Any: a YAML document
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_hooks_are_targets_of_the_makefile_and_local() -> None:
    (source,) = read(".pre-commit-config.yaml")["repos"]
    assert source["repo"] == "local"
    hooks = {hook["id"]: hook for hook in source["hooks"]}
    assert all(hook["language"] == "system" and not hook["pass_filenames"] for hook in hooks.values())
    assert {name: hook["stages"] for name, hook in hooks.items()} == {
        "style": ["pre-commit"],
        "lint": ["pre-push"],
    }
    assert {hook["entry"] for hook in hooks.values()} == {f"make {name}" for name in hooks}
    assert set(hooks) <= TARGETS


def test_hosted_tests_are_the_local_ones_and_may_only_read() -> None:
    workflow = read(".github/workflows/test.yml")
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == ["make test"]
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")
    assert workflow["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("page", PAGES)
def test_named_targets_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    assert named
    assert named <= TARGETS


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").iterdir()), ids=lambda path: path.name
)
def test_issue_templates_have_a_name_and_ask_something(path: Path) -> None:
    _, head, body = path.read_text("utf-8").split("---\n")
    assert set(yaml.safe_load(head)) == {"name", "about"}
    assert body.count("**") >= 4


def test_editors_and_tools_agree() -> None:
    config = ConfigParser()
    config.read_string(f"[top]\n{(ROOT / '.editorconfig').read_text('utf-8')}")
    assert config["*.py"]["max_line_length"] == "110"
    assert "line-length = 110" in (ROOT / "pyproject.toml").read_text("utf-8")
    assert config["Makefile"]["indent_style"] == "tab"
