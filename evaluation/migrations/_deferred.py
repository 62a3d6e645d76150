"""The last operation of a migration that creates tables or references.

Django creates their indexes and references at the end, and then records the migration only after committing
it. A process killed in between leaves tables that the next attempt finds in its way. With nothing left to do
at the end, the record is part of the same transaction.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def run_deferred(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in schema_editor.deferred_sql:
        schema_editor.execute(statement)
    schema_editor.deferred_sql.clear()


RUN_DEFERRED = migrations.RunPython(run_deferred, migrations.RunPython.noop)
