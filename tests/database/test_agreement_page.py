"""The agreement page: who may see it, what counts, what it costs."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from defusedxml import ElementTree
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.agreement import compute_agreement
from evaluation.blinding import pseudonym
from evaluation.models import Annotator, Campaign, Membership, PhrasePair, Ranking, Role, Task, User
from evaluation.reports import cache, study_query
from evaluation.reports.agreement import MAX_LISTED, AgreementOptions, AnnotatorAgreement, get_agreement
from evaluation.reports.scope import load_scope
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study.values import CODE_OF
from tests.agreement.test_command import refusal
from tests.database.answering import always, another_task, answer_task, change_mind
from tests.database.conftest import person

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def answered(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """Bob and carol agree on the pairs with an even id."""
    answer_task(task, bob, always(Choice.A_BETTER))
    answer_task(task, carol, lambda pair, _: Choice.A_BETTER if pair.pk % 2 == 0 else Choice.B_MUCH_BETTER)
    return task


@pytest.fixture
def researcher(task: Task) -> User:
    user = person("rita")
    Membership.objects.create(user=user, campaign=task.campaign, role=Role.RESEARCHER)
    return user


def url(task: Task) -> str:
    return reverse("task-agreement", args=[task.slug])


def test_before_two_have_judged_the_same_there_is_no_row_of_dashes(
    task: Task, bob: Annotator, alice: User, signed_in: SignIn
) -> None:
    answer_task(task, bob, always(Choice.A_BETTER), most=1)
    page = signed_in(alice).get(url(task)).content.decode()
    assert 'data-empty="pairs"' in page
    assert "/times.csv" in page
    for part in ("coefficients.csv", "confusion.csv", "plots/collapse.svg", "over-time.csv", "filters.csv"):
        assert part not in page


class TestWhoMaySee:
    def test_organisers_and_researchers_see_it_and_nobody_else(
        self, answered: Task, alice: User, researcher: User, bob: Annotator, dora: User, signed_in: SignIn
    ) -> None:
        campaign = reverse("campaign-agreement", args=[answered.campaign.slug])
        for address in (url(answered), campaign):
            assert [signed_in(who).get(address).status_code for who in (alice, researcher, bob, dora)] == [
                200,
                200,
                404,
                404,
            ]
            assert Client().get(address).status_code == 302

    def test_names_are_for_those_who_manage_the_people(
        self, answered: Task, alice: User, researcher: User, signed_in: SignIn
    ) -> None:
        managers, theirs = (signed_in(who).get(url(answered)).content.decode() for who in (alice, researcher))
        assert ">carol<" in managers
        assert "carol" not in theirs
        assert pseudonym(answered.campaign.key, "key of carol") in theirs

    def test_files_never_carry_names(self, answered: Task, alice: User, signed_in: SignIn) -> None:
        found = signed_in(alice).get(f"{url(answered)}/annotators.csv").content.decode()
        assert "bob" not in found
        assert found.count("a-") >= 2

    def test_a_campaign_shows_only_the_tasks_that_one_may_study(
        self, answered: Task, signed_in: SignIn
    ) -> None:
        other = another_task("Other houses")
        user = person("rita")
        Membership.objects.create(user=user, campaign=other.campaign, task=answered, role=Role.RESEARCHER)
        page = signed_in(user).get(reverse("campaign-agreement", args=["study"])).content.decode()
        assert "1 task" in page


class TestWhatCounts:
    def test_kappa_is_that_of_the_stored_answers(self, answered: Task) -> None:
        pairs = list(PhrasePair.objects.filter(task=answered).values_list("pk", flat=True))
        share = sum(pk % 2 == 0 for pk in pairs) / len(pairs)
        found = get_agreement(load_scope("task", answered.slug)).report
        assert (found.items, found.judgements, found.pairs) == (len(pairs), 2 * len(pairs), len(pairs))
        assert found.p_a == pytest.approx(share)
        assert found.kappa.value == pytest.approx((share - 1 / 6) / (5 / 6))
        assert found.kappa.prime == pytest.approx((share - 1 / 4) / (3 / 4))

    def test_an_answer_changed_after_closing_counts_as_it_stood(
        self, answered: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        """Also in the export; an answer that was withdrawn at closing may still be given, as surplus."""
        changed, withdrawn = Ranking.objects.filter(annotator=bob).order_by("pk")[:2]
        change_mind(withdrawn, None)
        for ranking in (changed, withdrawn):
            late = change_mind(
                Ranking.objects.filter(pair=ranking.pair, annotator=bob).latest("pk"), Choice.EQUAL
            )
            Ranking.objects.filter(pk=late.pk).update(slot=None)
        study = study_query.load_study([answered])
        ties = study.labels == CODE_OF[Choice.EQUAL]
        assert [int(study.pair_keys[code]) for code in study.pairs[ties]] == [withdrawn.pair_id]
        assert study.surplus[ties].all()
        export = signed_in(alice).get(reverse("task-export", args=[answered.slug, "jsonl"]))
        rows = [json.loads(line) for line in export.getvalue().decode().splitlines()]
        current = {(row["pair"], row["annotator"]): row for row in rows if row["current"]}
        who = pseudonym(answered.campaign.key, bob.key)
        assert current[changed.pair.key, who]["version"] == 1
        assert current[withdrawn.pair.key, who]["version"] == 3

    def test_the_last_version_counts_and_a_withdrawn_answer_does_not(self, answered: Task) -> None:
        first, second = Ranking.objects.filter(annotator__key="key of carol").order_by("pk")[:2]
        change_mind(first, Choice.EQUAL)
        change_mind(second, None)
        study = study_query.load_study([answered])
        assert len(study) == Ranking.objects.count() - 3
        found = compute_agreement(study.judgements(), answered.scheme, resamples=0)
        assert dict(zip(found.labels, found.label_totals, strict=True))["A=B"] == 1

    def test_machines_do_not_count_as_annotators(self, answered: Task) -> None:
        before = get_agreement(load_scope("task", answered.slug)).report
        one = Ranking.objects.order_by("pk")[0]
        one.annotator = Annotator.objects.create(machine="chrF")
        one.pk, one.uuid = None, "00000000-0000-4000-8000-000000000001"
        one.save()
        after = get_agreement(load_scope("task", answered.slug)).report
        assert (after.annotators, after.judgements) == (before.annotators, before.judgements)

    def test_repeats_feed_self_agreement_only(self, bob: Annotator) -> None:
        task = another_task("Again", repeats=100)
        Membership.objects.create(user=bob.user, campaign=task.campaign, task=task, role=Role.ANNOTATOR)  # type: ignore[misc]  # bob has an account
        answer_task(task, bob, lambda pair, time: Choice.A_BETTER if time == 0 else Choice.B_BETTER)
        found = get_agreement(load_scope("task", task.slug))
        assert found.report.pairs == 0
        assert found.report.intra.pairs > 0
        assert found.report.intra.p_a == 0
        assert found.annotators[0].repeats is not None

    def test_a_campaign_with_two_schemes_is_read_as_four_choices(
        self, answered: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        four = another_task("Four", scheme="four-way")
        for who in (bob, carol):
            assert who.user is not None
            Membership.objects.create(user=who.user, campaign=four.campaign, task=four, role=Role.ANNOTATOR)
            answer_task(four, who, always(Choice.EQUAL))
        found = get_agreement(load_scope("campaign", "study"))
        assert found.mixed
        assert found.report.labels == FOUR_WAY.labels
        assert [row.task for row in found.by_task.rows] == [answered.slug, four.slug]
        assert found.by_task.rows[1].kappa == 1
        assert found.by_task.pooled.kappa is None
        assert found.by_task.pooled.prime == pytest.approx(found.report.kappa.value)
        page = signed_in(alice).get(reverse("campaign-agreement", args=["study"])).content.decode()
        assert "different schemes" in page
        for task in (answered, four):
            assert f'<a href="{url(task)}">{task.name}</a>' in page
        assert (
            study_query.load_study(study_query.find_tasks("campaign__slug", "study")).judgements().label_names
            == FOUR_WAY.labels
        )

    def test_surplus_answers_can_be_left_out(self, answered: Task, alice: User, signed_in: SignIn) -> None:
        some = (
            Ranking.objects.filter(annotator__key="key of carol")
            .order_by("pk")
            .values_list("pk", flat=True)[:3]
        )
        Ranking.objects.filter(pk__in=list(some)).update(slot=None)
        scope = load_scope("task", answered.slug)
        sizes = {subset.without: subset.row.judgements for subset in get_agreement(scope).subsets}
        assert sizes[()] - sizes[("surplus",)] == 3  # type: ignore[index]  # a filter is its name
        page = signed_in(alice).get(url(answered) + "?without=surplus&without=nonsense").content.decode()
        assert 'value="surplus" checked' in page


class TestThePage:
    def test_a_task_without_answers_says_so_and_prints_no_zero(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        page = signed_in(alice).get(url(task)).content.decode()
        assert 'data-empty="answers"' in page
        assert not [mark for mark in ('class="big"', "<table", "<svg class") if mark in page]

    def test_zero_is_printed_as_zero(
        self, task: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        answer_task(task, bob, always(Choice.A_BETTER))
        answer_task(task, carol, always(Choice.B_BETTER))
        page = " ".join(signed_in(alice).get(url(task)).content.decode().split())
        assert "0.000" in page  # P(A)
        assert '<p class="big"> −0.20' in page

    def test_it_costs_at_most_ten_queries_and_fewer_the_second_time(
        self, answered: Task, alice: User, signed_in: SignIn
    ) -> None:
        client = signed_in(alice)
        counts = []
        for _ in range(2):
            with CaptureQueriesContext(
                connection,
            ) as queries:
                assert client.get(url(answered)).status_code == 200
            counts.append(len(queries))
        first, again = counts
        assert again <= 10
        assert first <= 16  # the study itself is read once for all reports

    def test_a_new_answer_shows_at_once(self, answered: Task) -> None:
        scope = load_scope("task", answered.slug)
        before = get_agreement(scope)
        assert get_agreement(scope) is before
        change_mind(Ranking.objects.order_by("pk")[0], Choice.NOT_APPLICABLE)
        assert get_agreement(scope).report.label_totals[-1] == 1

    def test_what_was_read_too_soon_is_read_once_more(self) -> None:
        """Ids can become visible out of order; after a minute nothing older can still be on its way."""
        noon = datetime(2026, 11, 16, 12, tzinfo=UTC)
        minute = timedelta(seconds=61)
        soon = cache._Entry(((1,),), noon, noon - timedelta(seconds=5), None)
        late = cache._Entry(((1,),), noon, noon - minute, None)
        empty = cache._Entry(((0,),), noon, None, None)
        settled = [
            cache.is_settled(kept.computed_at, kept.newest_at, noon + minute) for kept in (soon, late, empty)
        ]
        assert settled == [False, True, True]
        assert cache.is_settled(soon.computed_at, soon.newest_at, noon + timedelta(seconds=30))

    def test_every_table_is_a_file_in_both_formats(
        self, answered: Task, alice: User, signed_in: SignIn
    ) -> None:
        client = signed_in(alice)
        for name in AnnotatorAgreement.tables:
            for form, begin in (("csv", None), ("tex", b"%")):
                response = client.get(f"{url(answered)}/{name}.{form}")
                assert response.status_code == 200, name
                assert "attachment" in response["Content-Disposition"]
                assert begin is None or response.content.startswith(begin)
        assert client.get(f"{url(answered)}/nothing.csv").status_code == 404
        assert client.get(f"{url(answered)}/tasks.exe").status_code == 404

    def test_every_plot_is_a_drawing_with_a_label_and_no_style_of_its_own(
        self, answered: Task, alice: User, signed_in: SignIn
    ) -> None:
        client = signed_in(alice)
        html = client.get(url(answered)).content.decode()
        assert "style=" not in html
        assert "<style" not in html
        page = AnnotatorAgreement().compute(load_scope("task", answered.slug), AgreementOptions())
        for name, make in AnnotatorAgreement.plots.items():
            plot = make(page)
            assert plot is not None
            root = ElementTree.fromstring(client.get(f"{url(answered)}/plots/{name}.svg").content)
            assert root.tag.endswith("svg")
            assert plot.label
            assert plot.table.rows or name == "over-time"

    def test_where_labels_are_frequent_the_page_says_what_chance_explains(
        self, answered: Task, alice: User, signed_in: SignIn
    ) -> None:
        response = signed_in(alice).get(url(answered))
        page, html = response.context["page"], response.content.decode()
        assert page.chance.observed == pytest.approx(page.report.observed_chance)
        assert page.chance.pi == page.report.coefficient("scott_pi").value
        assert html.count("data-chance") == 2  # beside κ and κ′

    def test_four_choices_have_one_kappa_on_the_page(
        self, task: Task, bob: Annotator, carol: Annotator, alice: User, signed_in: SignIn
    ) -> None:
        task = another_task("Barns", scheme="four-way")
        for who in (bob, carol):
            answer_task(task, who, always(Choice.A_BETTER))
        assert "κ′" not in signed_in(alice).get(url(task)).content.decode()

    def test_of_very_many_annotators_those_who_need_attention_are_listed(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        """The one who is three times faster than the others is among them; the file has everybody."""
        people = [Annotator.objects.create(key=f"many {n}") for n in range(80)]
        Ranking.objects.bulk_create(
            Ranking(
                uuid=uuid.uuid4(), annotator=who, pair=pair, version=1, choice=Choice.A_BETTER,
                active_ms=500 if who is people[-1] else 5000,
            )
            for who in people
            for pair in task.pairs.all()
        )  # fmt: skip
        client = signed_in(alice)
        page = client.get(url(task)).context["page"]
        assert len(page.listed_annotators) == len(page.leave_one_out_table.rows) == MAX_LISTED
        assert pseudonym(task.campaign.key, people[-1].key) in {
            line.annotator for line in page.listed_annotators
        }
        assert client.get(f"{url(task)}/annotators.csv").content.decode().count("\n") == 81

    def test_annotators_stand_in_the_order_of_their_names(self, answered: Task) -> None:
        page = AnnotatorAgreement().compute(
            replace(load_scope("task", answered.slug), managed=True), AgreementOptions()
        )
        assert page.people is not None
        assert page.people.columns == ["bob", "carol"]
        assert [page.names[line.annotator] for line in page.annotators] == ["bob", "carol"]
        sides = AnnotatorAgreement.plots["sides"](page)
        assert sides is not None
        assert [row[0] for row in sides.table.rows] == ["bob", "carol"]

    def test_names_from_outside_are_only_text(self, answered: Task, alice: User, signed_in: SignIn) -> None:
        Campaign.objects.update(name="<script>alert(1)</script>")
        page = signed_in(alice).get(url(answered)).content.decode()
        assert "<script>alert" not in page


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["task", "campaign"])
def test_a_study_that_is_not_here_is_refused(kind: str) -> None:
    said = f"unknown_{kind}: there is no {kind} 'nowhere'; there is none yet; `import_task` makes one"
    assert refusal(f"--{kind}", "nowhere") == said


def test_the_refusal_of_an_unknown_task_names_those_that_there_are(answered: Task) -> None:
    assert refusal("--task", "nowhere").endswith(f"; there are: {answered.slug}")
    assert refusal("--campaign", "nowhere").endswith(f"; there are: {answered.campaign.slug}")
