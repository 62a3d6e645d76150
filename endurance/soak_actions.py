"""``python -m endurance.soak_actions``: what managers do in a soak, a JSON line each, in a child process."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults.workers import Given, in_a_child

TASK, MANAGER = "soak", "manager"
EXACT, MOVED = ((0, 0), (1, 1)), ((0, 0), (1, 2))  # links that differ from each other


def main() -> None:
    import django

    django.setup()
    commands: dict[str, Callable[..., object]] = {
        "prepare": prepare, "token": make_token, "invite": invite, "erase": erase, "realign": realign,
        "export": export,
    }  # fmt: skip
    print("ready", flush=True)
    for line in sys.stdin:
        given: Given = json.loads(line)
        print(json.dumps(in_a_child(commands[given.pop("do")], given)), flush=True)


def prepare(sentences: int) -> None:
    from evaluation.models import Campaign, Membership, Role, User
    from faults.prepare import make_task

    make_task(TASK, sentences, 5)
    manager = User.objects.create(username=MANAGER, password="!", may_create=True)
    Membership.objects.create(user=manager, campaign=Campaign.objects.get(), role=Role.MANAGER)


def make_token() -> str:
    from evaluation.models import User
    from evaluation.people.api_tokens import create_token

    return create_token(User.objects.get(username=MANAGER), name="soak", scope="write")[1]


def invite() -> str:
    """The token of a link for one person."""
    from evaluation.models import Task, User
    from evaluation.tasks.services.management import create_invitation

    return create_invitation(Task.objects.get(slug=TASK), by=User.objects.get(username=MANAGER)).token


def erase(session: str) -> bool:
    """Erase who is signed in with this session."""
    from django.contrib.auth import SESSION_KEY
    from django.contrib.sessions.models import Session

    from evaluation.models import User
    from evaluation.people import erasure

    user = Session.objects.get(pk=session).get_decoded()[SESSION_KEY]
    erasure.erase(User.objects.get(pk=user))
    return not User.objects.filter(pk=user).exists()


def realign(seed: int) -> str:
    """Correct a sentence that nobody has opened yet; the last ones, which nobody opens meanwhile."""
    from evaluation.models import Alignment, Comparison, User
    from evaluation.tasks.edited_links import Realignment
    from evaluation.tasks.services.realignments import realign_comparison

    untouched = Comparison.objects.filter(item__task__slug=TASK, assignments=None).order_by("-item__position")
    comparison = random.Random(seed).choice(list(untouched[:20]))
    newest = Alignment.objects.filter(comparison=comparison).latest()
    links = MOVED if newest.version % 2 else EXACT
    made = realign_comparison(
        comparison, Realignment(links, True), base=newest.version, by=User.objects.get(username=MANAGER)
    )
    return f"version {made.version}"


def export(folder: str) -> int:
    """The bytes of an export of the whole task."""
    from django.core.management import call_command

    file = Path(folder) / "export.jsonl"
    call_command("export", task=TASK, format="jsonl", out=file, verbosity=0)
    size = file.stat().st_size
    file.unlink()
    return size


def read_result(given: dict[str, Any]) -> Any:  # Any: JSON
    """What the child returned; raises if it failed."""
    if given["status"]:
        raise RuntimeError(f"an action failed: {given}")
    return given["said"]


if __name__ == "__main__":
    main()
