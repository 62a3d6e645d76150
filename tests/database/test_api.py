"""The API: tokens, the same rights as the pages, and a client that speaks it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from appraise.client import Appraise, AppraiseError
from evaluation import jobs
from evaluation.api.core import api
from evaluation.api.uploads import SettingsIn
from evaluation.models import Annotator, ApiToken, Membership, Ranking, Role, Task, Upload, User
from evaluation.people.api_tokens import create_token
from evaluation.schemes import Choice
from evaluation.tasks.forms.upload import SettingsForm
from tests.database.answering import always, answer_task
from tests.database.conftest import annotator, make_task, person

Get = Callable[..., Any]


@pytest.fixture
def answered(task: Task, bob: Annotator, carol: Annotator) -> Task:
    answer_task(task, bob, always(Choice.A_BETTER))
    answer_task(task, carol, always(Choice.A_MUCH_BETTER))
    return task


def get(path: str, token: str | None) -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Client().get(f"/api{path}", headers=headers)


@pytest.fixture
def token(alice: User) -> str:
    return create_token(alice, name="notebook")[1]


class TestTokens:
    def test_only_the_digest_is_stored(self, token: str) -> None:
        stored = ApiToken.objects.get()
        assert token not in json.dumps([stored.digest, stored.name])
        assert stored.digest == ApiToken.digest_of(token)

    def test_no_unknown_expired_or_revoked_token_opens_anything(
        self, answered: Task, alice: User, token: str
    ) -> None:
        assert get("/tasks", token).status_code == 200
        for bad in (None, "nonsense", token + "x"):
            answer = get("/tasks", bad)
            assert answer.status_code == 401
            assert "API tokens" in answer.json()["detail"]
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert get("/tasks", token).status_code == 401
        ApiToken.objects.update(expires_at=None, revoked_at=timezone.now())
        assert get("/tasks", token).status_code == 401
        ApiToken.objects.update(revoked_at=None)
        User.objects.update(is_active=False)
        assert get("/tasks", token).status_code == 401

    def test_the_day_of_the_last_use_is_kept(self, answered: Task, token: str) -> None:
        get("/tasks", token)
        assert ApiToken.objects.get().last_used_on == timezone.now().date()

    def test_a_session_is_no_token(self, answered: Task, alice: User) -> None:
        client = Client()
        client.force_login(alice)
        assert client.get("/api/tasks").status_code == 401


PATHS = ["/progress", "/agreement", "/results", "/disagreements", "/export/csv", "/export/bundle"]


@pytest.mark.parametrize("path", PATHS)
def test_a_token_sees_what_its_person_sees(
    answered: Task, token: str, bob: Annotator, dora: User, path: str
) -> None:
    response = get(f"/tasks/{answered.slug}{path}", token)
    assert response.status_code == 200
    assert b"".join(response.streaming_content) if response.streaming else response.content
    assert bob.user is not None
    for user in (bob.user, dora):
        other = create_token(user, name="x")[1]
        theirs, nobodys = get(f"/tasks/{answered.slug}{path}", other), get(f"/tasks/nowhere{path}", other)
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.content == nobodys.content
    assert get("/tasks", other).json() == []


def test_agreement_is_the_commands_document(answered: Task, token: str) -> None:
    found = get(f"/tasks/{answered.slug}/agreement", token).json()
    assert found["kappa"] == pytest.approx(-0.2)
    assert found["kappa_prime"] == 1
    assert found["band_prime"] == "perfect"
    assert found["judgements"] == Ranking.objects.count()
    assert found["subsets"][0]["without"] == []
    campaign = get("/campaigns/study/agreement?without=surplus", token).json()
    assert campaign["without"] == ["surplus"]
    assert get(f"/tasks/{answered.slug}/agreement?without=nonsense", token).status_code == 422


def test_nothing_that_the_api_says_names_a_person(answered: Task, token: str) -> None:
    for path in PATHS[:-1]:
        response = get(f"/tasks/{answered.slug}{path}", token)
        content = b"".join(response.streaming_content) if response.streaming else response.content
        assert b"bob" not in content
        assert b"carol" not in content


def test_names_are_refused_to_all_but_administrators(answered: Task, token: str) -> None:
    assert get(f"/tasks/{answered.slug}/export/csv?identify=true", token).status_code == 403


def test_results_and_disagreements_have_their_numbers(answered: Task, token: str) -> None:
    results = get(f"/tasks/{answered.slug}/results", token).json()
    assert {line["system"] for line in results["systems"]} == {"alpha", "beta", "gamma"}
    disputes = get(f"/tasks/{answered.slug}/disagreements?split=degree&page=1", token).json()
    assert disputes["matching"] == Ranking.objects.count() / 2
    assert disputes["pairs"][0]["votes"] == {"A>>B": 1, "A>B": 1, "A=B": 0, "A<B": 0, "A<<B": 0, "N/A": 0}
    assert get(f"/tasks/{answered.slug}/disagreements?split=zzz", token).status_code == 422


@pytest.mark.parametrize("path", ["/nothing", "/jobs/1", "/tasks/nowhere/progress"])
def test_where_nothing_stands_a_program_reads_json(db: None, token: str, path: str) -> None:
    answer = get(path, token)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})


def test_every_operation_and_parameter_is_explained_and_the_documentation_shows_an_example(db: None) -> None:
    from scripts.docs_reference import example, parameters

    document = Client().get("/api/openapi.json").json()
    schemas = document["components"]["schemas"]
    for address, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], address
            assert operation["description"], address
            for name, _, schema in parameters(operation, schemas):
                assert schema.get("description"), (address, name)
            shown = example(method.upper(), address, operation, schemas)
            assert shown.startswith("curl ")
            assert "{" not in shown.rpartition(" ")[2]


def test_the_document_describes_every_path_and_there_is_no_page_from_elsewhere(db: None) -> None:
    document = Client().get("/api/openapi.json").json()
    assert {"/api/tasks", "/api/{kind}/{slug}/agreement", "/api/{kind}/{slug}/export/{form}"} <= set(
        document["paths"]
    )
    assert Client().get("/api/docs").status_code == 404


@pytest.mark.django_db(transaction=True)
class TestClient:
    @pytest.fixture
    def site(self, live_server: LiveServer) -> Appraise:
        task = make_task()
        user = person("alice")
        Membership.objects.create(user=user, campaign=task.campaign, role=Role.MANAGER)
        answer_task(task, annotator("bob", task), always(Choice.A_BETTER))
        answer_task(task, annotator("carol", task), always(Choice.EQUAL))
        return Appraise(live_server.url, create_token(user, name="notebook")[1])

    def test_three_lines_to_a_data_frame(self, site: Appraise) -> None:
        frame = site.frame("houses")
        assert len(frame) == Ranking.objects.count()
        assert set(frame["label"]) == {"A>B", "A=B"}

    def test_every_method_is_one_request(self, site: Appraise, tmp_path: Path) -> None:
        assert [task["slug"] for task in site.tasks()] == ["houses"]
        assert site.progress("houses")["answers"] == Ranking.objects.count()
        assert site.agreement("houses", without=["surplus", "speeders"])["without"] == ["speeders", "surplus"]
        assert site.results("study", campaign=True)["votes"] > 0
        assert site.disagreements("houses", split="opposite")["matching"] == 0
        assert site.download("houses", "bundle", tmp_path / "x.zip").stat().st_size > 1000

    def test_a_file_becomes_a_task(self, site: Appraise, tmp_path: Path) -> None:
        User.objects.filter(username="alice").update(may_create=True)
        ApiToken.objects.update(scope=ApiToken.Scope.WRITE)
        path = tmp_path / "sheds.tsv"
        path.write_text("id\tsource\tx\ty\n1\tSchuppen\tshed\tbarn\n", encoding="utf-8")
        job = site.upload(path, name="Sheds", source_language="de", target_language="en", scheme="six-way")
        jobs.run_job.call(job["id"])
        found = site.job(job["id"])
        assert (found["state"], found["error"]) == ("done", "")
        assert "sheds" in [task["slug"] for task in site.tasks()]
        assert Task.objects.get(slug="sheds").scheme_name == "six-way"

    def test_every_field_of_the_upload_form_is_a_documented_setting(self) -> None:
        settings = api.get_openapi_schema()["components"]["schemas"]
        known = {name for schema in settings.values() for name in schema.get("properties", {})}
        assert set(SettingsForm.base_fields) <= set(SettingsIn.model_fields) <= known

    def test_boxes_mean_what_they_mean_on_the_page(self, site: Appraise, tmp_path: Path) -> None:
        User.objects.filter(username="alice").update(may_create=True)
        ApiToken.objects.update(scope=ApiToken.Scope.WRITE)
        items = [
            {"id": str(number), "source": "Schuppen", "candidates": dict.fromkeys(systems, "shed")}
            for number, systems in enumerate(("xyz", "xyz", "xy"))
        ]
        path = tmp_path / "sheds.json"
        path.write_text(json.dumps({"items": items}), encoding="utf-8")
        with pytest.raises(AppraiseError, match="missing_system"):
            site.upload(path, name="Sheds", source_language="de", target_language="en", incomplete=False)
        for name, boxes in (("Silent", {}), ("Said", {"ask_sentence": True, "ask_comment": False})):
            job = site.upload(
                path, name=name, source_language="de", target_language="en", incomplete=True, **boxes
            )
            jobs.run_job.call(job["id"])
        asked = Task.objects.order_by("pk").values_list("name", "ask_sentence", "ask_rating", "ask_comment")
        assert list(asked)[1:] == [("Silent", False, False, True), ("Said", True, False, False)]

    def test_a_bad_file_or_setting_stores_nothing(self, site: Appraise, tmp_path: Path) -> None:
        User.objects.filter(username="alice").update(may_create=True)
        ApiToken.objects.update(scope=ApiToken.Scope.WRITE)
        bad, good = tmp_path / "bad.json", tmp_path / "good.tsv"
        bad.write_text("{", encoding="utf-8")
        good.write_text("id\tsource\tx\ty\n1\tSchuppen\tshed\tbarn\n", encoding="utf-8")
        for file, settings in ((bad, {}), (good, {"scheme": "nine-way"}), (good, {"overlap": 99})):
            with pytest.raises(AppraiseError) as caught:
                site.upload(file, name="Bad", **settings)
            assert caught.value.status == 422
            assert "problems" in json.loads(caught.value.detail)
        assert not Upload.objects.exists()

    def test_a_token_that_only_reads_uploads_nothing(self, site: Appraise, tmp_path: Path) -> None:
        path = tmp_path / "x.tsv"
        path.write_text("x", encoding="utf-8")
        for scope, status in ((ApiToken.Scope.READ, 401), (ApiToken.Scope.WRITE, 404)):
            ApiToken.objects.update(scope=scope)
            with pytest.raises(AppraiseError) as caught:
                site.upload(path)
            assert caught.value.status == status  # 404: nobody may create but managers
            assert ("read-only" in caught.value.detail) is (status == 401)

    def test_a_refusal_is_an_error_with_its_status(self, site: Appraise) -> None:
        with pytest.raises(AppraiseError) as caught:
            site.agreement("nowhere")
        assert caught.value.status == 404


def test_the_client_speaks_only_http() -> None:
    with pytest.raises(ValueError, match="http"):
        Appraise("file:///etc", "x")
