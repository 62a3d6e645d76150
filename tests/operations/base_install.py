"""A site in a process that refuses the packages of the extra ``metrics``: started by ``test_base_install``.

``python -m tests.operations.base_install FILE`` makes a stage with one of everything. A second process, with
``FILE --without``, requests every address of the table of routes and prints what differs.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("numba", "llvmlite", "scipy", "sklearn")


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "appraise.settings"
    path = Path(sys.argv[1])
    if "--without" in sys.argv:
        sys.modules |= dict.fromkeys(PACKAGES)  # type: ignore[arg-type]  # None: an import of it fails
    import django

    django.setup()
    from django.test.utils import setup_test_environment

    setup_test_environment()
    if "--without" in sys.argv:
        print(json.dumps(visit(json.loads(path.read_text("utf-8")))))
    else:
        path.write_text(json.dumps(prepare()), "utf-8")


def prepare() -> dict[str, Any]:  # Any: JSON
    from django.core.management import call_command

    from tests.security.stage import set_stage

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    stage = set_stage()
    values = {name: value if isinstance(value, int) else str(value) for name, value in stage.values.items()}
    people = {role: user and user.username for role, user in stage.people.items()}
    return {"task": stage.task.slug, "values": values, "people": people, "tokens": stage.tokens}


def visit(prepared: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    """Request every address, each by the first role that may; return how many, and what differs."""
    from evaluation.models import Task, User
    from tests.security.stage import Stage
    from tests.security.test_routes import table

    users = {user.username: user for user in User.objects.all()}
    stage = Stage(
        Task.objects.get(slug=prepared["task"]),
        prepared["values"],
        {role: users.get(name) for role, name in prepared["people"].items()},
        prepared["tokens"],
    )
    different, count = {}, 0
    for row in table():
        roles = [role for role in stage.people if row[role] == "200"]
        if row["method"] == "GET" and roles:
            count += 1
            path = stage.path(row["example"])
            status = stage.ask(roles[-1], "GET", path).status_code
            if status != 200:
                different[path] = status
    choice = stage.ask("manager", "GET", stage.path("tasks/{task}/metrics/choose"))
    loaded = [name for name in PACKAGES if sys.modules[name] is not None]
    explained = b"appraise-mt[metrics]" in choice.content  # type: ignore[attr-defined]  # not a stream
    return {"different": different, "count": count, "loaded": loaded, "explained": explained}


if __name__ == "__main__":
    main()
