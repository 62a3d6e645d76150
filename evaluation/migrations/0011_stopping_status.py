"""Rename ``Standing`` to ``StoppingStatus`` and reword help texts.

Tables and columns keep their names, so no SQL is executed.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0010_schemes_in_the_registry"),
    ]

    operations = [
        # With an explicit table name first, renaming the model renames no table.
        migrations.AlterModelTable(name="standing", table="evaluation_standing"),
        migrations.RenameModel(old_name="Standing", new_name="StoppingStatus"),
        migrations.AlterField(
            model_name="stoppingstatus",
            name="found",
            field=models.JSONField(db_column="found", default=dict),
        ),
        migrations.RenameField(model_name="stoppingstatus", old_name="found", new_name="result"),
        migrations.AlterField(
            model_name="stoppingstatus",
            name="task",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="stopping_status",
                to="evaluation.task",
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="swapped",
            field=models.BooleanField(
                help_text="Whether the second candidate is shown as A; fixed when the slot is claimed."
            ),
        ),
        migrations.AlterField(
            model_name="erasure",
            name="annotator",
            field=models.BigIntegerField(help_text="The annotator whose rankings are kept.", null=True),
        ),
        migrations.AlterField(
            model_name="erasure",
            name="person",
            field=models.BigIntegerField(help_text="The id of the deleted account."),
        ),
        migrations.AlterField(
            model_name="ranking",
            name="slot",
            field=models.ForeignKey(
                blank=True,
                help_text="Empty for a surplus answer, which arrived after the slot was given to another annotator.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rankings",
                to="evaluation.slot",
            ),
        ),
        migrations.AlterField(
            model_name="slot",
            name="position",
            field=models.PositiveIntegerField(help_text="The order in which slots are claimed."),
        ),
    ]
