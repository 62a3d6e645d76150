"""Questions as groups of phrases. Existing tasks keep their questions: each is one differing phrase."""

from django.db import migrations, models

SIZES = [
    ("phrase", "one differing phrase"),
    ("small", "small"),
    ("medium", "medium"),
    ("large", "large"),
]

REASONS = [
    ("unrelated", "the phrases do not belong together"),
    ("cut", "the phrase boundaries are wrong"),
    ("not_moved", "marked as moved, but it is not"),
    ("previous", "it belongs together with the question before it"),
    ("next", "it belongs together with the question after it"),
    ("apart", "it is several questions"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0012_ended_access"),
    ]

    operations = [
        migrations.AddField(model_name="alignment", name="groups", field=models.JSONField(default=list)),
        migrations.AddField(
            model_name="task",
            name="ask_all",
            field=models.BooleanField(default=False, verbose_name="ask about every difference"),
        ),
        migrations.AddField(
            model_name="task",
            name="function_words",
            field=models.JSONField(
                default=list, blank=True, help_text="Found at import, for a language without a word list."
            ),
        ),
        # Existing rows get the old rule, new ones the default of the model.
        migrations.AddField(
            model_name="task",
            name="question_size",
            field=models.CharField(choices=SIZES, default="phrase", max_length=10),
        ),
        migrations.AlterField(
            model_name="task",
            name="question_size",
            field=models.CharField(choices=SIZES, default="medium", max_length=10),
        ),
        migrations.AlterField(
            model_name="alignmentreport",
            name="reason",
            field=models.CharField(choices=REASONS, max_length=12),
        ),
    ]
