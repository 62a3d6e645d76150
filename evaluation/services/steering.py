"""What a worker does for running tasks between its jobs."""

from __future__ import annotations

from evaluation.services.standing import look_at_running_tasks


def steer() -> None:
    """Find out how running tasks stand."""
    look_at_running_tasks()
