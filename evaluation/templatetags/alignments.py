"""The flagged alignments of a task, for a page about something else."""

from __future__ import annotations

from typing import Any

from django import template

from evaluation.models import Task
from evaluation.reports.alignments import flags
from evaluation.templatetags.appraise import lang_and_dir

register = template.Library()

SHOWN = 5


@register.inclusion_tag("evaluation/alignment_section.html", takes_context=True)
def flagged_alignments(context: dict[str, Any], task: Task) -> dict[str, Any]:
    """The first few, for a page of somebody who may correct them."""
    found = flags(task)
    return {
        "task": task,
        "flags": found[:SHOWN],
        "more": max(0, len(found) - SHOWN),
        "attributes": lang_and_dir(task.target_language),
        "csrf_token": context.get("csrf_token"),
    }
