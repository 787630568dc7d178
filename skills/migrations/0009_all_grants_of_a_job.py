from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_the_grant(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    jobs: Any = apps.get_model("skills", "SkillJob")  # as it was then
    for row in jobs.objects.exclude(grant=None).iterator():
        row.grant_ids = [str(row.grant_id)]
        row.save(update_fields=["grant_ids"])


class Migration(migrations.Migration):
    dependencies = [("skills", "0008_alerts_judge_no_past")]

    operations = [
        migrations.AddField(
            model_name="skilljob",
            name="grant_ids",
            field=models.JSONField(default=list, verbose_name="permission grants"),
        ),
        migrations.RunPython(keep_the_grant, migrations.RunPython.noop),
        migrations.RemoveField(model_name="skilljob", name="grant"),
    ]
