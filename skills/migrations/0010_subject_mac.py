"""The tie between a subject and its person gets its MAC; those that are there are trusted once."""

from typing import Any

from django.db import migrations, models

from skills.hashing import subject_mac
from skills.models import AuditSubject
from skills.triggers import drop_triggers


def fill(apps: Any, schema_editor: Any) -> None:
    """There may be triggers when this is done again; they come back after `migrate`."""
    connection = schema_editor.connection
    drop_triggers(connection, of=AuditSubject)
    subjects = apps.get_model("skills", "AuditSubject").objects.using(connection.alias)
    for pk, user_id in subjects.values_list("pk", "user_id").iterator():
        subjects.filter(pk=pk).update(mac=subject_mac(pk, user_id))


class Migration(migrations.Migration):
    dependencies = [("skills", "0009_all_grants_of_a_job")]

    operations = [
        migrations.AddField(
            model_name="auditsubject",
            name="mac",
            field=models.CharField(default="", editable=False, max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
