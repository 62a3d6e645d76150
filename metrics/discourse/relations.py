"""The eighteen coarse relations of RST-DT (Carlson and Marcu 2001), and how finer names fall into them.

Trees of different origin can only be compared if they use the same relations. Known fine names are those of
RST-DT (about 110, also with the suffixes ``-e``, ``-s``, ``-n`` for embedded, satellite and nucleus) and
those of GUM (``class-subclass``). An unknown name stays as it is, and then matches only itself.
"""

from __future__ import annotations

from functools import cache

COARSE = (
    "Attribution", "Background", "Cause", "Comparison", "Condition", "Contrast", "Elaboration", "Enablement",
    "Evaluation", "Explanation", "Joint", "Manner-Means", "Same-Unit", "Summary", "Temporal",
    "TextualOrganization", "Topic-Change", "Topic-Comment",
)  # fmt: skip

RST_DT = {
    "Attribution": "attribution attribution-negative",
    "Background": "background circumstance",
    "Cause": "cause cause-result result consequence",
    "Comparison": "comparison preference analogy proportion",
    "Condition": "condition hypothetical contingency otherwise",
    "Contrast": "contrast concession antithesis",
    "Elaboration": (
        "elaboration elaboration-additional elaboration-general-specific elaboration-part-whole "
        "elaboration-process-step elaboration-object-attribute elaboration-set-member example definition"
    ),
    "Enablement": "purpose enablement",
    "Evaluation": "evaluation interpretation conclusion comment",
    "Explanation": "evidence explanation explanation-argumentative reason",
    "Joint": "list disjunction joint",
    "Manner-Means": "manner means manner-means",
    "Same-Unit": "same-unit same_unit",
    "Summary": "summary restatement",
    "Temporal": "temporal temporal-before temporal-after temporal-same-time sequence inverted-sequence",
    "TextualOrganization": "textualorganization textual-organization",
    "Topic-Change": "topic-shift topic-drift topic-change",
    "Topic-Comment": (
        "problem-solution question-answer statement-response topic-comment comment-topic rhetorical-question"
    ),
}

GUM = {  # GUM's first half of the name; the few subclasses that belong elsewhere stand in full
    "adversative": "Contrast", "attribution": "Attribution", "causal": "Cause", "context": "Background",
    "contingency": "Condition", "elaboration": "Elaboration", "evaluation": "Evaluation",
    "explanation": "Explanation", "joint": "Joint", "joint-sequence": "Temporal", "mode": "Manner-Means",
    "organization": "TextualOrganization", "purpose": "Enablement", "restatement": "Summary",
    "same-unit": "Same-Unit", "topic": "Topic-Comment",
}  # fmt: skip

_FINE = {name: coarse for coarse, names in RST_DT.items() for name in names.split()}
_FINE |= {name.lower(): name for name in COARSE}


@cache
def coarse(name: str) -> str:
    """The coarse relation of a fine one; an unknown name comes back unchanged.

    >>> [coarse(name) for name in ("elaboration-object-attribute-e", "joint-sequence", "Zeugma")]
    ['Elaboration', 'Temporal', 'Zeugma']
    """
    low = name.lower()
    plain = low[:-2] if low[-2:] in ("-e", "-s", "-n") else low
    for known in (low, plain, plain[:-2] if plain[-2:] in ("-e", "-s", "-n") else plain):
        if known in _FINE:
            return _FINE[known]
    return GUM.get(low) or GUM.get(low.partition("-")[0]) or name
