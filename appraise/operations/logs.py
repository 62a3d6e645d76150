"""Logs without personal data: ``LOG_FORMAT=json`` writes one JSON object per line.

A log must not contain names, addresses, tokens or anything a person typed. An object therefore has the route
pattern instead of the path, the type and the traceback of an exception instead of its message (a database
quotes the refused value there), and of messages of libraries only the template or the line that logged it.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

# Our own messages name jobs, tasks and files; they must not contain personal data.
OURS = ("appraise", "evaluation", "metrics")
MOST_FRAMES = 12


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(describe(record), ensure_ascii=False, default=str)


def describe(record: logging.LogRecord) -> dict[str, Any]:
    """The parts of a log record that may be logged.

    >>> record = logging.makeLogRecord({"name": "django.request", "msg": "Not Found: %s", "args": ("/i/x",)})
    >>> describe(record)["message"]
    'Not Found: %s'
    """
    fields: dict[str, Any] = {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": _message(record),
        **getattr(record, "fields", {}),
    }
    if status := getattr(record, "status_code", None):
        fields["status"] = status
    request = getattr(record, "request", None)
    if request is not None:
        match = getattr(request, "resolver_match", None)
        fields |= {"method": request.method, "route": match.route if match else "(none)"}
    if record.exc_info and record.exc_info[1] is not None:
        fields["exception"] = type(record.exc_info[1]).__qualname__
        fields["raised_at"] = _frames(record.exc_info[2])
    return fields


def _message(record: logging.LogRecord) -> str:
    """From libraries only the template, because a formatted message may contain anything."""
    if record.name.split(".")[0] in OURS:
        return record.getMessage()
    return str(record.msg) if record.args else f"(withheld) {record.module}:{record.lineno}"


def _frames(trace: TracebackType | None) -> list[str]:
    """File, line and function of the innermost calls; never the values."""
    frames = traceback.extract_tb(trace)[-MOST_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
