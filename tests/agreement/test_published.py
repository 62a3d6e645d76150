"""Agreement that others published, from their raw judgements, to the printed digits.

WMT08: Callison-Burch et al. 2008, tables of inter- and intra-annotator agreement ("with identical
constituents"). WMT15: the organisers' own printout for collapsed rankings. WMT12: computed by the rule
of that printout.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.agreement import recipes

pytestmark = pytest.mark.realdata

NAMES = {"Czech": "cs", "German": "de", "French": "fr", "Finnish": "fi", "Russian": "ru", "English": "en"}
WMT12 = ("cs-en", "de-en", "en-cs", "en-de", "en-es", "en-fr", "es-en", "fr-en")
WMT15 = [f"English-{name}" for name in NAMES if name != "English"] + [
    f"{name}-English" for name in NAMES if name != "English"
]


def agreement(tmp_path: Path, rows: Iterable[recipes.Row], *options: str) -> dict[str, Any]:
    """What the command prints about a file made by a recipe."""
    path, out = tmp_path / "study.tsv", StringIO()
    lines = ("\t".join(row) for row in rows)
    path.write_text("annotator\titem\tlabel\tsentence\n" + "\n".join(lines) + "\n", encoding="utf-8")
    call_command("agreement", "--judgements", str(path), *options, "--resamples", "0", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.fixture(scope="module")
def expected(real_data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (real_data / "agreement" / "expected.json").read_text(encoding="utf-8")
    )
    return found


@pytest.mark.parametrize("kind", ["RANK", "CONSTITUENT", "CONSTITUENT_ACCEPT"])
def test_wmt08(kind: str, real_data: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    labels = recipes.YES_NO if kind == "CONSTITUENT_ACCEPT" else recipes.ORDER
    found = agreement(tmp_path, recipes.wmt08(real_data, kind), "--labels", ",".join(labels))
    rows = expected["wmt08"]["rows"][kind]
    assert [round(found["p_a"], 3), round(found["kappa"], 3), found["pairs"]] == rows["inter"]
    intra = found["intra"]
    assert [round(intra["p_a"], 3), round(intra["kappa"], 3), intra["pairs"]] == rows["intra"]


def check_wmt(found: dict[str, Any], inter: list[float], intra: list[float]) -> None:
    """Rows are P(A), P(E), κ, agreeing, compared, ties, all."""
    agreeing = round(found["p_a"] * found["pairs"])
    rounded = [round(found[key], 3) for key in ("p_a", "p_e", "kappa")]
    totals = found["label_totals"]
    assert [*rounded, agreeing, found["pairs"], totals["A=B"], sum(totals.values())] == inter
    own = found["intra"]
    assert [round(own["p_a"], 3), round(own["kappa"], 3)] == [intra[0], intra[2]]
    assert [round(own["p_a"] * own["pairs"]), own["pairs"]] == intra[3:5]


WMT = ("--labels", ",".join(recipes.ORDER), "--chance", "wmt", "--pairs", "all")


@pytest.mark.parametrize("pair", WMT12)
def test_wmt12(pair: str, real_data: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    rows = recipes.rankings(real_data / "rr_wmt12" / f"{pair}.rankings.jsonl.gz")
    published = expected["wmt12_computed_here"]["rows"][pair]
    check_wmt(agreement(tmp_path, rows, *WMT), published["inter"], published["intra"])


@pytest.mark.parametrize("pair", WMT15)
def test_wmt15(pair: str, real_data: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    code = "-".join(NAMES[name] for name in pair.split("-"))
    rows = recipes.rankings(real_data / "rr_wmt15" / f"{code}.rankings.jsonl.gz")
    published = expected["wmt15_published"]
    check_wmt(agreement(tmp_path, rows, *WMT), published["inter"][pair], published["intra"][pair])


def test_wmt08_phrase_ranking_by_first_judgements(real_data: Path, tmp_path: Path) -> None:
    """Without the repeats 13,031 pairs remain and κ is .514."""
    first: dict[tuple[str, str], recipes.Row] = {}
    for row in recipes.wmt08(real_data, "CONSTITUENT"):
        first.setdefault((row[0], row[1]), row)
    found = agreement(tmp_path, first.values(), "--labels", ",".join(recipes.ORDER))
    assert (found["pairs"], round(found["kappa"], 3)) == (13_031, 0.514)
