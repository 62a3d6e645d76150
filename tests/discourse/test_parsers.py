"""Words, the rules, imported trees, and how parsers agree with trees that people made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from appraise.lib.problems import InputError
from metrics.discourse.agreement import split_sentences, tree_agreement
from metrics.discourse.parsers import (
    CONNECTIVES,
    COORDINATORS,
    MAX_EDUS,
    ImportedParser,
    get_parser,
    parse_by_rules,
)
from metrics.discourse.trees import RST_DT, Node, edu, join
from metrics.discourse.words import split_words
from metrics.tools.base import ToolMode
from tests.discourse.corpus import documents, format_brackets, write_corpus, write_dis


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


def test_a_sentence_that_is_no_subtree_has_none() -> None:
    """b and c end one sentence, but a and b form a subtree."""
    tree = join("Joint", "NN", [join("Cause", "NS", [edu("a ."), edu("b")]), edu("c .")])
    assert [(gold.units, gold.tree is None) for gold in split_sentences(tree)] == [
        ((("a", "."),), False),
        ((("b",), ("c", ".")), True),
    ]


def test_a_document_without_a_final_stop_ends_anyway() -> None:
    assert [gold.units for gold in split_sentences(edu("a heading"))] == [(("a", "heading"),)]


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


def test_an_endless_line_has_a_bounded_number_of_units() -> None:
    assert sum(1 for _ in parse_by_rules("he was because it is " * 500).edus()) == MAX_EDUS


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


def test_parsers_are_had_by_name(tmp_path: Path) -> None:
    file = tmp_path / "trees.dis"
    file.write_text(write_dis(edu("one")))
    assert get_parser("heuristic").tool.mode is ToolMode.HEURISTIC
    assert get_parser("imported", str(file)).tool.mode is ToolMode.IMPORTED
    assert get_parser("imported", str(file)) is get_parser("imported", str(file))
    with pytest.raises(ValueError, match="unknown discourse parser"):
        get_parser("learned")
    with pytest.raises(ValueError, match="need a file"):
        get_parser("imported")
    with pytest.raises(ValueError, match="the heuristic discourse parser reads no file"):
        get_parser("heuristic", str(file))


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


def test_deep_trees_do_not_exhaust_the_stack() -> None:
    tree: Node = edu("end")
    for _ in range(MAX_EDUS):
        tree = join("Joint", "NN", [edu("a"), tree])
    assert sum(1 for _ in split_sentences(tree)) == 1
