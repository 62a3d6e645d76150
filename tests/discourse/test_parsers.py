"""Our own parsers: segmenting, linking, learning, the rules, imported trees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from appraise.lib.problems import InputError
from metrics.discourse.agreement import split_sentences, tree_agreement
from metrics.discourse.learned import DiscourseModel, fit_parser, link_units, list_actions
from metrics.discourse.parsers import CONNECTIVES, COORDINATORS, ImportedParser, get_parser, parse_by_rules
from metrics.discourse.segmenter import MAX_EDUS, boundary_f1, fit_classifier, segment
from metrics.discourse.training import branch_right, train_discourse
from metrics.discourse.trees import RST_DT, Node, binarise, edu, join
from metrics.discourse.words import find_classes, learn_classes, read_tagged_words, split_words
from metrics.tools.base import ToolMode
from tests.discourse.corpus import documents, format_brackets, write_corpus, write_dis


def quiet(_message: str) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("discourse")
    out = folder / "model.npz"
    train_discourse({"trees": str(write_corpus(folder / "trees")), "treebank": None, "out": str(out)}, quiet)
    return out


@pytest.fixture(scope="module")
def model(model_file: Path) -> DiscourseModel:
    return DiscourseModel.load(model_file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \t ", []),
        ("Don't, he’ll (really) go!", ["Do", "n't", ",", "he", "’ll", "(", "really", ")", "go", "!"]),
        ("10:30 in the U.S. — 3.5%", ["10:30", "in", "the", "U.S.", "—", "3.5", "%"]),
        ("the end.<P>", ["the", "end", "."]),
        ("漢字 naïve a_b", ["漢字", "naïve", "a_b"]),
    ],
)
def test_words_and_signs_stand_apart(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected


def test_gold_sentences_end_at_full_stops_and_have_coarse_binary_trees() -> None:
    found = list(split_sentences(documents(1)[0]))
    assert len(found) == 6
    assert found[1].units == (("she", "left"), ("because", "he", "was", "tired", "."))
    assert found[1].tree == join("Cause", "NS", [edu("she left"), edu("because he was tired .")])
    assert all(len(node.children) in (0, 2) for gold in found if gold.tree for node in gold.tree.nodes())


def test_a_sentence_that_is_no_subtree_serves_the_segmenter_only() -> None:
    """b and c end one sentence, but a and b form a subtree."""
    tree = join("Joint", "NN", [join("Cause", "NS", [edu("a ."), edu("b")]), edu("c .")])
    assert [(gold.units, gold.tree is None) for gold in split_sentences(tree)] == [
        ((("a", "."),), False),
        ((("b",), ("c", ".")), True),
    ]


def test_a_document_without_a_final_stop_ends_anyway() -> None:
    assert [gold.units for gold in split_sentences(edu("a heading"))] == [(("a", "heading"),)]


def test_word_classes_come_from_words_then_from_endings() -> None:
    treebank = "(S (NN walk) (VBD walked) (VBN walked) (VBD talked) (VBD baked) (VB walk) (VB walk))" * 2
    classes = learn_classes(read_tagged_words(treebank))
    assert find_classes(["walk", "Walked", "jumped", "42", "?"], classes) == [
        "NN VB",
        "VBD VBN",
        "VBD",
        "9",
        "X",
    ]


def test_a_classifier_ignores_what_it_never_saw() -> None:
    model = fit_classifier([["a"], ["b"]] * 9, ["no", "yes"] * 9)
    assert model.classes == ("yes",)
    assert model.scores(["b", "unseen"])[0] > 0 > model.scores(["a"])[0]
    assert model.scores(["unseen"]) == model.scores([])


def test_a_classifier_needs_two_labels() -> None:
    with pytest.raises(ValueError, match="two labels"):
        fit_classifier([["a"]], ["yes"])


def test_the_learned_parser_finds_units_and_relations(model: DiscourseModel) -> None:
    assert format_brackets(model.parse("they stayed because it was late .")) == (
        '(Cause[N][S] "they stayed" "because it was late .")'
    )


def test_the_learned_parser_puts_attribution_on_top(model: DiscourseModel) -> None:
    tree = model.parse("people say that she waited because it rained .")
    assert (tree.linked_by, tree.pattern) == ("Attribution", "SN")
    assert tree.children[1].linked_by == "Cause"


def test_every_word_of_a_sentence_is_in_exactly_one_unit(model: DiscourseModel) -> None:
    for text in ("he left .", "who knows because , because . .", "because", "漢 字 because it rained"):
        tree = model.parse(text)
        assert " ".join(leaf.text for leaf in tree.edus()).split() == split_words(text)


def test_an_empty_sentence_has_the_empty_tree(model: DiscourseModel) -> None:
    assert model.parse("") == model.parse(" \n") == edu("")
    assert segment([], model.segmenter, model.classes) == []
    assert link_units([], model.parser, model.classes) == edu("")


def test_an_endless_line_has_a_bounded_number_of_units(model: DiscourseModel) -> None:
    tree = model.parse("he left because it rained " * 500)
    assert sum(1 for _ in tree.edus()) == MAX_EDUS
    assert sum(1 for _ in parse_by_rules("he was because it is " * 500).edus()) == MAX_EDUS


def test_the_actions_of_a_tree_rebuild_it() -> None:
    tree = binarise(join("Joint", "NNN", [edu("a"), edu("b"), edu("c")]))
    assert list(list_actions(tree)) == ["shift", "shift", "shift", "Joint NN", "Joint NN"]


def test_a_model_names_its_data_and_its_figures(model: DiscourseModel) -> None:
    assert model.about["documents"] == 12
    assert model.about["held_out"] == 1
    measured = model.about["measured"]
    assert measured["segmentation_f1"] == 1.0
    assert measured["gold_units"]["full"] == 1.0
    assert measured["gold_units_baseline"]["full"] == 0.0
    assert measured["own_units"]["span"] == 1.0


def test_training_twice_gives_the_same_model(model_file: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.npz"
    train_discourse(
        {"trees": str(write_corpus(tmp_path / "trees")), "treebank": None, "out": str(again)}, quiet
    )
    first, second = DiscourseModel.load(model_file), DiscourseModel.load(again)
    assert first.about == second.about
    assert np.array_equal(first.parser.weights, second.parser.weights)


def test_a_treebank_adds_word_classes(tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    (folder / "doc00.ptb").write_text("(S (PRP they) (VBD stayed))" * 3)
    (folder / "doc09.ptb").write_text("(S (XX heldout))" * 3)
    options = {
        "trees": str(write_corpus(tmp_path / "t")),
        "treebank": str(folder),
        "out": str(tmp_path / "m.npz"),
    }
    train_discourse(options, quiet)
    classes = DiscourseModel.load(tmp_path / "m.npz").classes
    assert (classes["they"], classes["stayed"], classes["-ed"]) == ("PRP", "VBD", "VBD")
    assert "heldout" not in classes


def test_the_command_trains_and_prints_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("train", "discourse", trees=str(write_corpus(tmp_path / "t")), out=str(tmp_path / "m.npz"))
    printed = json.loads(capsys.readouterr().out)
    assert printed["documents"] == 12
    assert get_parser("learned", str(tmp_path / "m.npz")).tool.mode is ToolMode.LEARNED


def test_a_folder_without_trees_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no_files") as caught:
        call_command("train", "discourse", trees=str(tmp_path), out=str(tmp_path / "m.npz"))
    assert caught.value.returncode == 2
    assert not (tmp_path / "m.npz").exists()


def test_one_relation_is_too_little_to_choose_from() -> None:
    """Of two actions the model would have one column, and the parser would shift past the last unit."""
    tree = join("Joint", "NN", [edu("a"), join("Joint", "NN", [edu("b"), edu("c")])])
    with pytest.raises(ValueError, match="three different actions"):
        fit_parser([([["a"], ["b"], ["c"]], tree)], {})


def test_too_few_trees_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "a.dis").write_text("( Root (leaf 1) (text _!alone ._!) )\n")
    with pytest.raises(InputError, match="too_little_data"):
        train_discourse({"trees": str(folder), "treebank": None, "out": str(tmp_path / "m.npz")}, quiet)


def spoil_nothing(path: Path) -> None:
    path.write_bytes(b"no model")


def spoil_format(path: Path) -> None:
    np.savez(path, about=np.array(json.dumps({"format": "other"})))


def spoil_pickle(path: Path) -> None:
    np.savez(path, about=np.array([{"a": 1}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize("spoil", [spoil_nothing, spoil_format, spoil_pickle])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(tmp_path / "m.npz")
    with pytest.raises(InputError, match="bad_model"):
        DiscourseModel.load(tmp_path / "m.npz")


def test_a_model_whose_sizes_contradict_is_refused(model_file: Path, tmp_path: Path) -> None:
    with np.load(model_file) as file:
        arrays = dict(file)
    arrays["parser_weights"] = arrays["parser_weights"][:-1]
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(InputError, match="bad_model"):
        DiscourseModel.load(tmp_path / "m.npz")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Although it was late, he stayed.", '(Contrast[S][N] "Although it was late ," "he stayed .")'),
        ("It was late, but he stayed.", '(Contrast[N][N] "It was late ," "but he stayed .")'),
        ("He stayed.", '("He stayed .")'),
        ("", '("")'),
        (
            "She works in a house which was old.",
            '(Elaboration[N][S] "She works in a house" "which was old .")',
        ),
    ],
)
def test_the_rules_follow_connectives(text: str, expected: str) -> None:
    assert format_brackets(parse_by_rules(text)) == expected


def test_the_rules_speak_of_coarse_relations_only() -> None:
    assert {*CONNECTIVES.values(), *COORDINATORS.values()} <= set(RST_DT)


def test_imported_trees_are_found_by_their_words(tmp_path: Path) -> None:
    tree = join("causal-cause", "NS", [edu("He stayed"), edu("because it rained.")])
    (tmp_path / "trees.dis").write_text(write_dis(tree))
    parser = ImportedParser(tmp_path / "trees.dis")
    found = parser.parse(["He stayed because it rained .", ""])
    assert found[0].linked_by == "Cause"
    assert found[1] == edu("")
    assert parser.tool.mode is ToolMode.IMPORTED


def test_a_sentence_without_an_imported_tree_is_named(tmp_path: Path) -> None:
    (tmp_path / "trees.dis").write_text(write_dis(edu("one")))
    with pytest.raises(InputError, match=r"missing_tree.*two"):
        ImportedParser(tmp_path / "trees.dis").parse(["one", "two"])


def test_parsers_are_had_by_name(model_file: Path) -> None:
    assert get_parser("heuristic").tool.mode is ToolMode.HEURISTIC
    assert get_parser("learned", str(model_file)).tool.mode is ToolMode.LEARNED
    assert get_parser("learned", str(model_file)) is get_parser("learned", str(model_file))
    with pytest.raises(ValueError, match="unknown discourse parser"):
        get_parser("oracle")
    with pytest.raises(ValueError, match="needs a file"):
        get_parser("learned")
    with pytest.raises(ValueError, match="the heuristic discourse parser reads no file"):
        get_parser("heuristic", str(model_file))


def test_the_flat_parser_knows_words_only() -> None:
    assert get_parser("flat").parse(["He said, because.", ""]) == [edu("He said , because ."), edu("")]


def test_agreement_counts_inner_nodes_by_words() -> None:
    gold = join("Cause", "NS", [edu("a b"), join("Joint", "NN", [edu("c"), edu("d")])])
    guess = join("Cause", "NS", [join("Joint", "NN", [edu("a b"), edu("c")]), edu("d")])
    found = tree_agreement([(gold, guess), (edu("x"), edu("x"))])
    assert (found.span, found.full, found.nodes) == (0.5, 0.5, 2)
    assert tree_agreement([]).span is None


def test_own_units_that_differ_cost_their_spans() -> None:
    gold = join("Cause", "NS", [edu("a"), edu("b c")])
    guess = join("Cause", "NS", [edu("a"), join("Cause", "NS", [edu("b"), edu("c")])])
    assert tree_agreement([(gold, guess)]).span == pytest.approx(2 / 3)


def test_parsers_are_measured_on_documents_of_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_corpus(tmp_path / "gold", 2)
    files = [str(path) for path in sorted(folder.glob("*.dis"))]
    command = ["parse", "--discourse", "--tool", "heuristic", "--gold"]
    call_command(*command, *files)
    found = json.loads(capsys.readouterr().out)
    golds = [gold for document in documents(2) for gold in split_sentences(document) if gold.tree]
    texts = [" ".join(word for unit in gold.units for word in unit) for gold in golds]
    guessed = get_parser("heuristic").parse(texts)
    expected = tree_agreement(
        [(gold.tree, tree) for gold, tree in zip(golds, guessed, strict=True) if gold.tree]
    )
    assert found["tool"]["mode"] == "heuristic"
    assert (found["sentences"], found["nodes"]) == (12, expected.nodes)
    assert (found["span"], found["full"]) == (expected.span, expected.full)
    assert 0 < found["full"] <= found["span"] <= 1
    spoilt = folder / "doc00.dis"
    spoilt.write_text(spoilt.read_text().replace("(span 1 ", "(span 2 ", 1))
    with pytest.raises(CommandError, match="wrong_numbers"):
        call_command(*command, *files)
    call_command(*command, *files, "--lenient")
    said = capsys.readouterr()
    assert json.loads(said.out) == found
    assert "wrong_numbers" in said.err
    with pytest.raises(CommandError, match="--gold belongs to --discourse"):
        call_command("parse", "--tags", "--gold", *files)


def test_the_baseline_branches_to_the_right() -> None:
    tree = branch_right(["a", "b", "c"])
    assert format_brackets(tree) == '(Elaboration[N][S] "a" (Elaboration[N][S] "b" "c"))'
    assert branch_right([]) == edu("")


def test_boundary_f1_without_boundaries_is_unknown(model: DiscourseModel) -> None:
    assert boundary_f1([[["hello"]]], model.segmenter, model.classes) is None


@pytest.mark.realdata
@pytest.mark.slow
def test_on_a_real_corpus_our_parser_beats_the_baseline(rst_corpus: dict[str, str], tmp_path: Path) -> None:
    """A sixth of the documents is enough to be well above right-branching elaboration."""
    for name, text in list(rst_corpus.items())[::6]:
        (tmp_path / Path(name).name).write_text(text, encoding="utf-8")
    options = {"trees": str(tmp_path), "treebank": None, "out": str(tmp_path / "m.npz")}
    measured = train_discourse(options, quiet)["measured"]
    assert measured["segmentation_f1"] > 0.6
    for what in ("span", "nuclearity", "relation"):
        assert measured["gold_units"][what] > measured["gold_units_baseline"][what] + 0.03


def test_deep_trees_do_not_exhaust_the_stack(model: DiscourseModel) -> None:
    tree: Node = edu("end")
    for _ in range(MAX_EDUS):
        tree = join("Joint", "NN", [edu("a"), tree])
    assert sum(1 for _ in split_sentences(tree)) == 1
