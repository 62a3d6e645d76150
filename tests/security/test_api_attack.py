"""The API, attacked by its own description: nothing ends in a server error or in an undescribed answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings

from tests.security.stage import Stage, set_stage

EXAMPLES = 8


@pytest.fixture
def stage(db: None, settings: Any, tmp_path: Path) -> Iterator[Stage]:  # Any: pytest-django takes any setting
    settings.HOME = settings.MEDIA_ROOT = tmp_path
    stage = set_stage()
    # The requests run inside the test's own transaction: the end of one must not close its connection.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield stage
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.slow
def test_no_request_ends_in_a_server_error(stage: Stage) -> None:
    """Every operation as described, with nonsense, with a real task, as manager and as stranger."""
    real = {"slug": stage.task.slug, "pk": str(stage.values["job"]), "kind": "tasks"}
    operations = described()
    statuses = [attack(operation, stage, real) for operation in operations]
    assert len(statuses) >= 10
    assert {200, 404, 422} <= set().union(*statuses)  # the attack reaches what is behind the checks


def described() -> list[Any]:
    # Loading schemathesis takes two seconds, which only the process that attacks should pay.
    import schemathesis

    document = schemathesis.openapi.from_wsgi("/api/openapi.json", get_wsgi_application())
    return [found.ok() for found in document.get_all_operations()]  # raises for one that cannot be read


def attack(operation: Any, stage: Stage, real: dict[str, str]) -> set[int]:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance

    seen: set[int] = set()

    @settings(
        max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def fire(case: Any) -> None:
        if len(seen_cases) % 2:  # every other one hits a task that exists
            case.path_parameters = {
                name: real.get(name, value) for name, value in (case.path_parameters or {}).items()
            }
        seen_cases.append(1)
        role = "stranger" if len(seen_cases) % 5 == 0 else "manager"
        with transaction.atomic():
            headers = {"Authorization": f"Bearer {stage.tokens[role]}"}
            response = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(response, checks=[not_a_server_error, response_schema_conformance])
        seen.add(response.status_code)

    seen_cases: list[int] = []
    fire()
    return seen
