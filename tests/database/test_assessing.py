"""Scores and error spans are collected: passages, slots, the page, answers, and what reports get."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.annotate.services import assignments
from evaluation.assessments import PROTOCOLS
from evaluation.importers import ImportOptions, SourceFile, read
from evaluation.models import (
    Annotator,
    Assessment,
    Assignment,
    Campaign,
    Candidate,
    ErrorSpan,
    Job,
    Membership,
    Output,
    Passage,
    PassageOutput,
    Role,
    Slot,
    Task,
    User,
)
from evaluation.reports.evidence_query import load_assessment_set
from evaluation.reports.scope import Scope
from evaluation.reports.suggestions import SuggestedErrors, SuggestionCounts, SuggestionPage
from evaluation.tasks.queries.members import CheckCounts, count_checks
from evaluation.tasks.queries.progress import build_monitor_page
from evaluation.tasks.services.importing import import_set
from evaluation.tasks.services.passages import AssessmentPlan, create_passages
from evaluation.tasks.services.slots import resize_slots
from evaluation.tasks.services.task_settings import TaskSettings
from tests.database.answering import another_task
from tests.database.conftest import SENTENCES, annotator, make_task, person

DOCUMENTS: list[dict[str, Any]] = [
    {**sentence, "document": f"d{n // 2}"} for n, sentence in enumerate(SENTENCES)
]


def assess_task(name: str = "Ratings", **settings: Any) -> Task:
    options = {"comparisons": "none", "assess": "esa", "overlap": 1, **settings}
    return make_task(name, options.pop("sentences", None), **options)


def open_page(client: Client, task: Task) -> tuple[str, dict[str, Any]]:
    """Claim the next passage; returns the address of its page and its data."""
    url = client.post(f"/tasks/{task.slug}/work")["Location"]
    return url, read_page(client, url)


def read_page(client: Client, url: str) -> dict[str, Any]:
    response = client.get(url)
    assert response.status_code == 200, (url, response.status_code)
    data: dict[str, Any] = response.context["assess"]
    return data


def list_candidates(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for unit in data["units"] for each in unit["candidates"]] + (data["document_score"] or [])


def send(client: Client, data: dict[str, Any], candidate: dict[str, Any], **fields: Any) -> Any:
    body = {
        "uuid": str(uuid.uuid4()), "output": candidate["output"], "base": candidate["version"],
        "score": 70, "spans": [], "active_ms": 1000, "elapsed_ms": 2000, **fields,
    }  # fmt: skip
    return client.post(data["answer_url"], json.dumps(body), content_type="application/json")


SPAN = {"side": "target", "start": 0, "end": 8, "severity": "minor", "category": "", "suggestion": None}
OMISSION = {**SPAN, "start": None, "end": None, "severity": "major"}


@pytest.fixture
def esa(db: None) -> Task:
    return assess_task()


@pytest.fixture
def ann(esa: Task) -> Annotator:
    return annotator("ann", esa)


@pytest.fixture
def browser(ann: Annotator, signed_in: Any) -> Client:
    client: Client = signed_in(ann)
    return client


def test_each_output_is_in_one_passage_and_repeated_source_is_far_apart(esa: Task) -> None:
    passages = list(Passage.objects.filter(task=esa).prefetch_related("outputs__output__item"))
    assert len(passages) == 12
    assert esa.size == 12
    assert esa.per_person == 12
    outputs = [row.output_id for passage in passages for row in passage.outputs.all()]
    assert len(outputs) == len(set(outputs)) == 12
    positions = [row.output.item.position for passage in passages for row in passage.outputs.all()]
    assert positions == [0, 1, 2, 3] * 3
    assert Slot.objects.filter(task=esa, comparison=None).count() == 12


def test_a_slot_is_about_one_of_both(esa: Task) -> None:
    slot, other = esa.slots.first(), another_task("Barns").slots.first()
    assert slot is not None
    assert other is not None
    for values in ({"passage": None}, {"comparison": other.comparison_id}):
        with pytest.raises(IntegrityError, match="slot_of_comparison_or_passage"), transaction.atomic():
            Slot.objects.filter(pk=slot.pk).update(**values)


def test_identical_texts_are_shown_once_and_answered_for_each_output(db: None, signed_in: Any) -> None:
    same = [
        {**row, "candidates": {**row["candidates"], "delta": row["candidates"]["alpha"]}} for row in SENTENCES
    ]
    task = assess_task(sentences=same, assess_systems=4)
    client = signed_in(annotator("ann", task))
    _, data = open_page(client, task)
    (unit,) = data["units"]
    assert [each["letter"] for each in unit["candidates"]] == ["A", "B", "C"]
    shared = next(each for each in unit["candidates"] if each["text"] == SENTENCES[0]["candidates"]["alpha"])
    assert send(client, data, shared, score=50, spans=[SPAN]).json()["version"] == 1
    rows = Assessment.objects.filter(output__item__task=task)
    assert sorted(rows.values_list("output__system__name", "score", "version")) == [
        ("alpha", 50, 1), ("delta", 50, 1),
    ]  # fmt: skip
    assert ErrorSpan.objects.filter(assessment__in=rows).count() == 2
    assert sum(ms or 0 for ms in rows.values_list("active_ms", flat=True)) == 1000


def test_the_page_names_no_system_and_keeps_its_order(browser: Client, esa: Task) -> None:
    url, data = open_page(browser, esa)
    page = browser.get(url).content.decode()
    for name in ("alpha", "beta", "gamma"):
        assert name not in page
    assert read_page(browser, url)["units"] == data["units"]
    assert data["protocol"]["scale"]["min"] == 0
    assert data["protocol"]["scale"]["anchors"]
    assert [each["key_name"] for each in data["protocol"]["severities"]] == ["N", "M"]


def test_the_order_of_systems_differs_between_annotators(db: None, signed_in: Any) -> None:
    task = assess_task(assess_systems=3, overlap=12)
    orders = set()
    for n in range(12):
        _, data = open_page(signed_in(annotator(f"ann{n}", task)), task)
        orders.add(tuple(each["text"] for each in data["units"][0]["candidates"]))
    assert len(orders) > 2


def test_answers_are_appended_repeated_and_refused_like_rankings(browser: Client, esa: Task) -> None:
    url, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    key = str(uuid.uuid4())
    first = send(browser, data, candidate, uuid=key, score=0, spans=[SPAN, OMISSION])
    assert first.status_code == 200
    assert first.json() == {"version": 1, "score": 0.0, "spans": [SPAN, OMISSION]}
    again = send(browser, data, candidate, uuid=key, score=0, spans=[SPAN, OMISSION])
    assert again.json() == first.json()
    assert Assessment.objects.count() == 1
    stale = send(browser, data, candidate, score=10)
    assert stale.status_code == 409
    assert stale.json() == {"error": "conflict", "version": 1, "score": 0.0, "spans": [SPAN, OMISSION]}
    changed = send(browser, data, {**candidate, "version": 1}, score=10)
    assert changed.json() == {"version": 2, "score": 10.0, "spans": []}
    (shown,) = list_candidates(read_page(browser, url))
    assert (shown["version"], shown["score"], shown["spans"]) == (2, 10.0, [])


@pytest.mark.parametrize(
    "fields",
    [
        {"score": 101}, {"score": "x"}, {"score": True}, {"score": "nan"}, {"spans": {}}, {"spans": [1]},
        {"spans": [{**SPAN, "severity": "huge"}]}, {"spans": [{**SPAN, "end": 999}]},
        {"spans": [{**SPAN, "start": 8}]}, {"spans": [{**SPAN, "side": "source"}]},
        {"spans": [{**SPAN, "category": "style"}]}, {"output": "9Z"}, {"base": -1}, {"uuid": "1"},
        {"spans": [SPAN] * 501}, {"spans": [{**SPAN, "side": "elsewhere"}]}, {"spans": "["},
    ],
)  # fmt: skip
def test_what_the_page_never_sends_is_refused(browser: Client, esa: Task, fields: dict[str, Any]) -> None:
    _, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    assert send(browser, data, candidate, **fields).status_code == 400
    assert not Assessment.objects.exists()


def test_spans_without_a_score_are_kept_but_do_not_count(browser: Client, esa: Task) -> None:
    url, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    assert send(browser, data, candidate, score="", spans=[SPAN]).json()["version"] == 1
    assert not Assessment.objects.current().exists()
    refused = browser.post(url, {"active_ms": "5"})
    assert refused.status_code == 409
    assert refused.context["missing"] == [candidate["output"]]
    (shown,) = list_candidates(read_page(browser, url))
    assert shown["spans"] == [SPAN]
    assert shown["version"] == 1
    send(browser, data, shown, score=90, spans=[SPAN])
    assert browser.post(url, {"active_ms": "5"}).status_code == 302
    assignment = Assignment.objects.get(number=1)
    assert assignment.finished_at is not None
    assert assignment.active_ms == 2010
    # Without its score, an answer opens the passage again.
    assert send(browser, data, {**shown, "version": 2}, score="", spans=[]).status_code == 200
    assert Assignment.objects.filter(finished_at=None).count() == 2


def test_next_claims_the_next_passage_and_the_end_is_reached(browser: Client, esa: Task) -> None:
    url, data = open_page(browser, esa)
    for _ in range(12):
        send(browser, data, list_candidates(data)[0])
        url = browser.post(url)["Location"]
        if url.startswith("/assess/"):
            data = read_page(browser, url)
    assert url == f"/tasks/{esa.slug}/review"
    assert browser.get(url).status_code == 200
    assert Slot.objects.filter(task=esa, state=Slot.State.DONE).count() == 12
    assert Assessment.objects.current().count() == 12


def test_scores_can_be_sent_as_a_plain_form(browser: Client, esa: Task) -> None:
    url, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    key = candidate["output"]
    send(browser, data, candidate, score="", spans=[SPAN])
    stale = browser.post(url, {f"score-{key}": "55", f"base-{key}": "0"})
    assert stale.status_code == 409
    assert stale.context["conflicts"] == [key]
    done = browser.post(url, {f"score-{key}": "55", f"base-{key}": "1"})
    assert done.status_code == 302
    answer = Assessment.objects.current().get()
    assert answer.score == 55
    assert answer.spans.count() == 1


def test_mqm_needs_no_score_and_going_on_says_that_there_is_no_error(db: None, signed_in: Any) -> None:
    task = assess_task(assess="mqm")
    client = signed_in(annotator("ann", task))
    url, data = open_page(client, task)
    assert data["protocol"]["scale"] is None
    assert data["protocol"]["categories"]
    assert client.post(url).status_code == 302
    answer = Assessment.objects.current().get()
    assert answer.score is None
    assert answer.slot is not None


def test_a_protocol_may_require_an_error_below_a_score(db: None, signed_in: Any) -> None:
    task = make_task("Strict", comparisons="none")
    protocol = replace(PROTOCOLS["esa"], span_required_below=66)
    create_passages(task, AssessmentPlan(protocol, "strict"))
    client = signed_in(annotator("ann", task))
    url, data = open_page(client, task)
    (candidate,) = list_candidates(data)
    send(client, data, candidate, score=65)
    assert client.post(url).status_code == 409
    send(client, data, {**candidate, "version": 1}, score=65, spans=[SPAN])
    assert client.post(url).status_code == 302


def test_a_document_has_its_sentences_in_order_and_a_score_of_its_own(db: None, signed_in: Any) -> None:
    task = make_task("Documents", DOCUMENTS, comparisons="none")
    protocol = replace(PROTOCOLS["da"], has_document_score=True)
    create_passages(task, AssessmentPlan(protocol, "da", systems=2, by_document=True))
    assert task.passages.count() == 4
    client = signed_in(annotator("ann", task))
    url, data = open_page(client, task)
    assert [unit["source"] for unit in data["units"]] == [row["source"] for row in SENTENCES[:2]]
    assert [each["letter"] for each in data["document_score"]] == ["A", "B"]
    for candidate in list_candidates(data)[:-1]:
        assert send(client, data, candidate).status_code == 200
    assert client.post(url).status_code == 409
    assert send(client, data, data["document_score"][1], score=33).status_code == 200
    assert client.post(url).status_code == 302
    rows = Assessment.objects.filter(protocol="da-document")
    assert rows.count() == 2
    assert set(rows.values_list("output__item__position", flat=True)) == {1}


def test_one_task_may_ask_rankings_of_some_and_scores_of_all(db: None, signed_in: Any) -> None:
    task = make_task("Both", assess="esa", overlap=1)
    rankings = task.slots.filter(passage=None).count()
    assert rankings
    assert task.size == rankings + 12
    ann = annotator("ann", task)
    while (assignment := assignments.next_assignment(task, ann)) is not None:
        assignments.end_assignment(assignment)
    own = Assignment.objects.order_by("number").values_list("passage", flat=True)
    assert [passage is None for passage in own] == [True] * rankings + [False] * 12
    client = signed_in(ann)
    first, last = Assignment.objects.order_by("number")[0], Assignment.objects.order_by("-number")[0]
    assert client.get(f"/a/{first.token}/").status_code == 200
    assert client.get(f"/a/{last.token}/")["Location"] == f"/assess/{last.token}/"
    assert client.get(f"/assess/{first.token}/")["Location"] == f"/a/{first.token}/"
    assert (
        client.post(f"/assess/{first.token}/answer", "{}", content_type="application/json").status_code == 404
    )
    assert client.post(f"/a/{last.token}/answer", "{}", content_type="application/json").status_code == 404
    links = client.get(f"/assess/{last.token}/").context["strip"].links
    assert f"/assess/{last.token}/" in links
    assert "/a/" in links


def test_an_answer_after_the_end_is_stored_but_does_not_change_one_in_time(
    browser: Client, esa: Task
) -> None:
    _, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    send(browser, data, candidate, score=80)
    Task.objects.filter(pk=esa.pk).update(state=Task.State.CLOSED)
    late = send(browser, data, {**candidate, "version": 1}, score=20)
    assert late.json()["version"] == 2
    assert Assessment.objects.get(version=2).slot is None
    assert Assessment.objects.current().get().score == 80


def test_skip_unsure_and_time_work_as_on_other_pages(browser: Client, esa: Task) -> None:
    url, _ = open_page(browser, esa)
    token = url.split("/")[2]
    assert browser.post(f"/a/{token}/time", {"active_ms": "700"}).status_code == 204
    assert browser.post(f"/a/{token}/unsure", {"is_unsure": "on"})["Location"] == url
    assert browser.post(f"/a/{token}/skip", {"reason": "unclear"})["Location"].startswith("/assess/")
    skipped = Assignment.objects.get(token=token)
    assert (skipped.page_ms, skipped.is_unsure, skipped.skip_reason) == (700, True, "unclear")
    assert not Assessment.objects.exists()


def test_two_people_share_the_passages_by_overlap(db: None) -> None:
    task = assess_task(overlap=2)
    people = [annotator(f"ann{n}", task) for n in range(3)]
    given: dict[int | None, int] = {}
    for who in people:
        while (assignment := assignments.next_assignment(task, who)) is not None:
            assignments.end_assignment(assignment)
            given[assignment.passage_id] = given.get(assignment.passage_id, 0) + 1
    assert len(given) == 12
    assert set(given.values()) == {2}
    assert assignments.count_left([task], people[2].user)[task.pk] == 0


def test_plans_that_do_not_fit_are_refused(esa: Task) -> None:
    other = make_task("Other", DOCUMENTS, comparisons="none")
    for code, task, plan in (
        ("already_assessed", esa, AssessmentPlan(PROTOCOLS["da"])),
        ("bad_assessment", other, AssessmentPlan(PROTOCOLS["da"], systems=5)),
        ("bad_assessment", other, AssessmentPlan(PROTOCOLS["da"], "x" * 71)),
        ("unknown_evidence", other, AssessmentPlan(PROTOCOLS["da"], suggestions="nowhere")),
    ):
        with pytest.raises(InputError) as refused:
            create_passages(task, plan)
        assert refused.value.problems[0].code == code


def test_an_attention_check_is_a_damaged_copy_for_those_who_saw_the_output(
    db: None, signed_in: Any, alice: Any
) -> None:
    rows = [{**row, "id": f"{n}{row['id']}"} for n in range(5) for row in SENTENCES]
    task = assess_task(sentences=rows, checks=10)
    ann = annotator("ann", task)
    client = signed_in(ann)
    repeated = task.slots.filter(presentation=1).count()
    assert 0 < repeated == task.repeated < 15
    damaged = PassageOutput.objects.filter(presentation=1)
    assert damaged.count() == repeated
    assert all(row.shown and row.shown.text != row.output.candidate.text for row in damaged)
    url, data = open_page(client, task)
    seen: list[str] = []
    while True:
        (candidate,) = list_candidates(data)
        is_damaged = candidate["text"] not in set(Output.objects.values_list("candidate__text", flat=True))
        seen.append(candidate["text"])
        # Every damaged copy is recognised but one.
        score = 20 if is_damaged and damaged[0].shown.text != candidate["text"] else 80  # type: ignore[union-attr]
        assert send(client, data, candidate, score=score).status_code == 200
        url = client.post(url)["Location"]
        if not url.startswith("/assess/"):
            break
        data = read_page(client, url)
    assert len(seen) == 60 + repeated
    assert count_checks(task)[ann.pk] == CheckCounts(repeated, repeated - 1)
    (quality,) = get_assessment_quality(task).values()
    assert quality["pairs"] == repeated
    members = client.get(f"/tasks/{task.slug}/members")
    assert members.status_code == 404  # an annotator does not see it


def get_assessment_quality(task: Task) -> Any:
    return load_assessment_set(Scope(task.campaign, (task,), task), "esa").quality


# --- what managers see ----------------------------------------------------------------------------------


def test_a_manager_asks_for_scores_of_a_task_that_exists(task: Task, alice: Any, signed_in: Any) -> None:
    client = signed_in(alice)
    url = f"/tasks/{task.slug}/collect"
    assert client.get(url).status_code == 200
    form = {"protocol": "da", "systems": "2", "checks": "0", "items": "2", "suggestions": ""}
    assert client.post(url, {**form, "systems": "5"}).status_code == 422
    asked = client.post(url, form)
    assert asked.status_code == 302
    jobs.run_job.call(str(Job.objects.get(kind="assess").pk))
    task.refresh_from_db()
    assert (task.assessed_as, task.passages.count()) == ("da", 4)
    assert client.get(url).status_code == 200
    assert client.post(url, form).status_code == 422
    assert "asked for scores and error spans" in client.get(f"/tasks/{task.slug}/history").content.decode()


def test_the_task_page_counts_assessments(browser: Client, esa: Task, signed_in: Any) -> None:
    _, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    send(browser, data, candidate, score="", spans=[SPAN])
    send(browser, data, {**candidate, "version": 1}, spans=[SPAN])
    send(browser, data, {**candidate, "version": 2}, spans=[])
    page = build_monitor_page(esa)
    assert page.assessments == 1  # answer, whatever was changed in it
    (row,) = page.annotators
    assert (row.assessments, row.answers, row.is_idle) == (1, 0, False)
    manager = person("manager")
    Membership.objects.create(user=manager, campaign=esa.campaign, role=Role.MANAGER)
    html = signed_in(manager).get(esa.get_absolute_url()).content.decode()
    assert reverse("task-ratings", args=[esa.slug]) in html
    assert "No answers yet." not in html


def test_the_manager_of_a_task_without_phrases_reads_of_scores_only(
    browser: Client, esa: Task, signed_in: Any
) -> None:
    _, data = open_page(browser, esa)
    (candidate,) = list_candidates(data)
    send(browser, data, candidate, spans=[SPAN])
    manager = signed_in(User.objects.create_superuser("alice"))
    text = manager.get(f"/tasks/{esa.slug}/").content.decode()
    assert "Error span annotation · 1 annotator per page" in " ".join(text.split())
    unwanted = ("phrase", "N/A", "choices", "omparisons finished", "Stopping")
    assert [words for words in unwanted if words in text] == []
    ratings = manager.get(f"/tasks/{esa.slug}/ratings")  # nobody has had a damaged copy yet
    assert ratings.status_code == 200
    assert "70.0" in ratings.content.decode()


def test_the_translations_of_one_system_can_be_assessed(db: None) -> None:
    sentences = [{**one, "candidates": {"alpha": one["candidates"]["alpha"]}} for one in SENTENCES]
    files = [SourceFile.from_bytes("one.jsonl", "\n".join(map(json.dumps, sentences)).encode())]
    with pytest.raises(InputError, match="too_few_systems"):
        read(files)
    imported = read(files, options=ImportOptions(one_system=True))
    settings = TaskSettings("One", "four-way", "en", "de", comparisons="none", assess="mqm")
    campaign = Campaign.objects.create(slug="one", name="One")
    task = Task.objects.get(slug=import_set(imported, settings, campaign=campaign).tasks[0])
    assert task.passages.count() == len(sentences)
    text = [SourceFile.from_bytes(name, b"Eins\nZwei\n") for name in ("source.txt", "alpha.txt")]
    assert read(text, options=ImportOptions(one_system=True)).systems == ("alpha",)


def test_the_overlap_of_passages_can_be_changed(esa: Task) -> None:
    resize_slots(esa, 3)
    assert esa.slots.count() == 36
    resize_slots(esa, 1)
    assert esa.slots.count() == 12
    assert esa.slots.exclude(passage=None).values("passage").distinct().count() == 12


def test_the_practice_of_phrases_is_not_due_before_scores(browser: Client, esa: Task) -> None:
    Task.objects.filter(pk=esa.pk).update(practice=True)
    assert browser.post(f"/tasks/{esa.slug}/work")["Location"].startswith("/assess/")


# --- documents ------------------------------------------------------------------------------------------


def work_in_turns(task: Task, people: list[Annotator]) -> dict[Annotator, list[str]]:
    """Let people claim one sentence after the other, in turns; returns the items that each has got."""
    given: dict[Annotator, list[str]] = {who: [] for who in people}
    while True:
        claimed = 0
        for who in people:
            assignment = assignments.next_assignment(task, who)
            if assignment is not None:
                assignments.end_assignment(assignment)
                given[who].append(assignment.compared.item.key)
                claimed += 1
        if not claimed:
            return given


def test_one_annotator_gets_the_sentences_of_a_document_in_order(db: None) -> None:
    options = {"overlap": 1, "comparisons": "baseline:alpha"}
    whole = make_task("Whole", DOCUMENTS, keep_documents=True, **options)
    given = work_in_turns(whole, [annotator("ann", whole), annotator("ben", whole)])
    assert [list(dict.fromkeys(items)) for items in given.values()] == [["s1", "s2"], ["s3", "s4"]]
    assert sum(map(len, given.values())) == whole.slots.count()
    # Without the option two people share every document.
    mixed = another_task("Mixed", **options)
    given = work_in_turns(mixed, [annotator("cem", mixed), annotator("dan", mixed)])
    assert all(len(set(items)) > 2 for items in given.values())


def test_the_rest_of_a_document_goes_to_others_when_nothing_else_is_left(db: None) -> None:
    task = make_task("Whole", DOCUMENTS[:2], keep_documents=True, overlap=1, comparisons="baseline:alpha")
    ann, ben = annotator("ann", task), annotator("ben", task)
    assert assignments.next_assignment(task, ann) is not None
    assert assignments.next_assignment(task, ben) is not None


# --- cost -----------------------------------------------------------------------------------------------


def count_queries(action: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        action()
    kept = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return sum(not query["sql"].startswith(kept) for query in captured.captured_queries)


def test_page_and_answer_cost_a_constant_number_of_queries(db: None, signed_in: Any) -> None:
    long = [{**row, "id": f"{n}{row['id']}", "document": "one"} for n in range(9) for row in SENTENCES]
    pages, answers = set(), set()
    for size in (2, 36):
        task = assess_task(f"Size {size}", sentences=long[:size], assess_documents=True, assess_systems=3)
        client = signed_in(annotator(f"ann{size}", task))
        url, data = open_page(client, task)
        for candidate in list_candidates(data)[:2]:
            answers.add(count_queries(lambda: send(client, data, candidate, spans=[SPAN] * 5)))  # noqa: B023
        pages.add(count_queries(lambda: client.get(url)))  # noqa: B023
    assert len(pages) == len(answers) == 1
    assert pages.pop() <= 9
    assert answers.pop() <= 8


# --- suggestions ----------------------------------------------------------------------------------------


def suggest(task: Task, name: str = "metric") -> None:
    """Error spans of a file: two in the first sentence of alpha, one elsewhere; a second person's differ."""
    task.protocols |= {name: PROTOCOLS["esa"].to_json()}
    task.save()
    first, second = (Annotator.objects.create(label=label, key=label) for label in ("metric-1", "metric-2"))
    for output in Output.objects.filter(item__task=task, item__position__lt=2).select_related("system"):
        for who in (first, second):
            row = Assessment.objects.create(
                uuid=uuid.uuid4(), annotator=who, output=output, protocol=name, version=1
            )
            ends = (8, 14) if who == first and output.system.name == "alpha" else (3,)
            ErrorSpan.objects.bulk_create(
                ErrorSpan(assessment=row, number=n, start=0, end=end, severity="minor")
                for n, end in enumerate(ends)
            )


def test_suggestions_are_offered_and_their_fate_is_counted(db: None, signed_in: Any, alice: Any) -> None:
    task = make_task("Suggested", DOCUMENTS[:2], comparisons="none", overlap=1)
    suggest(task)
    create_passages(task, AssessmentPlan(PROTOCOLS["esa"], systems=3, suggestions="metric"))
    ann = annotator("ann", task)
    client = signed_in(ann)
    _, data = open_page(client, task)
    alpha = DOCUMENTS[0]["candidates"]["alpha"]
    by_text = {each["text"]: each for each in list_candidates(data)}
    offered = by_text.pop(alpha)
    assert [(s["id"], s["start"], s["end"]) for s in offered["suggestions"]] == [(1, 0, 8), (2, 0, 14)]
    assert all([(s["id"], s["end"]) for s in each["suggestions"]] == [(1, 3)] for each in by_text.values())
    changed = {**SPAN, "end": 13, "suggestion": 2}
    added = {**SPAN, "start": 15, "end": 18}
    sent = send(client, data, offered, spans=[{**SPAN, "suggestion": 1}, changed, added])
    assert [span["suggestion"] for span in sent.json()["spans"]] == [1, 2, None]
    for other in by_text.values():
        assert send(client, data, other, spans=[]).status_code == 200
    (counts,) = compute_suggestions(task).annotators.values()
    assert counts == SuggestionCounts(3, 4, accepted=1, changed=1, removed=2, added=1, ms=3000)
    page = signed_in(alice).get(f"/tasks/{task.slug}/suggestions")
    assert page.status_code == 200
    assert Assessment.objects.filter(protocol="metric", version=1).count() == 12  # as they were


def compute_suggestions(task: Task) -> SuggestionPage:
    scope = Scope(task.campaign, (task,), task)
    return SuggestedErrors().compute(scope, SuggestedErrors.options())


def test_a_damaged_copy_has_no_suggestions(db: None, signed_in: Any) -> None:
    task = make_task("Checked", DOCUMENTS, comparisons="none", overlap=1)
    suggest(task)
    create_passages(task, AssessmentPlan(PROTOCOLS["esa"], systems=3, suggestions="metric"))
    PassageOutput.objects.update(shown=Candidate.objects.first())
    _, data = open_page(signed_in(annotator("ann", task)), task)
    assert all(each["suggestions"] == [] for each in list_candidates(data))
