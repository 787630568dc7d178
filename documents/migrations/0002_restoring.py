"""Versions know since when their document exists, so that a restored one is as old as it was."""

import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery


def tell_from_first_version(apps: Apps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """For versions that are there already: the oldest one that is kept says it best."""
    versions = apps.get_model("documents", "DocumentVersion").objects
    same = versions.filter(document_id=OuterRef("document_id")).order_by("revision")
    versions.update(document_created_at=Subquery(same.values("created_at")[:1]))


class Migration(migrations.Migration):
    dependencies = [("documents", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="documentversion",
            name="document_created_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now, verbose_name="document created"
            ),
            preserve_default=False,
        ),
        migrations.RunPython(tell_from_first_version, migrations.RunPython.noop, elidable=True),
    ]
