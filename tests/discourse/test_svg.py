"""The drawing of a discourse tree: readable without colour, safe with hostile text."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given, settings

from metrics.discourse.svg import render_tree
from metrics.discourse.trees import Node, edu, join
from tests.discourse.strategies import trees

SVG = "{*}"


@settings(deadline=None)
@given(trees(8))
def test_a_drawing_is_well_formed_and_shows_every_unit_and_relation(tree: Node) -> None:
    drawn = ElementTree.fromstring(render_tree(tree, title="Reference"))
    units = [node for node in drawn.iter() if node.get("class") == "unit"]
    relations = [node.text for node in drawn.iter() if node.get("class") == "relation"]
    assert len(units) == sum(1 for _ in tree.edus())
    assert relations == [node.linked_by for node in tree.nodes() if node.children]
    assert all("style" not in node.attrib for node in drawn.iter())


def test_hostile_text_stays_text() -> None:
    drawn = render_tree(
        edu("</text><script>alert(1)</script>"), title='"><img onerror=x>', lang='en" onload="x'
    )
    assert "<script" not in drawn
    assert "<img" not in drawn
    root = ElementTree.fromstring(drawn)
    assert set(root.attrib) == {"class", "viewBox", "role", "lang"}


def test_nuclearity_is_written_beside_the_lines() -> None:
    drawn = ElementTree.fromstring(render_tree(join("Cause", "SN", [edu("a"), edu("b")]), title="t"))
    assert [node.text for node in drawn.iter() if node.get("class") == "role"] == ["S", "N"]
    assert [node.get("class") for node in drawn.iter() if node.tag.endswith("path")] == [
        "satellite",
        "nucleus",
    ]


def test_the_description_holds_the_whole_tree() -> None:
    long = edu("word " * 200)
    drawn = ElementTree.fromstring(render_tree(long, title="t"))
    (description,) = drawn.findall("desc")
    assert description.text == long.text
    shown = [node.text for node in drawn.iter() if node.tag.endswith("tspan")]
    assert shown[-1] is not None
    assert shown[-1].endswith("…")


def test_an_empty_sentence_can_be_drawn() -> None:
    assert ElementTree.fromstring(render_tree(edu(""), title="t")).get("role") == "img"
