"""How many comparisons each person sees a second time, counted once for the tasks that are there."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def count(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    database = schema_editor.connection.alias
    for task in apps.get_model("evaluation", "Task").objects.using(database):
        again = task.slots.filter(presentation=1).order_by().values("comparison").distinct()
        task.repeated = again.count()
        task.save(update_fields=["repeated"])


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0005_draw_time"),
    ]

    operations = [
        migrations.AddField(
            model_name="task",
            name="repeated",
            field=models.PositiveIntegerField(
                default=0, help_text="Number of these comparisons that each annotator sees twice."
            ),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
