"""``make upkeep INDEX=…``: which locked packages look unmaintained, as a package index says.

It asks for the last release, for wheels of the newest Python, and whether a locked version was withdrawn. The
index must answer in JSON with the times of uploads (PEP 691 and 700). It lists and does not judge: a package
without a release for two years may be finished.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from packaging.specifiers import SpecifierSet
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from scripts.supply_chain.locks import LockedPackage, list_for_development, list_shipped

JSON = "application/vnd.pypi.simple.v1+json"
LONG_AGO = timedelta(days=2 * 365)
SECONDS = 30  # to wait for an answer


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A wheel or an archive of sources, with the minor versions of CPython 3 that it is compiled for."""

    version: Version
    uploaded: datetime
    is_yanked: bool
    requires: SpecifierSet
    pythons: frozenset[int]  # empty: any
    is_minimum: bool  # compiled for the stable interface, so newer ones do as well

    def runs_on(self, minor: int) -> bool:
        if not self.requires.contains(f"3.{minor}"):
            return False
        return not self.pythons or minor in self.pythons or (self.is_minimum and min(self.pythons) <= minor)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make upkeep", description="List packages that look unmaintained.")
    parser.add_argument("index", help="the address of the simple index that you install from")
    index = parser.parse_args(arguments).index
    if urlsplit(index).scheme not in {"http", "https"}:
        parser.error(f"not an address of an index: {index!r}; try: make upkeep INDEX=https://…/simple")
    packages = [*list_shipped(), *list_for_development()]
    names = sorted({package.name for package in packages})
    try:
        with ThreadPoolExecutor(8) as pool:
            files = dict(zip(names, pool.map(lambda name: fetch_files(index, name), names), strict=True))
    except (OSError, ValueError) as error:
        sys.exit(f"the index does not answer as PEP 691 and 700 say: {error}")
    print("\n".join(format_list(packages, files, datetime.now(UTC))))
    return 0


def fetch_files(index: str, name: str) -> list[ReleasedFile]:
    request = urllib.request.Request(f"{index.rstrip('/')}/{name}/", headers={"Accept": JSON})
    with urllib.request.urlopen(request, timeout=SECONDS) as response:
        return read_files(json.load(response))


def read_files(project: dict[str, Any]) -> list[ReleasedFile]:  # Any: JSON
    """The files of final releases; ``ValueError`` if the index does not say when they were uploaded."""
    found = []
    for file in project["files"]:
        if "upload-time" not in file:
            raise ValueError(f"no upload time of {file['filename']}")
        try:
            version, pythons, is_minimum = read_name(file["filename"])
        except (InvalidWheelFilename, InvalidSdistFilename):
            continue  # eggs and installers of long ago
        if not version.is_prerelease:
            uploaded = datetime.fromisoformat(file["upload-time"])
            requires = SpecifierSet(file.get("requires-python") or "")
            is_yanked = bool(file.get("yanked"))
            found.append(ReleasedFile(version, uploaded, is_yanked, requires, pythons, is_minimum))
    return found


def read_name(filename: str) -> tuple[Version, frozenset[int], bool]:
    """Version, minor versions of CPython 3 (none: any), and whether these are the oldest that will do.

    >>> read_name("numpy-2.5.4-cp314-cp314-win_amd64.whl")[1:]
    (frozenset({14}), False)
    >>> read_name("psutil-7.2.2-cp36-abi3-win_amd64.whl")[1:]
    (frozenset({6}), True)
    >>> read_name("django-5.2.19-py3-none-any.whl")[1:]
    (frozenset(), False)
    """
    if not filename.endswith(".whl"):
        return parse_sdist_filename(filename)[1], frozenset(), False
    _name, version, _build, tags = parse_wheel_filename(filename)
    compiled = (re.fullmatch(r"cp3(\d+)", tag.interpreter) for tag in tags)
    pythons = frozenset(int(match[1]) for match in compiled if match)
    return version, pythons, any(tag.abi == "abi3" for tag in tags)


def format_list(
    packages: Sequence[LockedPackage], files: dict[str, list[ReleasedFile]], now: datetime
) -> list[str]:
    """One line for each package; what looks unmaintained comes first, with the reasons."""
    newest_python = max(
        (minor for many in files.values() for file in many for minor in file.pythons), default=0
    )
    listed = []
    for package in packages:
        released = [file for file in files[package.name] if not file.is_yanked]
        newest = max((file.version for file in released), default=None)
        last = max((file.uploaded for file in released), default=None)
        reasons = list_reasons(package, files[package.name], newest_python, now)
        line = f"{package.name:28} {package.version:14} newest {newest} of {last.date() if last else 'never'}"
        listed.append((not reasons, f"{line}  {'; '.join(reasons)}".rstrip()))
    return [line for _fine, line in sorted(listed)]


def list_reasons(
    package: LockedPackage, files: Sequence[ReleasedFile], newest_python: int, now: datetime
) -> list[str]:
    """Why a package looks unmaintained; empty if it does not."""
    released = [file for file in files if not file.is_yanked]
    reasons = []
    if not released or max(file.uploaded for file in released) < now - LONG_AGO:
        reasons.append("no release for two years")
    locked = [file for file in files if file.version == Version(package.version)]
    if not locked or all(file.is_yanked for file in locked):
        reasons.append("the locked version was withdrawn")
    newest = max((file.version for file in released), default=None)
    latest = [file for file in released if file.version == newest]
    # Where some wheels are compiled, one for the newest Python should be as well, not only sources.
    wheels = [file for file in latest if file.pythons] or latest
    if latest and newest_python and not any(file.runs_on(newest_python) for file in wheels):
        reasons.append(f"nothing for Python 3.{newest_python}")
    return reasons


if __name__ == "__main__":
    sys.exit(main())
