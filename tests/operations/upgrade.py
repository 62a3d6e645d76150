"""``python -m tests.operations.upgrade VERSION``: a database of an earlier version, filled, brought to today.

Makes the schema that the version had from its own migrations, fills it through the models of that time,
migrates to the newest, and prints for every old table whether its old columns still say the same, and which
tables and columns are gone.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
django.setup()

from django.db import connection  # noqa: E402 — Django must be set up first
from django.db.migrations.executor import MigrationExecutor  # noqa: E402
from django.utils import timezone  # noqa: E402

# The last migration of each of our apps in each release; a release adds a line and never changes one.
RELEASED = {"0.1.0": {"evaluation": "0001_initial", "metrics": "0001_initial"}}
# Schemas that were in use between two releases.
EARLIER = RELEASED | {"with draws": {"evaluation": "0008_one_index_by_slot", "metrics": "0001_initial"}}

Rows = list[tuple[str, ...]]


def upgrade(version: str) -> dict[str, object]:
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    old = [(app, EARLIER[version].get(app, name)) for app, name in leaves]
    executor.migrate(old)
    fill(executor.loader.project_state(old).apps)
    before = {table: columns(table) for table in connection.introspection.table_names()}
    contents = {table: rows(table, names) for table, names in before.items()}

    executor = MigrationExecutor(connection)
    executor.migrate(leaves)
    after = {table: columns(table) for table in connection.introspection.table_names()}
    lost = {
        table: sorted(set(names) - set(after.get(table, [])))
        for table, names in before.items()
        if set(names) - set(after.get(table, []))
    }
    changed = []
    for table, names in before.items():
        kept = [n for n, name in enumerate(names) if name in after.get(table, [])]
        stored = sorted(tuple(row[n] for n in kept) for row in contents[table])
        if kept and table != "django_migrations" and rows(table, [names[n] for n in kept]) != stored:
            changed.append(table)
    filled = sum(1 for found in contents.values() if found)
    return {"tables": len(before), "filled": filled, "lost": lost, "changed": changed}


def columns(table: str) -> list[str]:
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_description(cursor, table)
    return sorted(column.name for column in found)


def rows(table: str, names: list[str]) -> Rows:
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(map(quote, names))} FROM {quote(table)}")
        return sorted(tuple(map(repr, row)) for row in cursor.fetchall())


def fill(apps: Any) -> None:  # Any: the registry of a past state has no types
    """A row in every table that a study needs, through the models as they were."""

    def make(model: str, /, **fields: object) -> Any:
        return apps.get_model(*model.split(".")).objects.create(**fields)

    user = make("evaluation.User", username="jürgen", password="!")
    campaign = make("evaluation.Campaign", slug="c", name="C")
    task = make("evaluation.Task", campaign=campaign, slug="t", name="T", scheme_name="six-way")
    make("evaluation.Membership", user=user, campaign=campaign, role="annotator")
    make("evaluation.Invitation", task=task, expires_at=timezone.now())
    item = make("evaluation.Item", task=task, position=1, key="s1", source="ß", references=["a", "b"])
    texts = [
        make("evaluation.Candidate", item=item, text=text, digest=text, offsets=[0, 1]) for text in ("x", "y")
    ]
    outputs = []
    for name, text in zip(("north", "south"), texts, strict=True):
        system = make("evaluation.System", task=task, name=name)
        outputs.append(make("evaluation.Output", system=system, item=item, candidate=text))
    comparison = make("evaluation.Comparison", item=item, first=texts[0], second=texts[1])
    if "draw" in apps.all_models["evaluation"]:
        apps.get_model("evaluation", "Task").objects.update(selection="order")
        make("evaluation.Draw", task=task, comparison=comparison, number=0, left=1, probability=1.0)
    alignment = make("evaluation.Alignment", comparison=comparison, version=1, links="0-0")
    pair = make(
        "evaluation.PhrasePair", task=task, item=item, first="x", second="y", kind="different", key="k",
        owner=comparison,
    )  # fmt: skip
    make("evaluation.Occurrence", pair=pair, alignment=alignment, index=0)
    voice = make("evaluation.Annotator", user=user)
    slot = make(
        "evaluation.Slot", task=task, comparison=comparison, k=1, position=1, state="done", annotator=voice
    )
    make(
        "evaluation.Assignment", annotator=voice, task=task, comparison=comparison, alignment=alignment,
        number=1, swapped=True,
    )  # fmt: skip
    for version, choice in enumerate(("A>>B", None, "N/A"), 1):
        make(
            "evaluation.Ranking", uuid=UUID(int=version), annotator=voice, pair=pair, version=version,
            choice=choice, slot=slot, alignment=alignment, active_ms=1200,
        )  # fmt: skip
    make("evaluation.Adjudication", pair=pair, choice="A=B", reason="both fine", made_by=user)
    make("evaluation.AuditEntry", user=user, action="opened", target="t", detail={"é": [1, None]})
    make("evaluation.ApiToken", user=user, name="laptop", digest="d")
    job = make("evaluation.Job", kind="score", title="bleu", task=task, owner=user, state="done")
    run = make(
        "metrics.MetricRun", task=task, metric="bleu", signature="s", higher_is_better=True, content="c",
        corpus={"north": 0.5}, job=job,
    )  # fmt: skip
    make("metrics.SegmentScore", run=run, output=outputs[0], value=None)
    make("metrics.PhraseVote", run=run, pair=pair, choice="A>B", delta=0.25)


if __name__ == "__main__":
    print(json.dumps(upgrade(sys.argv[1])))
