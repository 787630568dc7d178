from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tools", "0003_usage_and_budgets"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(model_name="toolcall", name="call_newest"),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(
                fields=["-created_at", "status", "tool_slug", "duration_ms"], name="call_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="toolcall",
            index=models.Index(fields=["status", "-created_at"], name="call_by_status"),
        ),
    ]
