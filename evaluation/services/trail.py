"""The audit trail of a task; ``evaluation.reports.history`` shows it."""

from __future__ import annotations

from evaluation.models import AuditEntry, Task, User


def note(by: User, action: str, task: Task, detail: dict[str, object] | None = None) -> None:
    """Call it in the transaction of the change, so that both are stored or neither."""
    AuditEntry.objects.create(user=by, action=action, target=f"task {task.slug}", detail=detail or {})
