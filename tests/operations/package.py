"""``python -m tests.operations.package``: build the wheel and use it as a stranger would, in every Python.

A fresh environment outside the checkout, the locked dependencies, an empty directory, an empty home; then
``appraise run``, a demo log-in over HTTP, a page, a stylesheet, a command, and a polite end. First without
extras, then with the extra ``metrics``, which scores. Prints a line of JSON for each Python. Arguments name
interpreters that are neither on the path nor in pyenv.

How long the site may take to come up is counted in its own work, not on the clock: on a machine that has ten
times more to do than it can, two minutes of the clock are ten seconds of work.
"""

from __future__ import annotations

import http.cookiejar
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from appraise.lib.digests import find_version

ROOT = Path(__file__).resolve().parent.parent.parent
UV = Path(sys.executable).parent / "uv"
TEXTS = ROOT / "fixtures" / "samples" / "text"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ASK_VERSION = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
MOST_WORK = 120  # seconds of processor time until the first answer
MOST_WAITING = 1800  # seconds on the clock: nothing happens any more
PORTS = range(20_000, 32_000)  # below those that systems give to connections of their own


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="appraise-wheel-") as name:
        wheel = build(Path(name))
        print(json.dumps({"wheel": wheel.name, "kilobytes": wheel.stat().st_size // 1000}), flush=True)
        pythons = find_pythons(sys.argv[1:])
        for version, python in pythons.items():
            with tempfile.TemporaryDirectory(prefix=f"appraise-{version}-") as folder:
                print(json.dumps({"python": version} | check(Path(folder), python, wheel)), flush=True)
    absent = [version for version in VERSIONS if version not in pythons]
    print(json.dumps({"not installed here": absent}))
    return 0


def find_pythons(named: Sequence[str]) -> dict[str, str]:
    """Return an interpreter of each supported version that works here."""
    candidates = [*named, sys.executable]
    for version in VERSIONS:
        candidates += [
            *filter(None, [shutil.which(f"python{version}")]),
            *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python3")),
        ]
    pythons: dict[str, str] = {}
    for python in candidates:  # what pyenv puts on the path does not always start
        asked = subprocess.run([python, "-c", ASK_VERSION], capture_output=True, text=True, check=False)
        if asked.returncode == 0 and (version := asked.stdout.strip()) in VERSIONS:
            pythons.setdefault(version, python)
    return dict(sorted(pythons.items()))


def check(folder: Path, python: str, wheel: Path) -> dict[str, object]:
    appraise = install(folder, python, wheel)
    installed = measure_megabytes(folder / "venv")
    summary = {"megabytes": installed, **use(folder, appraise)}
    add_lock(folder, "run")
    score = (appraise, "score", "--metrics", "bleu,ter", "--ref", TEXTS / "reference.en.txt")
    scored = run_program([*score, "--hyp", TEXTS / "north.en.txt"], folder, make_environment(folder))
    if scored.returncode or not json.loads(scored.stdout)["bleu"]:
        sys.exit(f"the extra metrics does not score: {scored.stderr}")
    return summary | {"megabytes with metrics and compiled modules": measure_megabytes(folder / "venv")}


def measure_megabytes(folder: Path) -> int:
    """Space on the disk, as ``du`` counts it."""
    return sum(path.lstat().st_blocks for path in folder.rglob("*")) * 512 // 1_000_000


def build(folder: Path) -> Path:
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def install(folder: Path, python: str, wheel: Path) -> Path:
    """The program, in an environment that holds nothing but the lock and the wheel."""
    venv = folder / "venv"
    run(UV, "venv", "--quiet", "--python", python, venv)
    add_lock(folder, "base")
    run(UV, "pip", "install", "--quiet", "--python", venv / "bin" / "python", "--no-deps", wheel)
    return venv / "bin" / "appraise"


def add_lock(folder: Path, name: str) -> None:
    pip = (UV, "pip", "install", "--quiet", "--python", folder / "venv" / "bin" / "python")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements" / f"{name}.txt")


def make_environment(folder: Path) -> dict[str, str]:
    """Nothing that knows this checkout."""
    kept = {"PATH", "LANG", "LC_ALL"}
    return {name: os.environ[name] for name in kept if name in os.environ} | {"HOME": str(folder)}


def use(folder: Path, appraise: Path) -> dict[str, object]:
    empty = folder / "empty"
    empty.mkdir()
    environment = make_environment(folder)
    port = quiet_port()
    command = [str(appraise), "run", "--port", str(port)]
    site = subprocess.Popen(command, cwd=empty, env=environment, start_new_session=True)
    try:
        seconds = wait_for(port, site)
        work = worked(site.pid)
        pages = visit(f"http://127.0.0.1:{port}")
        site.send_signal(signal.SIGTERM)
        status = site.wait(MOST_WAITING)
    finally:
        if site.poll() is None:  # something failed: leave nothing behind
            site.terminate()
            site.wait(MOST_WAITING)
    listed = run_program([appraise, "score", "--list"], empty, environment)
    refused = run_program([appraise, "check_metric", "bleu"], empty, environment)
    foreign = folder / "foreign" / "metrics" / "__init__.py"
    foreign.parent.mkdir(parents=True)
    foreign.touch()
    beside = run_program([appraise, "help"], empty, environment | {"PYTHONPATH": str(foreign.parent.parent)})
    version = run_program([appraise, "--version"], empty, environment)
    checks = {
        "ended politely": status == 0,
        "its data lies in the home": (folder / ".local/share/appraise/appraise.sqlite3").is_file(),
        "nothing was left in the directory": not list(empty.iterdir()),
        "metrics are known": (listed.returncode, "bleu" in listed.stdout) == (0, True),
        "the extra is named": refused.returncode == 2 and "appraise-mt[metrics]" in refused.stderr,
        "its version is printed": version.stdout == f"Appraise {find_version()}\n",
        "a foreign package is named": beside.returncode == 1 and str(foreign) in beside.stderr,
        **pages,
    }
    if failed := [name for name, passed in checks.items() if not passed]:
        sys.exit(f"the package does not hold: {failed}")
    return {
        "seconds to the first answer": round(seconds, 1),
        "of work": round(work, 1),
        "checks": len(checks),
    }


def run_program(
    command: list[str | Path], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def quiet_port() -> int:
    """A port that nobody is given by chance in the minutes until the server takes it."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def wait_for(port: int, site: subprocess.Popen[bytes]) -> float:
    """Seconds on the clock until the first answer."""
    began = time.monotonic()
    while time.monotonic() - began < MOST_WAITING:
        if site.poll() is not None:
            sys.exit(f"appraise run ended with status {site.returncode}")
        if (work := worked(site.pid)) > MOST_WORK:
            sys.exit(f"appraise run did not answer after {work:.0f} seconds of work")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60):
                return time.monotonic() - began
        except OSError:
            time.sleep(0.2)
    sys.exit(f"appraise run did not answer within {MOST_WAITING} seconds, and did not work")


def worked(session: int) -> float:
    """Processor time of the processes of a session so far; 0 where the system does not say."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))  # its own, and that of children that have ended
    return ticks / os.sysconf("SC_CLK_TCK")


def visit(url: str) -> dict[str, bool]:
    """Sign in to the demo as an annotator would, without a browser."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = opener.open(f"{url}/sign-in").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    style = re.search(r'href="(/static/css/tokens[^"]*\.css)"', page)
    if token is None or style is None:
        sys.exit("the page for signing in has no form or no stylesheet")
    form = {"csrfmiddlewaretoken": token[1], "username": "heron", "password": "demo"}
    home = opener.open(f"{url}/sign-in", urlencode(form).encode()).read().decode()
    css = opener.open(url + style[1])
    return {
        "the demo is loaded": "/work" in home,
        "the stylesheet has a name for ever": bool(re.search(r"\.[0-9a-f]{12}\.css", style[1])),
        "the stylesheet is there": css.status == 200 and b"--" in css.read(),
    }


def run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
