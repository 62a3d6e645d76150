"""The container, compose and service files, read by a lint where no engine runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from appraise.lib import environment
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
Instruction = tuple[str, str]


def instructions(text: str) -> list[Instruction]:
    """A Dockerfile's instructions with continued lines joined and comments gone."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [
        (word, rest.strip())
        for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)
    ]


DOCKERFILE = instructions((DEPLOY / "Dockerfile").read_text("utf-8"))
FINAL = DOCKERFILE[max(i for i, (word, _) in enumerate(DOCKERFILE) if word == "FROM") :]


def of(word: str, among: list[Instruction]) -> list[str]:
    return [rest for name, rest in among if name == word]


def test_images_are_named_with_a_version_and_without_an_address() -> None:
    for image in (rest.split()[0] for rest in of("FROM", DOCKERFILE)):
        assert re.fullmatch(r"[a-z]+:\d[\w.-]+", image), image
    for service in compose()["services"].values():
        assert re.fullmatch(r"[a-z]+(:\d[\w.-]+)?", service["image"]), service["image"]


def test_the_container_runs_without_rights_and_tells_its_health() -> None:
    words = [word for word, _ in FINAL]
    (user,) = of("USER", FINAL)
    assert user not in {"root", "0"}
    assert words.index("USER") < words.index("CMD")
    assert json.loads(of("HEALTHCHECK", FINAL)[0].partition("CMD ")[2]) == [
        "python",
        "-m",
        "appraise.operations.probe",
        "8000",
    ]
    assert of("STOPSIGNAL", FINAL) == ["SIGTERM"]
    # A shell in between would swallow the signal.
    assert json.loads(of("ENTRYPOINT", FINAL)[0]) == ["appraise"]
    assert json.loads(of("CMD", FINAL)[0])[0] == "start"


def test_the_image_is_built_from_locked_hashes_and_holds_no_secret() -> None:
    installs = " && ".join(of("RUN", DOCKERFILE)).split("&&")
    for command in (one for one in installs if "install" in one and " pip install" in one):
        assert "--require-hashes" in command or "--no-deps ." in command, command
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert not re.search(r"https?://|ADD |SECRET_KEY|PASSWORD|curl|sudo|:latest", text)


def test_whatever_is_copied_is_there_and_not_kept_out() -> None:
    ignore = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert ignore[1] == "*"
    for rest in of("COPY", DOCKERFILE[: -len(FINAL)]):
        for name in rest.split()[:-1]:
            assert (ROOT / name).exists(), name
            assert f"!{name}" in ignore, name


def compose() -> dict[str, Any]:
    document = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    assert isinstance(document, dict)
    return document


def test_compose_starts_three_services_in_order_and_publishes_one_port_to_this_machine_only() -> None:
    services = compose()["services"]
    assert set(services) == {"database", "web", "worker"}
    assert services["web"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert services["worker"]["depends_on"] == {"web": {"condition": "service_healthy"}}
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:8000:8000"]
    assert compose()["networks"]["inside"] == {"internal": True}
    assert services["database"]["networks"] == services["worker"]["networks"] == ["inside"]
    for name in ("web", "worker"):
        service = services[name]
        assert service["cap_drop"] == ["ALL"]
        assert service["read_only"] is True
        assert service["security_opt"] == ["no-new-privileges:true"]
        url = service["environment"]["DATABASE_URL"]
        found = environment.configure_database(Path(), {"DATABASE_URL": re.sub(r"\$\{.*?\}", "pw", url)})
        assert (found["HOST"], found["NAME"]) == ("database", "appraise")
    used = {volume.split(":")[0] for service in services.values() for volume in service["volumes"]}
    assert used == set(compose()["volumes"])


def test_the_example_environment_names_only_settings_that_exist() -> None:
    lines = (DEPLOY / "appraise.env.example").read_text("utf-8").splitlines()
    names = [line.partition("=")[0] for line in lines if line and not line.startswith("#")]
    source = "".join(path.read_text("utf-8") for path in (ROOT / "appraise").rglob("*.py"))
    assert [name for name in names if f'"{name}"' not in source] == []
    assert "SECRET_KEY=" in lines  # empty: generated, never invented by a reader


def test_services_run_without_rights() -> None:
    for unit in UNITS:
        text = unit.read_text("utf-8")
        if unit.suffix == ".service":
            for line in ("User=appraise", "NoNewPrivileges=yes", "ProtectSystem=strict", "UMask=0077"):
                assert line in text.splitlines(), (unit.name, line)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    """The program is not installed here, so another stands in its place."""
    for unit in UNITS:
        text = unit.read_text("utf-8").replace("/opt/appraise/bin/appraise", "/bin/true")
        (tmp_path / unit.name).write_text(text, "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
