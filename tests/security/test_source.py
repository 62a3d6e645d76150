"""What must not be written, and the few places where it may, each with its reason.

A word of ``RULES`` that appears in a new file fails here. If it has to be there, add the file and say why.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON, TEMPLATES, SCRIPTS = ("appraise", "evaluation", "metrics"), ("templates",), ("static",)


@dataclass(frozen=True)
class Rule:
    pattern: str
    where: tuple[str, ...] = PYTHON
    allowed: dict[str, str] = field(default_factory=dict)


DRAWN = "draws from escaped parts; tests/journeys/test_stored_text.py shows it with hostile text"
RULES = {
    "safe marks": Rule(
        r"\bmark_safe\b|\bSafeString\(|\bSafeText\b",
        allowed={
            "evaluation/reports/plots.py": DRAWN,
        },
    ),
    "unescaped text in templates": Rule(r"\|\s*safe\b|autoescape\s+off|safeseq", TEMPLATES),
    "inline code or style": Rule(
        r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son(?!e=)[a-z]{3,}=|javascript:", TEMPLATES
    ),
    "HTML from strings": Rule(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser",
        SCRIPTS,
        {"static/js/alignment-preview.js": "parses a page of our own; scripts in it do not run"},
    ),
    "requests without the form's token": Rule(r"csrf_exempt"),
    "SQL beside the ORM": Rule(r"\.raw\(|\.extra\(|\bRawSQL\b"),
    "objects from files": Rule(
        r"\b(import|from) (pickle|marshal|shelve|dill|cloudpickle)\b|allow_pickle=True|joblib\.load"
    ),
    "XML that expands entities": Rule(
        r"\bxml\.(etree|dom|parsers)|\bxml\.sax import (parse|make_parser)|\blxml\b",
    ),
    "every field of a model": Rule(r"fields\s*=\s*['\"]__all__"),
    "shells": Rule(
        r"shell=True|os\.system|os\.popen|\beval\(|\bexec\(",
        allowed={"metrics/programs/ready/metricx_scores.py": "PyTorch's name for: no training"},
    ),
    "requests to elsewhere": Rule(
        r"urllib\.request|http\.client|\b(import|from) (requests|httpx|urllib3|aiohttp|smtplib|ftplib)\b",
        allowed={
            "appraise/client.py": "the client for scripts: it talks to the site that it is told",
            "metrics/programs/ready/llm_answers.py": "sends to the address that the operator wrote down",
            "appraise/operations/probe.py": "asks this machine's own server whether it is up",
        },
    ),
}


def files(*places: str) -> list[Path]:
    kinds = {".py", ".html", ".js"}
    return [path for place in places for path in sorted((ROOT / place).rglob("*")) if path.suffix in kinds]


@pytest.mark.parametrize("name", RULES)
def test_it_is_written_nowhere_but_where_it_may(name: str) -> None:
    rule = RULES[name]
    found = {
        str(path.relative_to(ROOT))
        for path in files(*rule.where)
        if "migrations" not in path.parts and re.search(rule.pattern, path.read_text("utf-8"))
    }
    assert found == set(rule.allowed), f"new: {found - set(rule.allowed)}; gone: {set(rule.allowed) - found}"


# What bandit reports with medium or high severity, file by file, and why it is no danger.
SAFE_MARKS = {("B308", path) for path in RULES["safe marks"].allowed} | {
    ("B703", path) for path in RULES["safe marks"].allowed
}
CONSTANT_SQL = {
    ("B608", "appraise/operations/database_dumps.py"),
    ("B608", "evaluation/reports/study_query.py"),
    ("B608", "metrics/tools/cache.py"),
}  # names of our own tables and columns, quoted; every value is a parameter

# Adapters for programs that an operator installs: the address and the model are the operator's words.
OPERATORS_WORDS = {
    ("B310", "metrics/programs/ready/llm_answers.py"),
    ("B615", "metrics/programs/ready/metricx_scores.py"),
}


# Pure computation without files, processes or SQL: the rules above are enough, and bandit is slow.
FIGURES = (
    "evaluation/agreement", "evaluation/alignment", "evaluation/results", "evaluation/study",
    "metrics/collocation", "metrics/discourse", "metrics/compiled", "metrics/learned", "metrics/lexical",
    "metrics/metaeval", "metrics/ranking", "metrics/syntax",
)  # fmt: skip


def test_bandit_finds_nothing_else() -> None:
    left_out = ["-x", ",".join(f"./{place}" for place in FIGURES)]
    command = [sys.executable, "-m", "bandit", "-q", "-ll", "-f", "json", *left_out, "-r"]
    command += [f"./{place}" for place in PYTHON]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["errors"] == []
    found = {(one["test_id"], one["filename"].removeprefix("./")): one for one in report["results"]}
    surprises = {
        place: found[place]["issue_text"]
        for place in set(found) - SAFE_MARKS - CONSTANT_SQL - OPERATORS_WORDS
    }
    assert surprises == {}


def test_no_secret_is_in_the_source() -> None:
    """Keys are generated or given; the one password is the demo's, and it is printed on the terminal."""
    pattern = r"(?i)(secret_key|password|token|api_key)\s*=\s*['\"][^'\"{}]{4,}['\"]"
    found = {
        (str(path.relative_to(ROOT)), line.strip())
        for path in files(*PYTHON)
        for line in path.read_text("utf-8").splitlines()
        if re.search(pattern, line)
    }
    allowed = ("evaluation/management/commands/demo.py",)
    assert {place for place in found if place[0] not in allowed} == set()
