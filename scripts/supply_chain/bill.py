"""What a package of Appraise is delivered with: a CycloneDX bill of materials and a licence report.

``python -m scripts.supply_chain.bill FOLDER`` writes both, from the locks and the metadata of the installed
packages; ``make package`` does so. Packages of extras are optional components.
"""

from __future__ import annotations

import json
import os
import sys
import time
import tomllib
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.supply_chain.licences import Licensed, check_licence, describe_use, list_problems
from scripts.supply_chain.locks import OURSELVES, ROOT, LockedPackage, list_shipped

SPECIFICATION = "1.6"  # of CycloneDX
Document = dict[str, Any]  # Any: JSON


def main(arguments: Sequence[str]) -> int:
    (folder,) = (Path(argument) for argument in arguments)
    shipped = [check_licence(package, delivered=True) for package in list_shipped()]
    if problems := list_problems(shipped):
        sys.exit("\n".join(problems))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    folder.mkdir(parents=True, exist_ok=True)
    bill = make_bill(project, shipped, int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    stem = folder / f"{OURSELVES}-{project['version']}"
    for path, text in (
        (Path(f"{stem}.cdx.json"), json.dumps(bill, indent=1, ensure_ascii=False) + "\n"),
        (Path(f"{stem}-licences.md"), format_report(project, shipped)),
    ):
        path.write_text(text, "utf-8")
        print(path)
    return 0


def make_bill(project: Document, packages: Sequence[Licensed], seconds: int) -> Document:
    """The bill of materials; two bills of the same locks and time (of 1970) are equal, byte by byte."""
    ourselves = {
        "type": "application",
        "bom-ref": f"pkg:pypi/{OURSELVES}@{project['version']}",
        "name": OURSELVES,
        "version": project["version"],
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
        "purl": f"pkg:pypi/{OURSELVES}@{project['version']}",
    }
    components = [make_component(entry) for entry in packages]
    depends = list_dependencies(ourselves["bom-ref"], [entry.package for entry in packages])
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([ourselves, components, depends, seconds]))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
            "component": ourselves,
        },
        "components": components,
        "dependencies": depends,
    }


def make_component(entry: Licensed) -> Document:
    package = entry.package
    properties = [{"name": "appraise:extra", "value": extra} for extra in package.extras]
    if package.marker:
        properties.append({"name": "appraise:marker", "value": package.marker})
    component = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": "optional" if package.extras else "required",
        "licenses": [{"expression": entry.licence}],
        "purl": package.purl,
        # A version has one file for each platform; pip installs any that has one of these hashes.
        "externalReferences": [
            {
                "type": "distribution",
                "url": package.purl,
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in package.hashes],
            }
        ],
    }
    return component | ({"properties": properties} if properties else {})


def list_dependencies(ourselves: str, packages: Sequence[LockedPackage]) -> list[Document]:
    """Who requires whom; where a name has several versions, its parents require each of them."""
    requires: dict[str, list[str]] = {ourselves: [], **{package.purl: [] for package in packages}}
    references: dict[str, list[str]] = {OURSELVES: [ourselves]}
    for package in packages:
        references.setdefault(package.name, []).append(package.purl)
    for package in packages:
        parents = {ref for name in package.required_by for ref in references.get(name, ())}
        for parent in parents or {ourselves}:  # of no lock's package: an extra asks for it
            requires[parent].append(package.purl)
    return [{"ref": reference, "dependsOn": sorted(needs)} for reference, needs in requires.items()]


def format_report(project: Document, packages: Sequence[Licensed]) -> str:
    """The licences as a Markdown table."""
    rows = [
        f"| {package.name} | {package.version} | {describe_use(package)} | {entry.licence} |"
        for entry in packages
        for package in (entry.package,)
    ]
    title = f"# Licences of the packages that Appraise {project['version']} uses"
    own = f"Appraise itself: {project['license']}. {len(rows)} packages:"
    return "\n".join(
        [title, "", own, "", "| package | version | used by | licence |", "|---|---|---|---|", *rows, ""]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
