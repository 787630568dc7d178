from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def move_words(apps: Any, _editor: Any) -> None:
    """What failures said, to the content; names that models invented, nowhere: they stand in runs."""
    calls, contents = (apps.get_model("tools", name) for name in ("ToolCall", "ToolCallContent"))
    said = calls.objects.filter(pk=OuterRef("call_id")).values("error_message")
    contents.objects.exclude(call__error_message="").update(error_message=Subquery(said))
    calls.objects.filter(tool_type="", error_code="unknown_tool").update(tool_slug="(unknown)")


class Migration(migrations.Migration):
    dependencies = [("tools", "0006_standing_approvals")]

    operations = [
        migrations.AddField(
            model_name="toolcallcontent",
            name="error_message",
            field=models.TextField(blank=True, default="", verbose_name="error message"),
            preserve_default=False,
        ),
        migrations.RunPython(move_words, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField(model_name="toolcall", name="error_message"),
    ]
