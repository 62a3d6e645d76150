"""DR and DR-LEX, drawn as trees: the subtree of figure 2 of Guzmán et al. 2014 (paper 004)."""

from __future__ import annotations

from metrics.discourse.kernel import Forest, Tree, format_tree, to_dr_lex_tree, to_dr_tree
from metrics.discourse.trees import Node, edu, join


def join_lines(text: str) -> str:
    """A drawing with one node a line, as one line."""
    return " ".join(text.split()).replace("( ", "(").replace(" )", ")")


FIGURE_2 = join("Attribution", "SN", [edu("suggest"), edu("the ECB should be the lender of last resort")])
WHOLE = join("Elaboration", "NS", [edu("Voices are coming from Germany ,"), FIGURE_2])


def test_figure_2a_structure_nuclearity_and_relations_without_words() -> None:
    assert format_tree(to_dr_tree(WHOLE.children[1])) == join_lines(
        """
        (Satellite
          (Attribution
            (Satellite EDU)
            (Nucleus   EDU)))
        """
    )


def test_figure_2b_skeleton_with_properties_and_words_over_dummy_leaves() -> None:
    assert format_tree(to_dr_lex_tree(WHOLE.children[1])) == join_lines(
        """
        (SPAN
          (NUC Satellite)
          (REL Attribution)
          (EDU
            (NUC Satellite)
            (NGRAM (suggest *)))
          (EDU
            (NUC Nucleus)
            (NGRAM (the *) (ECB *) (should *) (be *) (the *) (lender *) (of *) (last *) (resort *))))
        """
    )


def test_the_whole_tree_hangs_from_its_root() -> None:
    assert format_tree(to_dr_tree(WHOLE)) == join_lines(
        """
        (Root
          (Elaboration
            (Nucleus EDU)
            (Satellite
              (Attribution
                (Satellite EDU)
                (Nucleus EDU)))))
        """
    )


def test_words_keep_their_case_unless_asked_otherwise() -> None:
    assert format_tree(to_dr_lex_tree(edu("The ECB"))) == "(EDU (NUC Root) (NGRAM (The *) (ECB *)))"
    assert (
        format_tree(to_dr_lex_tree(edu("The ECB"), lowercase=True))
        == "(EDU (NUC Root) (NGRAM (the *) (ecb *)))"
    )


def test_a_sentence_without_words_has_a_tree_without_productions() -> None:
    assert to_dr_tree(edu(" ")) == Tree("Root")
    assert to_dr_lex_tree(edu("")) == Tree("EDU")


def similar(form: str, a: Node, b: Node) -> float:
    make = {"dr": to_dr_tree, "lex": to_dr_lex_tree}[form]
    return float(Forest.of([make(a), make(b)]).similarity(0, 1))


def test_dr_sees_only_structure_and_dr_lex_sees_words_too() -> None:
    other = join("Elaboration", "NS", [edu("x"), join("Attribution", "SN", [edu("y"), edu("z")])])
    assert similar("dr", WHOLE, other) == 1.0
    assert 0 < similar("lex", WHOLE, other) < 1


def test_dr_lex_gives_credit_to_a_skeleton_whose_labels_differ() -> None:
    relabelled = join("Contrast", "NN", [edu("a"), edu("b")])
    tree = join("Cause", "SN", [edu("a"), edu("b")])
    unlike = join("Cause", "SN", [edu("a"), join("Cause", "SN", [edu("b"), edu("b")])])
    assert similar("dr", tree, relabelled) < similar("lex", tree, relabelled)
    assert similar("lex", tree, relabelled) > similar("lex", edu("a b"), tree)
    assert similar("dr", tree, unlike) > 0  # the upper relation matches though the lower parts differ


def test_the_better_translation_of_figure_1_is_nearer_to_the_reference() -> None:
    """Figure 1: (b) keeps the reference's relations, (c) is one unit."""
    lower = edu("in this vein that the ECB as lender of last resort")
    assert similar("dr", WHOLE, WHOLE) > similar("dr", WHOLE, lower)
