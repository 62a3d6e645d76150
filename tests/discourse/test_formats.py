"""Readers and writers of discourse trees: nothing is lost, and every fault has a place."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from evaluation.problems import InputError
from metrics.discourse.formats import FORMATS, brackets, dis, json_lines, read_file, rs3
from metrics.discourse.trees import MAX_DEPTH, Node, Nuclearity, edu, join
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
    assert dis.read(DIS) == [TREE]
    assert dis.write([TREE]).split() == DIS.split()


def test_compact_brackets_put_the_relation_in_front() -> None:
    line = '(Cause[S][N] "As it (really) rained ," (Joint[N][N] "we stayed" "and read ."))\n'
    assert brackets.write([TREE]) == line
    assert brackets.read(line) == [TREE]


def test_rs3_satellites_point_to_their_nucleus() -> None:
    written = rs3.write([TREE])
    assert '<segment id="1" parent="5" relname="Cause">' in written
    assert '<group id="5" type="multinuc" parent="4" relname="span"/>' in written
    assert rs3.read(written) == [TREE]


def test_an_rs3_file_as_the_tools_write_it() -> None:
    text = """<rst><header><relations>
      <rel name="elaboration" type="rst"/><rel name="joint" type="multinuc"/></relations></header><body>
      <segment id="1" parent="4" relname="span">One</segment>
      <segment id="2" parent="1" relname="elaboration">two &amp; a half</segment>
      <segment id="3" parent="5" relname="joint">three</segment>
      <group id="4" type="span" parent="5" relname="joint"/><group id="5" type="multinuc"/></body></rst>"""
    first = join("elaboration", "NS", [edu("One"), edu("two & a half")])
    assert rs3.read(text) == [join("joint", "NN", [first, edu("three")])]


def test_a_satellite_of_a_group_of_nuclei_stays_outside_the_group() -> None:
    inner = join("Joint", "NN", [edu("a"), edu("b")])
    tree = join("Joint", "NS", [inner, edu("c")])
    assert rs3.read(rs3.write([tree])) == [tree]


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None)
@given(tree=trees(12))
def test_what_is_written_is_read_back(name: str, tree: Node) -> None:
    assume(name != "dis" or all("_!" not in leaf.text for leaf in tree.edus()))
    assert FORMATS[name].read(FORMATS[name].write([tree]), "t") == [tree]


@pytest.mark.parametrize("name", FORMATS)
def test_several_trees_share_a_file(name: str) -> None:
    several = [TREE, edu("alone"), TREE]
    assert FORMATS[name].read(FORMATS[name].write(several), "t") == several


@pytest.mark.parametrize("name", FORMATS)
def test_no_trees_make_an_empty_list(name: str) -> None:
    assert FORMATS[name].read(FORMATS[name].write([]), "t") == []


@pytest.mark.parametrize("name", ["dis", "json", "brackets"])
def test_satellites_may_have_relations_of_their_own(name: str) -> None:
    parts = (("Satellite", "Cause", "a"), ("Nucleus", "span", "b"), ("Satellite", "Summary", "c"))
    tree = Node(children=tuple(Node(Nuclearity(role), relation, text) for role, relation, text in parts))
    assert FORMATS[name].read(FORMATS[name].write([tree]), "t") == [tree]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (DIS.replace("(span 2 3)", "(span 2 4)"), "wrong_numbers", 3),
        (DIS.replace("(leaf 3)", "(leaf 4)"), "wrong_numbers", 5),
        (DIS.replace("(leaf 3)", ""), "wrong_numbers", 5),
        (DIS.replace(" (rel2par span)", ""), "missing_attribute", 3),
        (DIS.replace(" (text _!we stayed_!)", ""), "missing_attribute", 4),
        (DIS.replace("Root", "Nucleus"), "no_root", 1),
        (DIS.replace("( Nucleus (leaf 2)", "( Root (leaf 2)"), "inner_root", 4),
        (DIS.replace("( Nucleus (leaf", "( Satellite (leaf"), "no_nucleus", 3),
        (DIS.replace("( Satellite", "( Satelite"), "unknown_role", 2),
        (DIS[:-2], "unclosed_bracket", 1),
        (DIS + ")", "unopened_bracket", 8),
        ("words", "outside_brackets", 1),
        ('( Root (leaf 1) (text "never closed) )', "stray_character", 1),
        ("( Root" * (MAX_DEPTH + 9), "too_deep", 1),
    ],
)
def test_a_fault_in_a_dis_file_has_a_line(text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        dis.read(text, "a.dis")
    assert (code, line) in {(problem.code, problem.line) for problem in caught.value.problems}
    assert all(problem.file == "a.dis" and problem.remedy for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('(Cause[S][N] "a")', "part_count"),
        ('(Cause "a" "b")', "bad_relation"),
        ('("Cause" "a" "b")', "bad_relation"),
        ("()", "bad_relation"),
        ('(Cause[S][S] "a" "b")', "no_nucleus"),
        ('([S][N] "a" "b")', "no_relation"),
        ('(Cause[S][N] a "b")', "unquoted_text"),
        ('(Cause[S][N] "\\q" "b")', "bad_string"),
        ("(Cause[S][N]", "unclosed_bracket"),
        ("(a", "unclosed_bracket"),
    ],
)
def test_a_fault_in_compact_brackets_has_a_line(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        brackets.read("\n" + text, "a.brackets")
    assert (caught.value.problems[0].code, caught.value.problems[0].line) == (code, 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "bad_json"),
        ("[]", "bad_node"),
        ('{"text": "a", "colour": 1}', "unknown_key"),
        ('{"role": "Nucleus", "relation": "x", "text": "a"}', "unknown_role"),
        ('{"children": [{"text": "a"}]}', "unknown_role"),
        ('{"children": [{"role": "Nucleus", "text": "a"}]}', "bad_node"),
        ('{"text": 1}', "bad_node"),
        ("{}", "bad_node"),
        ('{"children": [{"role": "Satellite", "relation": "x", "text": "a"}]}', "no_nucleus"),
        ('{"role":"Nucleus","relation":"x","children":[' * 9000, "bad_json"),
        ("[" * 100_000, "too_deep"),
    ],
)
def test_a_fault_in_json_has_a_line(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        json_lines.read("\n" + text, "a.jsonl")
    problem = caught.value.problems[0]
    assert problem.line == 2
    assert problem.code in {code, "too_deep"}


BODY = "<rst><body>\n{}</body></rst>"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<rst>", "bad_xml"),
        ('<!DOCTYPE r [<!ENTITY x "y">]><rst>&x;</rst>', "forbidden_xml"),
        (BODY.format('<segment id="1">a</segment><segment id="1">b</segment>'), "bad_id"),
        (BODY.format('<segment id="1" parent="7" relname="span">a</segment>'), "no_parent"),
        (BODY.format('<segment id="1">a</segment><segment id="2" parent="1">b</segment>'), "no_relation"),
        (BODY.format('<group id="1" type="heap"/>'), "bad_group"),
        (BODY.format('<group id="1" type="span"/>'), "bad_group"),
        (BODY.format('<group id="1" type="span" parent="1" relname="span"/>'), "too_deep"),
        (
            BODY.format(
                '<segment id="1">a</segment><segment id="2">b</segment>'
                '<segment id="3" parent="1" relname="cause">c</segment>'
            ),
            "crossing",
        ),
    ],
)
def test_a_fault_in_rs3_is_named(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        rs3.read(text, "a.rs3")
    assert code in {problem.code for problem in caught.value.problems}


def test_what_a_format_cannot_hold_is_refused_before_anything_is_written() -> None:
    mixed = Node(
        children=tuple(Node(Nuclearity(r), "Joint", "t") for r in ("Nucleus", "Nucleus", "Satellite"))
    )
    with pytest.raises(ValueError, match="NNS"):
        rs3.write([mixed])
    with pytest.raises(ValueError, match="_!"):
        dis.write([edu("a _! b")])
    with pytest.raises(ValueError, match="two words"):
        brackets.write([join("two words", "NS", [edu("a"), edu("b")])])


def test_files_are_read_by_their_ending_plain_or_gzipped(tmp_path: Path) -> None:
    (tmp_path / "a.dis").write_text(DIS, encoding="utf-8-sig")
    (tmp_path / "b.dis.gz").write_bytes(gzip.compress(DIS.encode()))
    assert read_file(tmp_path / "a.dis") == read_file(tmp_path / "b.dis.gz") == [TREE]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.doc", b"", "unknown_format"),
        ("a.dis", b"\xff", "encoding"),
        ("a.dis.gz", b"no gzip", "bad_gzip"),
        ("a.dis.gz", gzip.compress(bytes(range(200)), mtime=0)[:15] + bytes(40), "bad_gzip"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_file(tmp_path / name)
    assert caught.value.problems[0].code == code


def test_an_absent_file_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unreadable_file"):
        read_file(tmp_path / "absent.dis")


@pytest.mark.realdata
def test_a_real_corpus_loads_without_loss(rst_corpus: dict[str, str]) -> None:
    """GUM without reddit: 207 documents, 26,647 EDUs; the files come back word for word in every format."""
    edus = 0
    for number, (name, text) in enumerate(rst_corpus.items()):
        (tree,) = dis.read(text, name)
        edus += sum(1 for _ in tree.edus())
        assert dis.write([tree]).split() == text.split(), name
        for form in FORMATS.values() if number % 10 == 0 else ():  # every tenth: enough, and quick
            assert form.read(form.write([tree]), name) == [tree], name
    assert (len(rst_corpus), edus) == (207, 26_647)
