"""Published rankings read as a study, and what the studies tell of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.studies import replay_changes, replay_panel, replay_phenomena
from benchmarks.studies.minimal_pairs import NUMBER_OF, places, shown_at, words_win
from benchmarks.studies.published_campaigns import reread
from evaluation.phenomena.classification import Phenomenon
from evaluation.schemes import SIX_WAY
from evaluation.voters import TaggedWord, WordClass
from metrics.ranking.data import OutputRanking, RankedSet


def ranked(*rankings: OutputRanking, texts: tuple[str, ...] = ("x b", "x a", "x a", "x")) -> RankedSet:
    systems = tuple("pqrs"[: len(texts)])
    return RankedSet(("source",), ("1",), systems, texts, (0,) * len(texts), rankings)


def answer_of(study: Callable[[Sequence[str]], None], *arguments: object) -> Any:
    with redirect_stdout(StringIO()) as out:
        study([*map(str, arguments)])
    return json.loads(out.getvalue())


def write_set(
    folder: Path, references: list[str], outputs: dict[str, list[str]], judges: dict[str, list[str]]
) -> Path:
    """``judges``: the systems from best to worst, the same for every segment."""
    rows = [f"{n}\tsource {n}\t{text}" for n, text in enumerate(references)]
    (folder / "x.segments.tsv").write_text("\n".join(["seg\tsource\tref", *rows, ""]), encoding="utf-8")
    rows = [f"{system}\t{n}\t{text}" for system, texts in outputs.items() for n, text in enumerate(texts)]
    (folder / "x.outputs.tsv").write_text(
        "\n".join(["system\tseg\ttranslation", *rows, ""]), encoding="utf-8"
    )
    rankings = [
        {"seg": n, "judge": judge, "items": [[[system], rank + 1] for rank, system in enumerate(order)]}
        for n in range(len(references))
        for judge, order in judges.items()
    ]
    (folder / "x.rankings.jsonl").write_text("\n".join(map(json.dumps, rankings)) + "\n", encoding="utf-8")
    return folder / "x"


def test_the_smaller_text_is_first_and_the_first_answer_of_a_judge_counts() -> None:
    found = reread(
        {"one": ranked(OutputRanking(((0, 1), (1, 2)), "ann"), OutputRanking(((1, 1), (0, 2)), "ann"))}
    )
    assert [pair[2:] for pair in found.pairs] == [("x a", "x b")]
    assert [SIX_WAY.labels[label] for label in found.study.labels] == ["A<B"]  # p wrote "x b" and was better


def test_a_text_of_two_systems_is_judged_once_and_is_a_vote_for_both() -> None:
    found = reread({"one": ranked(OutputRanking(((0, 1), (1, 2), (2, 2)), "ann"))})
    assert len(found.study) == len(found.pairs) == 1
    names = found.meetings.system_names
    met = {(names[a], names[b]) for a, b in zip(found.meetings.first, found.meetings.second, strict=True)}
    assert met == {("q", "p"), ("r", "p")}


def test_pairs_of_two_campaigns_are_two() -> None:
    one = ranked(OutputRanking(((0, 1), (1, 2)), "ann"))
    assert [pair.campaign for pair in reread({"a": one, "b": one}).pairs] == [0, 1]


def test_tags_tell_what_lists_cannot() -> None:
    texts = ("he went home", "he goes home")
    found = reread({"one": ranked(OutputRanking(((0, 1), (1, 2)), "ann"), texts=texts)})
    (differing,) = places(found, "en")
    assert (differing.first, differing.second, differing.begins) == (("goes",), ("went",), False)
    by_lists = shown_at(found, [differing], [[["he goes"]]], "en")
    words = {text: {text.split()[1]: TaggedWord(WordClass.CONTENT, "go")} for text in texts}
    by_tags = shown_at(found, [differing], [[["he goes"]]], "en", words)
    assert by_lists[0, NUMBER_OF[Phenomenon.CHOICE]]
    assert by_tags[0, NUMBER_OF[Phenomenon.INFLECTION]]


def test_the_output_that_has_the_words_is_told_from_the_one_without() -> None:
    texts = ("a man", "an old man")
    found = reread({"one": ranked(OutputRanking(((0, 2), (1, 1)), "ann"), texts=("old man", "man"))})
    differing = places(found, "en")
    shown = shown_at(found, differing, [[["an old man"]]], "en")
    assert words_win(found, differing, shown, Phenomenon.OMISSION) == (0, 1)
    assert places(reread({"one": ranked(OutputRanking(((0, 1), (1, 2))), texts=texts)}), "en")[0].begins


def test_disagreements_of_published_rankings_are_told_by_phenomenon(tmp_path: Path) -> None:
    outputs = {"a": ["he did not go home"] * 3, "b": ["he did go home"] * 3}
    where = write_set(tmp_path, ["he did not go home"] * 3, outputs, {"ann": ["a", "b"], "bob": ["a", "b"]})
    found = answer_of(replay_phenomena.main, "--set", where)
    assert [found[size] for size in ("phrase_pairs", "sentences", "answers", "judges")] == [3, 3, 6, 2]
    assert {line["phenomenon"]: line["agreement"]["kappa"] for line in found["phenomena"]} == {
        "omission": 1.0,
        "negation": 1.0,
    }
    assert found["with_and_without_won"]["omission"] == [6, 0]


def test_where_outputs_differ_everywhere_there_is_nothing_to_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = write_set(tmp_path, ["r"], {"a": ["k l m n"], "b": ["o p q r"]}, {"ann": ["a", "b"]})
    with pytest.raises(SystemExit, match="2"):
        replay_phenomena.main(["--set", str(where)])
    assert "differ in one place" in capsys.readouterr().err


def test_metrics_that_err_together_outvote_people_unless_they_share_a_voice(tmp_path: Path) -> None:
    good, bad = ([f"{word} {text} {n}" for n in range(6)] for word, text in (("one", "is"), ("two", "was")))
    judges = {name: ["good", "bad"] for name in ("ann", "bob", "cat")}
    where = write_set(tmp_path, bad, {"good": good, "bad": bad}, judges)  # the reference is the bad one
    found = answer_of(replay_panel.main, "--set", where, "--metrics", "bleu,chrf,ter,wer")[str(where)]
    assert (found["fitted"], found["judges"], found["held_out"], found["majority"]) == (12, 3, 6, 1.0)
    right = {
        seats: [panel["right"] for panel in models.values()] for seats, models in found["panels"].items()
    }
    assert right == {"people": [1.0] * 3, "one voter": [1.0] * 3, "each": [0.0] * 3}  # of each model


def test_a_panel_needs_two_judges_of_one_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = write_set(tmp_path, ["r"], {"a": ["k"], "b": ["l"]}, {"ann": ["a", "b"]})
    with pytest.raises(SystemExit, match="2"):
        replay_panel.main(["--set", str(where)])
    assert "two judges" in capsys.readouterr().err


def test_a_campaign_whose_judges_turned_round_changed_everything(tmp_path: Path) -> None:
    outputs = {"a": [f"{n} a" for n in range(12)], "b": [f"{n} b" for n in range(12)]}
    wheres = []
    for name, orders in (("before", {"x": ["a", "b"], "y": ["a", "b"]}), ("after", {"x": ["b", "a"]})):
        (tmp_path / name).mkdir()
        wheres.append(write_set(tmp_path / name, ["r"] * 12, outputs, orders))
    found = answer_of(replay_changes.main, *wheres)
    assert found["size"]["before"] == {"pairs": 12, "answers": 24, "judges": 2}
    of_a = found["wins"][0]
    assert (of_a["of"], of_a["change"]["before"], of_a["change"]["after"]) == ("a", 1.0, 0.0)
    assert of_a["change"]["paired"]
    assert of_a["p_holm"] < 0.01
    assert found["rejudged"]["pairs"] == 12
    assert found["rejudged"]["kept"] == 0
