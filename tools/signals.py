"""`migrate` creates one enabled tool for each newly shipped type that needs no set-up."""

from typing import Any

from django.apps import AppConfig
from django.db import connection
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from tools.models import ShippedTool
from tools.services import create_shipped_tools


@receiver(post_migrate)
def on_migrated(sender: AppConfig, using: str, **_: Any) -> None:
    if sender.name == "tools" and using == "default" and _has_tables():
        create_shipped_tools()


def _has_tables() -> bool:
    """`migrate OTHER_APP` on a new database ends here before there is anything of ours."""
    return ShippedTool._meta.db_table in connection.introspection.table_names()
