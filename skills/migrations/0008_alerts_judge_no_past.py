from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def count_from_now_on(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    rules = apps.get_model("skills", "AlertRule").objects
    rules.update(counts_after=models.F("evaluated_through"))


class Migration(migrations.Migration):
    dependencies = [("skills", "0007_skill_runs_unfinished")]

    operations = [
        migrations.AddField(
            model_name="alertrule",
            name="counts_after",
            field=models.BigIntegerField(default=0, editable=False),
        ),
        migrations.RunPython(count_from_now_on, migrations.RunPython.noop),
    ]
