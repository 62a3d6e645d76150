"""Questions come in the order of the task again; draws, their probabilities and the switch are gone."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

WAITING = 1_000_000_000  # slots of comparisons that waited to be drawn had positions from here on
BATCH = 500


def ask_in_order(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give waiting comparisons the positions after all others: in document order, or at random as they were.

    A second presentation comes much later than the first, as at import.
    """
    database = schema_editor.connection.alias
    all_slots = apps.get_model("evaluation", "Slot").objects.using(database)
    tasks = apps.get_model("evaluation", "Task").objects.using(database)
    for task in tasks.filter(slots__position__gte=WAITING).distinct():
        slots = all_slots.filter(task=task)
        placed = slots.filter(position__lt=WAITING, presentation=0).order_by("-position").first()
        start = placed.position + 1 if placed else 0
        gap = max(10, task.size // 4)
        order = "position" if task.order == "shuffled" else "comparison__item__position"
        rows = list(slots.filter(position__gte=WAITING).order_by(order, "position", "comparison"))
        places: dict[int, int] = {}
        for row in rows:
            place = places.setdefault(row.comparison_id, start + len(places))
            row.position = place + row.presentation * gap
        all_slots.bulk_update(rows, ["position"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0008_one_index_by_slot"),
    ]

    operations = [
        migrations.RunPython(ask_in_order, migrations.RunPython.noop),
        migrations.DeleteModel(name="Draw"),
        migrations.RemoveField(model_name="task", name="selection"),
    ]
