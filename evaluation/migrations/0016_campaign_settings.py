"""Settings, people and rounds of campaigns; crowd platforms."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from evaluation.migrations._deferred import RUN_DEFERRED


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0015_source_rankings"),
    ]

    operations = [
        migrations.CreateModel(
            name="AccessCard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="CrowdPlatform",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("worker_parameter", models.CharField(default="PROLIFIC_PID", max_length=40)),
                ("study_parameter", models.CharField(blank=True, default="STUDY_ID", max_length=40)),
                ("session_parameter", models.CharField(blank=True, default="SESSION_ID", max_length=40)),
                (
                    "least_checks",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Attention checks, in per cent, that must be passed; 0 fails nobody.",
                    ),
                ),
                ("passed_code", models.CharField(blank=True, default="", max_length=80)),
                ("passed_url", models.URLField(blank=True, default="")),
                ("failed_code", models.CharField(blank=True, default="", max_length=80)),
                ("failed_url", models.URLField(blank=True, default="")),
                ("screened_code", models.CharField(blank=True, default="", max_length=80)),
                ("screened_url", models.URLField(blank=True, default="")),
            ],
        ),
        migrations.CreateModel(
            name="CrowdWorker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("worker", models.CharField(max_length=100)),
                ("study", models.CharField(blank=True, max_length=100)),
                ("session", models.CharField(blank=True, max_length=100)),
                ("visits", models.PositiveIntegerField(default=1)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("passed", "passed"),
                            ("failed", "checks failed"),
                            ("screened", "screened out"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AddField(
            model_name="campaign",
            name="family",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Campaigns with the same family are rounds of one study; a copy has that of its model.",
                max_length=80,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="task_settings",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="What was last set for all tasks; new tasks begin with it.",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="campaign",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="evaluation.campaign",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="is_crowd",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="membership",
            name="languages",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Target languages of the tasks of a campaign that this person gets; empty for all.",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="closes_at",
            field=models.DateTimeField(
                blank=True, help_text="An open task is closed at this time.", null=True
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="most_per_person",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Maximum number of comparisons for each person; empty for all.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="opens_at",
            field=models.DateTimeField(blank=True, help_text="A draft is opened at this time.", null=True),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="task",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="evaluation.task",
            ),
        ),
        migrations.AlterField(
            model_name="membership",
            name="quota",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Maximum number of comparisons for this person, in the task or in all tasks of the campaign; empty for no limit.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("task__isnull", True), ("campaign__isnull", True), _connector="XOR"),
                name="invitation_to_task_or_campaign",
            ),
        ),
        migrations.AddField(
            model_name="accesscard",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="access_cards",
                to="evaluation.campaign",
            ),
        ),
        migrations.AddField(
            model_name="accesscard",
            name="user",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="access_card",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="crowdplatform",
            name="campaign",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="crowd_platform",
                to="evaluation.campaign",
            ),
        ),
        migrations.AddField(
            model_name="crowdworker",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="crowd_workers",
                to="evaluation.campaign",
            ),
        ),
        migrations.AddField(
            model_name="crowdworker",
            name="user",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="crowd_worker",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="crowdplatform",
            constraint=models.CheckConstraint(
                condition=models.Q(("least_checks__lte", 100)), name="crowd_checks_in_percent"
            ),
        ),
        migrations.AddConstraint(
            model_name="crowdworker",
            constraint=models.UniqueConstraint(
                fields=("campaign", "worker"), name="crowd_worker_once_per_campaign"
            ),
        ),
        RUN_DEFERRED,
    ]
