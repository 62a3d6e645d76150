"""The bundle: a zip archive of a study with its tables, which can be verified without the database.

``manifest.json`` lists every file with its SHA-256 digest, the settings and seeds of the tasks, the version
of the code and a one-line signature. ``data/*.jsonl`` is the study, ``tables/*.csv`` and ``*.tex`` are the
tables of the reports. ``bundle_reader`` reads and verifies it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from appraise.lib.digests import bytes_digest, pieces_digest
from appraise.lib.tables import Table, to_csv, to_latex

FORMAT = "appraise-bundle"
VERSION = 2
README = Path(__file__).with_name("bundle_readme.txt").read_text("utf-8")


@dataclass(slots=True)
class BundleWriter:
    """Writes one member after another; only names and digests stay in memory."""

    archive: zipfile.ZipFile
    files: dict[str, dict[str, object]] = field(default_factory=dict)

    def write_rows(self, name: str, rows: Iterable[Mapping[str, object]]) -> int:
        """Write one JSON object per line; returns their number."""
        count = 0

        def encode() -> Iterator[str]:
            nonlocal count
            for row in rows:
                count += 1
                yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"

        self.write_text(name, encode())
        self.files[name]["rows"] = count
        return count

    def write_text(self, name: str, pieces: Iterable[str]) -> None:
        size = 0

        def write() -> Iterator[bytes]:
            nonlocal size
            for piece in pieces:
                data = piece.encode()
                size += len(data)
                member.write(data)
                yield data

        # A fixed date: the same study gives the same bytes.
        info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        with self.archive.open(info, "w") as member:
            digest = pieces_digest(write())
        self.files[name] = {"sha256": digest, "bytes": size}

    def write_tables(self, tables: Mapping[str, Table]) -> None:
        for name, table in tables.items():
            self.write_text(f"tables/{name}.csv", [to_csv(table)])
            self.write_text(f"tables/{name}.tex", [to_latex(table)])

    def finish(self, about: Mapping[str, object], summary: Iterable[tuple[str, object]]) -> str:
        """Write the manifest; returns the signature."""
        self.write_text("README.txt", [README])
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "summary": dict(summary),
            **about,
            "files": dict(sorted(self.files.items())),
        }
        signature = sign_manifest(manifest)
        text = json.dumps({"signature": signature, **manifest}, ensure_ascii=False, indent=1) + "\n"
        self.write_text("manifest.json", [text])
        return signature


def open_bundle(stream: IO[bytes]) -> BundleWriter:
    return BundleWriter(zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, allowZip64=True))


def sign_manifest(manifest: Mapping[str, Any]) -> str:
    """Return one line with the key figures and a digest of the manifest, which has the digests of all files.

    >>> sign_manifest({"summary": {"tasks": 1}, "files": {}})
    'appraise|tasks:1|sha256:b4e5ae9b42f3b6fd'
    """
    signed = {name: value for name, value in manifest.items() if name != "signature"}
    digest = bytes_digest(json.dumps(signed, sort_keys=True, ensure_ascii=True).encode())[:16]
    figures = (f"{name}:{value}" for name, value in manifest["summary"].items())
    return "|".join(["appraise", *figures, f"sha256:{digest}"])
