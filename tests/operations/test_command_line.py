"""``manage.py`` started by whatever Python is at hand."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser, _SubParsersAction
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandError

from appraise.operations.probe import is_healthy
from appraise.operations.server import GRACE_SECONDS
from evaluation.management.base import CONNECT_TIMEOUT, AppraiseCommand, help_with_default
from tests.conftest import MakeDatabase
from tests.operations.conftest import clean_environment, run_python
from tests.site import free_port

ROOT = Path(__file__).resolve().parent.parent.parent


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    """In a checkout of its own, by a Python that knows no package."""
    shutil.copy(ROOT / "manage.py", folder)
    command = [sys.executable, "-S", "manage.py", "plan", "--help"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_folder_or_file_that_cannot_be_opened_is_one_line_and_not_a_traceback(tmp_path: Path) -> None:
    text = tmp_path / "news.txt"
    text.write_text("One sentence.\n")
    below = text / "below"  # a file has nothing below it
    for command in (["backup", str(below)], ["train", "lm", "--text", str(text), "--out", f"{below}.npz/x"]):
        run = run_python("manage.py", *command, home=tmp_path / "home")
        assert (run.returncode, run.stdout) == (2, "")
        last = run.stderr.splitlines()[-1]
        assert re.fullmatch(r".*below.*: cannot_open: .+; check the path and its permissions", last)
        assert "Traceback" not in run.stderr


READERS = {
    "align": ["{}"],
    "agreement": ["--judgements", "{}", "--labels", "x,y"],
    "score": ["--metrics=wer", "--hyp", "{}", "--ref", "{}"],
    "metaeval": ["--segments", "{}", "--outputs", "{}", "--pairs", "{}", "--metrics=wer"],
    "parse": ["--tags", "{}"],
    "import_task": ["{}", "--name=News"],
    "verify_bundle": ["{}"],
}
MISSING, FOLDER, DAMAGED = (
    "No such file or directory; check the path and its permissions",
    "Is a directory; check the path and its permissions",
    "; compress it again",
)


@pytest.mark.parametrize("command", READERS)
def test_every_command_says_the_same_of_a_file_that_cannot_be_read(command: str, tmp_path: Path) -> None:
    damaged = tmp_path / "cut.gz"
    damaged.write_bytes(gzip.compress(b"a line of text\n" * 50)[:15])
    said = {tmp_path / "none.txt": MISSING, tmp_path: FOLDER, damaged: DAMAGED}
    if command == "import_task":
        del said[tmp_path]  # it says more: what it reads must be a file
    if command == "verify_bundle":
        del said[damaged]  # it unpacks archives of another kind
    for path, words in said.items():
        with pytest.raises(CommandError, match=rf"^\S*{re.escape(path.name)}: \w+: ") as caught:
            call_command(command, *(part.format(path) for part in READERS[command]))
        assert str(caught.value).splitlines()[0].endswith(words)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_without_tables_is_one_line_that_says_how_to_make_them(
    kind: str, new_postgres: MakeDatabase, tmp_path: Path
) -> None:
    url = new_postgres("") if kind == "postgresql" else ""
    run = run_python("manage.py", "report", "stopping", "--task", "none", home=tmp_path, DATABASE_URL=url)
    assert (run.returncode, run.stdout) == (1, "")
    line = (
        r"unprepared_database: the database \S+ lacks tables of this Appraise; make them with "
        r"`manage\.py migrate` \(`manage\.py start` does so, too\), or check APPRAISE_HOME\n"
    )
    assert re.fullmatch(line, run.stderr)


def test_a_server_that_is_away_is_told_in_one_line(tmp_path: Path) -> None:
    away = "postgresql://someone:secret@localhost:1/study"
    run = run_python("manage.py", "agreement", "--task", "none", home=tmp_path, DATABASE_URL=away)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert run.stderr.startswith("unreachable_database: the database study at localhost:1 cannot be opened (")
    assert "secret" not in run.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["agreement", "--task", "none"],
        ["migrate"],
        ["createsuperuser", "--noinput", "--username=me", "--email=me@example.org"],
    ],
)
def test_a_server_that_never_answers_is_not_waited_for(command: list[str], tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # connections are taken, and then nobody speaks
        port = silent.getsockname()[1]
        url = f"postgresql://someone@127.0.0.1:{port}/study"
        run = run_python("manage.py", *command, home=tmp_path, DATABASE_URL=url)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert f"unreachable_database: the database study at 127.0.0.1:{port} cannot be opened" in run.stderr
    assert "timeout expired" in run.stderr  # the pool would say that it waited for 20 seconds
    assert CONNECT_TIMEOUT < 5


@pytest.mark.parametrize("command", [["start"], ["worker", "--batch"]])
def test_a_service_says_at_once_for_what_it_waits(command: list[str], tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        command += ["--port", str(port + 1)] if command == ["start"] else []
        environment = clean_environment(tmp_path) | {
            "DATABASE_URL": f"postgresql://me@127.0.0.1:{port}/study"
        }
        with subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        ) as run:
            assert run.stderr
            said = [run.stderr.readline(), run.stderr.readline()]
            run.kill()
    assert said[0].startswith(
        f"unreachable_database: the database study at 127.0.0.1:{port} cannot be opened"
    )
    assert "timeout expired" in said[0]  # the pool would have waited for 20 seconds
    assert said[1] == "Waiting for it …\n"


def test_a_first_account_needs_tables_and_the_command_says_so(tmp_path: Path) -> None:
    command = ["createsuperuser", "--noinput", "--username=me", "--email=me@example.org"]
    run = run_python("manage.py", *command, home=tmp_path)
    assert (run.returncode, "Traceback" in run.stderr) == (1, False)
    assert "unprepared_database: the database " in run.stderr


def test_a_taken_port_is_told_with_what_to_type_in_a_checkout_and_from_the_package(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = run_python("manage.py", "start", "--port", str(port), home=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith(f"choose another with --port {port + 1} (make run PORT={port + 1})\n")


def test_services_wait_for_a_database_that_restarts() -> None:
    services = {name for name, app in get_commands().items() if is_service(load_command_class(app, name))}
    assert services == {"start", "worker"}


def is_service(command: BaseCommand) -> bool:
    return isinstance(command, AppraiseCommand) and command.is_service


OURS = sorted(
    name for name, app in get_commands().items() if app in ("appraise.operations", "evaluation", "metrics")
)


def loaded(name: str) -> AppraiseCommand:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, AppraiseCommand)
    return command


@pytest.mark.parametrize("name", OURS)
def test_help_explains_every_option_and_its_examples_are_accepted(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = loaded(name)
    parser = command.create_parser("manage.py", name)
    parsers: list[ArgumentParser] = [parser]
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            parsers += action.choices.values()
        else:
            assert help_with_default(action), action.option_strings or action.dest
    for kind in parsers[1:]:
        assert all(help_with_default(action) for action in kind._actions)
    assert command.examples
    for example in command.examples:
        command_name, *rest = shlex.split(example.partition(" < ")[0])
        assert command_name == name
        if "--help" not in rest:
            parser.parse_args(rest)
    parser.print_help()
    assert f"  manage.py {command.examples[0]}\n" in capsys.readouterr().out


FENCED = re.compile(r"^```(\w*)\n(.+?)^```$", re.MULTILINE | re.DOTALL)


def read_command_lines() -> list[str]:
    """Our command lines as README and documentation print them, in blocks of their own."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = [page.read_text("utf-8") for page in pages]
    blocks = [block for text in texts for kind, block in re.findall(FENCED, text) if kind == ""]
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.partition("manage.py ")[2] for line in lines if ".venv/bin/python manage.py " in line]


def test_every_command_line_of_the_documentation_is_accepted() -> None:
    commands = {name: loaded(name) for name in OURS}
    assert len(read_command_lines()) > 40
    for line in read_command_lines():
        name, *rest = shlex.split(line.partition(" < ")[0], comments=True)
        if name in commands and "…" not in line:
            commands[name].create_parser("manage.py", name).parse_args(rest)
        else:
            assert name in get_commands(), line


def test_a_python_without_django_hands_over_to_the_environment_of_the_checkout(tmp_path: Path) -> None:
    ours = tmp_path / ".venv" / "bin" / "python"
    ours.parent.mkdir(parents=True)
    ours.write_text('#!/bin/sh\necho "$@"\n')
    ours.chmod(0o755)
    assert start(tmp_path).stdout == "manage.py plan --help\n"


def test_without_an_environment_it_says_how_to_make_one(tmp_path: Path) -> None:
    found = start(tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "Appraise has no environment here yet; make one with: make setup\n"


def test_a_reader_that_has_seen_enough_ends_a_command_without_a_word(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"a": "the red house", "b": "the blue house", "links": ""}\n' * 2000)
    script = f'"{sys.executable}" manage.py align "{pairs}" | head -n 1; exit ${{PIPESTATUS[0]}}'
    environment = clean_environment(tmp_path / "home")
    run = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr, len(run.stdout.splitlines())) == (128 + signal.SIGPIPE, "", 1)


def test_ctrl_c_ends_the_site_and_nothing_is_said_but_that(home: Path) -> None:
    """Like a terminal, which sends it to the whole process group; here while the site is still loading."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "manage.py", "start", "--port", str(port), "--processes", "2"],
        cwd=ROOT, env=clean_environment(home), start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    ) as site:  # fmt: skip
        assert site.stdout
        assert site.stderr
        greeting = f"Appraise is running at http://127.0.0.1:{port}/   (Ctrl+C stops it)\n"
        assert greeting in iter(site.stdout.readline, "")
        os.killpg(site.pid, signal.SIGINT)
        begun = time.monotonic()
        assert (site.wait(60), site.stdout.read(), site.stderr.read()) == (0, "", "Stopping …\n")
        assert time.monotonic() - begun < GRACE_SECONDS, "no process was waited for in vain"
    assert not is_healthy(port)


def test_ctrl_c_ends_a_command_without_a_word(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "manage.py", "align"], cwd=ROOT, env=clean_environment(tmp_path),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    ) as run:  # fmt: skip
        assert run.stdin
        assert run.stdout
        assert run.stderr
        run.stdin.write(b'{"a": "the red house", "b": "the blue house"}\n' * 5000)
        run.stdin.flush()  # more than a pipe holds: somebody reads
        time.sleep(
            1
        )  # until it waits for more: Python hears a signal in the midst of reading only afterwards
        run.send_signal(signal.SIGINT)
        assert (run.wait(60), run.stdout.read(), run.stderr.read()) == (128 + signal.SIGINT, b"", b"")


@pytest.mark.parametrize("how", ["standard input", "a pipe"])
@pytest.mark.parametrize("packed", [False, True])
def test_files_may_come_through_pipes_plain_or_packed(how: str, packed: bool, tmp_path: Path) -> None:
    """A pipe gives its bytes once: the first eight thousand were lost, without a word in plain text."""
    rows = "".join(f"{name}\t{item}\tA>B\n" for item in range(3000) for name in ("ann", "bob"))
    data = f"annotator\titem\tlabel\n{rows}".encode()
    command = ["manage.py", "agreement", "--scheme", "four-way", "--resamples", "0", "--judgements"]
    file = "-" if how == "standard input" else "/dev/stdin"
    run = subprocess.run(
        [sys.executable, *command, file],
        cwd=ROOT,
        env=clean_environment(tmp_path),
        input=gzip.compress(data) if packed else data,
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert json.loads(run.stdout)["judgements"] == 6000
