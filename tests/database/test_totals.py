"""What annotators are promised is what is left for them: slots, quota, and their own work."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.annotate.services import assignments
from evaluation.models import Annotator, Assignment, Invitation, Membership, Slot, Task, User
from evaluation.schemes import Choice
from evaluation.tasks.queries.progress import OwnTask, build_home_page, load_task_end
from evaluation.tasks.services import management
from tests.database.answering import always, answer_task
from tests.database.conftest import annotator, make_task
from tests.database.test_judging import claimed

SignIn = Callable[[User | Annotator | None], Client]
SITE = "https://study.example/submissions/complete?cc=QX-4411"


def own_task(who: Annotator) -> OwnTask:
    assert who.user is not None
    (own,) = build_home_page(who.user).tasks
    return own


@pytest.fixture
def small(db: None) -> Task:
    """One annotator for each of twelve comparisons."""
    return make_task(overlap=1)


@pytest.fixture
def full(small: Task) -> Task:
    answer_task(small, annotator("anna", small), always(Choice.EQUAL))
    return small


def test_up_to_n_are_the_free_slots_and_ones_own_work(small: Task, signed_in: SignIn) -> None:
    anna, ben = annotator("anna", small), annotator("ben", small)
    answer_task(small, anna, always(Choice.EQUAL), most=5)
    assert (own_task(ben).progress.done, own_task(ben).progress.total) == (0, small.size - 5)
    page = signed_in(ben).get(claimed(small, ben).get_absolute_url()).context["page"]
    assert page.progress.total == small.size - 5
    assert own_task(ben).progress.total == small.size - 5
    assert own_task(anna).progress.total == small.size - 1


def test_a_quota_limits_what_is_promised(small: Task, signed_in: SignIn) -> None:
    anna = annotator("anna", small)
    Membership.objects.update(quota=3)
    assert own_task(anna).progress.total == 3
    assignment = claimed(small, anna)
    assert signed_in(anna).get(assignment.get_absolute_url()).context["page"].progress.total == 3
    answer_task(small, anna, always(Choice.EQUAL))
    assert (own_task(anna).progress.done, own_task(anna).progress.total) == (3, 3)
    assert own_task(anna).is_finished


def test_repeats_that_are_still_to_come_are_promised(db: None) -> None:
    task = make_task(overlap=1, repeats=100)
    anna = annotator("anna", task)
    assert own_task(anna).progress.total == Slot.objects.count() == task.per_person
    answer_task(task, anna, always(Choice.EQUAL), most=1)
    assert own_task(annotator("ben", task)).progress.total == task.per_person - 2


def test_a_task_in_which_nothing_is_left_says_finished(small: Task, signed_in: SignIn) -> None:
    anna, ben = annotator("anna", small), annotator("ben", small)
    answer_task(small, anna, always(Choice.EQUAL), most=5)
    answer_task(small, ben, always(Choice.EQUAL))
    for who in (anna, ben):
        assert own_task(who).is_finished
        home = signed_in(who).get(reverse("home")).content.decode()
        assert "Finished" in home
        assert reverse("work", args=[small.slug]) not in home
        assert reverse("review", args=[small.slug]) in home


def test_a_full_task_says_so_on_home_invitation_and_finish_pages(full: Task, signed_in: SignIn) -> None:
    Task.objects.update(completion_code="QX-4411", completion_url=SITE)
    client = signed_in(annotator("ben", full))
    invitation = Invitation.objects.create(task=full, expires_at="2100-01-01T00:00Z")
    pages = [
        client.get(reverse("home")),
        client.get(reverse("finished", args=[full.slug])),
        client.post(reverse("work", args=[full.slug]), follow=True),
        Client().get(reverse("join", args=[invitation.token])),
    ]
    for page in pages:
        text = page.content.decode()
        assert "This task has enough annotators." in text
        assert 'href="https://study.example/"' in text
        assert "QX-4411" not in text


def test_a_guest_who_comes_to_a_full_task_uses_up_no_invitation(full: Task) -> None:
    invitation = Invitation.objects.create(task=full, expires_at="2100-01-01T00:00Z")
    url = reverse("join", args=[invitation.token])
    assert Client().post(url).status_code == 410
    invitation.refresh_from_db()
    assert invitation.uses == 0
    assert not User.objects.filter(username__startswith="guest-").exists()
    Slot.objects.filter(pk=Slot.objects.earliest("pk").pk).update(
        state=Slot.State.FREE, annotator=None, lease_until=None
    )
    assert "up to" not in Client().get(url).content.decode()  # one comparison
    assert Client().post(url).status_code == 302
    invitation.refresh_from_db()
    assert invitation.uses == 1


def test_a_member_comes_back_to_a_full_task(full: Task) -> None:
    invitation = Invitation.objects.create(task=full, expires_at="2100-01-01T00:00Z")
    anna = User.objects.get(username="anna")
    assert management.find_invitation_state(invitation, anna, left=0) == "usable"


def test_the_completion_code_is_not_shown_while_sentences_are_left(small: Task, signed_in: SignIn) -> None:
    Task.objects.update(completion_code="QX-4411")
    anna = annotator("anna", small)
    url, client = reverse("finished", args=[small.slug]), signed_in(anna)
    answer_task(small, anna, always(Choice.EQUAL), most=1)
    text = client.get(url).content.decode()
    assert "There is more to do" in text
    assert f"up to {small.size - 1} more sentences" in text
    assert "QX-4411" not in text
    answer_task(small, anna, always(Choice.EQUAL))
    assert "QX-4411" in client.get(url).content.decode()


def test_a_closed_task_is_at_its_end(small: Task) -> None:
    anna = annotator("anna", small)
    answer_task(small, anna, always(Choice.EQUAL), most=1)
    claimed(small, anna)
    Task.objects.update(state=Task.State.CLOSED)
    assert anna.user is not None
    assert load_task_end(anna.user, Task.objects.get()).is_end


# --- the review page ----------------------------------------------------------------------------------


def test_the_last_sentence_leads_to_the_review_and_that_to_the_end(small: Task, signed_in: SignIn) -> None:
    anna = annotator("anna", small)
    client, review = signed_in(anna), reverse("review", args=[small.slug])
    answer_task(small, anna, always(Choice.EQUAL), most=small.size - 1)
    last = claimed(small, anna)
    assert "Continue" in client.get(review).content.decode()
    assert reverse("finished", args=[small.slug]) not in client.get(review).content.decode()
    answer_task(small, anna, always(Choice.EQUAL))
    assert client.post(last.get_absolute_url()).headers["Location"] == review
    assert reverse("finished", args=[small.slug]) in client.get(review).content.decode()


def test_the_review_begins_with_unsure_and_open_sentences(
    small: Task, signed_in: SignIn, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    anna, ben = annotator("anna", small), annotator("ben", small)
    answer_task(small, ben, always(Choice.EQUAL), most=1)
    answer_task(small, anna, always(Choice.EQUAL), most=3)
    assignments.mark_unsure(Assignment.objects.get(annotator=anna, number=3), True)
    assignments.skip_assignment(claimed(small, anna), "too hard")
    claimed(small, anna)
    client = signed_in(anna)
    with django_assert_max_num_queries(10):  # type: ignore[attr-defined]  # a context manager
        page = client.get(reverse("review", args=[small.slug]))
    assert [(s.number, s.state) for s, _ in page.context["sentences"]] == [
        (3, "done"), (4, "skipped"), (5, "open"), (1, "done"), (2, "done"),
    ]  # fmt: skip
    for sentence, source in page.context["sentences"]:
        assert source == Assignment.objects.get(annotator=anna, number=sentence.number).compared.item.source
        assert source in page.content.decode(), "a number alone says nothing"
    Task.objects.update(shows=Task.Shows.REFERENCE)
    hidden = client.get(reverse("review", args=[small.slug]))
    assert {source for _, source in hidden.context["sentences"]} == {None}


def test_the_review_is_only_for_annotators_of_the_task(small: Task, dora: User, signed_in: SignIn) -> None:
    assert signed_in(dora).get(reverse("review", args=[small.slug])).status_code == 404


def test_guests_see_their_return_link_before_they_can_sign_out(small: Task) -> None:
    guest = Client()
    invitation = Invitation.objects.create(task=small, expires_at="2100-01-01T00:00Z")
    guest.post(reverse("join", args=[invitation.token]))
    for name, args in (("home", []), ("review", [small.slug]), ("finished", [small.slug]), ("my-data", [])):
        page = guest.get(reverse(name, args=args)).content.decode()
        can_sign_out = '<button class="link" type="submit">Sign out' in page
        assert can_sign_out == (">http://testserver/r/" in page)
        assert can_sign_out or f'<a href="{reverse("home")}#return">' in page
