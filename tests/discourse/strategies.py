"""Random discourse trees for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from metrics.discourse.trees import Node, edu, join

RELATIONS = ("Elaboration", "Attribution", "Joint", "Cause", "Contrast")
words = st.sampled_from(
    ["the", "cat", "said", "that", "it", ",", ".", "“ö”", "漢", "(", ")", "_", "<P>", "&", "\\", '"']
)
edus = st.lists(words, min_size=1, max_size=5).map(lambda found: edu(" ".join(found)))


def trees(max_leaves: int = 10) -> st.SearchStrategy[Node]:
    """Trees with one nucleus and satellites, or several nuclei, as RS3 and RST-DT know them."""
    return st.recursive(edus, _joined, max_leaves=max_leaves)


def _joined(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    patterns = st.sampled_from(("NS", "SN", "NN", "NNN", "SNS", "NSS"))
    return patterns.flatmap(
        lambda pattern: st.builds(
            join,
            st.sampled_from(RELATIONS),
            st.just(pattern),
            st.lists(parts, min_size=len(pattern), max_size=len(pattern)),
        )
    )
