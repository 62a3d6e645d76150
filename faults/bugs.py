"""Bugs that are put into the running product on purpose, each to be detected by one fault.

They live here and nowhere else: a site gets one only by ``faults.settings`` and the name in its environment.
"""

from __future__ import annotations

import dataclasses
import inspect
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

Settings = dict[str, Any]  # Django's own shape
DatabaseBug = Callable[[Settings], None]
BUGS: dict[str, Callable[[], None]] = {}
DATABASE_BUGS: dict[str, DatabaseBug] = {}


def plant(name: str) -> None:
    """Put the bug into the modules of this process."""
    if name not in BUGS and name not in DATABASE_BUGS:
        raise KeyError(f"no bug is called {name!r}")
    if name in BUGS:
        BUGS[name]()


def databases(name: str, settings: Settings) -> Settings:
    """The settings of the databases, with the bug if it is one of these."""
    changed = deepcopy(settings)
    if name in DATABASE_BUGS:
        DATABASE_BUGS[name](changed["default"])
    return changed


def replace(where: object, name: str, value: object) -> None:
    """Uses ``setattr``, because the type checker would rightly object to most of these assignments."""
    if not hasattr(where, name):
        raise AttributeError(f"{where} has no {name!r} any more: this bug does not fit")
    setattr(where, name, value)


def bug(function: Callable[[], None]) -> Callable[[], None]:
    BUGS[function.__name__] = function
    return function


def database_bug(function: DatabaseBug) -> DatabaseBug:
    DATABASE_BUGS[function.__name__] = function
    return function


@bug
def read_bodies_in_threads() -> None:
    """Holds a thread while a body arrives, as a WSGI server does."""
    from appraise import exchange

    read_body = exchange.RequestExchange.read_body

    async def hold_thread(self: exchange.RequestExchange, receive: exchange.Receive) -> None:
        complete = threading.Event()
        exchange.executor.submit(complete.wait)
        try:
            await read_body(self, receive)
        finally:
            complete.set()

    replace(exchange.RequestExchange, "read_body", hold_thread)


@bug
def few_connections() -> None:
    """Nothing in the product: the harness starts the server with few connections, idle ones included."""


@bug
def thousand_fields() -> None:
    """Django's usual limit of fields, which the form of a long sentence exceeds."""
    from django.conf import settings

    replace(settings, "DATA_UPLOAD_MAX_NUMBER_FIELDS", 1000)


@bug
def names_as_typed() -> None:
    """Failed sign-ins are counted for the name as it was typed, with its spaces."""
    from django.forms import CharField

    from evaluation.people import views

    replace(views, "UsernameField", lambda: CharField(strip=False))


@bug
def open_home() -> None:
    """The data folder is created, but its mode is left as it is."""
    from appraise.lib import environment

    # Its code, because the settings and the tests have imported the function already.
    replace(environment.ensure_private_folder, "__code__", environment.ensure_folder.__code__)


@bug
def final_refusals() -> None:
    """An answer that races a correction gets 400, which the browser treats as final."""
    from evaluation.tasks.views import alignments

    replace(alignments, "find_moved_assignment", lambda token, user: None)


@bug
def unlimited_bodies() -> None:
    """Everybody may send bodies of any size."""
    from appraise import middleware

    replace(middleware, "find_body_limit", lambda environ: 1 << 62)


@bug
def alive_is_ready() -> None:
    """The readiness of a site is its liveness: a full disk changes nothing."""
    from appraise.operations import telemetry

    # Its code, because the URLs have imported the view already.
    replace(inspect.unwrap(telemetry.readyz), "__code__", inspect.unwrap(telemetry.healthz).__code__)


@bug
def align_in_pages() -> None:
    """A page aligns the sentences of an upload itself, however long they are."""
    from evaluation.tasks.services import upload_previews

    replace(upload_previews, "_is_small", lambda outcome, settings: True)


@bug
def report_in_pages() -> None:
    """A page computes every report itself, however long that takes."""
    from evaluation.reports import report_job

    replace(report_job, "MAX_INLINE_SECONDS", float("inf"))


@bug
def members_return() -> None:
    """Removing a member leaves nothing behind that a link could notice."""
    from evaluation.models import Removal

    replace(Removal.objects, "bulk_create", lambda removals, **options: [])


@bug
def acknowledge_before_commit() -> None:
    """Says “stored” first and stores a moment later."""
    from evaluation.annotate.services import answers

    store = answers.submit_ranking

    def hasty(assignment: Any, answer: answers.Submission[Any], **options: Any) -> answers.Receipt[Any]:
        def later() -> None:
            from django.db import connection

            time.sleep(0.2)
            try:
                store(assignment, answer, **options)
            finally:
                connection.close()

        threading.Thread(target=later, daemon=True).start()
        return answers.Receipt(answer.base + 1, answers.ReasonedChoice(answer.value, answer.reason))

    replace(answers, "submit_ranking", hasty)


@database_bug
def relaxed_sync(settings: Settings) -> None:
    """Commits reach the disk some time later: NORMAL on SQLite, no synchronous commit on PostgreSQL."""
    options = settings["OPTIONS"]
    if "init_command" in options:
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=NORMAL")
    else:
        options["options"] = "-c synchronous_commit=off"


@database_bug
def deferred_transactions(settings: Settings) -> None:
    """Asks for the write lock half-way, where SQLite refuses at once; PostgreSQL loses its patience."""
    options = settings["OPTIONS"]
    if "transaction_mode" in options:
        options["transaction_mode"] = "DEFERRED"
    else:
        options["options"] = "-c lock_timeout=100ms"


@bug
def swallow_database_errors() -> None:
    """Says “stored” where the database refused."""
    from django.db import OperationalError

    from evaluation.annotate.services import answers

    store = answers.submit_ranking

    def careless(assignment: Any, answer: answers.Submission[Any], **options: Any) -> answers.Receipt[Any]:
        try:
            return store(assignment, answer, **options)
        except OperationalError:
            return answers.Receipt(answer.base + 1, answers.ReasonedChoice(answer.value, answer.reason))

    replace(answers, "submit_ranking", careless)


@bug
def count_then_insert() -> None:
    """Looks for a comparison with too few people and takes it a moment later: no seat, no transaction."""
    from evaluation.annotate.services import assignments
    from evaluation.models import Alignment, Annotator, Assignment, Comparison, Task

    def next_assignment(task: Task, annotator: Annotator) -> Assignment | None:
        from django.db.models import Count

        mine = annotator.assignments.filter(task=task)
        free = (
            Comparison.objects.filter(item__task=task, slots__isnull=False)
            .exclude(pk__in=mine.values("comparison"))
            .annotate(people=Count("assignments", distinct=True))
            .filter(people__lt=task.overlap)
        )
        comparison = free.order_by("pk").first()
        if comparison is None:
            return None
        time.sleep(0.01)
        return Assignment.objects.create(
            annotator=annotator, task=task, comparison=comparison, number=mine.count() + 1, swapped=False,
            alignment=Alignment.objects.filter(comparison=comparison).latest(),
        )  # fmt: skip

    replace(assignments, "next_assignment", next_assignment)


@bug
def order_by_clock() -> None:
    """Takes the answer with the latest time for the current one."""
    from evaluation.annotate.services import answers
    from evaluation.models import Assignment, Ranking

    right = answers.load_differences

    def load_differences(assignment: Assignment) -> answers.Differences:
        rows = Ranking.objects.filter(
            annotator=assignment.annotator_id,
            presentation=assignment.presentation,
            pair__owner=assignment.comparison_id,
        ).order_by("received_at")
        last = {row.pair_id: row for row in rows}
        differences = right(assignment)
        questions = {
            index: dataclasses.replace(
                asked, version=last[asked.pair].version, choice=last[asked.pair].choice
            )
            if asked.pair in last
            else asked
            for index, asked in differences.questions.items()
        }
        return differences._replace(questions=questions)

    replace(answers, "load_differences", load_differences)


@database_bug
def endless_patience(settings: Settings) -> None:
    """Waits for a silent database as long as TCP does by default."""
    for name in ("connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval"):
        del settings["OPTIONS"][name]


@bug
def chatty_pages() -> None:
    """Asks the database for every line of a page."""
    from evaluation.models import Task
    from evaluation.tasks.views import overview

    build = vars(overview)["build_home_page"]

    def build_home_page(*given: Any) -> Any:
        for _ in range(100):
            Task.objects.exists()
        return build(*given)

    replace(overview, "build_home_page", build_home_page)


@bug
def count_in_process() -> None:
    """Each web process counts failed sign-ins for itself."""
    from collections import defaultdict
    from datetime import timedelta

    from evaluation.people import throttling

    failed: dict[str, int] = defaultdict(int)

    def begin_attempt(name: str, address: str) -> timedelta | None:
        failed[name] += 1
        return timedelta(minutes=15) if failed[name] > 10 else None

    replace(throttling, "begin_attempt", begin_attempt)


@bug
def hoarding() -> None:
    """Keeps what every page needed for ever."""
    from evaluation.annotate.services import answers

    kept: list[bytes] = []
    load = answers.load_differences

    def load_differences(*given: Any) -> answers.Differences:
        kept.append(b"page" * 50_000)
        return load(*given)

    replace(answers, "load_differences", load_differences)


@bug
def trust_old_pages() -> None:
    """Takes the number of a question for one of the corrected alignment, whichever the page showed."""
    from evaluation.annotate.services import answers
    from evaluation.models import Occurrence

    def find_pair(self: Any) -> None:
        asked = Occurrence.objects.filter(
            index=self.submission.question, alignment__assignments=self.assignment.pk
        )
        found = asked.values_list("pair_id", "flipped").first()
        if found is None:
            raise answers.UnknownQuestion
        self.pair, self.turned = found[0], self.assignment.swapped != found[1]

    replace(vars(answers)["_PairHistory"], "_find_pair", find_pair)


@bug
def stuck_standby() -> None:
    """Nothing in the product: the harness cuts the standby off some time before the primary is lost."""


@bug
def plain_copy() -> None:
    """Nothing in the product: the harness backs up by copying files."""


@bug
def forget_progress() -> None:
    """A job that does not remember what it has made already."""
    from evaluation.tasks.services import import_job

    replace(import_job, "_record_task", lambda job, task: None)


@bug
def no_lease() -> None:
    """A worker that starts every job it is sent, even if another is working on it or has finished it."""
    from evaluation.models.jobs import JobQuerySet

    replace(JobQuerySet, "runnable", lambda self: self)


@bug
def lenient_json() -> None:
    """Reads JSON as the standard library does: NaN is a number, of two equal keys the last one wins."""
    import json

    from evaluation.importers import strict_json

    replace(strict_json, "_DECODER", json.JSONDecoder())


@bug
def entities_expanded() -> None:
    """Reads XML without a guard against documents that define their own abbreviations."""
    from evaluation.importers import xml_units

    guarded = vars(xml_units)["DefusedExpatParser"]
    replace(
        xml_units,
        "DefusedExpatParser",
        lambda **_: guarded(forbid_dtd=False, forbid_entities=False, forbid_external=False),
    )


@bug
def broken_reader() -> None:
    """A reader that trips over a rare byte, with an error that nobody foresaw."""
    from evaluation.importers import decode

    read = decode._read

    def trips(*given: Any) -> bytes:
        data = read(*given)
        if b"\xff" in data:
            raise KeyError("0xff")
        return data

    replace(decode, "_read", trips)


@bug
def forgetful_outbox() -> None:
    """A browser that says “Saved” although the request failed, and keeps nothing."""
    import shutil
    import tempfile
    from multiprocessing.util import Finalize
    from pathlib import Path

    from django.conf import settings

    script = (Path(settings.BASE_DIR) / "static" / "js" / "sync.js").read_text("utf-8")
    kept = 'catch {\n      return "offline";'
    if kept not in script:
        raise ValueError("sync.js has changed: this bug does not fit any more")
    folder = Path(tempfile.mkdtemp(prefix="appraise-bug-"))
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)  # not before: the site reads it
    (folder / "js").mkdir()
    (folder / "js" / "sync.js").write_text(
        script.replace(kept, 'catch {\n      await this.outbox.remove(entry.uuid);\n      return "saved";'),
        "utf-8",
    )
    settings.STATICFILES_DIRS = [folder, *settings.STATICFILES_DIRS]


@bug
def migration_in_pieces() -> None:
    """Changes of the schema that are committed one by one."""
    from django.db.migrations import Migration

    replace(Migration, "atomic", False)
