"""What goes with rows that go along with others: a person, an agent, a project."""

from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from agents.memories.indexing import KIND, drop_memory
from agents.models import Memory
from config.base.models import Project
from documents.search.index import drop_holder


@receiver(post_delete, sender=Project, dispatch_uid="agents.memory.drop_holder_project")
def drop_its_index(instance: Project, **_known: Any) -> None:
    """With it goes which it was: a scope names its holder. A person's goes in `documents`."""
    drop_holder(KIND, instance.pk)


@receiver(post_delete, sender=Memory, dispatch_uid="agents.memory.drop")
def drop_from_index(instance: Memory, **_known: Any) -> None:
    drop_memory(instance.pk)
