"""Reasons of choices, the unsure mark, time that no ranking carries, and two options of a task."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0013_question_groups"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="is_unsure",
            field=models.BooleanField(default=False, help_text="Marked by the annotator, for the manager."),
        ),
        migrations.AddField(
            model_name="assignment",
            name="page_ms",
            field=models.PositiveIntegerField(
                default=0, help_text="The part that was sent without an answer."
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="up_to",
            field=models.PositiveIntegerField(
                default=0,
                help_text="How many sentences the annotator could get in all when this one was claimed.",
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="active_ms",
            field=models.PositiveIntegerField(
                default=0, help_text="When it was last finished: its answers and the time between them."
            ),
        ),
        migrations.AddField(
            model_name="ranking",
            name="reason",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="Empty if none was given.", max_length=8
            ),
        ),
        migrations.AddConstraint(
            model_name="ranking",
            constraint=models.CheckConstraint(
                condition=models.Q(reason__in=["", "meaning", "grammar", "style", "other"]),
                name="ranking_reason_known",
            ),
        ),
        migrations.AddField(
            model_name="sentenceanswer",
            name="active_ms",
            field=models.PositiveIntegerField(blank=True, help_text="As for a ranking.", null=True),
        ),
        migrations.AddField(
            model_name="task",
            name="ask_reasons",
            field=models.BooleanField(default=False, verbose_name="ask for the reason of each choice"),
        ),
        migrations.AddField(
            model_name="task",
            name="tap_answers",
            field=models.BooleanField(default=False, verbose_name="answer by tapping the better phrase"),
        ),
    ]
