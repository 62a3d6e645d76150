"""Pictures of what annotators would see: random pairs of system outputs on the real annotation page.

    python -m scripts.draw_examples --set DIR/PREFIX --count 20 --seed 1 --out FOLDER

The pairs are imported into a site of their own, with a database in a temporary folder, opened in Chromium by
an annotator and photographed before anything is answered. FOLDER gets a picture of each and ``index.html``,
which shows them all, with the cut drawn in one line above each. The texts may belong to somebody else, so
nothing of them is written anywhere else, and the site and its database are gone afterwards. Needs the
environment of the tests (``make setup-dev``) and Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import django

try:
    from playwright.sync_api import sync_playwright
except ModuleNotFoundError:  # the app itself needs no browser
    sys.exit(
        "draw_examples needs the environment of the tests, with its browser; make it with: make setup-dev"
    )

from evaluation.alignment.pairs import select_asked
from evaluation.alignment.question_rules import QuestionSize
from evaluation.tasks.planning import Planner
from scripts.sampled_pairs import Sampled, add_arguments, read_sample
from tests.alignment.drawing import drawing
from tests.browser import FLAGS, chromium_path, sign_in
from tests.site import Site

PERSON, PASSWORD = "reader", "secret"
WIDTH, HEIGHT = 1280, 900


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_arguments(parser, count=20)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--width", type=int, default=WIDTH, help="of the window (default: %(default)s)")
    parser.add_argument("--dark", action="store_true", help="with the dark colours")
    options = parser.parse_args(arguments)
    samples = read_sample(options)
    options.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="appraise-examples-") as home:
        site = Site(Path(home))
        os.environ.update(site.environment, DJANGO_SETTINGS_MODULE="appraise.settings")
        django.setup()
        pages = pages_of(samples, options.language)
        try:
            site.start()
            photograph(site.url, pages, options)
        finally:
            site.kill()
    index = options.out / "index.html"
    index.write_text(
        index_page(samples, Planner(options.language, size=QuestionSize.PHRASE)), encoding="utf-8"
    )
    print(index)


def pages_of(samples: Sequence[Sampled], language: str) -> list[str | None]:
    """The address of each pair, imported as a task of its own so that one person can have all pages open.

    ``None`` for a pair that asks nothing.
    """
    from evaluation.annotate.services.assignments import next_assignment
    from evaluation.importers import SourceFile, read
    from evaluation.models import Annotator, Campaign, Membership, Role, Task, User
    from evaluation.tasks.services.importing import import_set
    from evaluation.tasks.services.task_settings import TaskSettings

    items = [
        {
            "id": str(number),
            "source": sample.source,
            "candidates": dict(zip(("one", "other"), sample.outputs.values(), strict=True)),
        }
        for number, sample in enumerate(samples, 1)
    ]
    document = {"format": "appraise-task", "version": 1, "target_language": language, "items": items}
    file = SourceFile.from_bytes("examples.json", json.dumps(document).encode())
    settings = TaskSettings(name="Examples", scheme="six-way", target_language=language)
    campaign = Campaign.objects.create(slug="examples", name="Examples")
    made = import_set(read([file]), settings, campaign=campaign, split=1)
    user = User.objects.create_user(PERSON, password=PASSWORD)
    Membership.objects.create(user=user, campaign=campaign, role=Role.ANNOTATOR)
    annotator = Annotator.objects.create(user=user, key=PERSON)
    assignments = [next_assignment(Task.objects.get(slug=slug), annotator) for slug in made.tasks]
    return [assignment.get_absolute_url() if assignment else None for assignment in assignments]


def photograph(url: str, pages: Sequence[str | None], options: argparse.Namespace) -> None:
    """One picture of each whole page, however long it is."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        context = browser.new_context(
            base_url=url,
            color_scheme="dark" if options.dark else "light",
        )
        page = context.new_page()
        sign_in(page, PERSON, PASSWORD)
        for number, address in enumerate(pages, 1):
            if address is None:
                continue
            page.set_viewport_size({"width": options.width, "height": HEIGHT})
            page.goto(address, wait_until="networkidle")
            # As high as the page, or the bar at the foot of the window would cover a question.
            whole = int(page.evaluate("document.documentElement.scrollHeight"))
            page.set_viewport_size({"width": options.width, "height": max(whole, HEIGHT)})
            page.screenshot(path=options.out / picture(number))
        browser.close()


def picture(number: int) -> str:
    return f"{number:03}.png"


def index_page(samples: Sequence[Sampled], planner: Planner) -> str:
    parts = ["<!doctype html>", '<meta charset="utf-8">', "<title>Examples</title>"]
    for number, sample in enumerate(samples, 1):
        alignment = sample.align(planner)
        asked = len(select_asked(alignment))
        parts += [
            f"<h2>{number}. {escape(str(sample))}, questions: {asked}</h2>",
            f"<p>{escape(drawing(alignment))}</p>",
        ]
        parts += [f'<img src="{picture(number)}" alt="">'] if asked else []
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
