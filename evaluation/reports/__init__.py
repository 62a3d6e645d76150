"""Everything that reads: rows → pure functions → dataclasses for templates, commands and the API."""
