"""`migrate` creates one enabled tool for each newly shipped type that needs no set-up."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from config.base import tables
from tools.services import create_shipped_tools


@receiver(post_migrate)
def on_migrated(sender: AppConfig, using: str, **_: Any) -> None:
    if sender.name == "tools" and using == "default" and tables.are_there():
        create_shipped_tools()
