"""System checks: the product refuses to start in a state that it can't answer for."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register
from django.utils.module_loading import import_string


@register()
def recorder_is_there(**_: Any) -> list[Error]:
    """Without a recorder nothing could be proven afterwards."""
    try:
        import_string(settings.AUDIT_RECORDER)
    except (AttributeError, ImportError) as error:
        return [
            Error(
                f"AUDIT_RECORDER can't be used: {error}",
                hint="Name a class with record(entry), such as skills.recorder.EventRecorder.",
                id="gatehouse.E001",
            )
        ]
    return []
