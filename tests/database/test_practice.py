"""The practice round: due before the first sentence, answered without a trace, written by organisers."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertTemplateUsed

from evaluation.annotate.known_answers import ExpectedReason
from evaluation.annotate.services.practice import build_practice_page, load_exercises
from evaluation.models import Annotator, AuditEntry, PracticeRound, Ranking, Task, User
from evaluation.tasks.services import management
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.database.test_blindness import TOKENS, disguises, renamed

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def task(db: None) -> Task:
    return make_task(practice=True)


def url(task: Task, number: int) -> str:
    return reverse("practice", args=[task.slug, number])


def expected(task: Task, who: Annotator, number: int) -> str:
    """What this person must answer, found by answering something."""
    page = build_practice_page(task, who, number, task.scheme.choices[0])
    assert page is not None
    assert page.expected is not None
    return page.expected.value


def test_the_first_sentence_opens_after_the_practice_round(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    client, work = signed_in(bob), reverse("work", args=[task.slug])
    total = len(load_exercises(task))
    assert total == 5
    for number in range(1, total + 1):
        assert client.post(work)["Location"] == url(task, 1)
        page = client.get(url(task, number))
        assert page.context["page"].grade is None
        checked = client.post(url(task, number), {"choice": expected(task, bob, number)})
        assert checked.context["page"].grade == "right"
    assertTemplateUsed(client.get(url(task, total + 1)), "evaluation/practice_done.html")
    assert client.post(work)["Location"].startswith("/a/")
    assert client.get(url(task, 1)).status_code == 200  # it can be repeated
    assert PracticeRound.objects.count() == 1
    assert not Ranking.objects.exists()


def test_wrong_answers_are_told_what_was_expected(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    number = next(n for n, q in enumerate(load_exercises(task), 1) if q.reason is ExpectedReason.SAME)
    page = signed_in(bob).post(url(task, number), {"choice": "A>>B"})
    assert page.context["page"].grade == "wrong"
    assert "Expected: A = B." in page.content.decode()


def test_a_task_place_by_place_is_practised_with_steps(db: None, signed_in: SignIn) -> None:
    task = make_task(practice=True, judging="places")
    bob = annotator("bob", task)
    client = signed_in(bob)
    for number, question in enumerate(load_exercises(task), 1):
        steps = {"A>>B": (1, 3), "A>B": (1, 2), "A=B": (2, 2), "A<B": (2, 1), "A<<B": (3, 1)}
        best = steps[expected(task, bob, number)]
        refused = client.post(url(task, number), {"step-0-0": 1})
        assert refused.status_code == 422
        assert "<kbd>1</kbd>–<kbd>3</kbd>" in refused.content.decode()  # as many as are offered
        if best != (2, 2):
            wrong = client.post(url(task, number), {"step-0-0": best[1], "step-0-1": best[0]})
            text = wrong.content.decode()
            assert f"Expected steps: A {best[0]}, B {best[1]}." in text
            assert ("Candidate 1" in text, '<b class="stave-k">A</b>' in text) == (True, False)
        page = client.post(url(task, number), {"step-0-0": best[0], "step-0-1": best[1]})
        assert page.context["page"].grade == "right", question.reason
    assert PracticeRound.objects.count() == 1


def test_moved_and_one_sided_pairs_are_practised(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    pages = [signed_in(bob).get(url(task, number)) for number in range(1, 6)]
    kinds = [page.context["page"].card.kind for page in pages]
    assert "moved" in kinds
    assert any(kind.startswith("only") for kind in kinds)
    for page, kind in zip(pages, kinds, strict=True):
        card = page.content.decode().partition('class="cards"')[2].partition("</form>")[0]
        assert ('class="tag">⇄ moved' in card) == (kind == "moved")


@pytest.mark.parametrize("choice", ["", "A?B"])
def test_no_answer_is_no_answer(task: Task, bob: Annotator, signed_in: SignIn, choice: str) -> None:
    assert signed_in(bob).post(url(task, 5), {"choice": choice}).status_code == 422
    assert not PracticeRound.objects.exists()


def test_practice_is_for_those_who_annotate_where_it_is_on(
    task: Task, bob: Annotator, dora: User, signed_in: SignIn
) -> None:
    assert signed_in(dora).get(url(task, 1)).status_code == 404
    Task.objects.update(practice=False)
    assert signed_in(bob).get(url(task, 1)).status_code == 404
    assert signed_in(bob).post(reverse("work", args=[task.slug]))["Location"].startswith("/a/")


def test_whoever_is_invited_practises_first(task: Task, alice: User) -> None:
    link = management.create_invitation(task, by=alice)
    response = Client().post(reverse("join", args=[link.token]))
    assert response["Location"] == url(task, 1)


def test_organisers_switch_it_and_write_questions(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    client, page = signed_in(alice), reverse("practice-settings", args=[task.slug])
    client.post(page, {"switch": "off"})
    client.post(page, {"switch": "on"})
    start = client.get(page, {"item": "s1"})
    assert start.context["form"].initial["above"] == SENTENCES[0]["source"]
    assert "“s1”" not in start.content.decode()
    assert "“s0”" in client.get(page, {"item": "s0"}).content.decode()
    question = {
        "above": "R",
        "first": "a red house",
        "second": "a reed house",
        "expected": "A>>B",
        "why": "Reed.",
    }
    assert client.post(page, {**question, "second": "a red house"}).status_code == 422
    assert client.post(page, question).status_code == 302
    own = load_exercises(task)
    assert [(q.reason, q.spans) for q in own] == [(ExpectedReason.OWN, ((1, 2), (1, 2)))]
    answer = signed_in(bob).post(url(task, 1), {"choice": expected(task, bob, 1)})
    assert b"Reed." in answer.content
    pk = task.practice_questions.get().pk
    client.post(reverse("remove-practice-question", args=[task.slug, pk]))
    assert len(load_exercises(task)) == 5
    assert AuditEntry.objects.filter(action__contains="practice").count() == 4
    assert signed_in(bob).get(page).status_code == 404


def test_a_task_without_words_has_no_practice(db: None, signed_in: SignIn) -> None:
    dots = {"id": "1", "source": "…", "candidates": {"alpha": "!", "beta": "?"}}
    task = make_task(sentences=[dots], practice=True)
    assert load_exercises(task) == []
    assert signed_in(annotator("bob", task)).get(url(task, 1)).status_code == 200
    assert PracticeRound.objects.count() == 1


def test_practice_does_not_depend_on_what_must_stay_hidden(db: None) -> None:
    seen = []
    canary = f"canary-{uuid.uuid4().hex}"
    for name, names in (
        ("qq1", {"alpha": "alpha", "beta": "beta", "gamma": "gamma"}),
        ("qq2", {"alpha": canary, "beta": "alpha", "gamma": "x"}),
    ):
        task = make_task(f"study {name}", sentences=renamed(names), practice=True)
        bob = annotator(f"bob-{name}", task)
        Annotator.objects.filter(pk=bob.pk).update(key="the same")
        assert bob.user is not None
        client = Client()
        client.force_login(bob.user)
        body = b"".join(
            response.content
            for number in range(1, 7)
            for response in (client.get(url(task, number)), client.post(url(task, number), {"choice": "A>B"}))
        )
        Annotator.objects.filter(pk=bob.pk).update(key=name)
        seen.append(TOKENS.sub(b"*", body).replace(name.encode(), b"*"))
    assert seen[0] == seen[1]
    assert not any(form in seen[1] for form in disguises(canary))
