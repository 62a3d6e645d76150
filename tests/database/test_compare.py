"""The compare page: metrics beside people, filters, files, refusals; and scores from elsewhere."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from evaluation.models import (
    Annotator,
    Comparison,
    Job,
    Membership,
    PhrasePair,
    Ranking,
    Role,
    SentenceAnswer,
    Task,
    User,
)
from evaluation.reports.cache import clear_cache
from evaluation.schemes import Choice
from metrics.models import MetricRun, PhraseVote
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task
from tests.database.conftest import annotator, make_task, person

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def scored(task: Task) -> Task:
    score_task(task, find_metrics(["chrf", "wer"]))
    return task


def judge(task: Task, choose: Callable[[PhrasePair], Choice], *people: Annotator) -> None:
    """Everybody says the same about every pair."""
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=who, pair=pair, version=1, choice=choose(pair).value)
        for pair in task.pairs.all()
        for who in people
    )


def like(run: MetricRun) -> Callable[[PhrasePair], Choice]:
    votes = dict(run.votes.values_list("pair_id", "choice"))
    return lambda pair: Choice(votes[pair.pk])


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode())))


class TestPage:
    def test_before_any_metric_has_scored_it_says_what_to_do(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        page = signed_in(alice).get(f"/tasks/{task.slug}/metrics")
        assert page.status_code == 200
        assert "No metric has scored this task yet" in page.content.decode()

    def test_before_anybody_has_answered_there_are_votes_and_no_rates(
        self, scored: Task, alice: User, signed_in: SignIn
    ) -> None:
        page = signed_in(alice).get(f"/tasks/{scored.slug}/metrics").content.decode()
        assert 'data-empty="votes"' in page
        assert "0%" not in page

    def test_a_metric_that_votes_as_people_do_is_always_on_their_side(
        self, scored: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        judge(scored, like(MetricRun.objects.get(metric="chrf")), bob, carol)
        client = signed_in(alice)
        page = client.get(f"/tasks/{scored.slug}/metrics").content.decode()
        assert 'data-best="chrf"' in page
        found = {row["metric"]: row for row in rows_of(client, f"/tasks/{scored.slug}/metrics/metrics.csv")}
        assert float(found["chrf"]["same side"]) == 1.0
        assert float(found["chrf"]["tau"]) > 0
        assert float(found["wer"]["same side"]) <= 1.0

    def test_answers_about_sentences_are_compared_with_scores(
        self, scored: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        """Whoever prefers the sentence with the higher chrF has τ = 1, without any answer to a phrase."""
        run = MetricRun.objects.get(metric="chrf")
        scores = {
            output: value or 0.0 for output, value in run.scores.values_list("output__candidate", "value")
        }
        comparisons = Comparison.objects.filter(item__task=scored)
        SentenceAnswer.objects.bulk_create(
            SentenceAnswer(
                uuid=uuid4(), annotator=bob, comparison=row, question="verdict", version=1,
                value="A>B" if scores[row.first_id] > scores[row.second_id] else "A<B",
            )
            for row in comparisons
            if scores[row.first_id] != scores[row.second_id]
        )  # fmt: skip
        client = signed_in(alice)
        found = {row["metric"]: row for row in rows_of(client, f"/tasks/{scored.slug}/metrics/metrics.csv")}
        assert float(found["chrf"]["tau"]) == 1.0
        assert found["chrf"]["same side"] == ""
        page = client.get(f"/tasks/{scored.slug}/metrics").content.decode()
        assert "Compare with answers about phrases" in page

    def test_every_column_of_the_file_has_a_name_of_its_own(
        self, scored: Task, alice: User, signed_in: SignIn
    ) -> None:
        file = signed_in(alice).get(f"/tasks/{scored.slug}/metrics/metrics.csv").content.decode()
        header = next(csv.reader(io.StringIO(file)))
        assert len(header) == len(set(header)) == 24
        assert {"Pearson r low", "Pearson pairs", "same side low", "kappa' answers"} <= set(header)

    @pytest.mark.parametrize(
        ("votes", "only_ties"),
        [(Choice.EQUAL, True), (Choice.B_BETTER, False)],
    )
    def test_where_no_metric_is_ever_right_none_is_called_the_best(
        self, scored: Task, alice: User, bob: Annotator, signed_in: SignIn, votes: Choice, only_ties: bool
    ) -> None:
        PhraseVote.objects.update(choice=votes)
        judge(scored, lambda pair: Choice.A_BETTER, bob)
        response = signed_in(alice).get(f"/tasks/{scored.slug}/metrics")
        assert response.context["page"].statistics.only_ties == only_ties
        assert "data-best=" not in response.content.decode()

    def test_pairs_can_be_filtered_by_what_a_metric_says(
        self, scored: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        run = MetricRun.objects.get(metric="chrf")
        odd = scored.pairs.first()
        assert odd is not None
        same = like(run)
        judge(scored, lambda pair: same(pair).mirrored if pair == odd else same(pair), bob)
        client = signed_in(alice)
        address = f"/tasks/{scored.slug}/metrics/pairs.csv?run={run.pk}"
        everything = rows_of(client, address)
        assert len(everything) == scored.pairs.count()
        decided = run.votes.get(pair=odd).choice != Choice.EQUAL
        disagreeing = rows_of(client, address + "&show=disagree")
        assert [row["first"] for row in disagreeing] == ([odd.first] if decided else [])
        assert len(rows_of(client, address + "&show=agree")) == len(everything) - decided
        assert {row["people"] for row in rows_of(client, address + "&side=decided")} <= {"A", "B"}
        assert {row["people"] for row in rows_of(client, address + "&side=tie")} <= {"tie"}
        assert rows_of(client, address + "&side=split") == []
        assert all(
            "crimson" in row["first"] + row["second"] for row in rows_of(client, address + "&text=crimson")
        )

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="a limit of SQLite")
    def test_the_table_of_all_pairs_names_no_pair_in_its_query(self, alice: User, signed_in: SignIn) -> None:
        """SQLite takes as many values in one query as it was built for: some builds 32,766."""
        task = make_task(
            "Long",
            [
                {"id": str(n), "source": f"q{n}", "candidates": {"one": f"a{n} c", "two": f"b{n} c"}}
                for n in range(100)
            ],
        )
        score_task(task, find_metrics(["chrf"]))
        client, limit = signed_in(alice), sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER
        before = connection.connection.setlimit(limit, 99)
        try:
            found = rows_of(client, f"/tasks/{task.slug}/metrics/pairs.csv")
        finally:
            connection.connection.setlimit(limit, before)
        assert len(found) == task.pairs.count() == 100

    @pytest.mark.parametrize(
        "query", ["run=x&page=9999999999999", "show=nonsense&side=1", "page=-1", "text=%00", "run=²"]
    )
    def test_nonsense_in_the_address_is_no_filter(
        self, scored: Task, alice: User, signed_in: SignIn, query: str
    ) -> None:
        assert signed_in(alice).get(f"/tasks/{scored.slug}/metrics?{query}").status_code == 200

    @pytest.mark.parametrize("name", ["metrics", "contests", "systems", "pairs"])
    @pytest.mark.parametrize("form", ["csv", "tex"])
    def test_every_table_is_a_file(
        self, scored: Task, alice: User, bob: Annotator, signed_in: SignIn, name: str, form: str
    ) -> None:
        judge(scored, lambda pair: Choice.A_BETTER, bob)
        answer = signed_in(alice).get(f"/tasks/{scored.slug}/metrics/{name}.{form}")
        assert answer.status_code == 200
        assert "chrf" in answer.content.decode()
        assert answer["Content-Disposition"].startswith("attachment")

    @pytest.mark.parametrize("name", ["phrases", "systems"])
    def test_every_plot_is_a_file(
        self, scored: Task, alice: User, bob: Annotator, signed_in: SignIn, name: str
    ) -> None:
        judge(scored, lambda pair: Choice.A_BETTER, bob)
        answer = signed_in(alice).get(f"/tasks/{scored.slug}/metrics/plots/{name}.svg")
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer.content.startswith(b"<svg xmlns")

    @pytest.mark.parametrize("file", ["nothing.csv", "metrics.exe", "plots/nothing.svg"])
    def test_what_does_not_exist_is_not_found(
        self, scored: Task, alice: User, signed_in: SignIn, file: str
    ) -> None:
        assert signed_in(alice).get(f"/tasks/{scored.slug}/metrics/{file}").status_code == 404

    def test_text_of_a_corpus_cannot_become_markup(self, db: None, signed_in: SignIn) -> None:
        evil = {"x": "a <script>alert(1)</script> b", "y": "a <b onclick=x>red</b> b"}
        item = {"id": "<i>1</i>", "source": "s", "references": ["a b"], "candidates": evil}
        task = make_task(sentences=[item])
        score_task(task, find_metrics(["chrf"]))
        boss = User.objects.create_superuser("boss")
        page = signed_in(boss).get(f"/tasks/{task.slug}/metrics").content.decode()
        assert "<script>alert" not in page
        assert "<b onclick" not in page
        assert "<i>1</i>" not in page


class TestQueries:
    def count(self, client: Client, address: str) -> int:
        # Not by Django's recorder, whose cursor cannot copy from PostgreSQL with parameters.
        queries = 0

        def counted(execute: Any, *arguments: Any) -> Any:
            nonlocal queries
            queries += 1
            return execute(*arguments)

        with connection.execute_wrapper(counted):
            assert client.get(address).status_code == 200
        return queries

    def test_a_page_that_is_asked_for_again_takes_at_most_ten(
        self, scored: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        judge(scored, lambda pair: Choice.A_BETTER, bob)
        client = signed_in(alice)
        client.get(f"/tasks/{scored.slug}/metrics")
        assert self.count(client, f"/tasks/{scored.slug}/metrics") <= 10

    def test_more_pairs_metrics_and_people_take_no_more(
        self, scored: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        client = signed_in(alice)
        judge(scored, lambda pair: Choice.A_BETTER, bob)
        clear_cache()
        few = self.count(client, f"/tasks/{scored.slug}/metrics")
        judge(scored, lambda pair: Choice.B_BETTER, carol, annotator("erin", scored))
        score_task(scored, find_metrics(["per", "ter", "bleu"]))
        clear_cache()
        assert self.count(client, f"/tasks/{scored.slug}/metrics") == few


class TestAccess:
    PAGES = ("", "/choose", "/metrics.csv", "/plots/systems.svg")

    @pytest.mark.parametrize("page", PAGES)
    def test_annotators_and_strangers_find_nothing(
        self, scored: Task, bob: Annotator, dora: User, signed_in: SignIn, page: str
    ) -> None:
        for who in (bob, dora):
            assert signed_in(who).get(f"/tasks/{scored.slug}/metrics{page}").status_code == 404

    @pytest.mark.parametrize("page", PAGES)
    def test_the_unknown_must_sign_in(self, scored: Task, signed_in: SignIn, page: str) -> None:
        assert signed_in(None).get(f"/tasks/{scored.slug}/metrics{page}").status_code == 302

    def test_researchers_may_read_and_score(self, scored: Task, signed_in: SignIn) -> None:
        rita = person("rita")
        Membership.objects.create(user=rita, campaign=scored.campaign, role=Role.RESEARCHER)
        client = signed_in(rita)
        assert client.get(f"/tasks/{scored.slug}/metrics").status_code == 200
        assert client.post(f"/tasks/{scored.slug}/metrics/score", {"metric": "per"}).status_code == 302

    @pytest.mark.parametrize("page", ["score", "import"])
    def test_nobody_else_writes(self, scored: Task, bob: Annotator, signed_in: SignIn, page: str) -> None:
        assert signed_in(bob).post(f"/tasks/{scored.slug}/metrics/{page}").status_code == 404
        assert signed_in(bob).get(f"/tasks/{scored.slug}/metrics/{page}").status_code == 405
        assert not Job.objects.exists()


class TestChoosing:
    def test_metrics_are_offered_and_refused_with_a_sentence(self, alice: User, signed_in: SignIn) -> None:
        bare = [{"id": "s1", "source": "Haus", "candidates": {"x": "house", "y": "home"}}]
        task = make_task("Bare", bare)
        page = signed_in(alice).get(f"/tasks/{task.slug}/metrics/choose").content.decode()
        assert "it needs a reference" in page
        assert 'value="bleu"' not in page

    def test_chosen_metrics_become_one_job(self, task: Task, alice: User, signed_in: SignIn) -> None:
        client = signed_in(alice)
        assert 'value="bleu"' in client.get(f"/tasks/{task.slug}/metrics/choose").content.decode()
        answer = client.post(f"/tasks/{task.slug}/metrics/score", {"metric": ["bleu", "chrf"]})
        job = Job.objects.get()
        assert answer["Location"] == job.get_absolute_url()
        assert (job.arguments, job.owner, job.task) == ({"metrics": ["bleu", "chrf"]}, alice, task)

    @pytest.mark.parametrize("chosen", [[], ["nonsense"], ["bleu", "bleu:order=x"]])
    def test_a_choice_that_means_nothing_is_told_and_queues_nothing(
        self, task: Task, alice: User, signed_in: SignIn, chosen: list[str]
    ) -> None:
        answer = signed_in(alice).post(f"/tasks/{task.slug}/metrics/score", {"metric": chosen})
        assert answer.status_code == 400
        assert "Nothing was changed" in answer.content.decode()
        assert not Job.objects.exists()


LINES = [f"{system}\ts{n}\t{n / 10 + bonus}" for n in range(1, 5) for system, bonus in
         (("alpha", 0.5), ("beta", 0.2), ("gamma", 0.1))]  # fmt: skip


class TestImport:
    def send(self, client: Client, task: Task, lines: list[str], **fields: str) -> Any:
        content = "\n".join(["system\titem\tscore", *lines]).encode()
        file = SimpleUploadedFile("comet.tsv", content)
        values = {"name": "COMET", "direction": "higher", "file": file, **fields}
        return client.post(f"/tasks/{task.slug}/metrics/import", values)

    def test_scores_from_elsewhere_are_a_run_like_any_other(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        judge(task, lambda pair: Choice.A_BETTER, bob)
        client = signed_in(alice)
        assert self.send(client, task, LINES)["Location"] == f"/tasks/{task.slug}/metrics"
        run = MetricRun.objects.get()
        assert (run.metric, run.imported, run.higher_is_better) == ("COMET", True, True)
        assert run.scores.count() == 12
        assert run.corpus == {name: pytest.approx(0.25 + more) for name, more in
                              (("alpha", 0.5), ("beta", 0.2), ("gamma", 0.1))}  # fmt: skip
        page = client.get(f"/tasks/{task.slug}/metrics").content.decode()
        assert "COMET" in page
        assert "Imported scores have no votes on phrases" in page

    def test_a_changed_file_takes_the_place_of_the_old_one(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        client = signed_in(alice)
        self.send(client, task, LINES)
        self.send(client, task, [line + "1" for line in LINES])
        assert MetricRun.objects.count() == 2
        found = rows_of(client, f"/tasks/{task.slug}/metrics/metrics.csv")
        assert [row["metric"] for row in found] == ["COMET"]

    def test_what_is_left_out_has_no_score(self, task: Task, alice: User, signed_in: SignIn) -> None:
        self.send(signed_in(alice), task, [*LINES[:-1], "gamma\ts4\t"])
        run = MetricRun.objects.get()
        assert run.scores.filter(value=None).count() == 1
        assert run.corpus["gamma"] is None

    @pytest.mark.parametrize(
        ("lines", "code", "line"),
        [
            (["delta\ts1\t0.5"], "unknown_system", 2),
            (["alpha\ts9\t0.5"], "unknown_item", 2),
            (["alpha\ts1\t0.5", "alpha\ts1\t0.6"], "duplicate_score", 3),
            (["alpha\ts1\tgood"], "bad_number", 2),
            (["alpha\ts1\tnan"], "bad_number", 2),
            (["alpha\ts1"], "column_count", 2),
            ([], "no_scores", None),
        ],
    )
    def test_faults_are_told_with_line_and_code_and_nothing_is_kept(
        self, task: Task, alice: User, signed_in: SignIn, lines: list[str], code: str, line: int | None
    ) -> None:
        answer = self.send(signed_in(alice), task, lines)
        assert answer.status_code == 400
        page = answer.content.decode()
        assert f"<code>{code}</code>" in page
        assert f"comet.tsv:{line}" in page if line else "comet.tsv" in page
        assert not MetricRun.objects.exists()

    def test_the_same_file_twice_is_refused(self, task: Task, alice: User, signed_in: SignIn) -> None:
        client = signed_in(alice)
        self.send(client, task, LINES)
        assert "already_imported" in self.send(client, task, LINES).content.decode()
        assert MetricRun.objects.count() == 1

    @pytest.mark.parametrize("fields", [{"name": ""}, {"name": "<b>"}, {"direction": "sideways"}])
    def test_a_form_that_is_wrong_says_so(
        self, task: Task, alice: User, signed_in: SignIn, fields: dict[str, str]
    ) -> None:
        assert self.send(signed_in(alice), task, LINES, **fields).status_code == 400
        assert not MetricRun.objects.exists()

    def test_a_binary_file_is_refused(self, task: Task, alice: User, signed_in: SignIn) -> None:
        file = SimpleUploadedFile("x.tsv", b"\xff\xfe\x00\x01")
        values = {"name": "X", "direction": "lower", "file": file}
        answer = signed_in(alice).post(f"/tasks/{task.slug}/metrics/import", values)
        assert "bad_utf8" in answer.content.decode()
