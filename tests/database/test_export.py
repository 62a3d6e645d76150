"""What leaves the site: complete, mapped back to the input, and without names."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from evaluation.blinding import pseudonym
from evaluation.exporters import FORMATS
from evaluation.models import (
    Alignment,
    Annotator,
    AuditEntry,
    Comparison,
    Output,
    PhrasePair,
    Ranking,
    SentenceAnswer,
    Task,
    User,
)
from evaluation.reports.exports import load_display_names, read_answered_pairs
from evaluation.reports.scope import load_scope
from evaluation.schemes import Choice
from evaluation.tasks.edited_links import Realignment
from evaluation.tasks.services.realignments import realign_comparison
from tests.database.answering import always, another_task, answer_task, change_mind
from tests.database.conftest import annotator, person
from tests.exporters.test_schema import CHECKER, find_cell_problems

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def answered(task: Task, bob: Annotator, carol: Annotator) -> Task:
    answer_task(task, bob, always(Choice.A_BETTER))
    answer_task(task, carol, always(Choice.EQUAL), most=2)
    change_mind(Ranking.objects.filter(annotator=carol).order_by("pk")[0], Choice.NOT_APPLICABLE)
    change_mind(Ranking.objects.filter(annotator=carol).order_by("pk")[1], None)
    return task


def exported(*arguments: str) -> str:
    out = StringIO()
    call_command("export", *arguments, stdout=out)
    return out.getvalue()


def test_every_version_of_every_answer_is_there_and_maps_back(answered: Task) -> None:
    rows = [json.loads(line) for line in exported("--task", answered.slug, "--format", "jsonl").splitlines()]
    assert len(rows) == Ranking.objects.count()
    assert {row["item"] for row in rows} == {"s1", "s2", "s3", "s4"}
    assert {row["annotator"] for row in rows} == {
        pseudonym(answered.campaign.key, f"key of {name}") for name in ("bob", "carol")
    }
    assert sum(not row["current"] for row in rows) == 2
    assert [row["label"] for row in rows if row["version"] == 2 and row["label"] is None] == [None]
    assert all(
        set(row["systems_first"]) | set(row["systems_second"]) <= {"alpha", "beta", "gamma"} for row in rows
    )
    assert all(row["received_at"] is None for row in rows)
    by_order = sorted(rows, key=lambda row: row["order"])
    assert by_order[0]["order"] == 1
    assert by_order[-1]["version"] == 2


def test_all_formats_tell_the_same(answered: Task, alice: User, signed_in: SignIn) -> None:
    client, count = signed_in(alice), Ranking.objects.count()
    texts = {}
    for form in FORMATS:
        response = client.get(reverse("task-export", args=[answered.slug, form]))
        texts[form] = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]  # a stream
        assert response["Content-Type"] == FORMATS[form].content_type
    assert len(list(csv.reader(StringIO(texts["csv"])))) == count + 1
    assert texts["tsv"].count("\n") == count + 1
    assert texts["xml"].count("<ranking ") == count
    assert texts["csv"] == exported("--task", answered.slug, "--format", "csv")


def test_a_spreadsheet_has_the_answers_of_the_csv_and_runs_no_formula(
    answered: Task, alice: User, signed_in: SignIn, tmp_path: Path
) -> None:
    PhrasePair.objects.filter(pk=Ranking.objects.values("pair")[:1]).update(first="=1+1")
    response = signed_in(alice).get(reverse("task-export", args=[answered.slug, "xlsx"]))
    data = b"".join(response.streaming_content)  # type: ignore[attr-defined]  # a file
    workbook = load_workbook(BytesIO(data))
    rows = list(csv.reader(StringIO(exported("--task", answered.slug, "--format", "csv"))))
    cells = [["" if cell.value is None else str(cell.value) for cell in row] for row in workbook["answers"]]
    assert cells == rows
    kinds = {str(cell.value): cell.data_type for row in workbook["answers"] for cell in row}
    assert kinds["=1+1"] == "s"
    assert len(workbook.sheetnames) > 1
    exported("--task", answered.slug, "--format", "xlsx", "--out", str(tmp_path / "answers.xlsx"))
    assert load_workbook(tmp_path / "answers.xlsx").sheetnames == workbook.sheetnames
    with pytest.raises(CommandError, match="--out"):
        exported("--task", answered.slug, "--format", "xlsx")


def test_preferred_translations_are_chosen_and_rejected(task: Task, bob: Annotator, carol: Annotator) -> None:
    def prefer_some(pair: PhrasePair, presentation: int) -> Choice:
        return Choice.A_BETTER if pair.pk % 2 else Choice.NOT_APPLICABLE

    answer_task(task, bob, prefer_some)
    answer_task(task, carol, prefer_some, most=1)
    lines = [
        json.loads(line) for line in exported("--task", task.slug, "--format", "preferences").splitlines()
    ]
    assert lines
    for line in lines:
        item = task.items.get(key=line["item"])
        texts = set(item.candidates.values_list("text", flat=True))
        assert {line["chosen"], line["rejected"]} <= texts
        assert line["chosen"] != line["rejected"]
        assert line["prompt"] == item.source
        assert 0 < line["margin"] <= 1
        assert 0 <= line["agreement"] <= 1
        assert line["systems_chosen"]
        assert line["annotators"] in (1, 2)
    assert exported("--task", another_task("Unanswered").slug, "--format", "preferences") == ""


def test_composites_have_the_preferred_variant_at_every_question(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    def prefer_some(pair: PhrasePair, presentation: int) -> Choice:
        return Choice.A_BETTER if pair.pk % 3 else Choice.B_BETTER

    answer_task(task, bob, prefer_some)
    lines = [
        json.loads(line) for line in exported("--task", task.slug, "--format", "composites").splitlines()
    ]
    assert {line["item"] for line in lines} == {"s1", "s2", "s3", "s4"}
    client = signed_in(alice)
    for line in lines:
        item = task.items.get(key=line["item"])
        texts = set(item.candidates.values_list("text", flat=True))
        assert {line["better"], line["other"]} <= texts
        known = set(f"{line['better']} {line['other']}".lower().split())
        assert set(line["composite"].lower().split()) <= known
        assert (line["composite"] == line["better"]) == (line["taken"] == 0)
        assert line["taken"] <= line["questions"] / 2
        a, b = line["systems_better"][0], line["systems_other"][0]
        page = client.get(reverse("evidence-sentence", args=[task.slug, item.position]), {"a": a, "b": b})
        assert (line["composite"] in page.content.decode()) == (line["composite"] not in texts)
    assert any(line["taken"] for line in lines)
    sent = client.get(reverse("task-export", args=[task.slug, "composites"]))
    assert [json.loads(line) for line in b"".join(sent.streaming_content).splitlines()] == lines  # type: ignore[attr-defined]  # a stream
    assert exported("--task", another_task("Unanswered").slug, "--format", "composites") == ""


def test_a_campaign_is_all_its_tasks(answered: Task, bob: Annotator) -> None:
    other = another_task("More")
    answer_task(other, bob, always(Choice.EQUAL), most=1)
    rows = exported("--campaign", "study", "--format", "jsonl").splitlines()
    assert {json.loads(row)["task"] for row in rows} == {answered.slug, other.slug}
    assert len(exported("--task", other.slug, "--format", "jsonl").splitlines()) < len(rows)


@pytest.mark.parametrize("options", [[], ["--identify"], ["--answers", "sentences"]])
def test_exports_keep_to_the_published_schemas(answered: Task, options: list[str]) -> None:
    SentenceAnswer.objects.create(
        uuid=uuid4(), annotator=Annotator.objects.all()[0], comparison=Comparison.objects.all()[0],
        question="verdict", version=1, value="A>B",
    )  # fmt: skip
    lines = exported("--task", answered.slug, "--format", "jsonl", *options).splitlines()
    assert lines
    for line in lines:
        CHECKER.validate(json.loads(line))
    assert find_cell_problems(exported("--task", answered.slug, "--format", "csv", *options)) == []


class TestNames:
    def test_no_export_carries_a_name_or_an_address(
        self, answered: Task, alice: User, signed_in: SignIn
    ) -> None:
        User.objects.filter(username="bob").update(
            username="canary-7f3a", email="canary-7f3a@example.org", first_name="canary-7f3a"
        )
        client = signed_in(alice)
        for form in (*FORMATS, "latex", "bundle"):
            response = client.get(reverse("task-export", args=[answered.slug, form]))
            content = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]  # a stream
            assert b"canary" not in content

    def test_names_are_for_administrators_who_ask(
        self, answered: Task, alice: User, signed_in: SignIn
    ) -> None:
        address = reverse("task-export", args=[answered.slug, "csv"]) + "?identify=yes"
        assert signed_in(alice).get(address).status_code == 403
        admin = person("root", is_superuser=True)
        content = b"".join(signed_in(admin).get(address).streaming_content).decode()  # type: ignore[attr-defined]  # a stream
        assert ",bob," in content
        assert AuditEntry.objects.filter(action="export", detail__identified=True).count() == 1
        assert ",bob," in exported("--task", answered.slug, "--format", "csv", "--identify")

    def test_two_campaigns_cannot_be_joined_by_pseudonyms(self) -> None:
        assert pseudonym("one", "bob's key") != pseudonym("two", "bob's key")


def test_a_pair_that_a_correction_added_behind_another_task_is_exported(
    answered: Task, alice: User, carol: Annotator
) -> None:
    elsewhere = another_task("Elsewhere")
    stranger = annotator("stranger", elsewhere)
    answer_task(elsewhere, stranger, always(Choice.EQUAL))
    comparison = answered.pairs.order_by("pk")[0].owner
    realign_comparison(comparison, Realignment((), join=False), base=1, by=alice)
    late = PhrasePair.objects.filter(task=answered).order_by("-pk")[0]
    assert late.pk > PhrasePair.objects.filter(task=elsewhere).order_by("-pk")[0].pk
    rows = exported("--task", answered.slug, "--format", "jsonl").splitlines()
    assert len(rows) == Ranking.objects.filter(pair__task=answered).count()


def test_a_voice_that_judged_whole_sentences_alone_has_its_pseudonym(answered: Task, tmp_path: Path) -> None:
    voice = Annotator.objects.create(key="of a file")
    SentenceAnswer.objects.create(
        uuid=uuid4(), annotator=voice, comparison=Comparison.objects.filter(item__task=answered)[0],
        question="verdict", version=1, value="A>B",
    )  # fmt: skip
    path = tmp_path / "study.zip"
    exported("--task", answered.slug, "--format", "bundle", "--out", str(path))
    with zipfile.ZipFile(path) as archive:
        told = json.loads(archive.read("data/sentence_answers.jsonl"))
    assert told["annotator"] == pseudonym(answered.campaign.key, "of a file")


def test_somebody_whose_first_answer_comes_during_the_export_is_in_it(answered: Task) -> None:
    scope = load_scope("task", answered.slug)
    who = load_display_names(scope, identify=False)
    late = annotator("late", answered)
    answer_task(answered, late, always(Choice.EQUAL), most=1)
    name = pseudonym(answered.campaign.key, late.key)
    assert any(name == answer[0] for pair in read_answered_pairs(scope, who) for answer in pair.answers)


def test_exports_are_for_those_who_study_the_task(
    answered: Task, bob: Annotator, dora: User, alice: User, signed_in: SignIn
) -> None:
    address = reverse("task-export", args=[answered.slug, "csv"])
    assert [signed_in(who).get(address).status_code for who in (bob, dora)] == [404, 404]
    assert signed_in(alice).get(reverse("task-export", args=[answered.slug, "exe"])).status_code == 404


def test_the_command_refuses_what_makes_no_sense(answered: Task, tmp_path: Path) -> None:
    for arguments in (
        ["--task", "nowhere", "--format", "csv"],
        ["--task", answered.slug, "--format", "bundle"],
        ["--task", answered.slug, "--format", "latex", "--identify"],
        ["--task", answered.slug, "--format", "csv", "--out", str(tmp_path / "no" / "where.csv")],
    ):
        with pytest.raises(CommandError) as caught:
            exported(*arguments)
        assert caught.value.returncode == 2


def test_a_reader_that_has_seen_enough_is_no_fault_and_still_an_export(answered: Task) -> None:
    class Closed(StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        call_command("export", "--task", answered.slug, "--format", "csv", stdout=Closed())
    assert AuditEntry.objects.get(action="export").detail == {"format": "csv", "identified": False}


def test_latex_is_every_table(answered: Task) -> None:
    content = exported("--task", answered.slug, "--format", "latex")
    assert content.count(r"\begin{tabular}") == content.count(r"\end{tabular}") > 10


def rows_of(task: Task) -> list[Sequence[object]]:
    """All that an import makes, without the numbers that the database gives."""
    mine = {"comparison__item__task": task}
    asked = PhrasePair.objects.filter(task=task).values_list(
        "first", "second", "kind", "key", "owner__first__text"
    )
    return [
        list(
            task.items.order_by("position").values_list(
                "key", "document", "source", "references", "context_before"
            )
        ),
        sorted(
            Output.objects.filter(item__task=task).values_list("item__key", "system__name", "candidate__text")
        ),
        sorted(map(str, Alignment.objects.filter(**mine).values_list("links", "aligner", "phrases"))),
        sorted(asked),
        sorted(
            task.slots.values_list("comparison__first__text", "comparison__second__text", "k", "presentation")
        ),
    ]


@pytest.mark.parametrize("sample", ["wide.tsv", "phrases.tsv", "task.json"])
def test_a_task_exported_and_imported_again_is_the_same_task(db: None, tmp_path: Path, sample: str) -> None:
    given = str(Path(settings.BASE_DIR) / "fixtures" / "samples" / sample)
    choices = ["--scheme=four-way", "--seed=7", "--dedup=task", "--target-lang=en"]
    call_command("import_task", given, "--name=Once", "--campaign=first", *choices)
    once = Task.objects.get(slug="once")
    file = tmp_path / "again.jsonl"
    call_command("export", task="once", format="items", out=file)
    call_command("import_task", str(file), "--name=Again", "--campaign=second", *choices)
    again = Task.objects.get(slug="again")
    assert rows_of(again) == rows_of(once)
    if sample == "wide.tsv":  # elsewhere the file says in other words which texts its links and phrases join
        assert again.digest == once.digest
