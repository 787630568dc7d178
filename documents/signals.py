"""After `migrate`: what no model can declare, and SQLite loses when Django makes a table anew. The
index of a person's things goes when the person does.
"""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models.signals import post_delete, post_migrate
from django.dispatch import receiver

from config.base.models import User
from documents.models import SearchEntry, SearchScope
from documents.search.stores import ensure_index


@receiver(post_migrate, dispatch_uid="documents.search.ensure_index")
def keep_index(sender: Any, using: str, **_kwargs: Any) -> None:
    if sender.label != "documents" or using != DEFAULT_DB_ALIAS:
        return
    if SearchEntry._meta.db_table in connections[using].introspection.table_names():
        ensure_index()


@receiver(post_delete, sender=User, dispatch_uid="documents.search.forget_person")
def forget_person(instance: User, **_kwargs: Any) -> None:
    """Of every kind: an index names its holder by a plain id, which nothing cascades to.

    After their rows: nothing comes into it any more, and rows are locked before scopes everywhere.
    """
    SearchScope.objects.filter(holder_id=instance.pk).delete()
