"""The erasure ledger: a file beside the database that remembers who must not come back.

One JSON line for each erased account: its number, a mark that only that account has, the voice that stays in
the study, and when. No name. It lives outside the database because a restored database forgets.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.conf import settings

from evaluation.models import Erasure

logger = logging.getLogger(__name__)


def path() -> Path:
    return Path(settings.HOME) / "erasures.jsonl"


def append(erasures: Iterable[Erasure]) -> None:
    """Add lines and wait until they are on disk: an erasure that is not recorded could be undone."""
    lines = "".join(json.dumps(_line(erasure)) + "\n" for erasure in erasures)
    if not lines:
        return
    file = path()
    handle = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+b") as stream:
        # A line cut off by a crash must not run into the next one.
        torn = stream.seek(0, os.SEEK_END) > 0 and os.pread(handle, 1, stream.tell() - 1) != b"\n"
        stream.write(("\n" if torn else "").encode() + lines.encode())
        stream.flush()
        os.fsync(handle)


def read() -> list[Erasure]:
    """What the file says, as unsaved rows. A line that cannot be read is passed over with a warning."""
    if not path().exists():
        return []
    found = []
    for number, line in enumerate(path().read_text("utf-8", errors="replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(_erasure(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            logger.warning("%s:%d: cannot be read; was the line cut off?", path().name, number)
    return found


def _line(erasure: Erasure) -> dict[str, object]:
    return {
        "person": erasure.person,
        "mark": erasure.mark,
        "annotator": erasure.annotator,
        "at": erasure.at.isoformat(),
    }


def _erasure(line: dict[str, object]) -> Erasure:
    annotator = line["annotator"]
    return Erasure(
        person=int(str(line["person"])),
        mark=str(line["mark"]),
        annotator=None if annotator is None else int(str(annotator)),
        at=datetime.fromisoformat(str(line["at"])),
    )
