"""`migrate` creates one enabled tool for each newly shipped type that needs no set-up; the content
of a person's calls goes when the person does.
"""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_delete
from django.dispatch import receiver

from config.base import tables
from config.base.models import User
from tools.models import ToolCallContent
from tools.services import create_shipped_tools


@receiver(post_migrate)
def on_migrated(sender: AppConfig, using: str, **_: Any) -> None:
    if sender.name == "tools" and using == "default" and tables.are_there():
        create_shipped_tools()


@receiver(pre_delete, sender=User)
def on_person_deleted(instance: User, **_: Any) -> None:
    """The calls stay, of nobody; what was said in them was this person's."""
    ToolCallContent.objects.filter(call__user=instance).delete()
