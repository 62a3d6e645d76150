"""Without numba, SciPy and scikit-learn the site works, and what needs them says how to install them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import RequestFactory

from appraise.lib.problems import InputError
from appraise.middleware import ErrorPages
from evaluation import jobs
from evaluation.models import Job, User
from metrics import registry
from metrics.base import MetricUnavailable
from metrics.scoring.jobs import begin_training
from tests.conftest import ROOT
from tests.database.conftest import SENTENCES, make_task
from tests.operations.base_install import PACKAGES

COMMAND = "pip install 'appraise-mt[metrics]'"


def run(home: Path, *arguments: str) -> str:
    environment = {"APPRAISE_HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "tests.operations.base_install", str(home / "stage.json"), *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_every_page_and_file_is_there_without_the_packages(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    run(home)
    visited = json.loads(run(home, "--without").splitlines()[-1])
    assert visited["different"] == {}
    assert visited["loaded"] == []
    assert visited["count"] > 80
    assert visited["explained"]


@pytest.mark.parametrize("words", [["check_metric", "bleu"], ["train", "--help"]])
def test_a_command_names_the_extra_and_exits_with_2(words: list[str], tmp_path: Path) -> None:
    """In a process of its own, because here other tests may have imported the command."""
    hide = f"import sys; sys.modules.update(dict.fromkeys({sorted(PACKAGES)}))"
    start = f"{hide}; from appraise.__main__ import run; run(['appraise', *{words}])"
    environment = {"APPRAISE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", start], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("missing_extra: ")
    assert done.stderr.endswith(f"run: {COMMAND}\n")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the packages, and what has imported them."""
    for name in list(sys.modules):
        if name.partition(".")[0] in PACKAGES or name.startswith(
            ("metrics.learned.models", "metrics.learned.svm")
        ):
            monkeypatch.delitem(sys.modules, name)
    for name in PACKAGES:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("without")
class TestWithout:
    def test_a_metric_is_listed_with_the_reason(self) -> None:
        missing = {entry.name: entry.missing or "" for entry in registry.list_metrics()}
        assert COMMAND in missing["bleu"]
        assert COMMAND in missing["collocation"]
        assert COMMAND not in missing["imported"]
        with pytest.raises(MetricUnavailable, match="missing_extra"):
            registry.parse("chrf:beta=3")

    def test_training_is_refused_before_a_job_is_made(self, db: None) -> None:
        task, owner = make_task(sentences=SENTENCES[:1]), User.objects.create_user("alice")
        with pytest.raises(InputError) as refused:
            begin_training(task, "model", owner)
        assert [problem.code for problem in refused.value.problems] == ["missing_extra"]
        assert not Job.objects.exists()

    def test_a_job_fails_with_the_reason(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        def learn(_job: Job, _progress: jobs.JobProgress) -> jobs.Result:
            import sklearn.svm  # noqa: F401

            return {}

        monkeypatch.setitem(jobs.HANDLERS, "learn", learn)
        job = Job.objects.create(kind="learn", title="Learn")
        jobs.run_job.func(str(job.pk))
        job.refresh_from_db()
        assert (job.state, (job.result or {})["problems"][0]["code"]) == (Job.State.FAILED, "missing_extra")

    @pytest.mark.parametrize("path", ["/models/", "/api/models"])
    def test_a_page_that_needs_them_is_a_503_with_the_command(self, path: str, rf: RequestFactory) -> None:
        pages = ErrorPages(lambda _: pytest.fail("not called"))
        response = pages.process_exception(rf.get(path), ModuleNotFoundError(name="scipy.stats"))
        assert response is not None
        assert response.status_code == 503
        assert "appraise-mt[metrics]" in response.content.decode()

    def test_other_import_errors_are_errors(self, rf: RequestFactory) -> None:
        pages = ErrorPages(lambda _: pytest.fail("not called"))
        assert pages.process_exception(rf.get("/"), ModuleNotFoundError(name="nonsense")) is None
        assert pages.process_exception(rf.get("/"), ImportError(name="scipy")) is None
