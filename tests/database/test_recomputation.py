"""Every figure of a simulated campaign, computed a second time from its exports alone.

Ten people answer, one at random and one mostly for the left side. The code here reads the files that a
researcher gets, and uses none of the statistics of the application.
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import uuid
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from math import comb
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.annotate.services import answers, assignments
from evaluation.blinding import pseudonym
from evaluation.models import Adjudication, Annotator, Assignment, Occurrence, PhrasePair, Task
from evaluation.schemes import Choice
from tests.database.conftest import SENTENCES, annotator, make_task

Row = dict[str, str]
Vote = tuple[str, str, int, str, str]  # first system, second system, sign, sentence, annotator
SIGN = {"A>>B": 1, "A>B": 1, "A=B": 0, "A<B": -1, "A<<B": -1}
PEOPLE = 10


def truth_of(first: str, second: str) -> str:
    """The right answer to two texts as stored; the same in every run, and seldom N/A."""
    drawn = random.Random(f"{first}|{second}").random()
    return "N/A" if drawn < 0.03 else "A>B" if drawn < 0.4 else "A=B" if drawn < 0.65 else "A<B"


@pytest.fixture
def campaign(db: None) -> Task:
    sentences = [
        json.loads(json.dumps(one).replace("house", f"house{n}")) | {"id": f"n{n}"}
        for n, one in enumerate(SENTENCES * 3)
    ]
    task = make_task(sentences=sentences, overlap=4, scheme="six-way")
    Task.objects.filter(pk=task.pk).update(ask_sentence=True)
    task.refresh_from_db()
    people = [annotator(f"person{n}", task) for n in range(PEOPLE)]
    open_to = dict(enumerate(people))
    while open_to:  # in turns, so that everybody gets some
        for number, person in list(open_to.items()):
            assignment = assignments.next_assignment(task, person)
            if assignment is None:
                del open_to[number]
            else:
                answer(assignment, number)
    return task


def answer(assignment: Assignment, person: int) -> None:
    dice = random.Random(f"{person} {assignment.comparison_id}")
    places = Occurrence.objects.asked_by(assignment).select_related("pair").order_by("index")
    for place in places:
        swapped = assignment.swapped != place.flipped
        shown = say(dice, person, truth_of(place.pair.first, place.pair.second), swapped)
        submission = answers.Submission(uuid.uuid4(), place.index, shown, base=0, active_ms=4000)
        receipt = answers.submit_ranking(assignment, submission)
        if dice.random() < 0.1:  # a change of mind
            again = answers.Submission(uuid.uuid4(), place.index, Choice.EQUAL, base=receipt.version)
            answers.submit_ranking(assignment, again)
    first, second = assignment.compared.first.text, assignment.compared.second.text
    verdict = say(dice, person, truth_of(first, second), assignment.swapped)
    answers.submit_sentence_answer(assignment, "verdict", verdict.value, uuid=uuid.uuid4())
    answers.finish_pairs(assignment)


def say(dice: random.Random, person: int, truth: str, swapped: bool) -> Choice:
    """What this person chooses, with A and B as shown to them."""
    if person == 0:
        return dice.choice(list(Choice))
    if person == 1 and dice.random() < 0.6:
        return Choice.A_BETTER
    choice = Choice(truth) if dice.random() < 0.8 else dice.choice(list(Choice))
    return choice.mirrored if swapped else choice


# --- what a researcher does with the files ----------------------------------------------------------------


def read_export(task: Task, folder: Path, kind: str) -> list[Row]:
    """The answers that count."""
    path = folder / f"{kind}.csv"
    call_command("export", task=task.slug, format="csv", answers=kind, out=path, verbosity=0)
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["current"] == "yes" and row["label"]]
    return [row for row in rows if row["presentation"] == "0" and not row["check"]]


def read_report(name: str, task: Task, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("report", name, "--task", task.slug, *options, stdout=out)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def collapse(label: str) -> str:
    return label.replace(">>", ">").replace("<<", "<")


def agree(rows: Iterable[Row], read: Callable[[str], str] = str) -> tuple[int, float]:
    """Pairs of answers to one pair by two annotators, and how many of them are equal."""
    by_pair = defaultdict(list)
    for row in rows:
        by_pair[row["pair"]].append(read(row["label"]))
    both = [a == b for labels in by_pair.values() for a, b in itertools.combinations(labels, 2)]
    return len(both), sum(both) / len(both)


def kappa(observed: float, chance: float) -> float:
    return (observed - chance) / (1 - chance)


def chance_of(labels: Iterable[str]) -> float:
    counts = Counter(labels)
    return sum((n / counts.total()) ** 2 for n in counts.values())


def check_agreement(document: dict[str, Any], rows: list[Row]) -> None:
    pairs, observed = agree(rows)
    _, collapsed = agree(rows, collapse)
    assert (document["judgements"], document["pairs"]) == (len(rows), pairs)
    assert document["p_a"] == pytest.approx(observed)
    assert document["kappa"] == pytest.approx(kappa(observed, 1 / 6))
    assert document["kappa_prime"] == pytest.approx(kappa(collapsed, 1 / 4))
    chance = chance_of(row["label"] for row in rows)
    assert document["p_e_observed"] == pytest.approx(chance)
    lines = {line["annotator"]: line for line in document["annotator_lines"]}
    for name, own in group(rows, "annotator").items():
        left = [SIGN.get(row["label"], 9) * (1 if row["left"] == "first" else -1) for row in own]
        assert lines[name]["answers"] == len(own)
        assert lines[name]["bias"]["left"] == left.count(1)
        assert lines[name]["bias"]["right"] == left.count(-1)
    for line in document["by_annotator_pair"]:
        ours = {row["pair"]: row["label"] for row in rows if row["annotator"] == line["a"]}
        shared = [row for row in rows if row["annotator"] == line["b"] and row["pair"] in ours]
        same = sum(ours[row["pair"]] == row["label"] for row in shared)
        assert (line["pairs"], line["p_a"]) == (len(shared), pytest.approx(same / len(shared)))


def group(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    groups = defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def cast_votes(rows: Iterable[Row]) -> Iterator[Vote]:
    """Every system that wrote the one text against every system that wrote the other."""
    for row in rows:
        if row["label"] in SIGN:
            systems = (row["systems_first"].split("+"), row["systems_second"].split("+"))
            for a, b in itertools.product(*systems):
                yield a, b, SIGN[row["label"]], row["item"], row["annotator"]


def check_results(document: dict[str, Any], votes: list[Vote]) -> None:
    wins: Counter[tuple[str, str]] = Counter()
    ties: Counter[str] = Counter()
    for a, b, sign, *_ in votes:
        if sign:
            wins[(a, b) if sign > 0 else (b, a)] += 1
        else:
            ties.update((a, b))
    names = sorted({name for vote in votes for name in vote[:2]})
    assert document["votes"] == len(votes)
    for line in document["systems"]:
        name, others = line["system"], [other for other in names if other != line["system"]]
        assert line["wins"] == sum(wins[name, other] for other in others)
        assert line["losses"] == sum(wins[other, name] for other in others)
        assert line["ties"] == ties[name]
        met = [other for other in others if wins[name, other] + wins[other, name]]
        shares = [wins[name, other] / (wins[name, other] + wins[other, name]) for other in met]
        assert line["expected_wins"] == pytest.approx(sum(shares) / len(shares))
    p_values = {}
    for pair in document["comparisons"]:
        net: Counter[str] = Counter()
        for a, b, sign, sentence, _ in votes:
            if {a, b} == {pair["a"], pair["b"]}:
                net[sentence] += sign if a == pair["a"] else -sign
        ahead, behind = (sum(n * side > 0 for n in net.values()) for side in (1, -1))
        assert (pair["sentences_for"], pair["sentences_against"]) == (ahead, behind)
        tail = sum(comb(ahead + behind, k) for k in range(min(ahead, behind) + 1)) / 2 ** (ahead + behind)
        p_values[pair["a"], pair["b"]] = min(1.0, 2 * tail)
        assert pair["p"] == pytest.approx(p_values[pair["a"], pair["b"]])
    holm, highest = {}, 0.0
    for rank, (key, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, p * (len(p_values) - rank)))
        holm[key] = highest
    assert {(pair["a"], pair["b"]): pytest.approx(pair["p_holm"]) for pair in document["comparisons"]} == holm


# --- the campaign -----------------------------------------------------------------------------------------


def test_agreement_results_and_panel_follow_from_the_exports(campaign: Task, tmp_path: Path) -> None:
    phrases, sentences = (read_export(campaign, tmp_path, kind) for kind in ("phrases", "sentences"))
    assert len(phrases) > 250
    assert len(sentences) > 100
    assert {row["kind"] for row in sentences} == {"sentence"}
    for kind, rows in (("phrases", phrases), ("sentences", sentences)):
        check_agreement(read_report("agreement", campaign, "--answers", kind), rows)
        results = read_report("results", campaign, "--answers", kind)
        assert results["answers"] == kind
        if kind == "sentences":  # a phrase may occur in comparisons that the export does not list
            check_results(results, list(cast_votes(rows)))
    check_results(read_report("results", campaign), list(cast_votes(occurring(campaign, phrases))))
    check_panel(campaign, phrases)
    assert read_bundle_tables(campaign, tmp_path)["sentences/results/systems"]


def occurring(task: Task, rows: list[Row]) -> Iterator[Row]:
    """The answers at every place where their pair occurs, as the bundle lists them."""
    places = defaultdict(list)
    for place in Occurrence.objects.select_related("pair", "alignment__comparison__item"):
        comparison = place.alignment.comparison
        sides = [comparison.first, comparison.second]
        if place.flipped:
            sides.reverse()
        names = ["+".join(side.systems.values_list("name", flat=True)) for side in sides]
        places[place.pair.key].append((comparison.item.key, *names))
    for row in rows:
        for item, first, second in places[row["pair"]]:
            yield row | {"item": item, "systems_first": first, "systems_second": second}


def check_panel(task: Task, rows: list[Row]) -> None:
    pairs = {pair.key: pair for pair in PhrasePair.objects.filter(task=task)}
    truth = {key: truth_of(pair.first, pair.second) for key, pair in pairs.items()}
    Adjudication.objects.bulk_create(
        Adjudication(pair=pair, choice=truth[key], reason="known") for key, pair in pairs.items()
    )
    out = StringIO()
    options = ("--task", task.slug, "--table", "consensus", "--format", "csv")
    call_command("report", "panel", *options, stdout=out)
    consensus = {row["pair"]: row for row in csv.DictReader(StringIO(out.getvalue()))}
    votes = {key: Counter(collapse(row["label"]) for row in own) for key, own in group(rows, "pair").items()}
    assert consensus.keys() == votes.keys()
    right = {"panel": 0, "plurality": 0}
    for key, counts in votes.items():
        row = consensus[key]
        assert {label: int(row[label]) for label in ("A>B", "A=B", "A<B", "N/A")} == {
            label: counts[label] for label in ("A>B", "A=B", "A<B", "N/A")
        }
        most = [label for label, n in counts.items() if n == max(counts.values())]
        assert row["plurality"] == (most[0] if len(most) == 1 else "")
        unanimous = len(counts) == 1 and counts.total() > 1
        against = row["plurality"] not in ("", row["consensus"])
        assert row["contradicts"] == (
            "unanimous" if against and unanimous else "plurality" if against else ""
        )
        assert counts["N/A"] or row["consensus"] != "N/A"
        right["panel"] += row["consensus"] == truth[key]
        right["plurality"] += row["plurality"] == truth[key]
    assert right["panel"] >= right["plurality"]
    document = read_report("panel", task)
    assert document["adjudicated"]["accuracy"] == pytest.approx(right["panel"] / len(votes))
    assert document["adjudicated"]["majority_accuracy"] == pytest.approx(right["plurality"] / len(votes))
    assert document["contradicted"] == sum(row["contradicts"] != "" for row in consensus.values())
    people = {member["name"]: member["reliability"] for member in document["members"]}
    assert min(people, key=lambda name: people[name]) in careless(task)


def careless(task: Task) -> set[str]:
    """The pseudonyms of the two people who do not read."""
    people = Annotator.objects.filter(user__username__in=["person0", "person1"])
    return {pseudonym(task.campaign.key, person.key) for person in people}


def read_bundle_tables(task: Task, folder: Path) -> dict[str, int]:
    """Verify the bundle, and return the number of lines of each table."""
    path, out = folder / "study.zip", StringIO()
    call_command("export", task=task.slug, format="bundle", out=path, verbosity=0)
    call_command("verify_bundle", str(path), stdout=out)
    with zipfile.ZipFile(path) as archive:
        return {
            name.removeprefix("tables/").removesuffix(".csv"): archive.read(name).count(b"\n")
            for name in archive.namelist()
            if name.startswith("tables/") and name.endswith(".csv")
        }
