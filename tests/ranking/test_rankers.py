"""From files to rankers: reading, features, evaluation, experiments, models on disk, commands."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, strategies as st

from appraise.lib.problems import InputError
from benchmarks.studies import ranker_table
from metrics import registry
from metrics.base import MetricUnavailable, score_systems
from metrics.metaeval.kendall import TieRule
from metrics.ranking import data, experiments, models
from metrics.ranking.data import OutputRanking, RankedSet
from metrics.ranking.experiments import DescribedSet, ExperimentPlan, better_or_equal, measure_agreement
from metrics.ranking.features import (
    EXTENDED_PRINTED,
    FAMILIES,
    NAMES,
    PRINTED,
    TABLE1,
    Extractor,
    find_features,
    measure_consensus,
)
from metrics.ranking.language_model import train_language_model
from metrics.ranking.metric import RankerMetric
from metrics.ranking.models import train_lexicon
from metrics.ranking.toolbox import report_progress
from metrics.ranking.training import describe_set
from metrics.tools.constituency import Parse

GOOD, MIDDLE, BAD = "the red house is small", "the red Haus is small", "Haus Haus rote klein"


def record(number: int, items: Sequence[tuple[str, int | None, str]], **more: object) -> dict[str, object]:
    outputs = [{"system": system, "rank": rank, "text": text} for system, rank, text in items]
    about = {
        "seg": str(number),
        "doc": f"d{number // 4}",
        "judge": "j",
        "source": f"das rote Haus ist klein {number}",
    }
    return {**about, "items": outputs, **more}


def write(path: Path, records: Sequence[dict[str, object]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in records)
    return path


@pytest.fixture
def inline(tmp_path: Path) -> Path:
    """Twenty sources; the texts copied from the source are worse, whoever wrote them."""
    systems = ("uni-a", "uni-b", "corp-c")
    records = []
    for n in range(20):
        order = [systems[(n + k) % 3] for k in range(3)]
        texts = zip(order, (1, 2, 3), (f"{GOOD} {n}", f"{MIDDLE} {n}", f"{BAD} {n}"), strict=True)
        records.append(record(n, [*texts, ("_ref", 1, "a human wrote this")]))
    return write(tmp_path / "set.jsonl.gz", records)


@pytest.fixture
def ranked(inline: Path) -> RankedSet:
    return data.read_ranked_set(inline)


# --- reading ----------------------------------------------------------------------------------------------


def test_an_inline_file_becomes_sources_cells_and_rankings(ranked: RankedSet) -> None:
    assert (len(ranked.sources), len(ranked.texts), len(ranked.rankings)) == (20, 80, 20)
    assert set(ranked.documents) == {"d0", "d1", "d2", "d3", "d4"}
    assert ranked.rankings[0] == OutputRanking(((0, 1), (1, 2), (2, 3), (3, 1)), "j")


def test_the_human_reference_is_left_out_of_rankings_and_consensus(ranked: RankedSet) -> None:
    machines = data.drop_human_outputs(ranked)
    assert all(ranked.systems[cell] != "_ref" for cell in machines.judged_cells())
    features = Extractor().extract(machines, machines.judged_cells())
    first = measure_consensus([text.lower().split() for text in ranked.texts[:3]])
    assert features[:3][:, [NAMES.index("consensus1")]] == pytest.approx(first[:, [0]])


def test_a_set_of_files_is_read_with_shared_texts_and_blank_ranks(tmp_path: Path) -> None:
    (tmp_path / "s.segments.tsv").write_text("seg\tsource\n1\teins\n", encoding="utf-8")
    outputs = "system\tseg\ttranslation\nx\t1\tone\ny\t1\tone\nz\t1\ttwo\nw\t1\tthree\n"
    (tmp_path / "s.outputs.tsv").write_text(outputs, encoding="utf-8")
    line = {"seg": 1, "judge": "j", "items": [[["x", "y"], 1], [["z"], 2], [["w"], None]]}
    (tmp_path / "s.rankings.jsonl").write_text(json.dumps(line), encoding="utf-8")
    found = data.read_ranked_set(tmp_path / "s")
    assert found.rankings == (OutputRanking(((0, 1), (1, 1), (2, 2)), "j"),)
    human = found.comparisons()
    assert list(zip(human.better.tolist(), human.worse.tolist(), strict=True)) == [(0, 2), (1, 2)]
    (tmp_path / "s.rankings.jsonl").unlink()
    (tmp_path / "s.pairs.tsv").write_text("seg\tbetter\tworse\n1\tz\tw\n", encoding="utf-8")
    assert data.read_ranked_set(tmp_path / "s").rankings == (OutputRanking(((2, 1), (3, 2))),)
    (tmp_path / "s.pairs.tsv").unlink()
    with pytest.raises(InputError, match="missing_file"):
        data.read_ranked_set(tmp_path / "s")


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[1]",
        '{"source": "a"}',
        '{"source": 1, "items": []}',
        '{"source": "a", "items": [{"system": "x", "rank": "1", "text": "t"}]}',
        '{"source": "a", "items": [{"system": "x", "rank": true, "text": "t"}]}',
    ],
)
def test_a_line_that_is_no_ranking_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(record(0, [("x", 1, "t")])) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        data.read_ranked_set(path)
    assert [(p.code, p.line) for p in refusal.value.problems] == [("bad_ranking", 2)]


def test_joining_sets_keeps_their_rankings_apart(ranked: RankedSet) -> None:
    both = data.join_sets([ranked, ranked])
    assert len(both.rankings) == 40
    assert both.rankings[20].ranks[0] == (80, 1)
    assert len(set(both.documents)) == 10
    assert both.source_of[80] == 20


def test_systems_of_one_site_are_held_out_together(ranked: RankedSet) -> None:
    left = data.drop_systems(ranked, lambda system: ranker_table.find_research_group(system) == "uni")
    assert {left.systems[cell] for cell in left.judged_cells()} == {"corp-c", "_ref"}


def test_contradicted_sources_are_filtered(tmp_path: Path) -> None:
    texts = [("x", 1, "one"), ("y", 2, "two")]
    opposite = [("x", 2, "one"), ("y", 1, "two")]
    tied = [("x", 1, "one"), ("y", 1, "two")]
    records = [record(0, texts), record(0, opposite), record(1, texts), record(1, tied)]
    found = data.drop_contradictions(data.read_ranked_set(write(tmp_path / "c.jsonl.gz", records)))
    assert len(found.rankings) == 2
    assert {found.source_of[r.ranks[0][0]] for r in found.rankings} == {1}


# --- features ---------------------------------------------------------------------------------------------


def test_without_tools_only_lengths_copies_and_consensus_are_known(ranked: RankedSet) -> None:
    features = Extractor().extract(ranked, np.arange(3))
    known = {name for name, column in zip(NAMES, features.T, strict=True) if not np.isnan(column).any()}
    assert known == {*FAMILIES["length"], *FAMILIES["consensus"], "copied"}
    copied = features[:, NAMES.index("copied")]
    assert copied.tolist() == [0.0, 1.0, 4.0]


def test_every_tool_fills_its_family(ranked: RankedSet) -> None:
    def parser(texts: Sequence[str]) -> list[Parse]:
        return [
            Parse(None, (), "too long")
            if text.startswith(BAD)
            else Parse("(ROOT (NP (NN x) (. .)))", (-float(len(text)), -float(len(text)) - 1))
            for text in texts
        ]

    def chunks(texts: Sequence[str]) -> list[dict[str, int] | None]:
        return [{"NP": 2, "VP": 0, "PP": 1, "NN": 4, "PUNC": 1} for _ in texts]

    pairs = [(["das", "rote", "haus"], ["the", "red", "house"])]
    extractor = Extractor(
        "de",
        "en",
        train_language_model([GOOD.split()], 3),
        parser,
        None,
        chunks,
        train_lexicon(pairs),
        train_lexicon([(b, a) for a, b in pairs]),
    )
    features = dict(zip(NAMES, extractor.extract(ranked, np.arange(3)).T, strict=True))
    assert features["unk"].tolist() == [1.0, 2.0, 5.0]
    assert features["ngram"][0] > features["ngram"][1] > features["ngram"][2]
    assert features["noparse"].tolist() == [0.0, 0.0, 1.0]
    assert np.isnan(features["logparse"]).tolist() == [False, False, True]
    assert features["NP_ratio"][:2].tolist() == [0.5, 0.5]
    assert np.isnan(features["VP_ratio"]).all()  # the source has none: no ratio, not infinity
    assert np.isnan(features["logparse_ratio"]).all()
    assert features["ibm1"][0] > features["ibm1"][2]


def test_a_tree_without_scores_is_counted(ranked: RankedSet) -> None:
    def parser(texts: Sequence[str]) -> list[Parse]:
        return [Parse("(ROOT (NP (NN x)))", (-2.0,)) for _ in texts]

    def trees(texts: Sequence[str]) -> list[Parse]:
        return [Parse("(ROOT (S (NP (NN x)) (VP (VB y) (NP (NN z)))))", ()) for _ in texts]

    extractor = Extractor("fr", "en", parser=parser, source_parser=trees)
    features = dict(zip(NAMES, extractor.extract(ranked, np.arange(3)).T, strict=True))
    assert features["NP_ratio"].tolist() == [0.5, 0.5, 0.5]
    assert features["VP_ratio"].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(features["logparse_ratio"]).all()


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), min_size=2, max_size=5))
def test_consensus_is_the_mean_overlap_with_the_others(outputs: list[list[str]]) -> None:
    def f1(a: list[str], b: list[str]) -> float:
        shared = sum(min(a.count(w), b.count(w)) for w in set(a))
        return 2 * shared / (len(a) + len(b)) if a or b else 0.0

    expected = [np.mean([f1(a, b) for j, b in enumerate(outputs) if j != i]) for i, a in enumerate(outputs)]
    assert measure_consensus(outputs)[:, 0] == pytest.approx(expected)


def test_one_output_has_no_consensus() -> None:
    assert np.isnan(measure_consensus([["alone"]])).all()


def test_ibm_model_one_learns_the_textbook_pairs() -> None:
    pairs = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")]
    model = train_lexicon([(a.split(), b.split()) for a, b in pairs], rounds=30)
    left = np.array([model.given.index("das"), model.given.index("buch")])
    right = np.array([model.words.index("the"), model.words.index("book")])
    table = model.probabilities(left, right)
    assert table[0, 0] > 0.7
    assert table[1, 1] > 0.7
    sums = np.bincount(model.keys // len(model.words), model.table)
    assert sums == pytest.approx(np.ones(len(model.given)))
    assert model.score(["haus"], []) is None
    assert model.score(["haus"], ["unheard"]) is not None


def test_a_lexicon_needs_words() -> None:
    with pytest.raises(ValueError, match="at least one pair"):
        train_lexicon([([], ["a"])])


# --- evaluation and experiments ---------------------------------------------------------------------------


def test_perfect_and_reversed_scores_reach_plus_and_minus_one(ranked: RankedSet) -> None:
    rank = np.zeros(len(ranked.texts))
    for ranking in ranked.rankings:
        for cell, place in ranking.ranks:
            rank[cell] = place
    perfect, reverse = (
        measure_agreement(ranked, sign * rank, ExperimentPlan({}, resamples=50)) for sign in (-1, 1)
    )
    assert (perfect.tau, perfect.tau_mean, perfect.pairs, perfect.sources) == (1.0, 1.0, 100, 20)
    assert perfect.tau_ci == (1.0, 1.0)
    assert perfect.system_rho == pytest.approx(1.0)
    assert reverse.tau == -1.0


def test_no_judgement_is_no_number(ranked: RankedSet) -> None:
    nothing = measure_agreement(RankedSet((), (), (), (), (), ()), np.zeros(0), ExperimentPlan({}))
    assert (nothing.tau, nothing.tau_ci, nothing.tau_mean, nothing.system_rho) == (None, None, None, None)
    assert nothing.pairs == 0


def test_outputs_without_a_score_take_no_part(ranked: RankedSet) -> None:
    unknown = measure_agreement(ranked, np.full(len(ranked.texts), np.nan), ExperimentPlan({}, resamples=5))
    assert (unknown.tau, unknown.tau_mean, unknown.system_rho) == (None, None, None)
    assert (unknown.pairs, unknown.systems) == (0, 0)


def test_ties_count_for_both_systems(ranked: RankedSet) -> None:
    tied = RankedSet(("s",), ("d",), ("x", "y"), ("a", "b"), (0, 0), (OutputRanking(((0, 1), (1, 1))),))
    assert better_or_equal(tied.comparisons(), tied.systems) == {"x": 1.0, "y": 1.0}


@pytest.fixture
def known(ranked: RankedSet) -> DescribedSet:
    return describe_set(ranked, Extractor("de", "en"))


def test_a_table_has_every_setting_twice_and_two_controls(known: DescribedSet) -> None:
    plan = ExperimentPlan({"copied": ("copied",), "len": ("len",)}, ("naive-bayes", "logistic"), resamples=10)
    rows = ranker_table.make_table(plan, known, known)
    assert [(row.features, row.training) for row in rows][:4] == [
        ("copied", "all"),
        ("copied", "held-out"),
    ] * 2
    assert rows[0].result.tau == 1.0  # worse outputs copy more of the source
    assert rows[1].result.tau == 0.0  # two sites: nothing is left to learn from, everything ties
    assert [row.features for row in rows[-2:]] == ["system only"] * 2
    assert abs(rows[-2].result.tau or 0) < 0.5  # every system was good, middling and bad in turn


def test_pairs_can_be_judged_without_the_data_of_their_own_sites(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e", "f")
    records = []
    for n in range(24):
        texts = (f"{GOOD} {n}", f"{MIDDLE} {n}", f"{BAD} {n}")
        chosen = [names[(n + k * (1 + n % 2)) % 6] for k in range(3)]
        records.append(record(n, list(zip(chosen, (1, 2, 3), texts, strict=True))))
    ranked = data.read_ranked_set(write(tmp_path / "six.jsonl.gz", records))
    plan = ExperimentPlan({}, resamples=0)
    known = describe_set(ranked, Extractor("de", "en"))
    held_out = ranker_table.hold_out_groups(plan, "logistic", ("copied",), known, known, parts=6)
    assert (held_out.tau or 0) > 0.8


def test_cross_validation_never_trains_on_the_tested_document(known: DescribedSet) -> None:
    for inside, outside in ranker_table.split_by_document(known.ranked, 5, seed=1):
        documents = [
            {part.documents[part.source_of[r.ranks[0][0]]] for r in part.rankings}
            for part in (inside, outside)
        ]
        assert not documents[0] & documents[1]
    plan = ExperimentPlan({}, rule=TieRule.DROP, resamples=0)
    assert ranker_table.cross_validate(plan, "logistic", ("copied",), known, 5).tau == 1.0


def test_the_papers_split_keeps_consistent_sources_apart(known: DescribedSet) -> None:
    train, test = experiments.split_as_paper(known, 6, seed=3)
    assert len(test.ranked.rankings) == 6
    assert len(train.ranked.rankings) == 14


def test_table_one_has_eleven_combinations_with_their_printed_figures() -> None:
    assert len(TABLE1) == len(PRINTED) == 11
    best = PRINTED["unk, len, nparse, VP, logparse"]
    assert max(PRINTED.values(), key=lambda row: row[1]) == best
    assert best[:2] == (0.81, 0.26)
    assert EXTENDED_PRINTED[:2] == (0.60, 0.23)
    assert all(name in NAMES for row in TABLE1.values() for name in row)


def test_an_unknown_feature_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown_feature: there is no feature 'charm'; known: grammar"):
        find_features("unk,charm")


# --- models and commands ----------------------------------------------------------------------------------


def run(*arguments: str) -> Any:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize("kind", ["naive-bayes", "knn", "logistic", "boosting"])
def test_a_ranker_survives_the_disk(known: DescribedSet, tmp_path: Path, kind: str) -> None:
    pairs = known.pairs(("copied", "len"))
    model = models.fit_ranker(("copied", "len"), kind, pairs.differences, pairs.won, {"data": "d"})
    models.save_ranker(model, tmp_path / "m.npz")
    again = models.load_ranker(tmp_path / "m.npz")
    assert (again.features, again.kind, again.about["data"]) == (("copied", "len"), kind, "d")
    sample = np.array([[1.0, 0.1], [np.nan, -0.2], [-2.0, np.nan]])
    assert again.classifier.probability(sample) == pytest.approx(model.classifier.probability(sample))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    pairs = [(["a"], ["b"])]
    models.save_lexicons(train_lexicon(pairs), train_lexicon(pairs), tmp_path / "l.npz", {})
    with pytest.raises(InputError, match="expected appraise-ranker, found appraise-lexicon"):
        models.load_ranker(tmp_path / "l.npz")
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(InputError, match="bad_model"):
        models.load_ranker(tmp_path / "x.npz")


def test_unknown_classifiers_and_empty_data_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown classifier 'oracle'"):
        models.fit_ranker(("len",), "oracle", np.zeros((0, 1)), np.zeros(0), {})
    with pytest.raises(ValueError, match="no decided pair"):
        models.fit_ranker(("len",), "knn", np.zeros((0, 1)), np.zeros(0), {})


@pytest.fixture
def model(inline: Path, tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(f"{GOOD}\n" * 3, encoding="utf-8")
    (tmp_path / "de.txt").write_text("das rote haus ist klein\n", encoding="utf-8")
    (tmp_path / "en.txt").write_text(f"{GOOD}\n", encoding="utf-8")
    lm = run(
        "train", "lm", "--text", str(tmp_path / "text.txt"), "--order", "3", "--out", str(tmp_path / "lm.npz")
    )
    assert lm["order"] == 3
    words = ["--source", str(tmp_path / "de.txt"), "--target", str(tmp_path / "en.txt")]
    assert run("train", "lexicon", *words, "--out", str(tmp_path / "lex.npz"))["pairs"] == 1
    found = run(
        *("train", "ranker", "--set", str(inline), "--features", "unk,ibm1,copied,consensus1"),
        *("--lm", str(tmp_path / "lm.npz"), "--lexicon", str(tmp_path / "lex.npz"), "--parser", "none"),
        *("--out", str(tmp_path / "ranker.npz")),
    )
    assert found["pairs"] == 60
    assert set(found["relieff"]) == {"unk", "ibm1", "copied", "consensus1"}
    assert found["tools"]["parser"] == "parser (absent)"
    return tmp_path / "ranker.npz"


def test_no_sentence_is_parsed_for_features_that_read_no_trees(
    inline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("a parser was started")

    monkeypatch.setattr("metrics.ranking.toolbox.ConstituencyParser", refuse)
    monkeypatch.setattr("metrics.ranking.toolbox.base.find_java", lambda: None)
    out = str(tmp_path / "ranker.npz")
    found = run("train", "ranker", "--set", str(inline), "--features", "len,copied", "--out", out)
    assert found["tools"]["parser"] == "parser (absent)"


def test_a_ranker_trained_without_a_parser_starts_none(
    inline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "ranker.npz")
    options = ("--features", "len,copied,logparse", "--parser", "none", "--out", out)
    run("train", "ranker", "--set", str(inline), *options)
    metric = registry.parse(f"ranker:model={out}")
    assert isinstance(metric, RankerMetric)
    assert metric.resources().parser == "none"
    assert replace(metric, parser="stanford").resources().parser == "stanford"


def test_as_a_metric_it_scores_the_share_of_wins(model: Path) -> None:
    metric = registry.parse(f"ranker:model={model}:parser=none")
    sources = ["das rote Haus ist klein"] * 2
    found = score_systems(metric, {"good": [GOOD, GOOD], "bad": [BAD, BAD]}, (), sources)
    assert found["good"].segments == pytest.approx(1 - found["bad"].segments)
    assert (found["good"].corpus or 0) > 0.5
    alone = score_systems(metric, {"alone": [GOOD]}, (), sources[:1])
    assert alone["alone"].segments.tolist() == [0.5]
    with pytest.raises(MetricUnavailable, match="the source"):
        score_systems(metric, {"good": [GOOD]})
    with pytest.raises(MetricUnavailable, match="needs a model file"):
        registry.get("ranker")


def test_nbest_lists_are_reranked_and_the_rest_of_a_line_is_kept(model: Path, tmp_path: Path) -> None:
    (tmp_path / "src").write_text("das rote Haus ist klein\nja\n", encoding="utf-8")
    rows = [f"0 ||| {BAD} ||| lm=1 ||| -3", f"0 ||| {GOOD} ||| lm=2 ||| -4", "1 ||| yes ||| lm=3 ||| -1"]
    (tmp_path / "nbest").write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = ["--model", str(model), "--nbest", str(tmp_path / "nbest"), "--source", str(tmp_path / "src")]
    out = StringIO()
    call_command("rerank", *options, "--parser", "none", stdout=out)
    assert out.getvalue().splitlines() == [rows[1], rows[0], rows[2]]
    best = StringIO()
    call_command("rerank", *options, "--parser", "none", "--best", stdout=best)
    assert best.getvalue().splitlines() == [GOOD, "yes"]


def test_an_empty_source_keeps_its_number(model: Path, tmp_path: Path) -> None:
    (tmp_path / "src").write_text("\ndas rote Haus ist klein\n", encoding="utf-8")
    rows = ["0 ||| yes", "0 ||| no", f"1 ||| {BAD}", f"1 ||| {GOOD}"]
    (tmp_path / "nbest").write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = ["--model", str(model), "--nbest", str(tmp_path / "nbest"), "--source", str(tmp_path / "src")]
    out = StringIO()
    call_command("rerank", *options, "--parser", "none", stdout=out)
    assert out.getvalue().splitlines()[2:] == [rows[3], rows[2]]


def test_a_lexicon_learns_from_lines_that_stand_beside_each_other(tmp_path: Path) -> None:
    (tmp_path / "de").write_text("haus\n\nhund\n", encoding="utf-8")
    (tmp_path / "en").write_text("house\ncat\n\ndog\n", encoding="utf-8")
    words = ["--source", str(tmp_path / "de"), "--target", str(tmp_path / "en")]
    with pytest.raises(CommandError, match="3 lines of source and 4 of target"):
        run("train", "lexicon", *words, "--out", str(tmp_path / "lex.npz"))
    (tmp_path / "en").write_text("house\ncat\ndog\n", encoding="utf-8")
    run("train", "lexicon", *words, "--out", str(tmp_path / "lex.npz"))
    there, _ = models.load_lexicons(tmp_path / "lex.npz")
    assert there.words == ("house", "dog")
    assert (there.score(["hund"], ["dog"]) or 0) > (there.score(["hund"], ["house"]) or 0)


def test_rankers_from_the_same_data_differ_by_their_signature(model: Path, inline: Path) -> None:
    other = model.with_name("other.npz")
    run(
        "train",
        "ranker",
        "--set",
        str(inline),
        "--features",
        "copied",
        "--parser",
        "none",
        "--out",
        str(other),
    )
    again = registry.parse(f"ranker:model={model}")
    assert len({again.signature, registry.parse(f"ranker:model={other}").signature}) == 2
    assert registry.parse(f"ranker:model={model}:parser=none").signature != again.signature
    lm = model.with_name("lm.npz")
    assert registry.parse(f"ranker:model={model}:lm={lm}").signature != again.signature


def test_score_and_metaeval_take_a_ranker_by_its_file(model: Path, tmp_path: Path) -> None:
    (tmp_path / "src").write_text("das rote haus ist klein\n", encoding="utf-8")
    (tmp_path / "good").write_text(f"{GOOD}\n", encoding="utf-8")
    (tmp_path / "bad").write_text("das rote haus\n", encoding="utf-8")
    files = [f"good={tmp_path / 'good'}", f"bad={tmp_path / 'bad'}"]
    scored = run("score", "--model", str(model), "--hyp", *files, "--src", str(tmp_path / "src"))
    assert scored["ranker"]["corpus"]["good"] > scored["ranker"]["corpus"]["bad"]
    (tmp_path / "s.tsv").write_text("seg\tsource\n1\tdas rote haus ist klein\n", encoding="utf-8")
    rows = f"system\tseg\ttranslation\ngood\t1\t{GOOD}\nbad\t1\tdas rote haus\n"
    (tmp_path / "o.tsv").write_text(rows, encoding="utf-8")
    (tmp_path / "p.tsv").write_text("seg\tbetter\tworse\n1\tgood\tbad\n", encoding="utf-8")
    told = {"segments": "s.tsv", "outputs": "o.tsv", "pairs": "p.tsv"}
    options = [f"--{name}={tmp_path / file}" for name, file in told.items()]
    assert run("metaeval", "--model", str(model), *options)["ranker"]["tau"] == 1
    model.write_bytes(model.read_bytes()[:-40])
    with pytest.raises(CommandError, match="bad_model"):
        run("score", "--model", str(model), "--hyp", *files, "--src", str(tmp_path / "src"))


@pytest.mark.parametrize(("number", "told"), [(200, []), (450, ["200", "400", "450"])])
def test_a_long_run_of_the_parser_says_how_far_it_is(number: int, told: list[str]) -> None:
    notes: list[str] = []
    sentences = [f"sentence {k}" for k in range(number)]
    parse = report_progress(lambda texts: [Parse(text, ()) for text in texts], notes.append)
    assert parse(sentences) == [Parse(text, ()) for text in sentences]
    assert notes == [f"{done} of {number} sentences parsed" for done in told]


@pytest.mark.parametrize(("line", "code"), [("no separator", "bad_nbest"), ("7 ||| text", "unknown_segment")])
def test_a_bad_nbest_line_is_refused(model: Path, tmp_path: Path, line: str, code: str) -> None:
    (tmp_path / "src").write_text("eins\n", encoding="utf-8")
    (tmp_path / "nbest").write_text(line + "\n", encoding="utf-8")
    options = ["--model", str(model), "--nbest", str(tmp_path / "nbest"), "--source", str(tmp_path / "src")]
    with pytest.raises(CommandError, match=f"nbest:1: {code}") as refusal:
        call_command("rerank", *options, stdout=StringIO())
    assert refusal.value.returncode == 2


def table_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    ranker_table.main(arguments)
    return json.loads(capsys.readouterr().out)


def test_the_table_of_the_paper_is_made_of_any_set_in_three_ways(
    inline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = ["--train", str(inline), "--preset", "copied", "--parser", "none", "--resamples", "5"]
    tested = table_of([*shared, "--test", str(inline), "--classifiers", "logistic"], capsys)
    assert [row["training"] for row in tested["rows"]] == [
        "all",
        "held-out",
        "all",
        "tested set, cross-validated",
    ]
    assert tested["rows"][0]["tau"] == 1.0
    assert tested["missing"]["unk"] == 1.0
    folds = table_of([*shared, "--folds", "5", "--soft"], capsys)
    assert folds["rows"][0]["training"] == "cross-validated"
    split = table_of([*shared, "--paper-split", "5", "--consistent"], capsys)
    assert split["rows"][0]["sources"] == 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["--train", "{set}"],
        ["--train", "{set}", "--folds", "3", "--test", "{set}"],
        ["--train", "{set}", "--folds", "3", "--classifiers", "oracle"],
        ["--train", "{set}", "--folds", "3", "--seed", "-1"],
        ["--train", "/nowhere/set", "--folds", "3"],
    ],
)
def test_the_table_is_not_made_of_bad_values(inline: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        ranker_table.main([argument.format(set=inline) for argument in arguments])


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "ranker", "--out", "{out}"],
        ["train", "ranker", "--set", "{set}", "--features", "charm", "--out", "{out}"],
        ["train", "ranker", "--set", "{set}", "--lm", "/nowhere.npz", "--out", "{out}"],
        ["train", "ranker", "--segments", "{set}", "--out", "{out}"],
        ["train", "lm", "--text", "/nowhere", "--out", "{out}"],
        ["train", "lm", "--text", "{set}", "--order", "0", "--out", "{out}"],
        ["rerank", "--model", "/nowhere", "--nbest", "{set}", "--source", "{set}"],
        ["parse", "--constituency", "--language", "de", "{set}"],
        ["parse", "--tags", "--tool", "oracle", "{set}"],
        ["parse", "--discourse", "--tool", "oracle", "{set}"],
    ],
)
def test_bad_values_exit_two_and_write_nothing(inline: Path, tmp_path: Path, arguments: list[str]) -> None:
    out = tmp_path / "out.npz"
    with pytest.raises(CommandError) as refusal:
        call_command(*(a.format(set=inline, out=out) for a in arguments), stdout=StringIO())
    assert refusal.value.returncode == 2
    assert not out.exists()


@pytest.mark.parametrize("option", ["k", "workers"])
def test_the_parser_of_parse_refuses_a_number_below_one(option: str) -> None:
    with pytest.raises(CommandError, match=f"--{option}: '0' is no whole number from 1"):
        call_command("parse", "--tags", f"--{option}=0")


def test_parallel_text_of_different_length_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("eins\nzwei\n", encoding="utf-8")
    (tmp_path / "b").write_text("one\n", encoding="utf-8")
    with pytest.raises(CommandError, match="2 lines of source and 1 of target"):
        run(
            "train", "lexicon", "--source", str(tmp_path / "a"), "--target", str(tmp_path / "b"), "--out", "x"
        )
    (tmp_path / "empty").write_text(" \n", encoding="utf-8")
    with pytest.raises(CommandError, match="at least one word"):
        run("train", "lm", "--text", str(tmp_path / "empty"), "--out", str(tmp_path / "x.npz"))


@pytest.mark.realdata
def test_the_published_set_has_the_known_number_of_decided_pairs(real_data: Path) -> None:
    ranked = data.read_ranked_set(real_data / "rr_wmt12" / "de-en")
    assert len(ranked.comparisons().better) == 11934
    expert = data.read_ranked_set(real_data / "rr_wmt08_10_deen_noref" / "wmt10_de-en_expert.jsonl.gz")
    assert len(expert.rankings) == 1050
