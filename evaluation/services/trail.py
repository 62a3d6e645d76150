"""The trail that every change of a task leaves; ``evaluation.reports.history`` shows it."""

from __future__ import annotations

from evaluation.models import AuditEntry, Task, User


def note(by: User, action: str, task: Task, detail: dict[str, object] | None = None) -> None:
    """Within the caller's transaction: a change and its trace are both there, or neither."""
    AuditEntry.objects.create(user=by, action=action, target=f"task {task.slug}", detail=detail or {})
