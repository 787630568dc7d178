"""After `migrate`: what no model can declare, and SQLite loses when Django makes a table anew."""

from typing import Any

from django.db import connections
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from documents.models import SearchEntry
from documents.search.stores import ensure_index


@receiver(post_migrate, dispatch_uid="documents.search.ensure_index")
def keep_index(sender: Any, using: str, **_kwargs: Any) -> None:
    if sender.label != "documents":
        return
    if SearchEntry._meta.db_table in connections[using].introspection.table_names():
        ensure_index()
