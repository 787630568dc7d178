"""What goes with rows that go along with others: a person, an agent, a project."""

from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from agents.memories.indexing import drop_memory
from agents.models import Memory


@receiver(post_delete, sender=Memory, dispatch_uid="agents.memory.drop")
def drop_from_index(instance: Memory, **_known: Any) -> None:
    drop_memory(instance.pk)
