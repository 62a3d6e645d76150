"""The pictures of README and documentation, taken from the running demonstration, so that they never age.

    python -m scripts.screenshots                 writes docs/images
    python -m scripts.screenshots --all FOLDER    every page, in both widths, colours and languages

The demo, its sides and the browser's window are fixed, and no picture shows a time or an address: where the
site looks the same, so do the files, byte for byte (with the same Chromium and fonts).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from scripts.demo_site import load_demo, open_browser, open_site
from scripts.every_page import WORLDS
from tests.browser import sign_in

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SAMPLES = ROOT / "fixtures" / "samples"


@dataclass(frozen=True, slots=True)
class Picture:
    """What somebody sees after some steps: the upper part of the window, unless the steps scroll."""

    name: str
    who: str
    steps: Callable[[Page], object]
    width: int = 1280
    height: int = 900
    colours: Literal["light", "dark"] = "light"


def at(path: str) -> Callable[[Page], object]:
    return lambda page: page.goto(path)


def work(task: str, keys: str) -> Callable[[Page], None]:
    """Open the next sentence of a task, and answer its first question."""

    def steps(page: Page) -> None:
        page.locator(f"form[action='/tasks/{task}/work'] button").first.click()
        page.wait_for_url(re.compile("/[ap]/"))
        for key in keys:
            page.keyboard.press(key)
        page.locator(".save[data-state=saved]").first.wait_for(state="attached")

    return steps


def upload(*names: str) -> Callable[[Page], None]:
    def steps(page: Page) -> None:
        page.goto("/upload/")
        page.get_by_label("Choose files").set_input_files([SAMPLES / name for name in names])
        page.get_by_role("button", name="Create task").wait_for()

    return steps


def faulty_upload(page: Page) -> None:
    lines = (SAMPLES / "wide.tsv").read_text("utf-8").split("\n")
    lines[2] = lines[2].rpartition("\t")[0]
    page.goto("/upload/")
    file = {"name": "week-12.tsv", "mimeType": "text/plain", "buffer": "\n".join(lines).encode()}
    page.get_by_label("Choose files").set_input_files(file)  # type: ignore[arg-type]  # a FilePayload
    page.get_by_role("alert").wait_for()


def preview(page: Page) -> None:
    upload("wide.tsv")(page)
    page.get_by_role("heading", name="First sentences").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")


PICTURES = (
    Picture("home", "heron", at("/"), height=700),
    Picture("annotate", "heron", work("evening-news", "1")),
    Picture("annotate-phone", "lark", work("evening-news", "2"), 375, 812, "dark"),
    Picture("places", "heron", work("market-notes", "123")),
    Picture("upload-fault", "manager", faulty_upload),
    Picture("upload-preview", "manager", preview, height=620),
    Picture("monitor", "manager", at("/tasks/evening-news/"), height=700),
    Picture("plan", "manager", at("/plan")),
    Picture("agreement", "researcher", at("/tasks/evening-news/agreement")),
    Picture("agreement-dark", "researcher", at("/tasks/evening-news/agreement"), colours="dark"),
    Picture("disagreements", "researcher", at("/tasks/evening-news/disagreements")),
    Picture("systems", "researcher", at("/campaigns/demo/results"), height=700),
    Picture("compare", "researcher", at("/tasks/evening-news/metrics")),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every page, into this folder")
    parser.add_argument("--only", default="", help="with --all: a regular expression that addresses contain")
    parser.add_argument("names", nargs="*", help="only these pictures")
    options = parser.parse_args()
    if options.all:
        for world in WORLDS:  # a process each: a process knows one database
            command = [sys.executable, "-m", "scripts.every_page", str(options.all), world]
            subprocess.run([*command, "--only", options.only], cwd=ROOT, check=True)
        return
    with tempfile.TemporaryDirectory(prefix="appraise-pictures-") as home, open_site(Path(home)) as site:
        load_demo(site)
        with open_browser() as chromium:
            for picture in PICTURES:
                if not options.names or picture.name in options.names:
                    take(picture, chromium, site.url)


def take(picture: Picture, chromium: Browser, url: str) -> None:
    context = chromium.new_context(
        base_url=url,
        viewport={"width": picture.width, "height": picture.height},
        color_scheme=picture.colours,
        locale="en",
        reduced_motion="reduce",
    )
    page = context.new_page()
    sign_in(page, picture.who, "demo")
    page.get_by_role("heading", name="Your tasks").wait_for()
    picture.steps(page)
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    IMAGES.mkdir(exist_ok=True)
    page.screenshot(path=IMAGES / f"{picture.name}.png", animations="disabled", caret="hide")
    print(f"docs/images/{picture.name}.png", flush=True)
    context.close()


if __name__ == "__main__":
    main()
