"""Members who were removed, and the version of a guest's return link."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0011_stopping_status"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="return_version",
            field=models.PositiveIntegerField(
                default=0,
                editable=False,
                help_text="Part of a guest's return link; a new version revokes older links.",
            ),
        ),
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removals",
                        to="evaluation.task",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "task"), name="removal_once_per_task")
                ],
            },
        ),
    ]
