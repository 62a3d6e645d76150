"""Passages: scores and error spans can be collected, not only imported."""

import django.db.models.deletion
from django.db import migrations, models

from evaluation.migrations._deferred import RUN_DEFERRED


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0017_assessments'),
    ]

    operations = [
        migrations.CreateModel(
            name='PassageOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('presentation', models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name='errorspan',
            name='suggestion',
            field=models.ForeignKey(blank=True, help_text='The suggested error that this one was made from.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='evaluation.errorspan'),
        ),
        migrations.AddField(
            model_name='task',
            name='assessed_as',
            field=models.CharField(blank=True, db_default='', default='', help_text='The protocol under which scores and error spans are collected; empty for none.', max_length=80),
        ),
        migrations.AddField(
            model_name='task',
            name='keep_documents',
            field=models.BooleanField(db_default=False, default=False, verbose_name='one annotator gets all sentences of a document'),
        ),
        migrations.AddField(
            model_name='task',
            name='mark_differences',
            field=models.BooleanField(db_default=False, default=False, verbose_name='mark where two translations differ'),
        ),
        migrations.AddField(
            model_name='task',
            name='suggestions',
            field=models.CharField(blank=True, db_default='', default='', help_text='The protocol whose error spans are offered as suggestions; empty for none.', max_length=80),
        ),
        migrations.AlterField(
            model_name='assessment',
            name='is_withdrawn',
            field=models.BooleanField(default=False, help_text='No answer, or not yet a whole one: the score is missing.'),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='alignment',
            field=models.ForeignKey(blank=True, help_text='Of the comparison.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='evaluation.alignment'),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='comparison',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='evaluation.comparison'),
        ),
        migrations.AlterField(
            model_name='slot',
            name='comparison',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='evaluation.comparison'),
        ),
        migrations.CreateModel(
            name='Passage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(help_text='The order within the task.')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='evaluation.task')),
            ],
            options={
                'ordering': ['task', 'position'],
            },
        ),
        migrations.AddField(
            model_name='assignment',
            name='passage',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='evaluation.passage'),
        ),
        migrations.AddField(
            model_name='slot',
            name='passage',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='evaluation.passage'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('annotator', 'passage', 'presentation'), name='assignment_of_passage_once'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('comparison__isnull', False), ('passage__isnull', True), ('alignment__isnull', False)), models.Q(('comparison__isnull', True), ('passage__isnull', False), ('alignment__isnull', True)), _connector='OR'), name='assignment_of_comparison_or_passage'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.UniqueConstraint(fields=('passage', 'k', 'presentation'), name='slot_of_passage_once'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.UniqueConstraint(fields=('passage', 'annotator', 'presentation'), name='slot_of_passage_once_per_annotator'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('comparison__isnull', False), ('passage__isnull', True)), models.Q(('comparison__isnull', True), ('passage__isnull', False)), _connector='OR'), name='slot_of_comparison_or_passage'),
        ),
        migrations.AddField(
            model_name='passageoutput',
            name='output',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='evaluation.output'),
        ),
        migrations.AddField(
            model_name='passageoutput',
            name='passage',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='evaluation.passage'),
        ),
        migrations.AddField(
            model_name='passageoutput',
            name='shown',
            field=models.ForeignKey(blank=True, help_text='The damaged text of an attention check; empty if the output itself is shown.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='evaluation.candidate'),
        ),
        migrations.AddConstraint(
            model_name='passage',
            constraint=models.UniqueConstraint(fields=('task', 'position'), name='passage_position_once_per_task'),
        ),
        migrations.AddConstraint(
            model_name='passageoutput',
            constraint=models.UniqueConstraint(fields=('passage', 'output', 'presentation'), name='passage_output_once'),
        ),
        RUN_DEFERRED,
    ]
