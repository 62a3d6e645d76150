"""Imported answers about sentences name the ranking that they come from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0014_reasons_and_unsure_marks"),
    ]

    operations = [
        migrations.AddField(
            model_name="sentenceanswer",
            name="source_ranking",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The imported ranking it comes from.",
                max_length=200,
            ),
        ),
    ]
