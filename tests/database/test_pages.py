"""Pages: who may enter, what they carry, what they cost."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from appraise.middleware import POLICY
from evaluation.annotate.queries import estimate_progress
from evaluation.annotate.services import answers, assignments
from evaluation.models import (
    Annotator,
    Assignment,
    Invitation,
    Job,
    Membership,
    Occurrence,
    Ranking,
    Role,
    SentenceAnswer,
    Task,
    User,
)
from evaluation.schemes import Choice
from evaluation.tasks.queries.progress import SlotCounts, build_home_page, build_monitor_page
from tests.database.answering import always, answer_task, change_mind
from tests.database.conftest import annotator, make_task

SignIn = Callable[[User | Annotator | None], Client]


def assigned(task: Task, who: Annotator) -> Assignment:
    assignment = assignments.next_assignment(task, who)
    assert assignment is not None
    return assignment


def post_answer(client: Client, assignment: Assignment, **fields: object) -> tuple[int, dict[str, object]]:
    body = {
        "uuid": str(uuid.uuid4()),
        "phrase": first_index(assignment),
        "choice": "A>B",
        "base": 0,
        **fields,
    }
    response = client.post(
        reverse("answer", args=[assignment.token]), json.dumps(body), content_type="application/json"
    )
    return response.status_code, response.json()


def without_csrf(page: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", page)


def first_index(assignment: Assignment) -> int:
    return Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True)[0]


class TestWhoMayEnter:
    def test_strangers_are_sent_to_the_sign_in_page(self, task: Task) -> None:
        response = Client().get(reverse("home"))
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("sign-in"))

    @pytest.mark.parametrize("address", ["work", "skip", "report-alignment", "add-members", "task-state"])
    def test_whoever_signs_in_to_send_a_form_does_not_land_where_no_page_is(
        self, task: Task, bob: Annotator, address: str
    ) -> None:
        of_assignment = address in ("skip", "report-alignment")
        word = assigned(task, bob).token if of_assignment else task.slug
        response = Client().post(reverse(address, args=[word]))
        assert response["Location"] == reverse("sign-in")

    def test_another_persons_token_is_like_no_token(
        self, task: Task, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        assignment, client = assigned(task, bob), signed_in(carol)
        theirs = client.get(reverse("annotate", args=[assignment.token]))
        nobodys = client.get(reverse("annotate", args=["x" * 16]))
        assert theirs.status_code == nobodys.status_code == 404
        assert without_csrf(theirs.content) == without_csrf(nobodys.content)

    def test_only_organisers_see_a_task(
        self, task: Task, alice: User, bob: Annotator, dora: User, signed_in: SignIn
    ) -> None:
        url = reverse("task", args=[task.slug])
        assert signed_in(alice).get(url).status_code == 200
        assert signed_in(bob).get(url).status_code == 404
        assert signed_in(dora).get(url).status_code == 404

    def test_whoever_is_no_member_cannot_begin(self, task: Task, dora: User, signed_in: SignIn) -> None:
        assert signed_in(dora).post(reverse("work", args=[task.slug])).status_code == 404

    def test_a_script_without_a_session_is_told_so(self, task: Task, bob: Annotator) -> None:
        assert post_answer(Client(), assigned(task, bob))[0] == 401

    def test_jobs_are_their_owners(self, alice: User, dora: User, signed_in: SignIn) -> None:
        job = Job.objects.create(kind="x", title="Alice's import", owner=alice)
        assert signed_in(alice).get(job.get_absolute_url()).status_code == 200
        assert signed_in(dora).get(job.get_absolute_url()).status_code == 404
        assert b"import" not in signed_in(dora).get(reverse("jobs")).content

    def test_a_withdrawn_answer_is_counted_nowhere(self, task: Task, bob: Annotator) -> None:
        answer_task(task, bob, always(Choice.A_BETTER), most=1)
        change_mind(Ranking.objects.order_by("pk")[0], None)
        page = build_monitor_page(task)
        assert page.answers == sum(row.answers for row in page.annotators) == Ranking.objects.count() - 1

    def test_organisers_see_on_their_first_page_how_far_each_task_is(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        Task.objects.create(campaign=task.campaign, slug="empty", name="Empty", scheme_name="six-way")
        answer_task(task, bob, always(Choice.A_BETTER), most=1)
        total = task.slots.count()
        found = {row.task.slug: row.slots for row in build_home_page(alice).managed_rows}
        assert found == {"empty": (0, 0), task.slug: (total, 1)}
        assert found["empty"].share is None
        page = signed_in(alice).get(reverse("home")).content.decode()
        assert f'max="{total}" value="1"' in page
        assert f"{100 // total}%" in page

    def test_a_task_is_finished_to_100_percent_only_when_all_of_it_is(self) -> None:
        assert SlotCounts(1000, 999).share == 0.99
        assert SlotCounts(1000, 1000).share == 1

    def test_long_lists_have_pages(self, task: Task, alice: User, signed_in: SignIn) -> None:
        guests = User.objects.bulk_create([User(username=f"guest-{n:03}") for n in range(150)])
        Membership.objects.bulk_create(
            [Membership(user=one, campaign=task.campaign, task=task, role=Role.ANNOTATOR) for one in guests]
        )
        Task.objects.bulk_create(
            Task(campaign=task.campaign, slug=f"part-{n:03}", name=f"Part {n:03}", scheme_name="six-way")
            for n in range(150)
        )
        Job.objects.bulk_create(Job(kind="x", title=f"Job {n:03}", owner=alice) for n in range(150))
        until = timezone.now() + timedelta(days=1)
        Invitation.objects.bulk_create(
            Invitation(task=task, note=f"Link {n:03}", expires_at=until) for n in range(150)
        )
        Job.objects.filter(title="Job 000").update(created_at=until)  # the newest stands first
        Job.objects.filter(title="Job 149").update(created_at=until - timedelta(days=9))
        client = signed_in(alice)
        for address, first, last in (
            (reverse("home") + "?managed=", "Part 000", "Part 149"),
            (reverse("members", args=[task.slug]) + "?page=", "guest-000", "guest-149"),
            (reverse("members", args=[task.slug]) + "?invitations=", "Link 149", "Link 000"),
            (reverse("jobs") + "?page=", "Job 000", "Job 149"),
        ):
            pages = [client.get(f"{address}{n}").content.decode() for n in (1, 2)]
            assert [first in page for page in pages] == [True, False]
            assert [last in page for page in pages] == [False, True]
            assert "page 1 of 2" in pages[0]

    def test_either_list_of_the_home_page_is_turned_without_the_other(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        Membership.objects.create(user=alice, campaign=task.campaign, role=Role.ANNOTATOR)
        Task.objects.bulk_create(
            Task(
                campaign=task.campaign, slug=f"part-{n:03}", name=f"Part {n:03}", scheme_name="six-way",
                state=Task.State.OPEN,
            )
            for n in range(249)
        )  # fmt: skip
        client = signed_in(alice)
        page = client.get(reverse("home") + "?page=3&managed=2").content.decode()
        own, managed = page.split('<h2 id="managed">')
        assert "page 3 of 5" in own
        assert "page 2 of 3" in managed
        assert 'href="?page=4&amp;managed=2"' in own
        assert 'href="?page=3&amp;managed=3#managed"' in managed

    def test_the_second_part_of_a_set_stands_before_the_tenth(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        for n in (10, 2):
            Task.objects.create(
                campaign=task.campaign, slug=f"barns-{n}", name=f"Barns, part {n}", scheme_name="six-way"
            )
        page = signed_in(alice).get(reverse("home")).content.decode()
        assert page.index("Barns, part 2") < page.index("Barns, part 10") < page.index(task.name)

    def test_a_researcher_is_offered_what_opens_and_told_no_names(
        self, task: Task, alice: User, bob: Annotator, dora: User, signed_in: SignIn
    ) -> None:
        Membership.objects.create(user=dora, campaign=task.campaign, role=Role.RESEARCHER)
        answer_task(task, bob, always(Choice.A_BETTER), most=1)
        for who in (alice, dora):
            client = signed_in(who)
            page = client.get(task.get_absolute_url()).content.decode()
            links = set(re.findall(r'<a [^>]*href="(/[^"]*)"', page))
            assert {link: client.get(link).status_code for link in links} == dict.fromkeys(links, 200)
            assert (">bob<" in page) == (who == alice)

    def test_the_bar_of_a_task_leads_to_its_metrics_as_on_its_reports(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        client, metrics = signed_in(alice), f'href="{reverse("task-metrics", args=[task.slug])}"'
        for address, times in (
            (reverse("task", args=[task.slug]), 1),
            (reverse("task-agreement", args=[task.slug]), 1),
            (reverse("campaign-agreement", args=[task.campaign.slug]), 0),
        ):
            assert client.get(address).content.decode().count(metrics) == times

    def test_health_needs_no_account(self, db: None) -> None:
        assert Client().get("/healthz").json() == {"status": "ok"}


class TestAnnotating:
    def test_continue_opens_a_page_with_the_questions(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        response = signed_in(bob).post(reverse("work", args=[task.slug]), follow=True)
        page = response.content.decode()
        assert response.status_code == 200
        assert "Which phrase is the better translation?" in page
        assert (
            page.count('<fieldset class="card')
            == Occurrence.objects.asked_by(Assignment.objects.get()).count()
        )

    def test_an_answer_is_stored_and_acknowledged(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment = assigned(task, bob)
        assert post_answer(signed_in(bob), assignment) == (200, {"version": 1, "choice": "A>B", "reason": ""})
        assert Ranking.objects.count() == 1

    def test_a_stale_answer_is_shown_what_is_stored(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment, client = assigned(task, bob), signed_in(bob)
        post_answer(client, assignment)
        status, body = post_answer(client, assignment, choice="A=B")
        assert (status, body) == (409, {"error": "conflict", "version": 1, "choice": "A>B", "reason": ""})

    @pytest.mark.parametrize(
        "fields",
        [
            {"choice": "A~B"}, {"uuid": "x"}, {"phrase": -1}, {"phrase": 4000}, {"base": "one"},
            {"active_ms": -5}, {"elapsed_ms": 10**12},
        ],
    )  # fmt: skip
    def test_nonsense_is_refused_and_nothing_is_stored(
        self, task: Task, bob: Annotator, signed_in: SignIn, fields: dict[str, object]
    ) -> None:
        assert post_answer(signed_in(bob), assigned(task, bob), **fields)[0] == 400
        assert Ranking.objects.count() == 0

    @pytest.mark.parametrize(
        "body",
        [b"", b"[]", b"{", b"null", b"\xff", b'"x"', b"[1, 2]", pytest.param(b"[" * 100_000, id="deep")],
    )
    def test_a_body_that_is_no_object_is_refused(
        self, task: Task, bob: Annotator, signed_in: SignIn, body: bytes
    ) -> None:
        url = reverse("answer", args=[assigned(task, bob).token])
        response = signed_in(bob).post(url, body, content_type="application/json")
        assert response.status_code == 400

    def test_without_javascript_the_page_is_a_form(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment, client = assigned(task, bob), signed_in(bob)
        indices = list(Occurrence.objects.asked_by(assignment).values_list("index", flat=True))
        form = {"phrase": [str(i) for i in indices], **{f"choice-{i}": "A=B" for i in indices}}
        response = client.post(assignment.get_absolute_url(), form)
        assert response.status_code == 302
        assert Ranking.objects.count() == len(indices)
        assert Assignment.objects.get(pk=assignment.pk).finished_at is not None

    def test_next_is_refused_with_what_is_missing(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment = assigned(task, bob)
        response = signed_in(bob).post(assignment.get_absolute_url(), {})
        assert response.status_code == 409
        assert "no answer yet" in response.content.decode()

    def test_an_answered_page_says_so_when_it_is_opened_again(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment = assigned(task, bob)
        answer_task(task, bob, always(Choice.A_BETTER))
        page = signed_in(bob).get(assignment.get_absolute_url()).content.decode()
        assert re.search(r'role="status">\s*All pairs answered\.\s*</p>', page)

    def test_sending_the_form_twice_stores_it_once(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment, client = assigned(task, bob), signed_in(bob)
        index = first_index(assignment)
        form = {
            "phrase": [str(index)],
            f"choice-{index}": "A<B",
            f"uuid-{index}": str(uuid.uuid4()),
            f"base-{index}": "0",
        }
        client.post(assignment.get_absolute_url(), form)
        client.post(assignment.get_absolute_url(), form)
        assert Ranking.objects.count() == 1

    def test_whole_sentence_questions_are_kept_as_seen_from_the_first_candidate(
        self, db: None, signed_in: SignIn
    ) -> None:
        task = make_task(ask_sentence=True, ask_rating=True)
        bob = annotator("bob", task)
        assignment, client = assigned(task, bob), signed_in(bob)
        client.post(
            assignment.get_absolute_url(),
            {"verdict": "A>>B", "rating_a": "5", "rating_b": "2", "comment": "fine"},
        )
        stored = dict(SentenceAnswer.objects.values_list("question", "value"))
        first, second = ("2", "5") if assignment.swapped else ("5", "2")
        assert stored == {
            "verdict": "A<<B" if assignment.swapped else "A>>B",
            "rating_first": first,
            "rating_second": second,
            "comment": "fine",
        }
        page = " ".join(client.get(assignment.get_absolute_url()).content.decode().split())
        assert 'name="verdict" value="A&gt;&gt;B" checked' in page
        assert 'name="rating_a" value="5" checked' in page

    def test_a_report_reaches_the_organiser(self, task: Task, bob: Annotator, signed_in: SignIn) -> None:
        assignment = assigned(task, bob)
        url = reverse("report-alignment", args=[assignment.token])
        n = first_index(assignment)
        signed_in(bob).post(url, {"phrase": n, "reason": "cut", "note": "too short"})
        report = bob.alignment_reports.get()
        assert (report.reason, report.note) == ("cut", "too short")

    def test_a_skipped_sentence_needs_a_reason(self, task: Task, bob: Annotator, signed_in: SignIn) -> None:
        assignment, client = assigned(task, bob), signed_in(bob)
        client.post(reverse("skip", args=[assignment.token]), {"reason": " "})
        assert Assignment.objects.get(pk=assignment.pk).finished_at is None
        client.post(reverse("skip", args=[assignment.token]), {"reason": "garbled"})
        assert Assignment.objects.get(pk=assignment.pk).skip_reason == "garbled"

    def test_whoever_finishes_a_sentence_of_a_closed_task_is_told_so(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment, client = assigned(task, bob), signed_in(bob)
        Task.objects.update(state=Task.State.CLOSED)
        asked = list(Occurrence.objects.asked_by(assignment).values_list("index", flat=True))
        form = {"phrase": asked, **{f"choice-{n}": "A=B" for n in asked}}
        page = client.post(assignment.get_absolute_url(), form, follow=True)
        assert "This task is closed. Thank you for your work." in page.content.decode()
        assert Ranking.objects.count() == len(asked)

    def test_a_page_of_a_closed_task_says_what_a_change_means(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        assignment, client = assigned(task, bob), signed_in(bob)
        notice = "data-closed"
        assert notice not in client.get(assignment.get_absolute_url()).content.decode()
        Task.objects.update(state=Task.State.CLOSED)
        assert notice in client.get(assignment.get_absolute_url()).content.decode()


class TestProgress:
    def test_what_is_shown_a_second_time_counts(self, db: None, signed_in: SignIn) -> None:
        task = make_task(repeats=100, overlap=1)
        bob, seen = annotator("bob", task), 0
        client = signed_in(bob)
        while (assignment := assignments.next_assignment(task, bob)) is not None:
            page, seen = client.get(assignment.get_absolute_url()).content.decode(), seen + 1
            assert f"Comparison {seen} of {2 * task.size}" in page
            assert f"{seen - 1} of up to {2 * task.size} comparisons" in client.get("/").content.decode()
            for index in Occurrence.objects.asked_by(assignment).values_list("index", flat=True):
                said = answers.Submission(uuid.uuid4(), index, Choice.EQUAL, 0, active_ms=60_000)
                answers.submit_ranking(assignment, said)
            answers.finish_pairs(assignment)
        assert seen == 2 * task.size
        assert "Review" in client.get("/").content.decode()

    def test_nobody_has_less_than_nothing_left(self) -> None:
        assert estimate_progress(10, 8, 60_000).minutes_left == 0


class TestWhatIsSaid:
    def test_answers_that_wait_are_spoken_of_only_on_the_way_to_an_annotation_page(self, db: None) -> None:
        said = "data-unsaved"
        assert said not in Client().get("/sign-in?next=/").content.decode()
        assert said in Client().get("/sign-in?next=/a/somewhere/").content.decode()

    def test_who_only_organises_is_not_told_how_answers_are_saved(
        self, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        said = "data-saving"
        assert said in signed_in(bob).get("/").content.decode()
        assert said not in signed_in(alice).get("/").content.decode()

    @pytest.mark.parametrize("name", ["task", "members", "practice-settings", "task-history", "alignments"])
    def test_every_page_about_a_task_leads_to_its_reports(
        self, task: Task, alice: User, signed_in: SignIn, name: str
    ) -> None:
        page = signed_in(alice).get(reverse(name, args=[task.slug])).content.decode()
        main = page.partition('<nav class="nav"')[2].partition("</nav>")[0]
        for report in ("agreement", "disagreements", "results", "metrics"):
            assert f'href="{reverse(f"task-{report}", args=[task.slug])}"' in main


class TestBlindness:
    def test_no_page_of_an_annotator_names_a_system(
        self, task: Task, bob: Annotator, signed_in: SignIn
    ) -> None:
        client = signed_in(bob)
        while (assignment := assignments.next_assignment(task, bob)) is not None:
            body = client.get(assignment.get_absolute_url()).content.decode()
            for name in ("alpha", "beta", "gamma", "degraded"):
                assert name not in body
            for index in Occurrence.objects.asked_by(assignment).values_list("index", flat=True):
                answers.submit_ranking(assignment, answers.Submission(uuid.uuid4(), index, Choice.EQUAL, 0))
            answers.finish_pairs(assignment)
        for url in (reverse("home"), reverse("finished", args=[task.slug])):
            assert "alpha" not in client.get(url).content.decode()


class TestHeaders:
    def test_every_answer_carries_the_policy(self, task: Task, bob: Annotator, signed_in: SignIn) -> None:
        for url in ("/", "/healthz", "/nowhere", "/sign-in", assigned(task, bob).get_absolute_url()):
            assert signed_in(bob).get(url)["Content-Security-Policy"] == POLICY

    def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere(self) -> None:
        assert "default-src 'self'" in POLICY
        assert "unsafe" not in POLICY
        assert "http" not in POLICY

    def test_annotation_pages_are_never_cached(self, task: Task, bob: Annotator, signed_in: SignIn) -> None:
        response = signed_in(bob).get(assigned(task, bob).get_absolute_url())
        assert "no-store" in response["Cache-Control"]

    def test_the_page_with_a_guests_way_back_is_never_cached(self, bob: Annotator, signed_in: SignIn) -> None:
        assert "no-store" in signed_in(bob).get(reverse("home"))["Cache-Control"]

    def test_templates_have_nothing_inline(self, task: Task, bob: Annotator, signed_in: SignIn) -> None:
        page = signed_in(bob).get(assigned(task, bob).get_absolute_url()).content.decode()
        assert "style=" not in page
        assert " on" + "click" not in page
        assert "<script>" not in page


def test_a_place_among_ten_thousand_is_written_as_everywhere_else(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    assignment = assigned(task, bob)
    Assignment.objects.update(number=1210, up_to=10_000)
    page = signed_in(bob).get(assignment.get_absolute_url()).content.decode()
    assert "<title>Comparison 1,210 of 10,000" in page
