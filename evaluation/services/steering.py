"""What a worker does for running tasks between its jobs."""

from __future__ import annotations

from evaluation.services.selecting import draw_for_running_tasks
from evaluation.services.standing import look_at_running_tasks


def steer() -> None:
    """Draw the next questions where selection is on, and update the standing of running tasks."""
    draw_for_running_tasks()
    look_at_running_tasks()
