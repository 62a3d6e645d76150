"""Our strengths against the scores that the WMT15 organisers published (TrueSkill on the same data)."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from pathlib import Path

import pytest
from scipy import stats

from evaluation.results import PhraseRanking, Votes, compute_system_results

pytestmark = pytest.mark.realdata

LANGUAGES = {"cs": "ces", "de": "deu", "fi": "fin", "fr": "fre", "ru": "rus", "en": "eng"}
PAIRS = ["cs-en", "de-en", "fi-en", "fr-en", "ru-en", "en-cs", "en-de", "en-fi", "en-fr", "en-ru"]


def official(folder: Path, pair: str) -> dict[str, float]:
    name = "-".join(LANGUAGES[code] for code in pair.split("-"))
    path = folder / "rr_wmt15" / "official_results" / f"wmt15.{name}.txt"
    lines = re.findall(r"news\w*test2015\.(\S+)\.\w\w-\w\w\.txt (\S+) ", path.read_text(encoding="utf-8"))
    return {system: float(score) for system, score in lines}


def votes_of(folder: Path, pair: str) -> Votes:
    found = []
    with gzip.open(folder / "rr_wmt15" / f"{pair}.rankings.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            for (a, rank_a), (b, rank_b) in itertools.combinations(line["items"], 2):
                if rank_a is not None and rank_b is not None:
                    sign = (rank_a < rank_b) - (rank_a > rank_b)
                    found.append(PhraseRanking(a, b, sign, line["seg"], line["judge"]))
    return Votes.from_rankings(found)


@pytest.mark.parametrize("pair", PAIRS)
def test_strengths_follow_the_official_scores(pair: str, real_data: Path) -> None:
    scores = official(real_data, pair)
    found = compute_system_results(votes_of(real_data, pair), resamples=0)
    ours = {line.system.removeprefix("newsdiscusstest2015."): line.ability for line in found.systems}
    common = sorted(scores.keys() & ours.keys())
    assert len(common) == len(scores)
    r = stats.pearsonr([scores[s] for s in common], [ours[s] for s in common]).statistic
    assert r > 0.98
