"""Small studies, and random ones for properties."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from evaluation.study import Study, StudyTask
from evaluation.study.values import CODE_OF, NO_CHECK

Answer = tuple[int, int, str]  # annotator, pair, label


def make_study(
    answers: list[Answer],
    *,
    tasks: tuple[StudyTask, ...] = (StudyTask("t", "Task", "six-way"),),
    pair_tasks: list[int] | None = None,
    sentences: list[int] | None = None,
    expected: dict[int, str] | None = None,
    **columns: Any,
) -> Study:
    """A study of a few answers; every pair is a sentence of its own unless said otherwise."""
    n = len(answers)
    size = max(
        [pair + 1 for _, pair, _ in answers] + [len(pair_tasks or []), len(sentences or [])], default=0
    )
    wanted = np.full(size, NO_CHECK, dtype=np.int8)
    for pair, label in (expected or {}).items():
        wanted[pair] = CODE_OF[label]
    people = max([person + 1 for person, _, _ in answers], default=0)
    return Study(
        tasks=tasks,
        annotator_names=tuple("abcdefghij"[:people]),
        annotators=np.array([person for person, _, _ in answers], dtype=np.int16),
        pairs=np.array([pair for _, pair, _ in answers], dtype=np.int32),
        presentations=np.array(columns.get("presentations", [0] * n), dtype=np.int8),
        labels=np.array([CODE_OF[label] for _, _, label in answers], dtype=np.int8),
        swapped=np.array(columns.get("swapped", [False] * n), dtype=bool),
        surplus=np.array(columns.get("surplus", [False] * n), dtype=bool),
        active_ms=np.array(columns.get("active_ms", [-1] * n), dtype=np.int32),
        pair_keys=tuple(str(pair) for pair in range(size)),
        pair_tasks=np.array(pair_tasks or [0] * size, dtype=np.int16),
        pair_sentences=np.array(range(size) if sentences is None else sentences, dtype=np.int32),
        expected=wanted,
    )


labels = st.sampled_from(list(CODE_OF))
answers = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 6), labels), max_size=40, unique_by=lambda row: row[:2]
)
