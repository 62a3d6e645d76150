"""``manage.py align`` as scripts use it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command


def run(monkeypatch: pytest.MonkeyPatch, text: str, *options: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    call_command("align", *options, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def refusal(monkeypatch: pytest.MonkeyPatch, text: str, *options: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(monkeypatch, text, *options)
    assert caught.value.returncode == 2
    return str(caught.value)


def test_lines_come_out_in_the_order_they_went_in(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = run(
        monkeypatch,
        '{"a": "the red house", "b": "the blue house", "links": "0-0 1-1 2-2"}\n\n{"a": ["x"], "b": "x"}\n',
    )
    assert first == {
        "a": ["the", "red", "house"],
        "b": ["the", "blue", "house"],
        "links": "0-0 1-1 2-2",
        "dropped_links": "",
        "phrases": [
            {"a": [0, 1], "b": [0, 1], "kind": "shared", "moved": False},
            {"a": [1, 2], "b": [1, 2], "kind": "different", "moved": False, "question": 1},
            {"a": [2, 3], "b": [2, 3], "kind": "shared", "moved": False},
        ],
    }
    assert second["links"] == "0-0"


def test_empty_links_mean_none_and_absent_links_mean_the_aligner(monkeypatch: pytest.MonkeyPatch) -> None:
    given, found = run(monkeypatch, '{"a": "x, y", "b": "x, y", "links": ""}\n{"a": "x, y", "b": "x, y"}\n')
    assert (given["a"], given["links"]) == (["x,", "y"], "")
    assert (found["a"], found["links"]) == (["x", ",", "y"], "0-0 1-1 2-2")


@pytest.mark.parametrize("name", ["lexical", "exact", "statistical"])
def test_every_built_in_aligner_works(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (line,) = run(monkeypatch, '{"a": "the cat sat", "b": "the cat lay"}', "--aligner", name, "--lang", "en")
    assert [p["kind"] for p in line["phrases"]] == ["shared", "different"]


def test_paper_mode_case_and_base_options(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"a": "The red house", "b": "the blue house", "links": "1-1 2-2 3-3"}'
    (line,) = run(monkeypatch, text, "--mode", "paper", "--link-base", "1", "--ignore-case")
    assert line["phrases"] == [{"a": [0, 3], "b": [0, 3], "kind": "different", "moved": False, "question": 0}]


@pytest.mark.parametrize("flags", [(), ("--join",), ("--ignore-case", "--ignore-punctuation", "--join")])
def test_questions_are_those_of_the_import_whatever_the_flags(
    monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    text = '{"a": "They spoke of the fence fees here.", "b": "they spoke about the fencing costs here"}'
    (line,) = run(monkeypatch, text, "--lang", "en", *flags)
    asked = [phrase for phrase in line["phrases"] if phrase.get("question") is not None]
    words = [line["a"][n] for phrase in asked if phrase["a"] for n in range(*phrase["a"])]
    assert words == ["of", "the", "fence", "fees"]
    assert len({phrase["question"] for phrase in asked}) == 1


def test_given_links_and_paper_mode_are_not_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"a": "of the fence", "b": "about the gate", "links": "0-0 1-1 2-2"}'
    (line,) = run(monkeypatch, text, "--lang", "en")
    assert [phrase.get("question") for phrase in line["phrases"]] == [0, None, 2]


def test_coarseness_and_ask_all_decide_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(text: str, *options: str) -> int:
        (line,) = run(monkeypatch, text, "--lang", "en", *options)
        return len({p["question"] for p in line["phrases"] if "question" in p})

    text = '{"a": "red houses burn slowly", "b": "blue houses burn quickly"}'
    assert (count(text, "--coarseness", "0"), count(text, "--coarseness", "40")) == (2, 1)
    text = '{"a": "we saw the new bridge", "b": "we saw new bridge"}'
    assert (count(text), count(text, "--ask-all")) == (0, 1)


def test_words_are_segmented_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"a": "他昨天见到了老师", "b": "他昨天看见了老师"}'
    (characters,) = run(monkeypatch, text, "--lang", "zh")
    (words,) = run(monkeypatch, text, "--lang", "zh", "--segment-words")
    assert characters["a"] == list("他昨天见到了老师")
    assert words["a"] == ["他", "昨天", "见到", "了", "老师"]
    assert [p["a"] for p in words["phrases"] if "question" in p] == [[2, 3]]
    assert refusal(monkeypatch, text, "--lang", "de", "--segment-words") == (
        "--segment-words: no segmenter finds the words of the language 'de'; known: ja, th, zh"
    )


def test_a_gzipped_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": "x", "b": "y"}\n'))
    assert len(run(monkeypatch, "", str(path))) == 1


BAD = {
    '{"a": "x y", "b": "x y", "links": "2-2"}': "<stdin>:1:1: alignment_range: link 2-2",
    '{"a": "x", "b": "x", "links": "a-b"}': "alignment_syntax",
    '{"a": "x", "b": "x", "links": null}': "schema: links must be a string",
    '{"a": "x"': "json_syntax",
    '{"a": "x"}': "schema: the key 'b' is missing",
    '{"a": 1, "b": "x"}': "schema: 'a' must be a string",
    '{"a": ["x", 2], "b": "x"}': "schema: 'a' must be a string",
    '{"a": "x", "a": "y", "b": "z"}': "duplicate_key: the key 'a'",
    '{"a": "\\ud800", "b": "x"}': "bad_unicode",
    "[]": "schema: expected an object",
    "[" * 100_000: "too_deep",
}


@pytest.mark.parametrize("line", BAD, ids=list(BAD.values()))
def test_a_bad_line_is_refused_with_its_place_and_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    assert BAD[line] in refusal(monkeypatch, line)
    assert "<stdin>:2" in refusal(monkeypatch, '{"a": "x", "b": "y"}\n' + line)


def test_a_damaged_archive_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "pairs.jsonl.gz"
    damaged.write_bytes(gzip.compress(b"", mtime=0)[:10] + b"\xff" * 20)
    assert f"{damaged}: bad_gzip: " in refusal(monkeypatch, "", str(damaged))


def test_bad_options_and_missing_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--max-length must be at least 1" in refusal(monkeypatch, "", "--max-length", "0")
    assert "--coarseness must be at least 0" in refusal(monkeypatch, "", "--coarseness", "-1")
    missing = refusal(monkeypatch, "", "nowhere.jsonl")
    assert "nowhere.jsonl: unreadable_file: No such file or directory; check the path" in missing
    assert "at least one sentence pair" in refusal(
        monkeypatch, '{"a": "", "b": ""}', "--aligner", "statistical"
    )


PAIRS = '{"a": "x y", "b": "x y", "links": "0-0 1-1"}\n{"a": "x y", "b": "x z", "links": "0-0"}\n'


@pytest.mark.parametrize(("gold", "base"), [("0-0\n0p0 1-1\n", ()), ("1-1\n1p1 2-2\n", ("--gold-base", "1"))])
def test_a_gold_alignment_gives_the_error_rate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gold: str, base: tuple[str, ...]
) -> None:
    file = tmp_path / "gold.txt"
    file.write_text(gold)
    *aligned, result = run(monkeypatch, PAIRS, "--gold", str(file), *base)
    assert [pair["links"] for pair in aligned] == ["0-0 1-1", "0-0"]
    # Computed 3, sure 2; of the computed links 1 is sure, 2 are sure or possible.
    assert result == {"alignment_error_rate": pytest.approx(1 - (1 + 2) / (3 + 2)), "pairs": 2}


@pytest.mark.parametrize(
    ("gold", "code"),
    [("0-0\n", "line_count"), ("0-0\n0-2\n", "alignment_range"), ("0-0\n0pp1\n", "alignment_syntax")],
)
def test_a_wrong_gold_alignment_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gold: str, code: str
) -> None:
    file = tmp_path / "gold.txt"
    file.write_text(gold)
    assert code in refusal(monkeypatch, PAIRS, "--gold", str(file))


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("pair", "links", "rate"),
    [
        ("enfr", "giza.enfr.grow-diagonal", 5.9),
        ("roen", "giza.roen.grow-diagonal-final", 26.4),
        ("enfr", "fastalign.enfr.grow-diagonal", 10.5),
        ("roen", "fastalign.roen.grow-diagonal", 32.1),
    ],
)
def test_published_alignments_have_their_published_error_rates(
    monkeypatch: pytest.MonkeyPatch, real_data: Path, pair: str, links: str, rate: float
) -> None:
    folder = real_data / "align"
    with gzip.open(folder / f"{pair}.src-tgt.gz", "rt", encoding="utf-8") as file:
        texts = [line.rstrip("\n").split("|||") for line in file]
    with gzip.open(folder / "hyp" / f"{links}.talp.gz", "rt", encoding="utf-8") as file:
        found = [line.strip() for line in file]
    lines = [
        json.dumps({"a": a.split(), "b": b.split(), "links": given})
        for (a, b), given in zip(texts, found, strict=True)
    ]
    gold = ("--gold", str(folder / f"{pair}.gold.gz"), "--gold-base", "1")
    *_, result = run(monkeypatch, "\n".join(lines), *gold)
    assert round(100 * result["alignment_error_rate"], 1) == rate
