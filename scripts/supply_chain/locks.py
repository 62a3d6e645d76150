"""The locked packages: names, versions, hashes, and who requires them, as the lock files say."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent.parent
OURSELVES = "appraise-mt"
DEVELOPMENT = "dev"  # the extra that nobody installs to run a site
FIRST_LINE = re.compile(r"([\w.-]+)(?:\[[^]]*\])?==([^\s;]+)(?: ; (.*?))?(?: \\)?")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})\b")


class BadLock(Exception):
    """A lock file does not say what it must."""


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """``marker`` says where it is installed (empty: everywhere), ``hashes`` are SHA-256 of its files."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    required_by: frozenset[str]
    extras: tuple[str, ...] = ()  # empty: every site has it

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def read_lock(path: Path) -> list[LockedPackage]:
    """Read the packages of a lock; one name has several versions where markers tell them apart."""
    blocks = re.split(r"^(?=[^\s#])", path.read_text("utf-8"), flags=re.MULTILINE)
    return [_read_block(block) for block in blocks if block and not block.startswith("#")]


def _read_block(block: str) -> LockedPackage:
    lines = block.splitlines()
    first, hashes = FIRST_LINE.fullmatch(lines[0]), HASH.findall(block)
    if first is None or not hashes:
        raise BadLock(f"no version or no hash: {lines[0]}")
    comments = [line.strip().removeprefix("#").strip().removeprefix("via").strip() for line in lines[1:]]
    is_comment = [line.strip().startswith("#") for line in lines[1:]]
    parents = {
        text.split()[0]
        for text, holds in zip(comments, is_comment, strict=True)
        if holds and text and not text.startswith("-")
    }
    return LockedPackage(
        canonicalize_name(first[1]), first[2], first[3] or "", tuple(hashes), frozenset(parents)
    )


def list_shipped(root: Path = ROOT) -> list[LockedPackage]:
    """What a site may have in its process: the lock of a site, and in addition what each extra brings."""
    shipped = read_lock(root / "requirements" / "base.txt")
    everywhere = {package.name for package in shipped}
    beside = read_lock(root / "requirements" / "dev.txt")
    known = {package.name for package in beside}
    beside += [p for p in read_lock(root / "requirements" / "tools.txt") if p.name not in known]
    extras: dict[str, list[str]] = defaultdict(list)
    for extra, names in read_extras(root).items():
        for name in close(names, beside) - everywhere:
            extras[name].append(extra)
    shipped += [
        replace(package, extras=tuple(extras[package.name])) for package in beside if package.name in extras
    ]
    return sorted(shipped, key=lambda package: (bool(package.extras), package.name, package.version))


def list_for_development(root: Path = ROOT) -> list[LockedPackage]:
    """What only developers install."""
    shipped = {package.name for package in list_shipped(root)}
    return [p for p in read_lock(root / "requirements" / "dev.txt") if p.name not in shipped]


def read_extras(root: Path = ROOT) -> dict[str, set[str]]:
    """The names that each extra asks for, except the development's."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        extra: {canonicalize_name(Requirement(line).name) for line in lines}
        for extra, lines in project["optional-dependencies"].items()
        if extra != DEVELOPMENT
    }


def close(names: Iterable[str], packages: Iterable[LockedPackage]) -> set[str]:
    """The names and everything that they require, directly or not."""
    children: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        for parent in package.required_by:
            children[canonicalize_name(parent)].add(package.name)
        children[package.name] |= set()
    reached, ahead = set[str](), set(names)
    if missing := ahead - children.keys():
        raise BadLock(f"in no lock: {', '.join(sorted(missing))}")
    while ahead:
        reached |= ahead
        ahead = {child for name in ahead for child in children[name]} - reached
    return reached
