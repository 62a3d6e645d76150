"""``manage.py plan``: how many sentences separate two systems, and what that costs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from appraise.lib.tables import to_text
from evaluation.management.base import AppraiseCommand
from evaluation.reports.plan import (
    PlanForm,
    estimate_values,
    get_pilot,
    plan_document,
    plan_from,
    plan_tables,
)
from evaluation.reports.scope import load_scope


class Command(AppraiseCommand):
    help = "Compute the sentences, judgements, hours and cost needed for a desired power."
    examples = (
        "plan --format text",
        "plan --pilot evening-news --power 0.9",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pilot", metavar="SLUG", help="a task of this site to estimate the values from")
        for name, field in PlanForm.base_fields.items():
            # Values are checked by the form, as on the page.
            choices = "|".join(str(value) for value, _ in getattr(field, "choices", ())) or None
            text = f"{field.label} (default: {field.initial})"
            parser.add_argument("--" + name.replace("_", "-"), metavar=choices, help=text)
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        values = {name: options[name] for name in PlanForm.base_fields if options[name] is not None}
        scope = load_scope("task", options["pilot"]) if options["pilot"] else None
        form = PlanForm(values, estimate_values(scope) if scope else None)
        if not form.is_valid():
            errors = ((name.replace("_", "-"), map(str, texts)) for name, texts in form.errors.items())
            self.refuse("\n".join(f"--{name}: {' '.join(texts)}" for name, texts in errors))
        plan = plan_from(form.cleaned_data)
        if options["format"] == "text":
            self.stdout.write("\n".join(map(to_text, plan_tables(plan).values())), ending="")
            return
        document = plan_document(plan)
        if scope:
            pilot = get_pilot(scope)
            document["pilot"] = pilot._asdict() | {"estimates": pilot.estimates._asdict()}
        self.write_json(document)
