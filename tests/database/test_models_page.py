"""Training on a task: a model with its history, one more metric, or a sentence that says what is missing."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from appraise.lib.problems import InputError
from evaluation.models import Annotator, Campaign, Job, Membership, Ranking, Role, Task, User
from metrics.models import MetricRun, TrainedModel
from metrics.scoring.jobs import begin_training
from metrics.scoring.services.metric_lookup import find_metrics, load_trained_metric
from metrics.scoring.services.runs import RunState, ignore_progress, score_task
from metrics.scoring.services.training import save_model, train_combination, train_for_job
from tests.database.conftest import SENTENCES, annotator, make_task, person
from tests.database.test_jobs import work

SignIn = Callable[[User | Annotator | None], Client]

LARGE = [
    {**SENTENCES[0], "id": f"s{n}", "source": f"Satz {n}.",
     "references": [f"Sentence {n}: the red house is small."],
     "candidates": {"alpha": f"Sentence {n}: the red house is small.",
                    "beta": f"Sentence {n}: the crimson house is tiny.",
                    "gamma": f"Sentence {n}: the scarlet home is minute."}}
    for n in range(1, 15)
]  # fmt: skip


def judged(task: Task, *people: Annotator) -> Task:
    """People like the words of the reference."""
    liked = {"red", "house", "small"}
    Ranking.objects.bulk_create(
        Ranking(
            uuid=uuid4(), annotator=who, pair=pair, version=1,
            choice="A>B" if liked & set(pair.first.split()) else "A<B",
        )
        for pair in task.pairs.all()
        for who in people
    )  # fmt: skip
    return task


@pytest.fixture
def large(db: None) -> Task:
    task = make_task(sentences=LARGE)
    return judged(task, annotator("bob", task), annotator("carol", task))


def test_a_model_knows_where_it_comes_from_and_how_good_it_is(large: Task) -> None:
    model = train_combination(large, "Town")
    assert model.kind == TrainedModel.Kind.COMBINATION
    assert model.provenance["task"] == large.slug
    assert model.provenance["sentences"] == 14
    assert model.provenance["annotators"] == 2
    assert model.evaluation["held_out"]["accuracy"] > 0.7
    assert {name for name, _ in model.evaluation["weights"]} == set(model.provenance["features"])
    assert not model.path.startswith("/")
    assert load_trained_metric(model).name == "Town"


def test_a_trained_model_is_one_more_metric(large: Task) -> None:
    train_combination(large, "Town")
    (outcome,) = score_task(large, find_metrics(["trained:Town"]))
    assert outcome.state is RunState.SCORED
    run = MetricRun.objects.get()
    assert (run.metric, run.higher_is_better) == ("trained:Town", True)
    assert run.votes.count() == large.pairs.count()


def test_a_model_of_somebody_elses_task_is_neither_offered_nor_found(
    large: Task, dora: User, signed_in: SignIn
) -> None:
    elsewhere = Campaign.objects.create(slug="elsewhere", name="Elsewhere")
    Membership.objects.create(user=dora, campaign=elsewhere, role=Role.MANAGER)
    theirs = Task.objects.create(
        campaign=elsewhere, slug="theirs", name="Theirs", scheme_name="four-way", state="open"
    )
    train_combination(large, "Town")
    client = signed_in(dora)
    assert "Town" not in client.get(reverse("choose-metrics", args=[theirs.slug])).content.decode()
    reply = client.post(reverse("score-task", args=[theirs.slug]), {"metric": "trained:Town"})
    assert (reply.status_code, Job.objects.count()) == (400, 0)


def test_with_too_few_answers_it_says_how_many_are_missing(task: Task, bob: Annotator) -> None:
    judged(task, bob)
    with pytest.raises(InputError, match="1 more annotators"):
        train_combination(task, "Small")
    assert not TrainedModel.objects.exists()


def test_a_name_is_used_once(large: Task) -> None:
    train_combination(large, "Town")
    with pytest.raises(InputError, match="name_taken"):
        train_combination(large, "Town")


def test_without_references_there_is_nothing_to_learn_from(db: None) -> None:
    bare = [{key: value for key, value in item.items() if key != "references"} for item in LARGE]
    task = make_task(sentences=bare)
    judged(task, annotator("bob", task), annotator("carol", task))
    with pytest.raises(InputError, match="too_little_data"):
        train_combination(task, "Bare")


def test_the_second_of_two_that_train_under_one_name_leaves_the_first_alone(large: Task) -> None:
    train_combination(large, "Town")
    with pytest.raises(InputError, match="name_taken"):
        save_model(TrainedModel(name="Town", task=large), ".json", lambda path: path.touch(), {}, {})
    assert load_trained_metric(TrainedModel.objects.get()).name == "Town"
    assert all(path.is_file() for path in (settings.HOME / "models").iterdir())


def test_a_job_that_lost_its_worker_after_the_model_was_kept_has_made_it(large: Task) -> None:
    job = begin_training(large, "Town", None)
    model = train_for_job(job, large, ignore_progress)
    with pytest.raises(InputError, match="name_taken"):
        train_for_job(job, large, ignore_progress)
    job.attempts = 2
    assert train_for_job(job, large, ignore_progress) == model


@pytest.mark.django_db(transaction=True)
def test_training_runs_in_the_background_and_failure_is_told() -> None:
    task = make_task()
    job = begin_training(task, "Early", None)
    work()
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "100 more decided votes" in job.error


def test_the_page_of_a_training_leads_to_the_model_or_back_to_the_task(
    large: Task, signed_in: SignIn
) -> None:
    client = signed_in(User.objects.create_superuser("boss"))
    model = train_combination(large, "Town")
    made = Job.objects.create(kind="train", title="T", task=large, state=Job.State.DONE,
                              result={"model": "Town", "model_id": model.pk})  # fmt: skip
    assert f'href="/models/{model.pk}">Town</a>' in client.get(made.get_absolute_url()).content.decode()
    failed = Job.objects.create(kind="train", title="T", task=large, state=Job.State.FAILED, error="no")
    page = client.get(failed.get_absolute_url()).content.decode()
    assert f'href="/tasks/{large.slug}/metrics/choose"' in page
    Job.objects.all().delete()


def test_the_administrator_of_an_empty_site_may_look(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root"))
    assert client.get("/models/").status_code == 200


def test_a_manager_without_a_task_is_told_how_to_begin_and_nothing_of_others(
    large: Task, signed_in: SignIn
) -> None:
    train_combination(large, "Town")
    erin = person("erin", may_create=True)
    empty = Campaign.objects.create(slug="empty", name="Empty")
    frank = person("frank")
    Membership.objects.create(user=frank, campaign=empty, role=Role.MANAGER)
    for who, may_upload in ((erin, True), (frank, False)):
        answer = signed_in(who).get("/models/")
        page = " ".join(answer.content.decode().split())
        assert answer.status_code == 200
        assert not answer.context["trainable"]
        assert ('<a href="/upload/">New task</a> </p>' in page) == may_upload
        assert not any(word in page for word in ("Town", large.name, large.campaign.name))


def test_models_are_one_click_from_home_for_who_studies(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    link = 'href="/models/"'
    for path in ("/", f"/tasks/{task.slug}/metrics"):
        assert link in signed_in(alice).get(path).content.decode(), path
    assert link not in signed_in(bob).get("/").content.decode()


class TestPages:
    def test_organisers_train_and_see_models(self, large: Task, signed_in: SignIn) -> None:
        client = signed_in(User.objects.create_superuser("boss"))
        answer = client.post(f"/tasks/{large.slug}/metrics/train", {"name": "Town"})
        assert answer["Location"] == Job.objects.get().get_absolute_url()
        model = train_combination(large, "Town")
        page = client.get("/models/").content.decode()
        assert f'href="/models/{model.pk}"' in page
        assert model.provenance["sha256"] in client.get(f"/models/{model.pk}").content.decode()
        assert client.get(f"/models/{model.pk}/plots/grid.svg").status_code == 404
        assert client.get(f"/models/{model.pk}/plots/weights.svg").content.startswith(b"<svg xmlns")
        offered = client.get(f"/tasks/{large.slug}/metrics/choose").content.decode()
        assert 'value="trained:Town"' in offered

    def test_a_bad_name_trains_nothing_and_is_told_beside_its_field(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        form = {"name": "news/2026", "method": "ranker-trees"}
        page = signed_in(alice).post(f"/tasks/{task.slug}/metrics/train", form)
        assert page.status_code == 400
        assert not Job.objects.exists()
        html = page.content.decode()
        assert "Use letters" in html
        assert 'value="news/2026"' in html
        assert '<option value="ranker-trees" selected>' in html

    def test_a_name_that_a_model_has_or_will_have_is_refused_at_once(
        self, large: Task, alice: User, signed_in: SignIn
    ) -> None:
        """Not by the job, after minutes of training."""
        client, address = signed_in(alice), reverse("train-model", args=[large.slug])
        assert client.post(address, {"name": "Town"}).status_code == 302
        for _ in ("waiting", "trained"):
            refused = client.post(address, {"name": "Town"})
            assert refused.status_code == 400
            assert "There is a model with this name." in refused.content.decode()
            assert Job.objects.filter(kind="train").count() == 1
            Job.objects.update(state=Job.State.DONE)
            TrainedModel.objects.update_or_create(name="Town", task=large, kind=TrainedModel.Kind.SVM)
        assert client.post(address, {"name": "Village"}).status_code == 302

    def test_others_see_nothing(self, large: Task, dora: User, signed_in: SignIn) -> None:
        model = train_combination(large, "Town")
        client = signed_in(dora)
        assert client.get("/models/").status_code == 403
        assert client.get(f"/models/{model.pk}").status_code == 404
        assert client.get(f"/models/{model.pk}/plots/weights.svg").status_code == 404
        assert client.post(f"/tasks/{large.slug}/metrics/train", {"name": "X"}).status_code == 404
