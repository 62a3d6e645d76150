"""A workshop's test set becomes a task: 3,003 sentences, twelve systems, eleven comparisons each.

There is no peer that does this job, so the demands are absolute: at most 90 s of CPU and 300 MB above the
idle process. Both are measured in a process of their own, with a database of its own, by
``python -m benchmarks.importing``; ``--sentences`` makes it smaller. ``python -m benchmarks.importing
--meanwhile 16`` also lets sixteen people annotate against a running site while the import goes on, on the
database that ``DATABASE_URL`` names (``python -m tests.postgres benchmarks.importing …``).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener, urlopen

from benchmarks.base import Result

ROOT = Path(__file__).resolve().parent.parent
MOST_SECONDS, MOST_MEGABYTES = 90.0, 300.0
SENTENCES, SYSTEMS = 3003, 12


def run() -> list[Result]:
    """One round: absolute demands need no peer; ``ratio`` is what is demanded over what was measured."""
    seen = apart(SENTENCES)
    return [
        demand("import 3,003 × 12 against a baseline", "s of CPU", seen["cpu_seconds"], MOST_SECONDS),
        demand("memory of that import above idle", "MB", seen["megabytes"], MOST_MEGABYTES),
    ]


def demand(job: str, unit: str, measured: float, most: float) -> Result:
    return Result(job, "what is demanded", unit, measured, most, most / measured, most / measured, 1.0)


def apart(sentences: int, dedup: str = "item") -> dict[str, float]:
    """Measure in a fresh process, with an empty database in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="appraise-bench-") as home:
        environment = {
            **os.environ, "APPRAISE_HOME": home, "DATABASE_URL": "", "OMP_NUM_THREADS": "1",
            "DJANGO_SETTINGS_MODULE": "appraise.settings",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.importing", "--here", str(sentences), "--dedup", dedup],
            cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE,
        )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


def here(sentences: int, dedup: str) -> dict[str, float]:
    """Import in this process; the corpus is written by another one, so that its memory does not count."""
    import django

    folder = Path(os.environ["APPRAISE_HOME"])
    subprocess.run(
        [sys.executable, "-m", "benchmarks.importing", "--write", str(folder), "--sentences", str(sentences)],
        cwd=ROOT, check=True,
    )  # fmt: skip
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from evaluation.importers import COMMAND_LINE, SourceFile, read
    from evaluation.models import Campaign
    from evaluation.tasks.services.importing import import_set
    from evaluation.tasks.services.task_settings import TaskSettings

    idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started, wall = time.process_time(), time.perf_counter()
    imported = read([SourceFile.from_path(folder / "set.tsv")], limits=COMMAND_LINE)
    settings = TaskSettings(
        name="bench", scheme="six-way", target_language="en", comparisons="baseline:sys00", dedup=dedup
    )
    made = import_set(imported, settings, campaign=Campaign.objects.create(slug="bench", name="Bench"))
    return {
        "cpu_seconds": round(time.process_time() - started, 1),
        "wall_seconds": round(time.perf_counter() - wall, 1),
        "megabytes": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle) / 1024, 1),
        "comparisons": made.comparisons,
        "phrase_pairs": made.phrase_pairs,
        "slots": made.slots,
    }


def write(folder: Path, sentences: int) -> Path:
    """The made-up test set as one table, a column per system."""
    from benchmarks.corpus import corpus

    made = corpus(sentences, SYSTEMS)
    names = [f"sys{n:02d}" for n in range(SYSTEMS)]
    path = folder / "set.tsv"
    with path.open("w", encoding="utf-8") as file:
        file.write("\t".join(["id", "reference", *names]) + "\n")
        for number, row in enumerate(zip(made.references[0], *made.systems, strict=True), 1):
            file.write("\t".join([str(number), *row]) + "\n")
    return path


def meanwhile(people: int, sentences: int, alone_seconds: float = 20) -> dict[str, float]:
    """People annotate against a running site, first alone, then while an import goes on."""
    with tempfile.TemporaryDirectory(prefix="appraise-bench-") as home:
        environment = {**os.environ, "APPRAISE_HOME": home, "OMP_NUM_THREADS": "1"}
        manage = [sys.executable, "manage.py"]
        port = str(free_port())
        # Without the demo: the background worker would train and score beside what is measured.
        site = subprocess.Popen([*manage, "start", "--port", port], cwd=ROOT, env=environment,
                                stdout=subprocess.DEVNULL)  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address)
            write(Path(home), sentences)  # before anybody is timed
            link = subprocess.run([*manage, "shell", "-v", "0", "-c", INVITE.format(people=people)], cwd=ROOT,
                                  env=environment, check=True, stdout=subprocess.PIPE, text=True)  # fmt: skip
            crowd = Crowd(address + "/j/" + link.stdout.strip().splitlines()[-1], people)
            crowd.start()
            time.sleep(alone_seconds)
            alone = crowd.take()
            started = time.perf_counter()
            subprocess.run(
                [*manage, "import_task", str(Path(home) / "set.tsv"), "--name", "bench",
                 "--target-lang", "en", "--scheme", "six-way", "--comparisons", "baseline:sys00"],
                cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            seconds = time.perf_counter() - started
            during = crowd.take()
            crowd.stop()
        finally:
            site.terminate()
            site.wait()
    return {
        "people": people, "import_wall_seconds": round(seconds, 1), "errors": crowd.errors,
        "answers_alone": len(alone), "p95_ms_alone": percentile(alone),
        "worst_ms_alone": max(alone, default=0),
        "answers_during": len(during), "p95_ms_during": percentile(during),
        "worst_ms_during": max(during, default=0),
    }  # fmt: skip


INVITE = """
from django.core.management import call_command
from evaluation.models import Task, User
from evaluation.tasks.services.management import create_invitation
call_command("import_task", "fixtures/demo/evening-news.jsonl", name="News", overlap={people})
manager = User.objects.create_superuser("manager")
print(create_invitation(Task.objects.get(), by=manager, most_uses={people}).token)
"""


class Crowd:
    """Guests who accept an invitation and then answer and correct themselves, once a second."""

    def __init__(self, link: str, people: int) -> None:
        self.link, self.errors = link, 0
        self._times: list[float] = []
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._guest, daemon=True) for _ in range(people)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def take(self) -> list[float]:
        """Milliseconds of every stored answer since the last call."""
        taken, self._times = self._times, []
        return taken

    def _guest(self) -> None:
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        token = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
        try:
            door = browser.open(self.link).read().decode()
            page = browser.open(self.link, f"csrfmiddlewaretoken={token.findall(door)[0]}".encode())
            html = page.read().decode()
            phrase, csrf = int(re.findall(r'data-phrase="([0-9]+)"', html)[0]), token.findall(html)[0]
        except (OSError, IndexError):
            self.errors += 1
            return
        version = 0
        while not self._over.wait(1.0):
            version = self._answer(browser, page.url + "answer", csrf, phrase, version)

    def _answer(self, browser: OpenerDirector, address: str, csrf: str, phrase: int, version: int) -> int:
        body = {"uuid": str(uuid.uuid4()), "phrase": phrase, "base": version,
                "choice": ("A>B", "A<B")[version % 2]}  # fmt: skip
        headers = {"Content-Type": "application/json", "X-CSRFToken": csrf}
        started = time.perf_counter()
        try:
            answer = browser.open(Request(address, json.dumps(body).encode(), headers))
            stored: int = json.loads(answer.read())["version"]
        except (OSError, ValueError):
            self.errors += 1
            return version
        self._times.append((time.perf_counter() - started) * 1000)
        return stored


def percentile(times: list[float]) -> float:
    return round(sorted(times)[int(len(times) * 0.95)], 1) if times else 0.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_for(address: str) -> None:
    for _ in range(1200):
        try:
            urlopen(address + "/healthz").close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(address)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--dedup", default="item")
    parser.add_argument("--here", type=int)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--meanwhile", type=int, help="so many people annotate during the import")
    given = parser.parse_args()
    if given.write:
        write(given.write, given.sentences)
    elif given.here:
        print(json.dumps(here(given.here, given.dedup)))
    elif given.meanwhile:
        print(json.dumps(meanwhile(given.meanwhile, given.sentences)))
    else:
        print(json.dumps(apart(given.sentences, given.dedup)))


if __name__ == "__main__":
    main()
