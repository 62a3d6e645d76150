"""A site's worst day, told on the database of the environment; prints what happened as JSON.

``python -m tests.operations.story BACKUPS``: back up a site that ``fill`` has filled, let work go on and a
person be erased, restore, try a damaged backup. Run in a process of its own, because a restore replaces the
whole database.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
django.setup()

from django.conf import settings  # noqa: E402 — Django must be set up first
from django.core.management import CommandError, call_command  # noqa: E402
from django.db import connection  # noqa: E402

from appraise.operations.copying import compute_fingerprint, list_models  # noqa: E402
from evaluation.models import Annotator, Job, PhrasePair, Ranking, User  # noqa: E402
from evaluation.people.erasure import erase  # noqa: E402
from tests.database.conftest import annotator, make_task  # noqa: E402

UNCOPYABLE = {"evaluation_erasure"}  # grows by the erasures that a restore repeats


def fill() -> None:
    """People, a task, answers, and the values that differ most between databases."""
    task = make_task()
    User.objects.create_superuser("root")
    bob = annotator("bob", task)
    answer(bob)
    Job.objects.create(
        kind="check", title="ü \t \\ \n “”", arguments={"b": [1e16, 0.1, None], "a": {"é": True}}
    )
    (settings.HOME / "models").mkdir(exist_ok=True)
    (settings.HOME / "models" / "one.json").write_text("{}")


def answer(who: Annotator) -> None:
    version = Ranking.objects.filter(annotator=who).count() + 1
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=who, pair=pair, version=version, choice="A>B")
        for pair in PhrasePair.objects.all()
    )


def state() -> dict[str, object]:
    return {
        model._meta.db_table: compute_fingerprint(model, "default").as_dict()
        for model in list_models()
        if model._meta.db_table not in UNCOPYABLE
    }


def attempt(*arguments: str) -> str:
    """The complaint of a command, or nothing."""
    try:
        call_command(*arguments)
    except CommandError as error:
        return f"exit {error.returncode}: {error}"
    return ""


def tell(backups: Path) -> dict[str, object]:
    bob = Annotator.objects.get(user__username="bob")
    before = state()
    call_command("backup", str(backups))
    (folder,) = backups.iterdir()
    answer(bob)
    dora = User.objects.create_user("canary-dora")
    call_command("backup", str(backups))
    second = max(backups.iterdir())
    erase(dora)
    gone = state()

    story: dict[str, object] = {"vendor": connection.vendor, "hidden": sorted(backups.glob(".*"))}
    story["refused"] = attempt("restore", str(folder))
    story["changed by a refusal"] = state() != gone
    victim = next(path for path in sorted(folder.rglob("*")) if path.suffix in {".sqlite3", ".gz"})
    whole = victim.read_bytes()
    victim.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    story["damaged"] = attempt("restore", "--replace", str(folder))
    story["changed by damage"] = state() != gone
    victim.write_bytes(whole)
    (settings.HOME / "models" / "one.json").write_text("changed")

    story["complaint"] = attempt("restore", "--replace", str(folder))
    story["equal"] = state() == before
    story["model"] = (settings.HOME / "models" / "one.json").read_text()
    answer(Annotator.objects.get(user__username="bob"))  # numbers go on where they stopped
    story["complaint 2"] = attempt("restore", "--replace", str(second))
    story["dora"] = User.objects.filter(username="canary-dora").count()
    story["bob"] = User.objects.filter(username="bob").count()
    return story


if __name__ == "__main__":
    print(json.dumps(tell(Path(sys.argv[1])), default=str))
