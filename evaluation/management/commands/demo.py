"""The demonstration: invented news, three invented systems, three annotators who do not quite agree.

Everything is done as with real data: the files are imported, seats are claimed, answers are submitted. Only
the annotators are simulated, from a seed, so that the demo is the same everywhere.

A second campaign judges the same sentences again, with a new release of the weakest system and with useful
questions first, so that there is something to compare and something was drawn.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from appraise.commands import Command as AppraiseCommand
from evaluation import jobs
from evaluation.blinding import canonical
from evaluation.importers import SourceFile, read
from evaluation.models import (
    Annotator,
    Assignment,
    Campaign,
    Membership,
    Occurrence,
    Output,
    Role,
    Task,
    User,
)
from evaluation.places import step_count
from evaluation.schemes import Choice, Scheme
from evaluation.services import claiming, judging, places, practice, selecting
from evaluation.services.importing import TaskSettings, import_set

PASSWORD = "demo"  # printed on the terminal, for a site that listens on this machine only
# How good each invented system is; a phrase of a better one is usually the better phrase.
QUALITY = {"fjord": 2.0, "mesa": 1.1, "tundra": 0.0, "tundra-2": 1.2}
# The new release leaves words out, which annotators mind: there its quality is lower by this much.
OMITS, OMISSION = "tundra-2", 3.0
FOLDER = settings.BASE_DIR / "fixtures" / "demo"


@dataclass(frozen=True, slots=True)
class Person:
    """An invented annotator: ``noise`` blurs the verdicts, ``share`` of each task is finished."""

    name: str
    noise: float
    lenient: float
    seconds: float
    shares: tuple[float, float, float]


PEOPLE = (
    Person("heron", 0.55, 0.45, 6.5, (1.0, 0.8, 0.7)),
    Person("lark", 0.8, 0.6, 8.0, (0.85, 0.7, 0.5)),
    Person("wren", 1.0, 0.5, 5.0, (0.6, 0.35, 0.0)),
)
STAFF = (("admin", "administrator"), ("manager", "manager"), ("researcher", "researcher"))


def greeting() -> str:
    lines = ["", "Demo log-ins (password: demo), on this machine only; all data is invented:"]
    lines += [f"  {name:<11} {role}" for name, role in STAFF]
    lines += [f"  {person.name:<11} annotator" for person in PEOPLE]
    return "\n".join(lines) + "\n"


class Command(AppraiseCommand):
    help = "Load the demonstration campaign (invented data) with its accounts."
    examples = ("demo",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=7)

    def handle(self, *args: Any, **options: Any) -> None:
        if Campaign.objects.filter(slug="demo").exists():
            self.refuse("the demonstration campaign is already here")
        with transaction.atomic():
            tasks = load()
            for number, task in enumerate(tasks):
                for person in PEOPLE:
                    random = Random(f"{options['seed']} {number} {person.name}")
                    annotate(task, person, round(task.size * person.shares[number]), random)
            again = load_second_round()
            select_and_annotate(again, options["seed"])
            leave_to_the_worker([*tasks, again])
        if options["verbosity"]:
            self.stdout.write(greeting())


def load() -> list[Task]:
    password = make_password(PASSWORD)  # once for everybody: hashing is slow on purpose
    for name in [*(name for name, _ in STAFF), *(person.name for person in PEOPLE)]:
        User.objects.create(username=name, password=password)
    User.objects.filter(username="admin").update(is_staff=True, is_superuser=True)
    User.objects.filter(username="manager").update(may_create=True)
    for person in PEOPLE:  # a fixed key: the same sides in every copy of the demo
        Annotator.objects.create(user=User.objects.get(username=person.name), key=f"demo-{person.name}")
    campaign = found_campaign("demo", "Demonstration")
    slugs = [
        *import_file(campaign, "town-news.jsonl", "four-way", Task.Shows.SOURCE),
        *import_file(campaign, "evening-news.jsonl", "six-way", Task.Shows.SOURCE),
        *import_file(
            campaign,
            "market-notes.jsonl",
            "six-way",
            Task.Shows.SOURCE,
            repeats=0,
            judging=Task.Judging.PLACES,
            practice=True,
        ),
    ]
    return [Task.objects.get(slug=slug) for slug in slugs]


def found_campaign(slug: str, name: str) -> Campaign:
    campaign = Campaign.objects.create(slug=slug, name=name, invented=True)
    roles = {"manager": Role.MANAGER, "researcher": Role.RESEARCHER} | {
        p.name: Role.ANNOTATOR for p in PEOPLE
    }
    for user in User.objects.filter(username__in=roles):
        Membership.objects.create(user=user, campaign=campaign, role=roles[user.username])
    return campaign


def load_second_round() -> Task:
    """The same sentences once more, with a new release of tundra."""
    campaign = found_campaign("demo-2", "Demonstration, second round")
    (slug,) = import_file(
        campaign, "second-round.jsonl", "six-way", Task.Shows.SOURCE,
        overlap=2, repeats=0, order=Task.Order.SHUFFLED,
    )  # fmt: skip
    return Task.objects.get(slug=slug)


def select_and_annotate(task: Task, seed: int) -> None:
    """Judge some comparisons in the order of the task, then the most useful first, redrawn on the way."""
    randoms = {person: Random(f"{seed} again {person.name}") for person in PEOPLE[:2]}
    for drawing, wanted in enumerate((18, 24, 32)):
        if drawing == 1:
            selecting.select(task, Task.Selection.ORDER, by=User.objects.get(username="manager"))
        if drawing:
            selecting.draw_questions(task, seed=seed + drawing)
        for person, random in randoms.items():
            annotate(task, person, wanted, random)


def leave_to_the_worker(tasks: list[Task]) -> None:
    """Queue scoring and a replication, where the site has metrics, so that every page has something to
    show."""
    if "score" not in jobs.HANDLERS:
        return
    staff = User.objects.in_bulk(["manager", "researcher"], field_name="username")
    for task in tasks:
        jobs.enqueue(
            "score",
            f"Score {task.name}",
            owner=staff["manager"],
            task=task,
            metrics=["bleu", "chrf++", "ter", "wer"],
        )
    for user in staff.values():  # each sees their own reports
        jobs.enqueue(
            "replicate",
            "Replicate Federmann 2010: agreement about phrases: demo",
            owner=user,
            recipe="paper-003",
            campaign="demo",
            sets=[],
            second=[],
            scheme="",
        )


def import_file(campaign: Campaign, name: str, scheme: str, shows: str, **more: Any) -> list[str]:
    imported = read([SourceFile.from_path(FOLDER / name)])
    options = {
        "source_language": imported.source_language,
        "target_language": imported.target_language,
        "overlap": 3,
        "repeats": 10,
        "instructions": "The texts and the systems of this demonstration are invented.",
        **more,
    }
    task_settings = TaskSettings(name=imported.name, scheme=scheme, shows=shows, **options)
    return import_set(imported, task_settings, campaign=campaign).tasks


def annotate(task: Task, person: Person, wanted: int, random: Random) -> None:
    """One person's work on one task, spread over the last days."""
    annotator = Annotator.objects.get(user__username=person.name)
    if task.practice and wanted:
        practice.finish(task, annotator)
    begin = timezone.now() - timedelta(days=6)
    for number in range(wanted):
        assignment = claiming.next_assignment(task, annotator)
        if assignment is None:
            return
        when = begin + timedelta(days=6) * (number + random.random()) / wanted
        if assignment.is_by_place:
            rank(assignment, person, when, random)
            places.finish(assignment)
        else:
            answer(assignment, person, when, random)
            judging.finish(assignment)


def answer(assignment: Assignment, person: Person, when: datetime, random: Random) -> None:
    names = [writers(assignment.comparison.first_id), writers(assignment.comparison.second_id)]
    better = quality(names[0]) - quality(names[1])
    for occurrence in judging.asked(assignment).select_related("pair").order_by("index"):
        # About a third of all differences are a matter of taste.
        strength = 0.0 if Random(occurrence.pair.key).random() < 0.3 else better
        strength += omission(occurrence, names)
        stored = verdict(strength + random.gauss(0, person.noise), person, assignment.task.scheme, random)
        seconds = random.lognormvariate(0, 0.5) * person.seconds
        when += timedelta(seconds=seconds)
        judging.submit_ranking(
            assignment,
            judging.Answer(
                uuid=uuid.UUID(int=random.getrandbits(128), version=4),
                phrase=occurrence.index,
                # Seen from the comparison, not from the pair: the sides are turned back once, by the service.
                choice=canonical(stored, swapped=assignment.swapped, flipped=False),
                base=0,
                active_ms=round(seconds * 1000),
                elapsed_ms=round(seconds * 1100),
            ),
            received_at=when,
        )


def rank(assignment: Assignment, person: Person, when: datetime, random: Random) -> None:
    """All variants of each place, a variant as good as the best system that has it."""
    desk = places.desk(assignment)
    written = Output.objects.filter(item=assignment.comparison.item)
    known: dict[str, float] = {}
    for text, name in written.values_list("candidate__text", "system__name"):
        known[text] = max(QUALITY[name], known.get(text, 0.0))
    for spot in desk.spots:
        texts, of = desk.group.texts(spot.place), desk.group.variants(spot.place)
        worth = dict.fromkeys(texts, 0.0)
        for stave, number in zip(desk.group.staves, of, strict=True):
            worth[texts[number]] = max(worth[texts[number]], known[stave.text])
        # Not in the displayed order, which depends on the site's secret.
        moods = {text: worth[text] + random.gauss(0, person.noise) for text in sorted(worth)}
        felt = [moods[text] for text in spot.texts]
        most = step_count(len(felt), assignment.task.scheme)
        seconds = random.lognormvariate(0, 0.5) * person.seconds * len(felt) / 2
        when += timedelta(seconds=seconds)
        places.rank_place(
            assignment,
            places.PlaceAnswer(
                uuid=uuid.UUID(int=random.getrandbits(128), version=4),
                place=spot.place,
                steps=tuple([min(most, 1 + round(max(felt) - one)) for one in felt]),
                base=0,
                active_ms=round(seconds * 1000),
                elapsed_ms=round(seconds * 1100),
            ),
            received_at=when,
        )


def writers(candidate: int) -> list[str]:
    return list(Output.objects.filter(candidate=candidate).values_list("system__name", flat=True))


def quality(names: list[str]) -> float:
    """As good as the best system that wrote it."""
    return max(QUALITY[name] for name in names)


def omission(occurrence: Occurrence, names: list[list[str]]) -> float:
    """What the first candidate gains, or loses, because one side leaves out what the other says."""
    texts = [occurrence.pair.first, occurrence.pair.second]
    if all(texts):
        return 0.0
    silent = texts.index("") ^ occurrence.flipped
    if names[silent] != [OMITS]:
        return 0.0
    return -OMISSION if silent == 0 else OMISSION


def verdict(difference: float, person: Person, scheme: Scheme, random: Random) -> Choice:
    if random.random() < 0.03:
        return Choice.NOT_APPLICABLE
    if abs(difference) < person.lenient:
        return Choice.EQUAL
    better = Choice.A_MUCH_BETTER if abs(difference) > 1.6 + person.lenient else Choice.A_BETTER
    if better not in scheme.choices:
        better = better.collapsed
    return better if difference > 0 else better.mirrored
