"""Fill an empty site: a task with a lot to answer, a small crowded one, and signed-in people.

Run as a process with the site's environment; prints the keys of the sessions as JSON.
"""

from __future__ import annotations

import json
import os
from importlib import import_module

import django

PEOPLE, CROWD = 64, 300
LONG, CROWDED = "long", "crowded"
LONG_ITEMS, CROWDED_ITEMS, OVERLAP = 420, 100, 3
DIFFERENT = ("red", "blue"), ("big", "small"), ("house", "hut"), ("stands", "sits"), ("here", "there")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    for slug, count, words in ((LONG, LONG_ITEMS, 5), (CROWDED, CROWDED_ITEMS, 1)):
        make_task(slug, count, words)
    print(json.dumps(sign_in_people()))


def make_task(slug: str, count: int, words: int) -> None:
    """Sentences whose outputs differ in ``words`` words: as many questions for each of ``OVERLAP`` people."""
    from evaluation.importers import SourceFile, read
    from evaluation.models import Campaign
    from evaluation.tasks.services.importing import import_set
    from evaluation.tasks.services.task_settings import TaskSettings

    lines = [json.dumps(sentence(number, words)) for number in range(count)]
    imported = read([SourceFile.from_bytes("items.jsonl", "\n".join(lines).encode())])
    campaign, _ = Campaign.objects.get_or_create(slug="faults", defaults={"name": "Faults"})
    settings = TaskSettings(
        name=slug, scheme="six-way", overlap=OVERLAP, aligner="exact", question_size="phrase"
    )
    import_set(imported, settings, campaign=campaign)


def sentence(number: int, words: int) -> dict[str, object]:
    """
    >>> sentence(7, 1)["candidates"]
    {'north': '7 red w0', 'south': '7 blue w0'}
    """
    pairs = [(f"{left} w{n}", f"{right} w{n}") for n, (left, right) in enumerate(DIFFERENT[:words])]
    north, south = (" ".join(side) for side in zip(*pairs, strict=True))
    return {
        "id": str(number),
        "source": f"Satz {number}",
        "candidates": {"north": f"{number} {north}", "south": f"{number} {south}"},
    }


def sign_in_people() -> list[str]:
    """One session each, made directly: hashing hundreds of passwords proves nothing here."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.utils import timezone

    from appraise.middleware import RENEWED
    from evaluation.models import Campaign, Membership, Role, User

    store = import_module(settings.SESSION_ENGINE).SessionStore
    keys = []
    for number in range(CROWD):
        user = User.objects.create(username=f"person-{number}", password="!", may_create=True)
        Membership.objects.create(user=user, campaign=Campaign.objects.get(), role=Role.ANNOTATOR)
        session = store()
        session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session[RENEWED] = timezone.now().date().isoformat()  # as signing in does
        session.save()
        keys.append(session.session_key)
    return keys


if __name__ == "__main__":
    main()
