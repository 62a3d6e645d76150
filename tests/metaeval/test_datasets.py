"""The readers of judged sets: what they accept, what they refuse, and where they say the fault is."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from appraise.lib.problems import InputError
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Dataset, Ratings
from tests.metaeval import samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    samples.write(tmp_path, segments=samples.SEGMENTS, outputs=samples.OUTPUTS, pairs=samples.PAIRS)
    return tmp_path


@pytest.fixture
def dataset(folder: Path) -> Dataset:
    return datasets.read_dataset(folder / "x.segments.tsv", folder / "x.outputs.tsv")


def codes(error: pytest.ExceptionInfo[InputError]) -> set[tuple[str, int | None]]:
    return {(problem.code, problem.line) for problem in error.value.problems}


def test_texts_and_cells_keep_the_order_of_their_files(dataset: Dataset) -> None:
    assert list(dataset.texts) == ["1", "2"]
    assert dataset.texts["1"].references == ("one two three",)
    assert list(dataset.systems()) == ["alpha", "beta", "gamma"]
    assert dataset.segment_codes().tolist() == [0, 1, 0, 1, 0, 1]


def test_packed_files_read_like_plain_ones_and_have_the_same_digest(folder: Path, dataset: Dataset) -> None:
    samples.write(folder, segments_gz=samples.SEGMENTS, outputs_gz=samples.OUTPUTS)
    packed = datasets.read_dataset(folder / "x.segments.tsv.gz", folder / "x.outputs.tsv.gz")
    assert packed == dataset
    plain = [folder / "x.segments.tsv", folder / "x.outputs.tsv"]
    assert datasets.digest(plain) == datasets.digest([f"{path}.gz" for path in plain])


def test_a_set_is_found_by_its_prefix_plain_or_packed(tmp_path: Path) -> None:
    samples.write(tmp_path, segments_gz=samples.SEGMENTS, outputs=samples.OUTPUTS, pairs_gz=samples.PAIRS)
    files = datasets.find_set(tmp_path / "x")
    assert [path.name for path in files.all()] == ["x.segments.tsv.gz", "x.outputs.tsv", "x.pairs.tsv.gz"]


def test_a_set_without_outputs_is_refused(tmp_path: Path) -> None:
    samples.write(tmp_path, segments=samples.SEGMENTS)
    with pytest.raises(InputError, match="outputs"):
        datasets.find_set(tmp_path / "x")


def test_rankings_expand_to_pairs_and_shared_items_are_not_compared(folder: Path, dataset: Dataset) -> None:
    samples.write(folder, rankings=samples.RANKINGS)
    human = datasets.read_rankings(folder / "x.rankings.jsonl", dataset)
    pairs = [
        (dataset.cells[b][:2], dataset.cells[w][:2])
        for b, w in zip(human.better.tolist(), human.worse.tolist(), strict=True)
    ]
    assert pairs == [
        (("alpha", "1"), ("beta", "1")),
        (("alpha", "1"), ("gamma", "1")),
        (("beta", "1"), ("gamma", "1")),
        (("alpha", "2"), ("gamma", "2")),
        (("beta", "2"), ("gamma", "2")),
    ]
    assert human.tied.tolist() == [[1, 3]]


def test_pairs_and_rankings_of_the_same_verdicts_are_equal(folder: Path, dataset: Dataset) -> None:
    samples.write(folder, rankings=samples.RANKINGS)
    ranked = datasets.read_rankings(folder / "x.rankings.jsonl", dataset)
    paired = datasets.read_pairs(folder / "x.pairs.tsv", dataset)
    assert ranked.better.tolist() == paired.better.tolist()
    assert ranked.worse.tolist() == paired.worse.tolist()


def test_five_ranked_systems_give_ten_pairs(tmp_path: Path) -> None:
    names = "abcde"
    outputs = "system\tseg\ttranslation\n" + "".join(f"{name}\t1\tx\n" for name in names)
    ranking = '{"seg": "1", "items": [' + ", ".join(f'[["{n}"], {i}]' for i, n in enumerate(names)) + "]}"
    samples.write(tmp_path, segments=samples.SEGMENTS, outputs=outputs, rankings=[ranking])
    dataset = datasets.read_dataset(tmp_path / "x.segments.tsv", tmp_path / "x.outputs.tsv")
    assert len(datasets.read_rankings(tmp_path / "x.rankings.jsonl", dataset).better) == 10


def test_scores_carry_their_own_translations_and_an_empty_score_is_no_judgement(tmp_path: Path) -> None:
    samples.write(tmp_path, segments=samples.SEGMENTS, scores=samples.SCORES)
    dataset, ratings = datasets.read_scores(tmp_path / "x.scores.tsv", tmp_path / "x.segments.tsv")
    assert len(dataset.cells) == 4
    assert ratings.values.tolist() == [-1.0, -2.0, -3.0]


def test_scores_may_point_into_an_outputs_file(folder: Path) -> None:
    samples.write(folder, scores="system\tseg\tda\nalpha\t1\t0.5\nalpha\t1\t0.7\n")
    _, ratings = datasets.read_scores(
        folder / "x.scores.tsv", folder / "x.segments.tsv", folder / "x.outputs.tsv", column="da"
    )
    assert ratings.cells.tolist() == [0, 0]


def test_the_score_column_must_be_named_where_two_could_be_meant(tmp_path: Path) -> None:
    scores = "system\tseg\tmqm\tda\ttranslation\na\t1\t1\t2\tx\n"
    samples.write(tmp_path, segments=samples.SEGMENTS, scores=scores)
    with pytest.raises(InputError, match="choose one of: mqm, da"):
        datasets.read_scores(tmp_path / "x.scores.tsv", tmp_path / "x.segments.tsv")


def test_judged_rows_are_segments_by_text_and_split_by_group(tmp_path: Path) -> None:
    samples.write(tmp_path, judged=samples.JUDGED)
    judged = datasets.read_judged(tmp_path / "x.judged.tsv", column="da", by="lp")
    assert list(judged.dataset.systems()) == ["de-en/alpha", "de-en/beta", "cs-en/alpha", "cs-en/beta"]
    dataset, ratings = judged.group("cs-en")
    assert isinstance(ratings, Ratings)
    assert [cell.translation for cell in dataset.cells] == ["one two", "one two three"]
    assert ratings.values.tolist() == [0.5, 0.7]
    assert len(dataset.texts) == 1


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + samples.SEGMENTS.replace("\n", "\r\n").encode())
    assert list(datasets.read_texts(path)[0]) == ["1", "2"]


def test_line_separators_inside_a_text_do_not_end_the_line(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("seg\tsource\treference\n1\ta\u2028b\x85c\td\n", encoding="utf-8")
    assert datasets.read_texts(path)[0]["1"].source == "a\u2028b\x85c"


SEGMENT_FAULTS = {
    "empty": (b"", {("empty_file", None)}),
    "no reference column is no fault, no source is": (b"seg\tref\n1\tx\n", {("bad_header", 1)}),
    "column twice": (b"seg\tsource\tref\tref\n", {("bad_header", 1)}),
    "short row": (b"seg\tsource\tref\n1\tx\n2\ta\tb\n3\n", {("column_count", 2), ("column_count", 4)}),
    "same id": (b"seg\tsource\tref\n1\tx\ty\n1\tx\ty\n", {("duplicate_id", 3)}),
    "not UTF-8": (b"seg\tsource\tref\n1\t\xff\ty\n", {("bad_utf8", 2)}),
    "damaged gzip": (b"\x1f\x8bxxxx", {("bad_gzip", None)}),
}


@pytest.mark.parametrize(("content", "expected"), SEGMENT_FAULTS.values(), ids=SEGMENT_FAULTS)
def test_bad_segments_are_refused_with_their_places(
    tmp_path: Path, content: bytes, expected: set[tuple[str, int | None]]
) -> None:
    path = tmp_path / "s.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        datasets.read_texts(path)
    assert codes(error) == expected


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.tsv"):
        datasets.read_texts(tmp_path / "nowhere.tsv")


OUTPUT_FAULTS = {
    "unknown segment": ("a\t9\tx\n", "unknown_segment"),
    "twice": ("a\t1\tx\na\t1\ty\n", "duplicate_system"),
    "no rows": ("", "no_items"),
}


@pytest.mark.parametrize(("rows", "code"), OUTPUT_FAULTS.values(), ids=OUTPUT_FAULTS)
def test_bad_outputs_are_refused(tmp_path: Path, rows: str, code: str) -> None:
    samples.write(tmp_path, segments=samples.SEGMENTS, outputs="system\tseg\ttranslation\n" + rows)
    with pytest.raises(InputError) as error:
        datasets.read_dataset(tmp_path / "x.segments.tsv", tmp_path / "x.outputs.tsv")
    assert {problem.code for problem in error.value.problems} == {code}


RANKING_FAULTS = {
    "not JSON": ("{", "json_syntax"),
    "no object": ("[]", "json_syntax"),
    "no items": ('{"seg": 1}', "json_syntax"),
    "items without ranks": ('{"seg": 1, "items": [["alpha"]]}', "json_syntax"),
    "a rank in words": ('{"seg": 1, "items": [[["alpha"], "best"], [["beta"], 2]]}', "bad_number"),
    "a fraction as rank": ('{"seg": 1, "items": [[["alpha"], 1.5], [["beta"], 2]]}', "bad_number"),
    "true as rank": ('{"seg": 1, "items": [[["alpha"], true], [["beta"], 2]]}', "bad_number"),
    "a name without its list": ('{"seg": 1, "items": [["alpha", 1], ["beta", 2]]}', "json_syntax"),
    "a system against itself": ('{"seg": 1, "items": [[["alpha"], 1], [["alpha"], 2]]}', "self_pair"),
    "unknown system": ('{"seg": 1, "items": [[["alpha"], 1], [["delta"], 2]]}', "missing_output"),
    "very deep": ("[" * 100_000, "json_syntax"),
}


@pytest.mark.parametrize(("line", "code"), RANKING_FAULTS.values(), ids=RANKING_FAULTS)
def test_bad_rankings_are_refused(folder: Path, dataset: Dataset, line: str, code: str) -> None:
    samples.write(folder, rankings=[samples.RANKINGS[0], line])
    with pytest.raises(InputError) as error:
        datasets.read_rankings(folder / "x.rankings.jsonl", dataset)
    assert codes(error) == {(code, 2)}


@pytest.mark.parametrize("value", ["high", "nan", "inf", "1,5"])
def test_scores_that_are_no_numbers_are_refused(tmp_path: Path, value: str) -> None:
    scores = f"system\tseg\tmqm\ttranslation\nalpha\t1\t{value}\tx\n"
    samples.write(tmp_path, segments=samples.SEGMENTS, scores=scores)
    with pytest.raises(InputError) as error:
        datasets.read_scores(tmp_path / "x.scores.tsv", tmp_path / "x.segments.tsv", column="mqm")
    assert codes(error) == {("bad_number", 2)}


def test_a_system_against_itself_is_refused(folder: Path, dataset: Dataset) -> None:
    samples.write(folder, pairs="seg\tbetter\tworse\n1\talpha\talpha\n")
    with pytest.raises(InputError) as error:
        datasets.read_pairs(folder / "x.pairs.tsv", dataset)
    assert codes(error) == {("self_pair", 2)}


def test_only_the_first_faults_are_told(tmp_path: Path) -> None:
    samples.write(tmp_path, segments=samples.SEGMENTS + "short\n" * 100)
    with pytest.raises(InputError) as error:
        datasets.read_texts(tmp_path / "x.segments.tsv")
    assert len(error.value.problems) == 20


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_read_or_refused_never_worse(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x"
    dataset = Dataset({"1": datasets.Text("s", ())}, (datasets.DatasetCell("a", "1", "x"),))
    for prefix in (
        b"",
        b"seg\tsource\tref\n",
        b"seg\tbetter\tworse\n1\ta\ta",
        b'{"seg": 1, "items": [[',
        b"\x1f\x8b",
    ):
        path.write_bytes(prefix + content)
        for read in (
            lambda: datasets.read_texts(path),
            lambda: datasets.read_pairs(path, dataset),
            lambda: datasets.read_rankings(path, dataset),
            lambda: datasets.read_judged(path, column="da"),
        ):
            with contextlib.suppress(InputError):
                read()
