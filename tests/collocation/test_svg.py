"""The tree over the sentence: well-formed, escaped, without inline style."""

from __future__ import annotations

import re

import defusedxml.ElementTree
from hypothesis import given
from hypothesis import strategies as st

from metrics.collocation.content_words import ContentWords
from metrics.collocation.svg import describe_branches, render_tree
from metrics.collocation.trees import Branch

TOKENS = ["Mussa", "'s", "trip", "coincides", "with", "the", "visit"]
CONTENT = ContentWords(("mussa", "trip", "coincide", "visit"), (0, 2, 3, 6), 2)
TREE = [Branch(0, 1, 3.0), Branch(1, 3, 2.5), Branch(2, 3, 2.6)]


def render(tokens: list[str], content: ContentWords, tree: list[Branch]) -> str:
    label = ", ".join(describe_branches(content, tree))
    return render_tree(tokens, content, tree, known=content.words, label=label)


def classes(svg: str) -> list[str]:
    return [element.get("class", "") for element in defusedxml.ElementTree.fromstring(svg).iter()]


def test_every_word_and_every_branch_is_drawn() -> None:
    found = classes(render(TOKENS, CONTENT, TREE))
    assert found.count("colloc-branch") == 3
    assert found.count("colloc-word") == 4
    assert found.count("colloc-other") == 3


def test_words_that_the_corpus_does_not_know_are_marked() -> None:
    found = classes(render_tree(TOKENS, CONTENT, [], known={"trip", "visit"}, label=""))
    assert (found.count("colloc-word"), found.count("colloc-unknown")) == (2, 2)


def test_there_is_no_inline_style_script_or_handler() -> None:
    svg = render(TOKENS, CONTENT, TREE)
    assert "style" not in svg
    assert "script" not in svg
    assert " on" not in svg.replace("colloc", "")


def test_an_empty_sentence_is_a_drawing_too() -> None:
    assert classes(render([], ContentWords((), (), None), []))[0] == "colloc-tree"


def test_an_arc_rises_above_those_it_encloses() -> None:
    svg = render(
        ["a", "b", "c"],
        ContentWords(("a", "b", "c"), (0, 1, 2), None),
        [Branch(0, 2, 1.0), Branch(0, 1, 2.0)],
    )
    texts = [e for e in defusedxml.ElementTree.fromstring(svg).iter() if e.get("class") == "colloc-strength"]
    outer, inner = (int(text.get("y", "0")) for text in texts)
    assert outer < inner


def test_arcs_over_the_same_words_never_lie_on_one_line() -> None:
    crossing = [Branch(0, 2, 1.0), Branch(1, 3, 2.0)]
    heights = re.findall(r'class="colloc-strength"[^>]* y="(\d+)"', render(TOKENS, CONTENT, crossing))
    assert len(set(heights)) == 2


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")), max_size=5
    )
)
def test_any_text_is_escaped(tokens: list[str]) -> None:
    different = dict.fromkeys(tokens)
    content = ContentWords(tuple(different), tuple(tokens.index(token) for token in different), None)
    tree = [Branch(0, 1, 1.0)] if len(different) > 1 else []
    root = defusedxml.ElementTree.fromstring(render(tokens, content, tree))
    texts = [element.text or "" for element in root.iter() if element.get("class", "") in ("colloc-word",)]
    assert texts == list(different)


def test_the_label_lists_the_strongest_branch_first() -> None:
    assert describe_branches(CONTENT, TREE)[:2] == ["mussa – trip 3.00", "coincide – visit 2.60"]
    assert 'aria-label="mussa – trip 3.00"' in render(TOKENS, CONTENT, TREE[:1])
