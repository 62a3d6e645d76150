"""Every page in both widths, colours and languages: ``python -m scripts.screenshots --all FOLDER`` runs this.

    python -m scripts.every_page FOLDER demo

A world is what the site holds: the demonstration; nothing but an administrator; a task of a single sentence
that nobody has answered; a task of ten thousand sentences. Each has a home of its own, which is thrown away.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Browser

from scripts.demo_site import load_demo, open_browser, open_site
from tests.site import Site

if TYPE_CHECKING:
    from evaluation.models import User

WORLDS = ("demo", "empty", "one", "many")
WIDTHS = (1280, 375)
COLOURS = ("light", "dark")
LANGUAGES = ("en", "de")
MANY, ANSWERED = 10_000, 120
# These pages have no address of their own, so their templates are rendered directly.
BROKEN = ("400", "403_csrf", "500", "503")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("world", choices=WORLDS)
    parser.add_argument("--only", default="", help="a regular expression that the address must contain")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="appraise-pages-") as home, open_site(Path(home)) as site:
        people, values = furnish(options.world, site)
        with open_browser() as chromium:
            for width, colour, language in product(WIDTHS, COLOURS, LANGUAGES):
                folder = options.folder / options.world / f"{width}-{colour}-{language}"
                folder.mkdir(parents=True, exist_ok=True)
                with window(chromium, site.url, width, colour, language) as context:
                    for role, example in wanted(values, options.only):
                        path = "/" + example.format_map(values)
                        take(context, site.url, people[role], path, folder / name(role, example))
                print(folder, flush=True)


def wanted(values: dict[str, object], only: str) -> Iterator[tuple[str, str]]:
    """The pages that this world can fill, and those for what goes wrong."""
    from tests.journeys.every_page import examples

    wrong = [("annotator", "nowhere"), ("researcher", "upload/"), ("manager", "tasks/{task}/work")]
    wrong += [("anonymous", f"broken/{page}") for page in BROKEN]
    more = [("manager", f"upload/{{{one}}}/") for one in values if one.startswith("faulty")]
    more += [("manager", f"models/{{{one}}}") for one in values if one.startswith("model_")]
    more += [("second annotator", "a/{four}/"), ("reader", "a/{arabic}/")]
    more += [("manager", ""), ("manager", "jobs/"), ("manager", "jobs/{failed}/")]
    again = ("standing", "changes?before=task:{task}", "phenomena", "panel", "results", "")
    more += [("manager", f"tasks/{{again}}/{page}") for page in again]
    more += [("manager", "campaigns/{other}/changes?before=campaign:{campaign}&old=tundra&new=tundra-2")]
    for role, example in [*examples(), *wrong, *more]:
        example = example.replace("items/1", "items/0")  # one sentence has no second
        gaps = set(re.findall(r"{(\w+)}", example))
        if gaps <= set(values) and re.search(only, example):
            yield role, example


def name(role: str, example: str) -> str:
    return role.replace(" ", "-") + "-" + (re.sub(r"[^a-z0-9]+", "-", example).strip("-") or "home") + ".png"


@contextmanager
def window(chromium: Browser, url: str, width: int, colour: str, language: str) -> Iterator[Any]:
    context = chromium.new_context(
        base_url=url,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if colour == "dark" else "light",
        locale=language,
        reduced_motion="reduce",
    )
    yield context
    context.close()


def take(context: Any, url: str, user: User | None, path: str, file: Path) -> None:
    from tests.journeys.every_page import seen_by

    page = seen_by(user, context, url)
    page.route(
        "**/broken/*", lambda route: route.fulfill(body=broken(route.request), content_type="text/html")
    )
    page.goto(path)
    page.screenshot(path=file, full_page=True)
    page.close()


def broken(request: Any) -> str:  # Any: playwright names its type differently in its two interfaces
    """A page for what goes wrong, in the language of the browser."""
    from django.template.loader import render_to_string
    from django.utils import translation

    with translation.override(request.headers["accept-language"][:2]):
        return render_to_string(f"{request.url.rpartition('/')[2]}.html")


def furnish(world: str, site: Site) -> tuple[dict[str, User | None], dict[str, object]]:
    """Fill the empty site; returns who looks at it, and the values for the gaps in the addresses."""
    if world == "empty":
        return nobody_but_root()
    if world == "demo":
        return demonstration(site)
    return one_task(1, answered=0) if world == "one" else one_task(MANY, answered=ANSWERED)


def nobody_but_root() -> tuple[dict[str, User | None], dict[str, object]]:
    from evaluation.models import User

    root = User.objects.create_superuser("root")
    staff: dict[str, User | None] = dict.fromkeys(
        ("annotator", "manager", "researcher", "administrator"), root
    )
    return staff | {"anonymous": None}, {}


def demonstration(site: Site) -> tuple[dict[str, User | None], dict[str, object]]:
    from evaluation.annotate.services import assignments
    from evaluation.models import Job, Task, User
    from metrics.models import TrainedModel
    from metrics.scoring.jobs import begin_training
    from tests.database.test_scripts_of_the_world import make_pages
    from tests.security.stage import gaps

    load_demo(site)
    people = {user.username: user for user in User.objects.all()}
    task, by_place = Task.objects.get(slug="evening-news"), Task.objects.get(judging="places")
    again = Task.objects.get(slug="second-round")
    # The first has too few sentences for it: a job that failed.
    for what, method in ((task, "svm"), (again, "svm"), (task, "ranker"), (task, "combination")):
        begin_training(what, f"{method}-{what.slug}", people["manager"], method=method)
    site.manage("worker", "--batch", "--no-startup-delay", "-v", "0")
    values = gaps(task, people["manager"], people["heron"].annotator)
    # The demo has real ones; one job waits.
    Job.objects.filter(pk=str(values["job"])).delete()
    TrainedModel.objects.filter(pk=str(values["model"])).delete()
    values["job"] = begin_training(task, "waiting", people["manager"], method="combination").pk
    values["model"] = TrainedModel.objects.all()[0].pk
    assignment = assignments.next_assignment(by_place, people["heron"].annotator)
    values["places"] = "" if assignment is None else assignment.token
    values |= {f"model_{model.kind}": model.pk for model in TrainedModel.objects.all()}
    four = assignments.next_assignment(Task.objects.get(slug="town-news"), people["lark"].annotator)
    values["four"] = "" if four is None else four.token
    _, reader, arabic = make_pages("ar")
    values["failed"] = Job.objects.filter(state=Job.State.FAILED)[0].pk
    values |= {"arabic": arabic.token, "again": again.slug, "other": "demo-2"}
    values |= {f"faulty{number}": pk for number, pk in enumerate(faulty(people["manager"]))}
    Task.objects.filter(pk=task.pk).update(practice=True)
    staff: dict[str, User | None] = {
        "annotator": people["heron"],
        "manager": people["manager"],
        "researcher": people["researcher"],
        "administrator": people["admin"],
        "anonymous": None,
        "second annotator": people["lark"],
        "reader": reader.user,
    }
    return staff, values


def faulty(manager: User) -> Iterator[object]:
    """Uploads as a newcomer makes them: lines that do not match, and a wrong encoding."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client
    from django.urls import reverse

    from evaluation.models import Upload

    client = Client()
    client.force_login(manager)
    lines = [f"Guten Morgen Nummer {n}\tGood morning number {n}\tMorning, number {n}\n" for n in range(9)]
    short = "".join(["source\tnorth\tsouth\n", *lines[:4], "Guten Tag\tHello\n", *lines[4:]])
    latin = "".join(["source\tnorth\tsouth\n", "Schöne Grüße\tKind regards\tBest wishes\n"])
    for file, data in (("greetings.tsv", short.encode()), ("from-excel.tsv", latin.encode("latin-1"))):
        client.post(reverse("new-upload"), {"files": [SimpleUploadedFile(file, data)]})
        yield Upload.objects.latest("created_at").pk


def one_task(size: int, *, answered: int) -> tuple[dict[str, User | None], dict[str, object]]:
    """A task of so many sentences; two people have answered so many of its comparisons."""
    from evaluation.models import Membership, Role, Task, User
    from tests.database.answering import answer_task
    from tests.database.conftest import annotator, make_task, person
    from tests.security.stage import gaps

    task = make_task(
        "A single sentence" if size == 1 else "Ten thousand sentences", invented(size), overlap=2
    )
    bob, carol = annotator("bob", task), annotator("carol", task)
    manager, researcher = person("alice", may_create=True), person("ruth")
    people: dict[str, User | None] = {
        "annotator": bob.user,
        "manager": manager,
        "researcher": researcher,
        "administrator": User.objects.create_superuser("root"),
        "anonymous": None,
    }
    for user, role in ((manager, Role.MANAGER), (researcher, Role.RESEARCHER)):
        Membership.objects.create(user=user, campaign=task.campaign, role=role)
    random = Random(1)
    for who in (bob, carol) if answered else ():
        answer_task(task, who, lambda pair, _: random.choice(task.scheme.choices), most=answered)
    values = gaps(task, manager, bob)
    Task.objects.filter(pk=task.pk).update(practice=True)
    return people, values


def invented(size: int) -> list[dict[str, Any]]:
    """Sentences that nobody ever said, in two versions."""
    random = Random(size)
    things = ("market", "harbour", "library", "garden", "railway", "theatre", "museum", "bakery")
    fates = ("reopens", "closes early", "grows", "moves", "celebrates", "waits for rain", "was painted")
    sentences = []
    for number in range(1, size + 1):
        one, two, fate, other = *random.sample(things, 2), *random.sample(fates, 2)
        end = f"after {random.randint(2, 99)} years, says speaker {number}"
        sentences.append(
            {
                "id": f"s{number}",
                "document": f"page-{number // 10 + 1}",
                "source": f"Satz {number}: {one} / {two} / {fate}.",
                "references": [f"The {one} near the {two} {fate} {end}."],
                "candidates": {
                    "north": f"The {one} near the {two} {fate} {end}.",
                    "south": f"The {one} by the old {two} {other} {end}.",
                },
            }
        )
    return sentences


if __name__ == "__main__":
    main()
