"""Adds machines to the annotators of a study, with their votes as answers, on request.

A machine votes once on a pair, is never timed, sees no sides and no checks. Only pairs that people judged
count: on the others there is nobody to agree with. Its name shows that it is no person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from evaluation.schemes import Choice
from evaluation.study.values import CODE_OF, NO_TIME, Study

MachineVotes = Mapping[str, Mapping[int, Choice]]
"""Machine → pair (by its key in the study) → what it says."""


def machine_name(voter: str) -> str:
    """
    >>> machine_name("chrf")
    'machine:chrf'
    """
    return f"machine:{voter}"


def with_machines(study: Study, votes: MachineVotes) -> Study:
    """The study with the machines as further annotators, after all the people."""
    keys = np.asarray(study.pair_keys)
    judged = np.zeros(len(keys), dtype=bool)
    judged[study.pairs[study.counted]] = True
    place = {key: code for code, key in enumerate(keys.tolist()) if judged[code]}
    rows = [
        (len(study.annotator_names) + number, place[pair], CODE_OF[choice.value])
        for number, said in enumerate(votes.values())
        for pair, choice in said.items()
        if pair in place
    ]
    who, pairs, labels = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    new = {
        "annotators": who,
        "pairs": pairs,
        "presentations": np.zeros(len(rows)),
        "labels": labels,
        "swapped": np.zeros(len(rows)),
        "surplus": np.zeros(len(rows)),
        "active_ms": np.full(len(rows), NO_TIME),
    }
    columns = {
        name: np.concatenate([getattr(study, name), column.astype(getattr(study, name).dtype)])
        for name, column in new.items()
    }
    return replace(study, annotator_names=(*study.annotator_names, *votes), **columns)  # type: ignore[arg-type]  # names and columns of the same fields
