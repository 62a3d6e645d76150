"""Dates that readers of every kind of English understand, as on all other pages."""

from __future__ import annotations

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j M Y, H:i"
