"""How PostgreSQL keeps a table whose rows change a few times and then never again."""

from typing import Any

from django.db import migrations

_SETTINGS = {
    "fillfactor": 80,  # a start changes no index: its new row fits on the same page
    "autovacuum_vacuum_scale_factor": 0.02,  # dead entries slow the look for what is due
    "autovacuum_analyze_scale_factor": 0.02,
}


def _set(_apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        told = ", ".join(f"{name} = {value}" for name, value in _SETTINGS.items())
        schema_editor.execute(f"ALTER TABLE jobs_job SET ({told})")


def _reset(_apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE jobs_job RESET ({', '.join(_SETTINGS)})")


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [migrations.RunPython(_set, _reset)]
