"""Sentences whose candidates are judged together: one seat, one page, and ordinary rankings behind it."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from appraise.lib.problems import InputError
from evaluation.annotate.places import MOST_STEPS, Steps, choices_from_steps
from evaluation.annotate.services import answers, assignments, places
from evaluation.annotate.services.answers import Submission
from evaluation.importers import SourceFile, read
from evaluation.models import Annotator, Assignment, Ranking, Slot, Task, Upload, User
from evaluation.reports.study_query import find_tasks, load_study, load_system_pairs
from evaluation.study.systems import compute_study_results
from evaluation.tasks.services.task_settings import TaskSettings, dry_run
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.database.test_blindness import TOKENS, disguises, renamed
from tests.database.test_upload import drop, settings_form, work

SignIn = Callable[[User | Annotator | None], Client]
TWO = {
    **SENTENCES[0],
    "id": "two",
    "candidates": {"alpha": "It is red.", "beta": "It is blue.", "gamma": "It is red."},
}


@pytest.fixture
def task(db: None) -> Task:
    return make_task(sentences=[SENTENCES[0], TWO], judging="places")


def first(task: Task, who: Annotator) -> Assignment:
    found = assignments.next_assignment(task, who)
    assert found is not None
    return found


def answer(place: int, *steps: int | None, base: int = 0, id: uuid.UUID | None = None) -> Submission[Steps]:
    return Submission(id or uuid.uuid4(), place, steps or None, base, 900, 1000)


def rank_all(assignment: Assignment) -> None:
    for spot in places.load_places(assignment).places:
        places.submit_place_ranking(assignment, answer(spot.place, *range(1, len(spot.texts) + 1)))
    assert places.finish_places(assignment) == []


def test_a_place_that_is_cut_wrongly_is_reported_and_waits_for_the_organiser(
    task: Task, bob: Annotator, carol: Annotator, alice: User, signed_in: SignIn
) -> None:
    for who in (bob, carol):
        assignment = first(task, who)
        place = places.load_places(assignment).places[0].place
        form = {"phrase": place, "reason": "cut", "note": "the verb is elsewhere"}
        url = reverse("report-alignment", args=[assignment.token])
        reply = signed_in(who).post(url, form, follow=True)
        assert [message.level_tag for message in reply.context["messages"]] == ["success"]
        assert signed_in(who).post(url, {"phrase": 99, "reason": "cut"}).status_code == 404
    queue = signed_in(alice).get(reverse("alignments", args=[task.slug])).content.decode()
    assert "2 reports" in queue
    assert "the verb is elsewhere" in queue
    assert reverse("alignment", args=[task.slug, assignment.comparison_id]) not in queue  # nothing to correct


def test_every_page_of_such_a_task_counts_sentences(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    for number in (1, 2):
        assignment = first(task, bob)
        page = signed_in(bob).get(assignment.get_absolute_url(), follow=True).content.decode()
        assert f"Sentence {number} of 2" in page
        assignments.skip_assignment(assignment, "seen")


# --- what an import makes -----------------------------------------------------------------------------


def test_candidates_judged_together_have_one_seat_for_each_person(task: Task) -> None:
    together, two = task.items.order_by("position")
    assert together.places
    assert not two.places
    assert Slot.objects.filter(comparison__item=together).count() == task.overlap
    assert task.size == 2
    assert set(task.pairs.filter(item=together).values_list("owner__item", flat=True)) == {together.pk}


def test_a_dry_run_counts_what_an_import_makes(task: Task) -> None:
    document = {"format": "appraise-task", "version": 1, "items": [SENTENCES[0], TWO]}
    imported = read([SourceFile.from_bytes("x.json", json.dumps(document).encode())])
    made = dry_run(imported, TaskSettings(name="x", scheme="six-way", judging="places", target_language="en"))
    assert made.slots == task.slots.count()
    assert made.unique_pairs == task.pairs.count()


def test_every_two_variants_are_one_pair_wherever_they_meet(task: Task, bob: Annotator) -> None:
    assignment = first(task, bob)
    spots = places.load_places(assignment).places
    assert [sorted(spot.texts) for spot in spots] == [
        ["", "the crimson", "the red"],
        ["", "red the"],
        ["small", "tiny", "very small"],
    ]
    assert sum(len(spot.pairs) for spot in spots) == task.pairs.filter(item=assignment.compared.item).count()


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"comparisons": "round-robin:1"}, "comparisons"),
        ({"dedup": "task"}, "merged"),
        ({"checks": 5}, "checks"),
        ({"ask_rating": True}, "whole sentences"),
        ({"ask_reasons": True}, "two phrases"),
        ({"tap_answers": True}, "two phrases"),
    ],
)
def test_what_needs_pairs_is_refused(db: None, settings: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        make_task(judging="places", **settings)


def test_an_upload_previews_and_makes_it(task: Task, alice: User, signed_in: SignIn) -> None:
    client = signed_in(alice)
    document = {"format": "appraise-task", "version": 1, "items": SENTENCES[1:3]}
    drop(client, ("more.json", json.dumps(document).encode()))
    upload = Upload.objects.get()
    settings = settings_form(name="More", judging="places", practice="on")
    page = client.post(upload.get_absolute_url(), {"save": "1", **settings}, follow=True)
    assert [len(preview.staves) for preview in page.context["page"].previews] == [3, 3]
    client.post(upload.get_absolute_url(), {"create": "1", **settings})
    work()
    made = Task.objects.get(name="More")
    assert (made.judging, made.practice, made.size) == ("places", True, 2)


# --- answers --------------------------------------------------------------------------------------------


def test_one_ranking_is_a_verdict_on_every_two_variants(task: Task, bob: Annotator) -> None:
    assignment = first(task, bob)
    spot = places.load_places(assignment).places[0]
    receipt = places.submit_place_ranking(assignment, answer(spot.place, 1, 2, 3))
    assert (receipt.version, receipt.value) == (1, (1, 2, 3))
    said = choices_from_steps((1, 2, 3), task.scheme)
    for (one, other), pair in spot.pairs.items():
        ranking = Ranking.objects.select_related("pair").get(pair=pair)
        left = {"A": spot.texts[one], "B": spot.texts[other]}
        stored = said[one, other] if ranking.pair.first == left["A"] else said[one, other].mirrored
        assert ranking.choice == stored
        assert ranking.swapped == (ranking.pair.first == left["B"])
        assert ranking.slot is not None
    assert sum(ms or 0 for ms in Ranking.objects.values_list("active_ms", flat=True)) == 900


def test_a_form_that_is_sent_again_with_other_steps_is_a_conflict(task: Task, bob: Annotator) -> None:
    assignment, id = first(task, bob), uuid.uuid4()
    place = next(spot.place for spot in places.load_places(assignment).places if len(spot.texts) == 2)
    receipt = places.submit_place_ranking(assignment, answer(place, 1, 2, id=id))
    with pytest.raises(answers.StaleAnswer) as stale:
        places.submit_place_ranking(assignment, answer(place, 2, 1, id=id))
    assert stale.value.stored == receipt


def test_a_repeated_request_gets_the_first_receipt_and_stores_nothing(task: Task, bob: Annotator) -> None:
    assignment, id = first(task, bob), uuid.uuid4()
    place = places.load_places(assignment).places[0].place
    once = places.submit_place_ranking(assignment, answer(place, 1, 2, 3, id=id))
    places.submit_place_ranking(assignment, answer(place, 3, 2, 1, base=1))
    assert places.submit_place_ranking(assignment, answer(place, 1, 2, 3, id=id)) == once
    assert Ranking.objects.count() == 6


def test_a_correction_is_the_next_version_of_every_pair(task: Task, bob: Annotator) -> None:
    assignment = first(task, bob)
    place = places.load_places(assignment).places[0].place
    places.submit_place_ranking(assignment, answer(place, 1, 1, 1))
    receipt = places.submit_place_ranking(assignment, answer(place, 1, None, 2, base=1))
    assert (receipt.version, receipt.value) == (2, (1, None, 2))
    assert set(Ranking.objects.filter(version=1).values_list("choice", flat=True)) == {"A=B"}
    assert Ranking.objects.filter(version=2, choice="N/A").count() == 2


def test_a_stale_answer_overwrites_nothing(task: Task, bob: Annotator) -> None:
    assignment = first(task, bob)
    place = places.load_places(assignment).places[0].place
    places.submit_place_ranking(assignment, answer(place, 1, 2, 2))
    with pytest.raises(answers.StaleAnswer) as stale:
        places.submit_place_ranking(assignment, answer(place, 2, 1, 1))
    assert stale.value.stored.value == (1, 2, 2)
    assert Ranking.objects.count() == 3


def test_a_withdrawn_ranking_leaves_the_sentence_unfinished(task: Task, bob: Annotator) -> None:
    assignment = first(task, bob)
    rank_all(assignment)
    place = places.load_places(assignment).places[0].place
    assert places.submit_place_ranking(assignment, answer(place, base=1)).value is None
    assignment.refresh_from_db()
    assert assignment.finished_at is None
    assert places.finish_places(assignment) == [place]


def test_skipping_puts_all_places_aside(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment = first(task, bob)
    signed_in(bob).post(reverse("skip", args=[assignment.token]), {"reason": "too long"})
    assignment.refresh_from_db()
    assert (assignment.skip_reason, assignment.active_ms) == ("too long", 0)
    assert first(task, bob).comparison != assignment.comparison


def test_an_answer_after_the_seat_was_given_away_is_surplus_and_kept(task: Task, bob: Annotator) -> None:
    Slot.objects.filter(k__gt=0).delete()
    assignment = first(task, bob)
    Slot.objects.filter(annotator=bob).update(lease_until=timezone.now() - timedelta(minutes=1))
    carol = annotator("carol", task)
    assert first(task, carol).comparison == assignment.comparison
    place = places.load_places(assignment).places[0].place
    places.submit_place_ranking(assignment, answer(place, 1, 2, 3))
    assert set(Ranking.objects.filter(annotator=bob).values_list("slot", flat=True)) == {None}


def test_agreement_results_and_exports_see_the_verdicts(
    task: Task, bob: Annotator, carol: Annotator, tmp_path: Path
) -> None:
    for who in (bob, carol):
        rank_all(first(task, who))
    judgements = load_study(find_tasks("slug", task.slug)).judgements()
    pairs = task.pairs.filter(item__key="s1").count()
    assert len(judgements.items) == 2 * pairs
    out = tmp_path / "answers.jsonl"
    call_command("export", task=task.slug, format="jsonl", out=out)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len([row for row in rows if row.get("label")]) == 2 * pairs
    found = load_study([task])
    assert compute_study_results(found, load_system_pairs([task], found), resamples=0).systems


# --- pages ------------------------------------------------------------------------------------------------


def test_a_page_of_a_closed_task_says_what_a_change_means(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    Task.objects.update(state=Task.State.CLOSED)
    page = signed_in(bob).get(assignment.get_absolute_url(), follow=True).content.decode()
    assert "data-closed" in page


def test_work_leads_to_the_page_of_places(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    client = signed_in(bob)
    response = client.post(reverse("work", args=[task.slug]), follow=True)
    assert response.redirect_chain[-1][0].startswith("/p/")
    assert "crimson" in response.content.decode()
    assignment = bob.assignments.get()
    body = {"uuid": str(uuid.uuid4()), "phrase": 0, "choice": "A>B", "base": 0}
    old = client.post(reverse("answer", args=[assignment.token]), body, content_type="application/json")
    assert old.status_code == 404


def test_the_keys_at_the_foot_are_those_that_answer_something(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    page = signed_in(bob).post(reverse("work", args=[task.slug]), follow=True).content.decode()
    offered = {int(step) for step in re.findall(r'name="step-\d+-\d+" value="(\d)"', page)}
    assert f"<kbd>1</kbd>–<kbd>{max(offered)}</kbd> step" in page
    assert max(offered) < MOST_STEPS


def test_the_plain_form_says_what_is_missing_keeps_it_and_goes_on(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    client, assignment = signed_in(bob), first(task, bob)
    url = reverse("places", args=[assignment.token])
    spots = places.load_places(assignment).places
    form: dict[str, Any] = {"place": [spot.place for spot in spots]}
    for spot in spots:
        form[f"variants-{spot.place}"] = len(spot.texts)
        form |= {f"step-{spot.place}-{n}": 1 for n in range(len(spot.texts))}
    last = f"step-{spots[-1].place}-0"
    refused = client.post(url, {key: value for key, value in form.items() if key != last})
    assert refused.status_code == 409
    assert refused.context["missing"] == [len(spots)]
    assert [v.step for v in refused.context["page"].cards[-1].variants] == [None, 1, 1]
    accepted = client.post(url, {**form, "comment": "fine"})
    assert accepted["Location"].startswith("/a/")
    assert set(Ranking.objects.values_list("choice", flat=True)) == {"A=B"}


def test_a_script_gets_receipts_conflicts_and_refusals(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    client, assignment = signed_in(bob), first(task, bob)
    place = places.load_places(assignment).places[0].place

    def post(by: Client = client, **changes: Any) -> tuple[int, dict[str, Any]]:
        body = {"uuid": str(uuid.uuid4()), "phrase": place, "steps": [1, 0, 2], "base": 0, **changes}
        response = by.post(
            reverse("rank-place", args=[assignment.token]), body, content_type="application/json"
        )
        return response.status_code, response.json()

    assert post() == (200, {"version": 1, "steps": [1, 0, 2]})
    assert post(steps=[2, 1, 1]) == (409, {"error": "conflict", "version": 1, "steps": [1, 0, 2]})
    for bad in ({"steps": [1, 2]}, {"steps": [1, 2, 9]}, {"steps": "1"}, {"phrase": 99}, {"uuid": "x"}):
        assert post(base=1, **bad)[0] == 400
    for body in ("", "[]", "[" * 100_000):
        address = reverse("rank-place", args=[assignment.token])
        assert client.post(address, body, content_type="application/json").status_code == 400
    assert post(signed_in(None))[0] == 401
    assert post(signed_in(annotator("eve", task)))[0] == 404


def test_the_page_costs_the_same_whatever_was_answered(
    task: Task, bob: Annotator, signed_in: SignIn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client, assignment = signed_in(bob), first(task, bob)
    url = reverse("places", args=[assignment.token])
    for _ in range(2):
        with django_assert_max_num_queries(9):
            client.get(url)
        rank_all(assignment)


def test_alignments_of_places_are_not_corrected_pair_by_pair(
    task: Task, alice: User, signed_in: SignIn
) -> None:
    comparison = task.items.get(key="s1").comparisons.first()
    assert comparison is not None
    response = signed_in(alice).get(reverse("alignment", args=[task.slug, comparison.pk]))
    assert response.status_code == 404


# --- blindness ----------------------------------------------------------------------------------------------


def crawl(sentences: list[dict[str, Any]], name: str) -> bytes:
    """Every page and receipt of a study place by place, with random tokens made equal."""
    task = make_task(name, sentences=sentences, judging="places")
    bob = annotator(name, task)
    Annotator.objects.filter(pk=bob.pk).update(key="the same")
    assert bob.user is not None
    client, seen = Client(), b""
    client.force_login(bob.user)
    while "review" not in (url := client.post(reverse("work", args=[task.slug]))["Location"]):
        page = client.get(url, follow=True)
        assignment = bob.assignments.get(finished_at=None)
        seen += page.content
        for spot in places.load_places(assignment).places:
            body = {
                "uuid": str(uuid.uuid4()),
                "phrase": spot.place,
                "steps": [1] * len(spot.texts),
                "base": 0,
            }
            path = reverse("rank-place", args=[assignment.token])
            seen += client.post(path, body, content_type="application/json").content
        seen += client.get(url, follow=True).content
        assert places.finish_places(assignment) == []
    Annotator.objects.filter(pk=bob.pk).update(key=name)
    seen = re.sub(rb"/[ap]/[\w-]{16}/", b"*", seen)
    return TOKENS.sub(b"*", seen).replace(name.encode(), b"*")


def test_pages_of_places_do_not_depend_on_what_must_stay_hidden(db: None) -> None:
    names = {"alpha": f"canary-{uuid.uuid4().hex}", "beta": "yak", "gamma": "x"}
    other = [{**s, "candidates": dict(reversed(s["candidates"].items()))} for s in renamed(names)[:2]]
    plain, hidden = crawl(SENTENCES[:2], "houses-one"), crawl(other, "houses-two")
    assert b"canary" not in hidden
    assert not any(form in hidden for form in disguises(names["alpha"]))
    assert plain == hidden
