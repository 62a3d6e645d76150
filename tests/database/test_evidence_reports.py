"""What reports say about scores and error spans, and who may read them."""

from __future__ import annotations

import json
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.annotate.services.answers import InvalidAnswer, StaleAnswer
from evaluation.annotate.services.assessments import append_assessment
from evaluation.assessments import MarkedSpan
from evaluation.exporters.bundle_reader import verify_bundle
from evaluation.models import Annotator, Assessment, Membership, Role, SentenceAnswer, Task, User
from evaluation.people.erasure import erase
from evaluation.people.personal_data import stream_document
from evaluation.reports.registry import load_reports
from evaluation.reports.scope import load_scope
from evaluation.reports.span_votes import collect_span_votes, list_span_voters
from evaluation.reports.votes import list_scope_voters
from evaluation.schemes import Choice
from evaluation.tasks.services.later_comparisons import compare_systems
from evaluation.voters import VoterKind
from tests.database.answering import answer_task
from tests.database.conftest import annotator, make_task, person
from tests.database.evidence_files import import_files, write_appraise, write_mtme

pytestmark = pytest.mark.django_db
SignInAs = Callable[[User | Annotator | None], Client]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_mtme(tmp_path / "mtme")


@pytest.fixture
def evidence(folder: Path) -> Task:
    """A task with error spans of two raters, and two systems compared."""
    task = import_files(folder)
    compare_systems(task, [("north", "south")])
    return task


@pytest.fixture
def both(evidence: Task, tmp_path: Path) -> Task:
    """The same with an ESA campaign."""
    answers, batches = write_appraise(tmp_path)
    call_command("import_task", str(answers), "--batches", str(batches), "--task", evidence.slug)
    evidence.refresh_from_db()
    return evidence


@pytest.fixture
def manager(evidence: Task) -> User:
    user = person("alice")
    Membership.objects.create(user=user, campaign=evidence.campaign, role=Role.MANAGER)
    return user


def document(name: str, task: Task, **options: str) -> Any:
    report = load_reports()[name]
    scope = load_scope("task", task.slug)
    return report.document(report.compute(scope, report.options(**options)))


class TestRatings:
    def test_the_report_says_what_the_command_says_about_the_files(
        self, evidence: Task, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        capsys.readouterr()
        call_command(
            "ratings",
            "--mtme",
            str(folder),
            "--lp",
            "de-en",
            "--human",
            "mqm",
            "--score",
            "mqm-google",
            "--details",
        )
        said = json.loads(capsys.readouterr().out)
        found = json.loads(json.dumps(document("ratings", evidence, score="mqm-google")))
        for key in ("protocol", "segments", "systems", "tests", "annotators"):
            assert found[key] == said[key], key
        assert found["agreement"]["all"] == said["agreement"]["all"]
        assert found["systems"]["north"]["mean"] == pytest.approx(-0.5 / 4)

    def test_damaged_copies_are_quality_control_and_no_ratings(self, both: Task) -> None:
        found = document("ratings", both, evidence="ESA-1")
        assert found["systems"]["south"]["n"] == 4
        quality = found["annotators"]["ann1"]["quality_control"]
        assert (quality["pairs"], quality["good_mean"], quality["bad_mean"]) == (1, 80.0, 3.0)

    def test_a_correction_counts_at_once(self, both: Task) -> None:
        before = document("ratings", both, evidence="ESA-1")["systems"]["north"]["mean"]
        answer = Assessment.objects.get(score=77)
        append_assessment(answer, score=97, spans=[], uuid=uuid.uuid4(), base=answer.version)
        after = document("ratings", both, evidence="ESA-1")["systems"]["north"]["mean"]
        assert after == pytest.approx(before + 20 / 4)

    def test_the_page_lists_annotators_without_attention_checks(
        self, evidence: Task, manager: User, signed_in: SignInAs
    ) -> None:
        page = signed_in(manager).get(f"/tasks/{evidence.slug}/ratings").content.decode()
        assert '<th scope="row">rater1</th>' in page
        assert '<td class="r">–</td>' in page

    def test_ratings_from_one_to_five_are_one_more_evidence(self, db: None) -> None:
        task = make_task("Five", ask_rating=True)
        bob = annotator("bob", task)
        comparison = task.items.get(position=0).comparisons.order_by("pk")[0]
        for question, value in (("rating_first", "4"), ("rating_second", "2")):
            SentenceAnswer.objects.create(
                uuid=uuid.uuid4(),
                annotator=bob,
                comparison=comparison,
                question=question,
                version=1,
                value=value,
            )
        found = document("ratings", task)
        assert found["evidence"] == "five-point"
        assert sorted(system["mean"] for system in found["systems"].values()) == [2.0, 4.0]
        assert "bob" not in json.dumps(found)


class TestMetaEvaluation:
    @pytest.fixture
    def scored(self, folder: Path) -> Task:
        """With a second metric, which agrees with people on one sentence of two."""
        scores = [f"{name}\t{n}" for name, row in (("north", "2010"), ("south", "1110")) for n in row]
        (folder / "metric-scores/de-en/QE-src.seg.score").write_text("\n".join([*scores, ""]), "utf-8")
        return import_files(folder)

    def test_the_report_says_what_the_command_says_about_the_files(
        self, scored: Task, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        capsys.readouterr()
        names = ["chrF-refA", "QE-src"]
        call_command(
            "metaeval", "--mtme", str(folder), "--lp", "de-en", "--human", "mqm",
            "--imported", ",".join(names), "--compare",
        )  # fmt: skip
        said = json.loads(capsys.readouterr().out)
        page = load_reports()["meta-evaluation"]
        scope = load_scope("task", scored.slug)
        summary = page.compute(scope, page.options())
        found = json.loads(json.dumps(page.document(summary)))
        assert found.pop("evidence") == "mqm"
        assert list(found) == names  # the better one first
        differences = page.tables["differences"](summary)
        assert differences is not None
        [(better, worse, gap, *_)] = differences.rows
        assert (better, worse) == tuple(names)
        assert gap == pytest.approx(said["chrF-refA"]["compare"]["QE-src"]["acc_eq"])
        for name in names:
            del said[name]["compare"]
            assert found[name] == said[name], name

    def test_it_is_shown_where_there_are_ratings_and_metrics(
        self, scored: Task, signed_in: SignInAs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("metrics.reports.meta_evaluation.SECONDS", 0.0)
        alice = person("alice")
        Membership.objects.create(user=alice, campaign=scored.campaign, role=Role.MANAGER)
        page = signed_in(alice).get(f"/tasks/{scored.slug}/meta-evaluation").content.decode()
        assert "chrF-refA" in page
        assert "SPA" in page
        bare = make_task("Bare")
        Membership.objects.create(user=alice, campaign=bare.campaign, role=Role.MANAGER)
        page = signed_in(alice).get(f"/tasks/{bare.slug}/meta-evaluation").content.decode()
        assert 'data-empty="meta-evaluation"' in page


class TestVotes:
    def test_the_side_with_less_error_weight_is_better(self, evidence: Task) -> None:
        votes = collect_span_votes([evidence.pk], None)
        said = {
            (vote.voter, pair.first, pair.second): vote.choice
            for pair in evidence.pairs.all()
            for vote in votes.get(pair.pk, ())
        }
        texts = {(first, second) for _, first, second in said}
        assert len(texts) == 3  # the sentence of which nobody marked anything has no vote
        for (voter, first, _), choice in said.items():
            is_north_first = any(word in first for word in ("dog", "milk", "house", "drinks milk"))
            better = Choice.A_BETTER if is_north_first and "milky" not in first else Choice.B_BETTER
            assert choice == better, (voter, first)

    def test_voters_are_protocols_and_annotators_who_share_outputs(self, both: Task) -> None:
        assert list_span_voters([both.pk]) == [
            "ESA-1", "ESA-1:ann1", "ESA-1:ann2", "mqm", "mqm:rater1", "mqm:rater2",
        ]  # fmt: skip
        kinds = list_scope_voters(load_scope("task", both.slug))
        assert set(kinds.values()) == {VoterKind.SPANS}

    def test_votes_follow_a_correction(self, evidence: Task) -> None:
        before = dict(collect_span_votes([evidence.pk], None))
        for answer in Assessment.objects.filter(output__system__name="south").current():
            append_assessment(answer, score=None, spans=[], uuid=uuid.uuid4(), base=answer.version)
        after = collect_span_votes([evidence.pk], None)
        assert before != after

    def test_a_task_without_evidence_has_none(self, db: None) -> None:
        task = make_task()
        assert collect_span_votes([task.pk], None) == {}
        assert list_span_voters([task.pk]) == []

    def test_the_agreement_page_compares_them_though_nobody_has_ranked(
        self, both: Task, manager: User, signed_in: SignInAs
    ) -> None:
        page = signed_in(manager).get(f"/tasks/{both.slug}/agreement").content.decode()
        assert "Voters compared with each other" in page
        assert "mqm:rater1 / mqm:rater2" in page
        assert "error spans" in page

    def test_they_take_part_in_agreement_with_people(self, evidence: Task, manager: User) -> None:
        bob = annotator("bob", evidence)
        answer_task(evidence, bob, lambda pair, _: Choice.A_BETTER)
        found = document("agreement", evidence, voter=["mqm"])  # type: ignore[arg-type]  # a list
        assert [pair["b"] for pair in found["by_annotator_pair"]] == ["voter:mqm"]
        assert found["pairs"] > 0


class TestAppending:
    def test_a_repeated_request_is_stored_once(self, both: Task) -> None:
        answer, key = Assessment.objects.get(score=77), uuid.uuid4()
        first = append_assessment(answer, score=60, spans=[], uuid=key, base=2)
        again = append_assessment(answer, score=60, spans=[], uuid=key, base=2)
        assert (first.version, again.version) == (3, 3)
        with pytest.raises(StaleAnswer):
            append_assessment(answer, score=50, spans=[], uuid=uuid.uuid4(), base=2)

    @pytest.mark.parametrize(
        ("score", "spans"),
        [
            (101, []),
            (50, [MarkedSpan("terrible", "", 0, 3)]),
            (50, [MarkedSpan("minor", "", 0, 999)]),
        ],
    )
    def test_what_the_protocol_does_not_offer_is_refused(
        self, both: Task, score: float, spans: list[MarkedSpan]
    ) -> None:
        answer = Assessment.objects.get(score=77)
        with pytest.raises(InvalidAnswer):
            append_assessment(answer, score=score, spans=spans, uuid=uuid.uuid4(), base=2)
        assert Assessment.objects.filter(annotator=answer.annotator, output=answer.output).count() == 2


class TestEvidence:
    def test_every_source_ranks_the_systems(self, both: Task) -> None:
        found = document("evidence", both)
        assert found["sources"] == {
            "ESA-1": "ratings", "mqm": "ratings", "phrases:mqm": "votes", "metric:chrF-refA": "metric",
            **{name: kind for name, kind in found["sources"].items() if name == "phrases:ESA-1"},
        }  # fmt: skip
        north = found["systems"]["north"]
        assert north["metric:chrF-refA"] == {"value": 72.5, "rank": [1, None]}
        assert north["phrases:mqm"]["value"] == 1.0
        assert north["mqm"]["value"] == pytest.approx(-0.125)

    def test_a_score_leads_to_the_sentence_with_its_errors(
        self, both: Task, manager: User, signed_in: SignInAs
    ) -> None:
        client = signed_in(manager)
        page = client.get(f"/tasks/{both.slug}/evidence?evidence=mqm&system=south").content.decode()
        address = f"/tasks/{both.slug}/evidence/sentences/1?a=south"
        assert address in page
        sentence = client.get(f"{address}&b=north").content.decode()
        assert "accuracy/mistranslation" in sentence
        assert "“milky”" in sentence
        assert 'class="lane-major"' in sentence
        assert "mqm:rater2" in sentence
        assert "chrF-refA" in sentence
        assert "As annotators are asked." in sentence

    def test_systems_that_are_not_compared_are_aligned_for_the_page(
        self, both: Task, manager: User, signed_in: SignInAs
    ) -> None:
        address = f"/tasks/{both.slug}/evidence/sentences/0?a=south&b=refA"
        page = signed_in(manager).get(address).content.decode()
        assert "These systems are not compared in this task" in page
        assert 'id="q1"' in page

    def test_a_sentence_without_two_texts_and_odd_systems_are_pages_too(
        self, both: Task, manager: User, signed_in: SignInAs
    ) -> None:
        client = signed_in(manager)
        for query in ("", "?a=nobody&b=nobody", "?a=north&b=north"):
            assert client.get(f"/tasks/{both.slug}/evidence/sentences/1{query}").status_code == 200
        assert client.get(f"/tasks/{both.slug}/evidence/sentences/99").status_code == 404

    def test_it_is_for_those_who_may_study_the_task(self, both: Task, signed_in: SignInAs) -> None:
        address = f"/tasks/{both.slug}/evidence/sentences/0"
        assert signed_in(person("dora")).get(address).status_code == 404
        assert signed_in(annotator("bob", both)).get(address).status_code == 404
        assert signed_in(None).get(address).status_code == 302


class TestPhraseStudy:
    def test_two_sources_are_compared_from_questions_to_sentences(self, both: Task) -> None:
        found = document("phrase-study", both)
        assert found["sentence_pairs"] == 4
        rows = {row["coarseness"]: row for row in found["rows"]}
        assert list(rows) == ["question", "join-1", "join-2", "join-3", "join-5", "sentence"]
        assert rows["sentence"]["evidence"] in (["ESA-1", "mqm"], ("ESA-1", "mqm"))

    def test_one_source_is_not_enough(self, evidence: Task) -> None:
        assert document("phrase-study", evidence) == {"sentence_pairs": 0, "rows": []}


class TestBundle:
    def test_the_tables_of_ratings_are_computed_again(self, both: Task, tmp_path: Path) -> None:
        path = tmp_path / "study.zip"
        call_command("export", "--task", both.slug, "--format", "bundle", "--out", str(path))
        assert verify_bundle(path).differences == ()
        with zipfile.ZipFile(path) as archive:
            assert "tables/ratings/ESA-1/systems.csv" in archive.namelist()
            rows = [json.loads(line) for line in archive.read("data/assessments.jsonl").splitlines()]
        assert len(rows) == 23
        assert {row["annotator"] for row in rows} == {"ann1", "ann2", "rater1", "rater2"}

    def test_a_changed_score_is_found(self, both: Task, tmp_path: Path) -> None:
        path, changed = tmp_path / "study.zip", tmp_path / "changed.zip"
        call_command("export", "--task", both.slug, "--format", "bundle", "--out", str(path))
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name).replace(b'"score": 77.0', b'"score": 7.0'))
        differences = verify_bundle(changed).differences
        assert any("ratings/ESA-1/systems.csv" in difference for difference in differences)


def test_ones_own_assessments_are_in_ones_data_and_stay_after_an_erasure(both: Task) -> None:
    bob = annotator("bob", both)
    Assessment.objects.filter(annotator__label="ann1").update(annotator=bob)
    assert bob.user is not None
    own = json.loads("".join(stream_document(bob.user)))
    assert len(own["assessments"]) == 10
    assert {span["severity"] for span in own["error_spans"]} == {"major", "minor"}
    before = list(Assessment.objects.order_by("pk").values())
    erase(bob.user)
    assert list(Assessment.objects.order_by("pk").values()) == before
    assert not User.objects.filter(username="bob").exists()


def test_assessments_are_read_only_in_the_administration(both: Task, signed_in: SignInAs) -> None:
    root = User.objects.create_superuser("root")
    client = signed_in(root)
    answer = Assessment.objects.order_by("pk")[0]
    page = client.get(f"/admin/evaluation/assessment/{answer.pk}/change/")
    assert page.status_code == 200
    assert client.post(f"/admin/evaluation/assessment/{answer.pk}/delete/").status_code == 403
    assert client.get("/admin/evaluation/assessment/").status_code == 200
    assert client.get("/admin/evaluation/scoreset/").status_code == 200
