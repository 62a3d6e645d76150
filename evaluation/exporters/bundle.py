"""The bundle: a zip that carries a study, what was computed from it, and the means to check both.

``manifest.json`` names every file with its SHA-256, the settings and seeds of the tasks, the version of
the code and a one-line signature. ``data/*.jsonl`` is the study, ``tables/*.csv`` and ``*.tex`` what the
reports said.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from evaluation.agreement.rendering import Table, as_csv, as_latex

FORMAT = "appraise-bundle"
VERSION = 1
README = """This archive was written by Appraise.

manifest.json   what is in here, with SHA-256 sums, settings, seeds, code version and signature
data/*.jsonl    the study: items, comparisons with every alignment version, phrase pairs, rankings (every
                version), assignments (what was shown to whom, in which order, on which side),
                answers about sentences, adjudications; where questions were selected, the draw,
                probability and weight of every comparison (questions)
tables/*.csv    every table of the reports; tables/*.tex the same for LaTeX

Recompute every table from the data and compare:   manage.py verify_bundle FILE
Annotators are pseudonyms, which remain personal data.
"""


@dataclass(slots=True)
class BundleWriter:
    """Writes one member after another; nothing is held in memory but its name and sum."""

    archive: zipfile.ZipFile
    files: dict[str, dict[str, object]] = field(default_factory=dict)

    def lines(self, name: str, rows: Iterable[Mapping[str, object]]) -> int:
        """One JSON object in each line; returns how many."""
        count = 0

        def encoded() -> Iterator[str]:
            nonlocal count
            for row in rows:
                count += 1
                yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"

        self.text(name, encoded())
        self.files[name]["rows"] = count
        return count

    def text(self, name: str, pieces: Iterable[str]) -> None:
        total, size = hashlib.sha256(), 0
        # A fixed date: the same study gives the same bytes.
        info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        with self.archive.open(info, "w") as member:
            for piece in pieces:
                data = piece.encode()
                total.update(data)
                size += len(data)
                member.write(data)
        self.files[name] = {"sha256": total.hexdigest(), "bytes": size}

    def tables(self, tables: Mapping[str, Table]) -> None:
        for name, table in tables.items():
            self.text(f"tables/{name}.csv", [as_csv(table)])
            self.text(f"tables/{name}.tex", [as_latex(table)])

    def finish(self, about: Mapping[str, object], parts: Iterable[tuple[str, object]]) -> str:
        """Write the manifest; returns the signature."""
        self.text("README.txt", [README])
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "summary": dict(parts),
            **about,
            "files": dict(sorted(self.files.items())),
        }
        line = signature(manifest)
        text = json.dumps({"signature": line, **manifest}, ensure_ascii=False, indent=1) + "\n"
        self.text("manifest.json", [text])
        return line


def writer(stream: IO[bytes]) -> BundleWriter:
    return BundleWriter(zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, allowZip64=True))


def signature(manifest: Mapping[str, Any]) -> str:
    """A campaign in one line: its key figures, and a digest of the manifest, which holds those of all files.

    >>> signature({"summary": {"tasks": 1}, "files": {}})
    'appraise|tasks:1|sha256:b4e5ae9b42f3b6fd'
    """
    said = {name: value for name, value in manifest.items() if name != "signature"}
    total = hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:16]
    parts = (f"{name}:{value}" for name, value in manifest["summary"].items())
    return "|".join(["appraise", *parts, f"sha256:{total}"])
