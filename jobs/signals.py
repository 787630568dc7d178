"""`migrate` makes the series of the product's own work, and the net under lost wake-ups."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from config.base import tables
from jobs.services import ship_series


@receiver(post_migrate)
def on_migrated(sender: AppConfig, using: str, **_: Any) -> None:
    if sender.name == "jobs" and using == "default" and tables.are_there():
        from jobs import q2

        ship_series()
        q2.ensure_net()
