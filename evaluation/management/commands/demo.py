"""``manage.py demo``: invented news, three invented systems, three annotators who partly disagree.

The services are called as with real data: files are imported, slots are claimed, answers are submitted. Only
the annotators are simulated, from a seed, so that the demo is the same everywhere.

A second campaign judges the same sentences with a new release of the weakest system, as an example for the
campaign diff. A third one collects scores and error spans (ESA) of a few sentences.
"""

from __future__ import annotations

import re
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

from appraise.lib.extras import find_missing_package
from evaluation import jobs, models
from evaluation.annotate.places import count_steps
from evaluation.annotate.services import answers, assignments, places, practice
from evaluation.annotate.services.assessments import (
    AssessmentSubmission,
    CollectedSpan,
    CollectedValue,
    finish_passage,
    submit_assessment,
)
from evaluation.annotate.services.passages import load_passage
from evaluation.assessments import MarkedSpan
from evaluation.blinding import canonical
from evaluation.importers import SourceFile, read
from evaluation.management.base import AppraiseCommand
from evaluation.schemes import Choice, Scheme
from evaluation.tasks.services.importing import import_set
from evaluation.tasks.services.task_settings import TaskSettings

PASSWORD = "demo"  # printed on the terminal, for a site that listens on this machine only
# The quality of each invented system; a phrase of a better system is usually the better phrase.
QUALITY = {"fjord": 2.0, "mesa": 1.1, "tundra": 0.0, "tundra-2": 1.2}
# The new release omits words; where it does, its quality is lower by this much.
OMITTING_SYSTEM, OMISSION_PENALTY = "tundra-2", 3.0
FOLDER = settings.BASE_DIR / "fixtures" / "demo"


@dataclass(frozen=True, slots=True)
class Person:
    """An invented annotator with normal noise, who finishes the share ``shares`` of each task."""

    name: str
    noise: float
    tie_threshold: float
    seconds: float
    shares: tuple[float, float, float]


PEOPLE = (
    Person("heron", 0.55, 0.45, 6.5, (1.0, 0.8, 0.7)),
    Person("lark", 0.8, 0.6, 8.0, (0.85, 0.7, 0.5)),
    Person("wren", 1.0, 0.5, 5.0, (0.6, 0.35, 0.0)),
    Person("robin", 0.0, 0.0, 0.0, (0.0, 0.0, 0.0)),  # for the reader of the quick start
)
SECOND_ROUND = 74  # comparisons that each person judges of the 87
STAFF = (("admin", "administrator"), ("manager", "manager"), ("researcher", "researcher"))


def format_greeting() -> str:
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
        if models.Campaign.objects.filter(slug="demo").exists():
            self.refuse("the demonstration campaign is already here")
        with transaction.atomic():
            tasks = load()
            for number, task in enumerate(tasks):
                for person in PEOPLE:
                    random = Random(f"{options['seed']} {number} {person.name}")
                    annotate(task, person, round(task.size * person.shares[number]), random)
            second_round = load_second_round()
            for person in PEOPLE[:2]:
                annotate(second_round, person, SECOND_ROUND, Random(f"{options['seed']} again {person.name}"))
            rated = load_rated()
            for person in PEOPLE[:2]:
                assess(rated, person, Random(f"{options['seed']} rated {person.name}"))
            enqueue_scoring([*tasks, second_round])
        if options["verbosity"]:
            self.stdout.write(format_greeting())


def load() -> list[models.Task]:
    password = make_password(PASSWORD)  # once for everybody: hashing is slow on purpose
    for name in [*(name for name, _ in STAFF), *(person.name for person in PEOPLE)]:
        models.User.objects.create(username=name, password=password)
    models.User.objects.filter(username="admin").update(is_staff=True, is_superuser=True)
    models.User.objects.filter(username="manager").update(may_create=True)
    for person in PEOPLE:  # a fixed key: the same sides in every copy of the demo
        models.Annotator.objects.create(
            user=models.User.objects.get(username=person.name), key=f"demo-{person.name}"
        )
    campaign = create_campaign("demo", "Demonstration")
    by_place = {"repeats": 0, "judging": models.Task.Judging.PLACES, "practice": True}
    return [
        import_file(campaign, "town-news.jsonl", "four-way"),
        import_file(campaign, "evening-news.jsonl", "six-way"),
        import_file(campaign, "market-notes.jsonl", "six-way", **by_place),
    ]


def create_campaign(slug: str, name: str) -> models.Campaign:
    campaign = models.Campaign.objects.create(slug=slug, name=name, invented=True)
    roles = {"manager": models.Role.MANAGER, "researcher": models.Role.RESEARCHER}
    roles |= {person.name: models.Role.ANNOTATOR for person in PEOPLE}
    for user in models.User.objects.filter(username__in=roles):
        models.Membership.objects.create(user=user, campaign=campaign, role=roles[user.username])
    return campaign


def load_second_round() -> models.Task:
    """Import the same sentences with a new release of tundra."""
    campaign = create_campaign("demo-2", "Demonstration, second round")
    shuffled = {"overlap": 2, "repeats": 0, "order": models.Task.Order.SHUFFLED}
    return import_file(campaign, "second-round.jsonl", "six-way", **shuffled)


def load_rated() -> models.Task:
    """Ask for scores and error spans, two translations side by side."""
    campaign = create_campaign("demo-3", "Demonstration, scores and errors")
    esa = {"comparisons": "none", "assess": "esa", "assess_systems": 2, "repeats": 0}
    return import_file(campaign, "rated-news.jsonl", "six-way", **esa)


def enqueue_scoring(tasks: list[models.Task]) -> None:
    """Queue scoring jobs, if the metrics can compute here, so that every page shows something."""
    if "score" not in jobs.HANDLERS or find_missing_package("numba"):
        return
    manager = models.User.objects.get(username="manager")
    metrics = ["bleu", "chrf++", "ter", "wer"]
    for task in tasks:
        jobs.enqueue("score", f"Score {task.name}", owner=manager, task=task, metrics=metrics)


def import_file(campaign: models.Campaign, name: str, scheme: str, **more: Any) -> models.Task:
    imported = read([SourceFile.from_path(FOLDER / name)])
    task_settings = TaskSettings(
        name=imported.name,
        scheme=scheme,
        source_language=imported.source_language,
        target_language=imported.target_language,
        instructions="The texts and the systems of this demonstration are invented.",
        **{"overlap": 3, "repeats": 10, **more},
    )
    (slug,) = import_set(imported, task_settings, campaign=campaign).tasks
    return models.Task.objects.get(slug=slug)


def annotate(task: models.Task, person: Person, wanted: int, random: Random) -> None:
    """Simulate the work of one person on one task, spread over the last six days."""
    annotator = models.Annotator.objects.get(user__username=person.name)
    if task.practice and wanted:
        practice.finish_practice(task, annotator)
    begin = timezone.now() - timedelta(days=6)
    for number in range(wanted):
        assignment = assignments.next_assignment(task, annotator)
        if assignment is None:
            return
        when = begin + timedelta(days=6) * (number + random.random()) / wanted
        if assignment.is_by_place:
            rank(assignment, person, when, random)
            places.finish_places(assignment)
        else:
            answer(assignment, person, when, random)
            answers.finish_pairs(assignment)


def answer(assignment: models.Assignment, person: Person, when: datetime, random: Random) -> None:
    names = [list_systems(assignment.compared.first_id), list_systems(assignment.compared.second_id)]
    first, second = (max(QUALITY[name] for name in systems) for systems in names)
    for occurrence in models.Occurrence.objects.asked_by(assignment).select_related("pair").order_by("index"):
        # About a third of all differences are a matter of taste.
        strength = 0.0 if Random(occurrence.pair.key).random() < 0.3 else first - second
        strength += omission_effect(occurrence, names)
        stored = choose(strength + random.gauss(0, person.noise), person, assignment.task.scheme, random)
        seconds = random.lognormvariate(0, 0.5) * person.seconds
        when += timedelta(seconds=seconds)
        # Relative to the comparison, not to the pair: the service converts the sides once.
        choice = canonical(stored, swapped=assignment.swapped, flipped=False)
        submission = make_submission(occurrence.index, choice, seconds, random)
        answers.submit_ranking(assignment, submission, received_at=when)


def rank(assignment: models.Assignment, person: Person, when: datetime, random: Random) -> None:
    """Rank the variants of each place; a variant is as good as the best system that has it."""
    sentence = places.load_places(assignment)
    outputs = models.Output.objects.filter(item=assignment.compared.item)
    candidate_quality: dict[str, float] = {}
    for text, name in outputs.values_list("candidate__text", "system__name"):
        candidate_quality[text] = max(QUALITY[name], candidate_quality.get(text, 0.0))
    for place in sentence.places:
        texts, numbers = sentence.group.texts(place.place), sentence.group.variants(place.place)
        variant_quality = dict.fromkeys(texts, 0.0)
        for stave, number in zip(sentence.group.staves, numbers, strict=True):
            text = texts[number]
            variant_quality[text] = max(variant_quality[text], candidate_quality[stave.text])
        # In the order of texts: the displayed order depends on the site's secret.
        noisy = {
            text: variant_quality[text] + random.gauss(0, person.noise) for text in sorted(variant_quality)
        }
        scores = [noisy[text] for text in place.texts]
        most = count_steps(len(scores), assignment.task.scheme)
        seconds = random.lognormvariate(0, 0.5) * person.seconds * len(scores) / 2
        when += timedelta(seconds=seconds)
        steps: tuple[int | None, ...] = tuple([min(most, 1 + round(max(scores) - score)) for score in scores])
        submission = make_submission(place.place, steps, seconds, random)
        places.submit_place_ranking(assignment, submission, received_at=when)


def assess(task: models.Task, person: Person, random: Random) -> None:
    """Simulate scores and errors: the worse the system, the more of both."""
    annotator = models.Annotator.objects.get(user__username=person.name)
    systems = dict(models.Output.objects.filter(item__task=task).values_list("pk", "system__name"))
    when = timezone.now() - timedelta(days=3)
    while (assignment := assignments.next_assignment(task, annotator)) is not None:
        passage = load_passage(assignment)
        for candidate in sorted(passage.candidates, key=lambda candidate: candidate.text):
            quality = max(QUALITY[systems[output.pk]] for output in candidate.outputs) / 2
            words = [match.span() for match in re.finditer(r"\w+", candidate.text)]
            marked = sorted(random.sample(words, min(len(words), round(3 - 3 * quality + random.random()))))
            severities = [random.choice(["minor", "minor", "major"]) for _ in marked]
            spans = tuple(
                CollectedSpan(MarkedSpan(severity, "", *span))
                for severity, span in zip(severities, marked, strict=True)
            )
            lost = sum(25 if severity == "major" else 8 for severity in severities)
            score = float(max(0, min(100, round(random.gauss(96 - lost, 4 * person.noise)))))
            seconds = random.lognormvariate(0, 0.5) * person.seconds * 3
            when += timedelta(seconds=seconds)
            submission = AssessmentSubmission(
                candidate.key,
                uuid.UUID(int=random.getrandbits(128), version=4),
                CollectedValue(score, spans),
                base=0,
                active_ms=round(seconds * 1000),
                elapsed_ms=round(seconds * 1100),
            )
            submit_assessment(assignment, passage, submission, received_at=when)
        finish_passage(assignment, passage)


def make_submission(
    question: int, value: answers.Value, seconds: float, random: Random
) -> answers.Submission[answers.Value]:
    return answers.Submission(
        uuid=uuid.UUID(int=random.getrandbits(128), version=4),
        question=question,
        value=value,
        base=0,
        active_ms=round(seconds * 1000),
        elapsed_ms=round(seconds * 1100),
    )


def list_systems(candidate: int) -> list[str]:
    return list(models.Output.objects.filter(candidate=candidate).values_list("system__name", flat=True))


def omission_effect(occurrence: models.Occurrence, names: list[list[str]]) -> float:
    """Return how much the first candidate gains or loses because one side omits words."""
    texts = [occurrence.pair.first, occurrence.pair.second]
    if all(texts):
        return 0.0
    empty_side = texts.index("") ^ occurrence.flipped
    if names[empty_side] != [OMITTING_SYSTEM]:
        return 0.0
    return -OMISSION_PENALTY if empty_side == 0 else OMISSION_PENALTY


def choose(difference: float, person: Person, scheme: Scheme, random: Random) -> Choice:
    if random.random() < 0.03:
        return Choice.NOT_APPLICABLE
    if abs(difference) < person.tie_threshold:
        return Choice.EQUAL
    better = Choice.A_MUCH_BETTER if abs(difference) > 1.6 + person.tie_threshold else Choice.A_BETTER
    if better not in scheme.choices:
        better = better.collapsed
    return better if difference > 0 else better.mirrored
