"""Files of discourse trees: nothing is lost, and a problem has a position."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from appraise.lib.problems import InputError
from metrics.discourse.tree_files import read_dis, read_trees
from metrics.discourse.trees import MAX_DEPTH, Node, Nuclearity, edu, join
from tests.discourse.corpus import write_dis
from tests.discourse.strategies import trees

DIS = """( Root (span 1 3)
  ( Satellite (leaf 1) (rel2par Cause) (text _!As it (really) rained ,_!) )
  ( Nucleus (span 2 3) (rel2par span)
    ( Nucleus (leaf 2) (rel2par Joint) (text _!we stayed_!) )
    ( Nucleus (leaf 3) (rel2par Joint) (text _!and read ._!) )
  )
)
"""
TREE = join(
    "Cause",
    "SN",
    [edu("As it (really) rained ,"), join("Joint", "NN", [edu("we stayed"), edu("and read .")])],
)


def test_a_dis_file_is_read_as_it_is_written() -> None:
    assert read_dis(DIS) == [TREE]
    assert write_dis(TREE).split() == DIS.split()


@settings(deadline=None)
@given(tree=trees(12))
def test_what_is_written_is_read_back(tree: Node) -> None:
    assert read_dis(write_dis(tree)) == [tree]


def test_several_trees_share_a_file() -> None:
    several = [TREE, edu("alone"), TREE]
    assert read_dis("".join(map(write_dis, several))) == several


def test_an_empty_file_has_no_trees() -> None:
    assert read_dis("") == []


def test_satellites_may_have_relations_of_their_own() -> None:
    parts = (("Satellite", "Cause", "a"), ("Nucleus", "span", "b"), ("Satellite", "Summary", "c"))
    tree = Node(children=tuple(Node(Nuclearity(role), relation, text) for role, relation, text in parts))
    assert read_dis(write_dis(tree)) == [tree]


@pytest.mark.parametrize(
    ("number", "wrong", "line"), [("(span 2 3)", "(span 2 4)", 3), ("(leaf 3)", "(leaf 9)", 5)]
)
def test_a_wrong_number_can_be_a_warning(number: str, wrong: str, line: int) -> None:
    warnings: list[str] = []
    assert read_dis(DIS.replace(number, wrong), "x.dis", warnings.append) == [TREE]
    assert warnings == [
        f"x.dis:{line}:{warnings[0].split(':')[2]}: wrong_numbers: expected {number}, found {wrong[6:-1]}"
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (DIS.replace("(span 2 3)", "(span 2 4)"), "wrong_numbers", 3),
        (DIS.replace("(leaf 3)", "(leaf 4)"), "wrong_numbers", 5),
        (DIS.replace("(leaf 3)", ""), "wrong_numbers", 5),
        (DIS.replace(" (rel2par span)", ""), "missing_attribute", 3),
        (DIS.replace(" (text _!we stayed_!)", ""), "missing_attribute", 4),
        (DIS.replace("Root", "Nucleus"), "wrong_role", 1),
        (DIS.replace("( Nucleus (leaf 2)", "( Root (leaf 2)"), "wrong_role", 4),
        (DIS.replace("( Nucleus (leaf", "( Satellite (leaf"), "no_nucleus", 3),
        (DIS.replace("( Satellite", "( Satelite"), "unknown_role", 2),
        (DIS[:-2], "unclosed_bracket", 1),
        (DIS + ")", "wrong_bracket", 8),
        ("words", "wrong_bracket", 1),
        ('( Root (leaf 1) (text "never closed) )', "stray_character", 1),
        ("( Root" + "( Nucleus" * (MAX_DEPTH + 9), "too_deep", 1),
    ],
)
def test_a_fault_in_a_dis_file_has_a_line(text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_dis(text, "a.dis")
    assert (code, line) in {(problem.code, problem.line) for problem in caught.value.problems}
    assert all(problem.file == "a.dis" and problem.remedy for problem in caught.value.problems)


@given(
    st.lists(st.sampled_from([*DIS.split(), "(", ")", "_!", "Root", "\n", "span"]), max_size=30).map(" ".join)
)
def test_arbitrary_brackets_are_trees_or_a_problem(text: str) -> None:
    with contextlib.suppress(InputError):
        assert all(isinstance(tree, Node) for tree in read_dis(text))


def test_files_are_read_plain_or_gzipped(tmp_path: Path) -> None:
    (tmp_path / "a.dis").write_text(DIS, encoding="utf-8-sig")
    (tmp_path / "b.dis.gz").write_bytes(gzip.compress(DIS.encode()))
    assert read_trees(tmp_path / "a.dis") == read_trees(tmp_path / "b.dis.gz") == [TREE]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.dis", b"\xff", "bad_utf8"),
        ("a.dis.gz", gzip.compress(bytes(range(200)), mtime=0)[:15] + bytes(40), "bad_gzip"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_trees(tmp_path / name)
    assert caught.value.problems[0].code == code


def test_an_absent_file_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unreadable_file"):
        read_trees(tmp_path / "absent.dis")


@pytest.mark.realdata
def test_a_real_corpus_loads_without_loss(rst_corpus: dict[str, str]) -> None:
    """GUM without reddit: 207 documents, 26,647 EDUs; the files come back word for word."""
    edus = 0
    for name, text in rst_corpus.items():
        (tree,) = read_dis(text, name)
        edus += sum(1 for _ in tree.edus())
        assert write_dis(tree).split() == text.split(), name
    assert (len(rst_corpus), edus) == (207, 26_647)
