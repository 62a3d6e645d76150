"""``manage.py plan``: how many sentences separate two systems, and what that costs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.rendering import as_text
from evaluation.forms_steering import PlanForm
from evaluation.reports.plan import as_document, pilot_of, pilot_values, plan_from, plan_tables
from evaluation.reports.scope import whole_scope


class Command(AppraiseCommand):
    help = "How many sentences, judgements, hours and how much money a desired power takes."
    examples = (
        "plan --format text",
        "plan --pilot evening-news --power 0.9",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pilot", metavar="SLUG", help="a task of this site to take values from")
        for name, field in PlanForm.base_fields.items():
            # Values are checked by the form, as on the page.
            choices = "|".join(str(value) for value, _ in getattr(field, "choices", ())) or None
            told = f"{field.label} (default: {field.initial})"
            parser.add_argument("--" + name.replace("_", "-"), metavar=choices, help=told)
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        said = {name: options[name] for name in PlanForm.base_fields if options[name] is not None}
        scope = whole_scope("task", options["pilot"]) if options["pilot"] else None
        form = PlanForm(said, pilot_values(scope) if scope else None)
        if not form.is_valid():
            self.refuse(
                "\n".join(
                    f"--{name.replace('_', '-')}: {' '.join(map(str, faults))}"
                    for name, faults in form.errors.items()
                )
            )
        plan = plan_from(form.cleaned_data)
        if options["format"] == "text":
            self.stdout.write("\n".join(map(as_text, plan_tables(plan).values())), ending="")
            return
        document = as_document(plan)
        if scope:
            found = pilot_of(scope)
            document["pilot"] = found._asdict() | {"estimates": found.estimates._asdict()}
        self.write_json(document)
