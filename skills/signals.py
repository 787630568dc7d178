from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, post_save
from django.dispatch import receiver

from config.base.models import User
from skills.models import AuditSubject
from skills.subjects import facts_of_new
from skills.triggers import make_triggers


@receiver(post_save, sender=User)
def on_user_made(instance: User, created: bool, raw: bool, using: str, **_: Any) -> None:
    """A subject from the first moment, so that recording only ever reads it."""
    if created and not raw:
        facts = facts_of_new(instance.pk)
        AuditSubject.objects.using(using).create(user=instance, **facts)


@receiver(post_migrate)
def on_migrated(app_config: AppConfig, using: str, **_: Any) -> None:
    """A migration on SQLite rebuilds the table and loses its triggers without a word."""
    if app_config.name == "skills":
        make_triggers(connections[using])
