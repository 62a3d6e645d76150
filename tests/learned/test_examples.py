"""Training examples: nobody meets his own translation, the classes are balanced, documents stay whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from metrics.learned.examples import (
    TooFewExamples,
    documents_of,
    is_in_thirds,
    ranked_examples,
    sample,
    split,
    translator_examples,
)
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Dataset, DatasetCell, Text
from tests.learned.data import write_set


def several(segments: int = 9, references: int = 4) -> Dataset:
    texts = {
        str(n): Text(f"s{n}", tuple(f"human {n} {r}" for r in range(references)), f"doc {n // 3}")
        for n in range(segments)
    }
    cells = tuple(DatasetCell(s, name, f"{s} {name}") for s in ("mt1", "mt2", "ref-A") for name in texts)
    return Dataset(texts, cells, ("refA", "refB", "refC", "refD"))


def test_four_references_give_four_human_and_four_machine_examples_a_segment() -> None:
    """Kulesza 2004, section 3.1: 21,144 examples, half of them human, three references each."""
    found = translator_examples(several(), seed=1)
    assert len(found) == 9 * 8
    assert Counter(example.human for example in found) == {True: 36, False: 36}
    assert {len(example.segment.references) for example in found} == {3}


def test_a_human_hypothesis_never_meets_itself_and_both_classes_see_the_same_references() -> None:
    found = translator_examples(several(), seed=1)
    for human, machine in zip(found[::2], found[1::2], strict=True):
        assert human.human
        assert not machine.human
        assert human.segment.hypothesis not in human.segment.references
        assert human.segment.references == machine.segment.references


def test_references_that_take_part_as_systems_are_never_machines() -> None:
    machines = {
        e.segment.hypothesis.split()[0] for e in translator_examples(several(), seed=1) if not e.human
    }
    assert machines == {"mt1", "mt2"}


def test_one_system_or_n_best_lists_can_be_asked_for() -> None:
    only = translator_examples(several(), seed=1, systems=["mt2"])
    assert {e.segment.hypothesis.split()[0] for e in only if not e.human} == {"mt2"}
    lists = {str(n): [f"best {n}", f"second {n}"] for n in range(9)}
    drawn = translator_examples(several(), seed=1, n_best=lists)
    assert {e.segment.hypothesis.split()[0] for e in drawn if not e.human} == {"best", "second"}
    with pytest.raises(TooFewExamples, match="no output of mt9"):
        translator_examples(several(), seed=1, systems=["mt9"])


def test_fewer_references_can_be_asked_for() -> None:
    found = translator_examples(several(), seed=1, references=1)
    assert {len(example.segment.references) for example in found} == {1}
    assert len(found) == 72


def test_the_seed_decides() -> None:
    assert translator_examples(several(), seed=1) == translator_examples(several(), seed=1)
    assert translator_examples(several(), seed=1) != translator_examples(several(), seed=2)


def test_one_reference_cannot_be_left_out() -> None:
    with pytest.raises(TooFewExamples, match="two references"):
        translator_examples(several(references=1), seed=1)


def test_winners_stand_for_people_and_losers_for_machines(tmp_path: Path) -> None:
    files = datasets.find_set(write_set(tmp_path, "x"))
    dataset = datasets.read_dataset(files.segments, files.outputs)
    assert files.rankings is not None
    human = datasets.read_rankings(files.rankings, dataset)
    found = ranked_examples(dataset, human, seed=1)
    classes = Counter(example.human for example in found)
    assert classes[True] == classes[False] > 40
    by_document: dict[str, Counter[bool]] = {}
    for example in found:
        by_document.setdefault(example.document, Counter())[example.human] += 1
    assert all(counter[True] == counter[False] for counter in by_document.values())


def test_every_third_document_is_held_out_whole() -> None:
    training, validation = split(translator_examples(several(), seed=1))
    assert {e.document for e in validation} == {"doc 2"}
    assert {e.document for e in training} == {"doc 0", "doc 1"}
    with pytest.raises(TooFewExamples, match="2 documents"):
        split(training)


def test_a_sample_is_balanced_and_in_order() -> None:
    found = translator_examples(several(), seed=1)
    drawn = sample(found, 20, seed=3)
    assert Counter(example.human for example in drawn) == {True: 10, False: 10}
    places = [found.index(example) for example in drawn]
    assert places == sorted(places)


def test_without_document_names_consecutive_segments_stand_together() -> None:
    texts = {str(n): Text("s", ("r",)) for n in range(65)}
    assert list(dict.fromkeys(documents_of(texts).values())) == ["block 0", "block 1", "block 2"]


@pytest.mark.parametrize(
    ("segments", "sizes"),
    [(3, [1, 1, 1]), (4, [2, 1, 1]), (59, [20, 20, 19]), (89, [30, 30, 29]), (90, [30, 30, 30]),
     (95, [30, 30, 30, 5])],
)  # fmt: skip
def test_a_small_set_without_document_names_is_split_in_thirds(segments: int, sizes: list[int]) -> None:
    texts = {str(n): Text("s", ("r",)) for n in range(segments)}
    assert list(Counter(documents_of(texts).values()).values()) == sizes
    assert is_in_thirds(texts) == (segments < 90)


def test_thirds_of_a_small_set_share_no_sentence() -> None:
    named = several(segments=20)
    texts = {name: Text(text.source, text.references) for name, text in named.texts.items()}
    training, validation = split(translator_examples(Dataset(texts, named.cells), seed=1))
    sources = [[int(str(e.segment.source)[1:]) for e in part] for part in (training, validation)]
    assert set(sources[0]) == set(range(14))
    assert set(sources[1]) == set(range(14, 20))
    assert not is_in_thirds(named.texts)
