"""Metrics score what a task holds; each run is kept once, whole, beside the votes of people."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from appraise.lib.problems import InputError
from evaluation.alignment.values import join_spans
from evaluation.jobs import Cancelled, requeue_abandoned
from evaluation.models import Alignment, Job, Task
from metrics import registry
from metrics.base import score_systems
from metrics.models import MetricRun, PhraseVote, SegmentScore
from metrics.scoring.jobs import begin_scoring
from metrics.scoring.queries import load_asked_occurrences, load_task_texts
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import RunState, score_task
from tests.database.conftest import SENTENCES, make_task
from tests.database.test_jobs import work


def without(key: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in item.items() if name != key} for item in SENTENCES]


def numbers(name: str, *systems: str) -> dict[str, list[float]]:
    """What a metric says about the sample sentences, computed without the database."""
    texts = {system: [item["candidates"][system] for item in SENTENCES] for system in systems}
    references = [[item["references"][0] for item in SENTENCES]]
    return {
        s: found.segments.tolist()
        for s, found in score_systems(registry.get(name), texts, references).items()
    }


class TestTaskTexts:
    def test_a_task_is_read_in_two_queries(self, task: Task, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(2):
            tests = load_task_texts(task)
        assert list(tests.outputs) == ["alpha", "beta", "gamma"]
        assert [item.key for item in tests.items.values()] == ["s1", "s2", "s3", "s4"]
        assert tests.items[next(iter(tests.items))].references == ("Sentence 1: the red house is small.",)

    def test_the_digest_follows_the_texts_and_nothing_else(self, task: Task) -> None:
        Task.objects.update(digest="")  # so that the same content may come again
        other = make_task("Other", seed=2)
        changed = make_task("Changed", [{**SENTENCES[0], "references": ["Another."]}, *SENTENCES[1:]])
        digests = [load_task_texts(one).digest for one in (task, other, changed)]
        assert digests[0] == digests[1] != digests[2]

    def test_every_pair_stands_once_where_it_is_asked(
        self, task: Task, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(3):
            found = list(load_asked_occurrences(task))
        assert sorted(one.pair for one in found) == sorted(task.pairs.values_list("pk", flat=True))
        pairs = task.pairs.in_bulk()
        for one in found:
            spans = [(one.phrases[n].first, one.phrases[n].second) for n in one.group]
            texts = [
                " … ".join(stave.slice(run) for run in join_spans(filter(None, side)))
                for stave, side in zip((one.first, one.second), zip(*spans, strict=True), strict=True)
            ]
            pair = pairs[one.pair]
            assert (texts[::-1] if one.flipped else texts) == [pair.first, pair.second]


class TestScoring:
    def test_one_run_per_metric_with_every_segment(self, task: Task) -> None:
        outcomes = score_task(task, find_metrics(["chrf", "wer"]))
        assert [one.state for one in outcomes] == [RunState.SCORED, RunState.SCORED]
        for run in MetricRun.objects.all():
            expected = numbers(run.metric, "alpha", "beta", "gamma")
            for system, values in expected.items():
                stored = run.scores.filter(output__system__name=system).order_by("output__item__position")
                assert list(stored.values_list("value", flat=True)) == pytest.approx(values)
            assert set(run.corpus) == {"alpha", "beta", "gamma"}
            assert run.signature.endswith("refs:1")

    def test_what_was_scored_is_not_scored_again(self, task: Task) -> None:
        first = score_task(task, find_metrics(["chrf"]))
        again = score_task(task, find_metrics(["chrf", "wer"]))
        assert [one.state for one in again] == [RunState.EXISTING, RunState.SCORED]
        assert again[0].run == first[0].run
        assert MetricRun.objects.count() == 2

    def test_a_corrected_alignment_is_new_content(self, task: Task) -> None:
        score_task(task, find_metrics(["chrf"]))
        old = Alignment.objects.first()
        assert old is not None
        Alignment.objects.create(
            comparison=old.comparison, version=2, links=old.links, aligner="by hand", phrases=old.phrases
        )
        assert [one.state for one in score_task(task, find_metrics(["chrf"]))] == [RunState.SCORED]

    def test_other_parameters_are_another_run(self, task: Task) -> None:
        score_task(task, find_metrics(["bleu", "bleu:tokenize=intl"]))
        assert sorted(MetricRun.objects.values_list("metric", flat=True)) == ["bleu", "bleu:tokenize=intl"]

    def test_a_metric_is_refused_with_a_sentence_where_the_task_has_no_reference(self, db: None) -> None:
        task = make_task(sentences=without("references"))
        (outcome,) = score_task(task, find_metrics(["bleu"]))
        assert outcome.state is RunState.REFUSED
        assert outcome.reason == "bleu cannot score here: it needs a reference"
        assert MetricRun.objects.count() == 0

    def test_sentences_without_reference_have_no_score_and_no_vote(self, db: None) -> None:
        task = make_task(sentences=[without("references")[0], *SENTENCES[1:]])
        score_task(task, find_metrics(["chrf"]))
        missing = SegmentScore.objects.filter(output__item__key="s1")
        assert list(missing.values_list("value", flat=True)) == [None] * 3
        assert not PhraseVote.objects.filter(pair__owner__item__key="s1").exists()
        assert PhraseVote.objects.filter(pair__owner__item__key="s2").exists()

    def test_an_interrupted_run_leaves_nothing_and_the_others_stay(self, task: Task) -> None:
        def stop(done: int, total: int, message: str) -> None:
            if message == "wer: phrase pairs":
                raise Cancelled

        with pytest.raises(Cancelled):
            score_task(task, find_metrics(["chrf", "wer", "per"]), stop)
        assert list(MetricRun.objects.values_list("metric", flat=True)) == ["chrf"]
        assert [one.state for one in score_task(task, find_metrics(["chrf", "wer", "per"]))] == [
            RunState.EXISTING,
            RunState.SCORED,
            RunState.SCORED,
        ]

    def test_queries_do_not_grow_with_the_task(self, task: Task, django_assert_max_num_queries: Any) -> None:
        with django_assert_max_num_queries(14):
            score_task(task, find_metrics(["chrf"]))

    @pytest.mark.parametrize(
        "name",
        [
            "imported:file={}",
            "model:path={}",
            "ranker:model={}",
            "dr:parser=imported:model={}",
            "collocation:table={}",
            "collocation:table={}.npz",
        ],
    )
    def test_nobody_reads_a_file_of_the_server_by_naming_it(
        self, db: None, tmp_path: Path, name: str
    ) -> None:
        (tmp_path / "secret").write_text("the secret\n", encoding="utf-8")
        with pytest.raises(InputError, match="names a file of the server") as refusal:
            find_metrics([name.format(tmp_path / "secret")])
        assert "the secret" not in str(refusal.value)

    def test_a_model_whose_file_is_damaged_is_refused_and_the_others_score(
        self, task: Task, tmp_path: Path
    ) -> None:
        (tmp_path / "ranker.npz").write_bytes(b"half a file")
        metrics = {"broken": registry.get("ranker", model=str(tmp_path / "ranker.npz"))}
        outcomes = score_task(task, metrics | find_metrics(["chrf"]))
        assert [one.state for one in outcomes] == [RunState.REFUSED, RunState.SCORED]
        assert "bad_model" in outcomes[0].reason

    @pytest.mark.parametrize("names", [["nonsense"], ["bleu:nonsense=1"], ["trained:nothing"], ["model"], []])
    def test_a_name_that_means_nothing_is_told(self, db: None, names: list[str]) -> None:
        with pytest.raises(InputError):
            find_metrics(names)


@pytest.mark.django_db(transaction=True)
class TestJob:
    def test_scoring_runs_in_the_background(self) -> None:
        task = make_task()
        job = begin_scoring(task, ["chrf", "wer"], None)
        work()
        job.refresh_from_db()
        assert job.state == Job.State.DONE
        assert [one["state"] for one in job.result["metrics"]] == ["scored", "scored"]
        assert (job.done, job.total) == (4, 4)
        assert set(MetricRun.objects.values_list("job", flat=True)) == {job.pk}

    def test_a_job_whose_worker_died_goes_on_with_the_next_metric(self) -> None:
        task = make_task()
        job = begin_scoring(task, ["chrf", "wer"], None)
        score_task(task, find_metrics(["chrf"]), job=job)  # as far as the first worker came
        past = timezone.now() - timedelta(minutes=5)
        Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, lease_until=past, lease_holder="dead")
        requeue_abandoned()
        work()
        job.refresh_from_db()
        assert [one["state"] for one in job.result["metrics"]] == ["existing", "scored"]
        assert MetricRun.objects.count() == 2

    def test_an_unknown_metric_never_becomes_a_job(self) -> None:
        with pytest.raises(InputError):
            begin_scoring(make_task(), ["nonsense"], None)
        assert not Job.objects.exists()


class TestCommand:
    def run(self, *arguments: str) -> Any:
        out = io.StringIO()
        call_command("score", *arguments, stdout=out)
        return json.loads(out.getvalue())

    def test_a_task_is_scored_as_files_are(self, task: Task) -> None:
        found = self.run("--task", task.slug, "--metrics", "ter,chrf")
        assert list(found) == ["ter", "chrf"]
        assert set(found["ter"]) == {"signature", "higher_is_better", "corpus", "segments"}
        for name in ("ter", "chrf"):
            expected = numbers(name, "alpha", "beta", "gamma")
            assert found[name]["segments"] == {key: pytest.approx(value) for key, value in expected.items()}
        assert self.run("--task", task.slug, "--metrics", "ter,chrf") == found
        assert MetricRun.objects.count() == 2

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--task", "nowhere", "--metrics", "bleu"),
            ("--task", "houses", "--metrics", "nonsense"),
            ("--task", "houses", "--metrics", "bleu", "--ref", "x"),
        ],
    )
    def test_bad_values_exit_with_2(self, task: Task, arguments: tuple[str, ...]) -> None:
        with pytest.raises(CommandError) as error:
            self.run(*arguments)
        assert error.value.returncode == 2
        assert not MetricRun.objects.exists()

    def test_a_task_without_reference_is_refused(self, db: None) -> None:
        task = make_task(sentences=without("references"))
        with pytest.raises(CommandError, match="it needs a reference"):
            self.run("--task", task.slug, "--metrics", "bleu")
