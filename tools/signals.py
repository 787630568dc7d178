"""`migrate` creates one enabled tool for each newly shipped type that needs no set-up."""

from typing import Any

from django.apps import AppConfig, apps
from django.db import connection
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from tools.services import create_shipped_tools


@receiver(post_migrate)
def on_migrated(sender: AppConfig, using: str, **_: Any) -> None:
    if sender.name == "tools" and using == "default" and _has_tables():
        create_shipped_tools()


def _has_tables() -> bool:
    """`migrate OTHER_APP` on a new database ends here before there is anything to write to.

    All tables, not only ours: the change is audited by a higher app.
    """
    wanted = {model._meta.db_table for model in apps.get_models() if model._meta.managed}
    return wanted <= set(connection.introspection.table_names())
