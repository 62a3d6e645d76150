"""The tree type: building, binarising, renaming."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from metrics.discourse.trees import (
    GUM,
    RST_DT,
    Node,
    Nuclearity,
    as_root,
    binarise,
    coarse,
    edu,
    join,
    rename_relations,
)
from tests.discourse.strategies import trees


def test_the_satellite_carries_the_relation_and_the_nucleus_is_called_span() -> None:
    tree = join("Cause", "SN", [edu("as it rained"), edu("we stayed")])
    assert [(child.nuclearity, child.relation) for child in tree.children] == [
        (Nuclearity.SATELLITE, "Cause"),
        (Nuclearity.NUCLEUS, "span"),
    ]
    assert (tree.linked_by, tree.pattern, tree.depth) == ("Cause", "SN", 1)


def test_several_nuclei_share_the_relation() -> None:
    tree = join("Joint", "NNN", [edu("a"), edu("b"), edu("c")])
    assert [child.relation for child in tree.children] == ["Joint"] * 3


@pytest.mark.parametrize("pattern", ["N", "NNN", "SS", "NX", ""])
def test_a_pattern_that_does_not_fit_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        join("Joint", pattern, [edu("a"), edu("b")])


def test_an_edu_has_no_relation_of_its_own() -> None:
    assert (edu("a").linked_by, edu("a").pattern, edu("a").depth) == ("", "", 0)


@settings(deadline=None)
@given(trees(20))
def test_binarising_keeps_the_text_and_leaves_two_parts_everywhere(tree: Node) -> None:
    binary = binarise(tree)
    assert [leaf.text for leaf in binary.edus()] == [leaf.text for leaf in tree.edus()]
    assert all(len(node.children) in (0, 2) for node in binary.nodes())
    assert all("N" in node.pattern for node in binary.nodes() if node.children)
    assert binarise(binary) == binary


def test_binarising_nests_nuclei_to_the_right_under_the_same_relation() -> None:
    binary = binarise(join("Joint", "NNNN", [edu(letter) for letter in "abcd"]))
    assert [node.linked_by for node in binary.nodes() if node.children] == ["Joint"] * 3
    assert binary.children[0].text == "a"
    assert binary.children[1].children[1].children[1].text == "d"


def test_binarising_attaches_satellites_one_by_one_with_their_own_relations() -> None:
    flat = join("Cause", "SNS", [edu("a"), edu("b"), edu("c")])
    first, *rest = flat.children
    mixed = Node(children=(Node(Nuclearity.SATELLITE, "Background", "a"), *rest))
    binary = binarise(mixed)
    assert (binary.linked_by, binary.pattern) == ("Background", "SN")
    assert (binary.children[1].linked_by, binary.children[1].pattern) == ("Cause", "NS")
    assert first.relation == "Cause"


def test_a_node_with_one_part_is_dissolved() -> None:
    single = Node(children=(Node(Nuclearity.NUCLEUS, "span", "alone"),))
    assert binarise(single) == edu("alone")


def test_a_subtree_can_stand_alone() -> None:
    tree = join("Cause", "SN", [edu("a"), edu("b")])
    assert as_root(tree.children[0]) == edu("a")


def test_renaming_leaves_span_alone() -> None:
    tree = rename_relations(join("causal-cause", "SN", [edu("a"), edu("b")]), coarse)
    assert [child.relation for child in tree.children] == ["Cause", "span"]


def test_every_coarse_name_is_its_own_and_every_fine_name_has_one() -> None:
    assert all(coarse(name) == name for name in RST_DT)
    assert all(coarse(name.lower()) == name for name in RST_DT)
    assert {coarse(fine) for names in RST_DT.values() for fine in names.split()} == set(RST_DT)
    assert set(GUM.values()) <= set(RST_DT)


@pytest.mark.parametrize(
    ("fine", "expected"),
    [
        ("attribution-negative", "Attribution"),
        ("elaboration-additional-e", "Elaboration"),
        ("cause-result", "Cause"),
        ("consequence-s", "Cause"),
        ("organization-heading", "TextualOrganization"),
        ("same-unit", "Same-Unit"),
        ("joint-list", "Joint"),
        ("something-new", "something-new"),
    ],
)
def test_fine_relations_fall_into_coarse_ones(fine: str, expected: str) -> None:
    assert coarse(fine) == expected
