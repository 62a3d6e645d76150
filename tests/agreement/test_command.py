"""``manage.py agreement`` on files: formats, refusals, and nothing but the document on standard output."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from evaluation.agreement import Judgements
from evaluation.management.commands import agreement
from evaluation.schemes import FOUR_WAY
from evaluation.study import AnswerKind

ROWS = """annotator	item	label	sentence
ann	1	A>B	s1
bob	1	A>>B	s1
ann	2	A=B	s2
bob	2	A=B	s2
ann	2	A<B	s2
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def run(*arguments: str | Path) -> str:
    out = StringIO()
    call_command("agreement", *map(str, arguments), stdout=out)
    return out.getvalue()


def refusal(*arguments: str | Path) -> str:
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert caught.value.returncode == 2
    return str(caught.value)


def test_json_of_a_file(study: Path) -> None:
    found = json.loads(run("--judgements", study, "--scheme", "six-way", "--format", "json"))
    assert (found["items"], found["annotators"], found["judgements"], found["pairs"]) == (2, 2, 5, 3)
    assert found["p_a"] == pytest.approx(1 / 3)
    assert found["kappa_prime"] == pytest.approx((2 / 3 - 1 / 4) / (3 / 4))
    assert found["intra"]["pairs"] == 1


def test_the_wmt_variant_compares_all_pairs(study: Path) -> None:
    found = json.loads(run("--judgements", study, "--scheme", "six-way", "--chance", "wmt", "--pairs", "all"))
    assert found["pairs"] == 4
    assert found["p_e"] == pytest.approx((2 / 5) ** 2 + 4 * (3 / 20) ** 2)


def test_without_resamples_intervals_are_null(study: Path) -> None:
    found = json.loads(run("--judgements", study, "--scheme", "six-way", "--resamples", "0"))
    assert found["kappa_ci"] is found["kappa_prime_ci"] is None


def test_without_resamples_no_text_speaks_of_intervals(study: Path) -> None:
    labels = ["--labels", "A>>B,A>B,A=B,A<B", "--format", "text"]
    assert "intervals over" in run("--judgements", study, *labels).splitlines()[0]
    assert "intervals" not in run("--judgements", study, *labels, "--resamples", "0").splitlines()[0]


def test_a_space_behind_a_comma_belongs_to_no_label(study: Path) -> None:
    found = json.loads(run("--judgements", study, "--labels", "A>>B, A>B, A=B, A<B"))
    assert found["labels"] == ["A>>B", "A>B", "A=B", "A<B"]


def test_the_seed_decides_the_interval(study: Path) -> None:
    first, again = (run("--judgements", study, "--scheme", "six-way", "--seed", "3") for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("form", "beginning"), [("csv", "coefficient,"), ("latex", "% Agree"), ("text", "Agree")]
)
def test_other_formats(study: Path, form: str, beginning: str) -> None:
    text = run("--judgements", study, "--labels", "A>>B,A>B,A=B,A<B", "--format", form)
    assert text.startswith(beginning)


def test_a_bad_file_is_refused_with_its_place(study: Path) -> None:
    message = refusal("--judgements", study, "--scheme", "four-way")
    assert "study.tsv:3:3: unknown_label: label 'A>>B'" in message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--scheme four-way"),
        (["--labels", "yes"], "two or more"),
        (["--labels", "yes,yes"], "two or more"),
        (["--labels", "yes,,no"], "two or more"),
        (["--labels", "A>>B,A>B,A<B,x", "--chance", "wmt"], "unknown_label"),
    ],
)
def test_bad_values_are_refused(study: Path, arguments: list[str], said: str) -> None:
    assert said in refusal("--judgements", study, *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--judgements", "x.tsv", "--scheme", "nine-way"], "invalid choice"),
        (["--judgements", "x.tsv", "--scheme", "six-way", "--labels", "x,y"], "not allowed with"),
        (["--judgements", "x.tsv", "--scheme", "six-way", "--chance", "luck"], "invalid choice"),
        (["--judgements", "x.tsv", "--task", "x", "--scheme", "six-way"], "not allowed with"),
        (["--scheme", "six-way"], "required"),
        (["--judgements", "x.tsv", "--scheme", "six-way", "--resamples", "-1"], "--resamples"),
        (["--judgements", "x.tsv", "--scheme", "six-way", "--seed", "-1"], "--seed"),
    ],
)
def test_bad_options_are_refused_by_the_parser(arguments: list[str], said: str) -> None:
    """On a command line the parser itself ends with status 2."""
    with pytest.raises(CommandError, match=said):
        run(*arguments)


def test_the_wmt_variant_needs_a_tie(tmp_path: Path) -> None:
    path = tmp_path / "study.tsv"
    path.write_text("annotator\titem\tlabel\n", encoding="utf-8")
    assert "no tie" in refusal("--judgements", path, "--labels", "yes,no", "--chance", "wmt")


@pytest.mark.parametrize("kind", ["task", "campaign"])
def test_a_stored_study_brings_its_scheme_and_its_repeats(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Judgements.from_rows([("ann", 1, "A>B"), ("bob", 1, "A>B")], FOUR_WAY.labels)
    again = Judgements.from_rows([("ann", 1, "A>B"), ("ann", 1, "A=B")], FOUR_WAY.labels)
    study = SimpleNamespace(scheme=FOUR_WAY, judgements=lambda: first, repeats=lambda: again)
    monkeypatch.setattr(agreement, "load_scope", lambda *which: SimpleNamespace(tasks=which))
    monkeypatch.setattr(agreement, "choose_kind", lambda scope, wanted: AnswerKind.PHRASES)
    monkeypatch.setattr(agreement, "load_study", lambda tasks, named: {(kind, "s"): study}[tasks])
    found = json.loads(run(f"--{kind}", "s"))
    assert (found["scheme"], found["pairs"], found["intra"]["pairs"]) == ("four-way", 1, 1)
    assert "was judged with four-way" in refusal(f"--{kind}", "s", "--scheme", "six-way")
    assert "--labels is for files" in refusal(f"--{kind}", "s", "--labels", "x,y")
