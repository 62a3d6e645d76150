"""A ranker, and an SVM, trained on a task: tested on the unseen, one more voter, off where nobody asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from django.test import Client

from appraise.lib.problems import InputError
from evaluation.models import Annotator, Item, Job, Task, User
from evaluation.voters import collect_votes
from metrics.models import MetricRun, TrainedModel
from metrics.scoring.jobs import begin_training
from metrics.scoring.pages import ModelCard
from metrics.scoring.plots import bars, plot_model
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.ranker_training import train_ranker
from metrics.scoring.services.runs import RunState, score_task
from metrics.scoring.services.svm_training import train_svm
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.database.test_jobs import work
from tests.database.test_models_page import judged

SignIn = Callable[[User | Annotator | None], Client]

# People like "red house" and "small" here; a ranker can see it by the lengths alone.
BARE: list[dict[str, Any]] = [  # Any: JSON
    {"id": f"s{n}", "source": f"Satz {n}.",
     "candidates": {"alpha": f"Sentence {n}: the red house is small.",
                    "beta": f"Sentence {n}: the crimson and faded house is very tiny.",
                    "gamma": f"Sentence {n}: the scarlet or pink home is so minute."}}
    for n in range(1, 15)
]  # fmt: skip


LARGE_CANDIDATES = BARE[0]["candidates"]


@pytest.fixture
def bare(db: None) -> Task:
    task = make_task(sentences=BARE)
    return judged(task, annotator("bob", task), annotator("carol", task))


def test_bars_fill_the_room_between_names_and_numbers() -> None:
    marks = bars("Weights", "weight", [("length-ratio", 0.2), ("wer", -0.1)]).marks
    found = [
        [float(n) for n in one] for one in re.findall(r'<rect.*? x="([\d.]+)".*? width="([\d.]+)"', marks)
    ]
    (first, width), (second, half) = found
    assert first + width == pytest.approx(375, abs=0.2)
    assert second + half == pytest.approx(first, abs=0.2)
    assert width == pytest.approx(2 * half, abs=0.2)
    assert second > 9 * len("length-ratio")


def test_a_ranker_learns_without_references_and_says_where_it_comes_from(bare: Task) -> None:
    model = train_ranker(bare, "Shorter")
    assert model.kind == TrainedModel.Kind.RANKER
    assert model.provenance["annotators"] == 2
    assert model.provenance["features"] == ["len", "len_target", "copied"]
    assert "logparse" in model.provenance["missing"]
    assert "absent" in model.provenance["tools"]["parser"]
    assert ("Parser of the translations", "") in ModelCard(model).tools
    assert model.evaluation["held_out"]["accuracy"] > 0.7
    assert {name for name, _ in model.evaluation["relieff"]} == set(model.provenance["features"])


def test_on_its_own_task_it_votes_on_sentences_that_it_has_not_seen_and_is_never_asked_again(
    bare: Task,
) -> None:
    train_ranker(bare, "Shorter")
    run = MetricRun.objects.get()
    assert (run.metric, run.votes.count()) == ("trained:Shorter", bare.pairs.count())
    assert run.signature.endswith("|sentences:held-out")
    assert run.scores.filter(value__isnull=False).count() == 3 * len(BARE)
    (outcome,) = score_task(bare, find_metrics(["trained:Shorter"]))
    assert (outcome.state, outcome.run) == (RunState.EXISTING, run.pk)


def test_two_rankers_may_learn_from_the_same_votes(bare: Task) -> None:
    first, second = train_ranker(bare, "Shorter"), train_ranker(bare, "Terse")
    runs = {run.metric: run for run in MetricRun.objects.all()}
    assert set(runs) == {"trained:Shorter", "trained:Terse"}
    assert runs["trained:Shorter"].signature != runs["trained:Terse"].signature
    for model in (first, second):
        (outcome,) = score_task(bare, find_metrics([f"trained:{model.name}"]))
        assert (outcome.state, outcome.run) == (RunState.EXISTING, runs[f"trained:{model.name}"].pk)


def test_on_another_task_it_is_one_more_metric_with_votes(bare: Task) -> None:
    train_ranker(bare, "Shorter", classifier="naive-bayes")
    other = make_task("other", sentences=BARE[:3])
    (outcome,) = score_task(other, find_metrics(["trained:Shorter"]))
    assert outcome.state is RunState.SCORED
    said = collect_votes([other.pk])
    assert len(said) == other.pairs.count()
    assert {vote.voter for votes in said.values() for vote in votes} == {"trained:Shorter"}


def test_a_ranker_needs_sources_and_votes(task: Task, bare: Task) -> None:
    with pytest.raises(InputError, match="100 more decided votes"):
        train_ranker(task, "Early")
    Item.objects.filter(task=bare).update(source="")
    with pytest.raises(InputError, match="no sentence of the task has one"):
        train_ranker(bare, "Mute")
    assert not TrainedModel.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_training_a_ranker_is_background_work() -> None:
    task = make_task(sentences=BARE)
    judged(task, annotator("bob", task), annotator("carol", task))
    job = begin_training(task, "Shorter", None, method="ranker")
    work()
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    assert job.result["model"] == "Shorter"
    assert MetricRun.objects.get().job == job


class TestSvm:
    def test_with_two_references_people_are_told_from_machines(self, db: None) -> None:
        two = [
            {**SENTENCES[0], "id": f"s{n}", "source": f"Satz {n}.",
             "references": [f"A red house number {n} is quite small.", f"The red house {n} is quite small."],
             "candidates": {"alpha": f"House {n} red the is much of small.",
                            "beta": f"House crimson number {n} be tiny."}}
            for n in range(1, 22)
        ]  # fmt: skip
        model = train_svm(make_task(sentences=two), "Human")
        assert model.provenance["classes"] == "translators"
        assert len(model.evaluation["grid"]) == 35
        assert model.evaluation["chosen"]["accuracy"] > 0.9
        assert model.evaluation["roc"]["area"] > 0.9
        assert len(model.evaluation["importance"]) == 9
        assert model.evaluation["meta_correlation"] is None  # nobody has judged
        assert find_metrics(["trained:Human"])["trained:Human"].name == "Human"
        assert set(plot_model(model)) == {"importance", "grid", "roc"}

    def test_with_one_reference_outputs_that_won_stand_in_for_people(
        self, db: None, signed_in: SignIn
    ) -> None:
        one = [
            {**BARE[0], "id": f"s{n}", "source": f"Satz {n}.",
             "references": [f"Sentence {n}: the red house is small."],
             "candidates": {name: text.replace("Sentence 1", f"Sentence {n}")
                            for name, text in LARGE_CANDIDATES.items()}}
            for n in range(1, 17)
        ]  # fmt: skip
        task = make_task(sentences=one)
        judged(task, annotator("bob", task), annotator("carol", task))
        model = train_svm(task, "Won")
        assert model.provenance["classes"] == "ranked"
        assert model.evaluation["judged"] > 0
        plots = plot_model(model)
        assert set(plots) == {"importance", "grid", "accuracy", "roc"}
        client = signed_in(User.objects.create_superuser("boss"))
        page = client.get(f"/models/{model.pk}").content.decode()
        assert all(f"/models/{model.pk}/plots/{name}.svg" in page for name in plots)
        for name in plots:
            fromstring(client.get(f"/models/{model.pk}/plots/{name}.svg").content)  # well-formed

    def test_without_references_there_is_no_human_class(self, bare: Task) -> None:
        with pytest.raises(InputError, match="no sentence has a reference"):
            train_svm(bare, "None")


class TestAgreement:
    def test_a_machine_joins_the_annotators_only_where_somebody_asks(
        self, bare: Task, signed_in: SignIn, django_assert_max_num_queries: Any
    ) -> None:
        train_ranker(bare, "Shorter")
        client = signed_in(User.objects.create_superuser("boss"))
        address = f"/tasks/{bare.slug}/agreement"
        without = client.get(address).content.decode()
        assert 'value="trained:Shorter"' in without
        assert "trained:Shorter (" not in without
        alone = client.get(f"{address}/annotator-pairs.csv").content.decode()
        with django_assert_max_num_queries(10):
            page = client.get(f"{address}?voter=trained:Shorter&voter=stranger").content.decode()
        assert 'data-voters="1"' in page
        assert "trained:Shorter (" in page
        file = client.get(f"{address}/annotator-pairs.csv?voter=trained:Shorter").content.decode()
        assert (alone.count("voter:"), file.count("voter:trained:Shorter")) == (0, 2)
        assert client.get(address).content.decode().count("trained:Shorter (") == 0

    def test_where_no_machine_has_voted_none_is_offered(self, bare: Task, signed_in: SignIn) -> None:
        client = signed_in(User.objects.create_superuser("boss"))
        assert 'name="voter"' not in client.get(f"/tasks/{bare.slug}/agreement").content.decode()
