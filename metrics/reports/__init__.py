"""Everything of the metrics app that reads: rows, pure functions, dataclasses for pages and commands."""
