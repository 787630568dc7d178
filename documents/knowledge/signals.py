"""What goes with a row, however it goes: by a service, with its project, with an account."""

from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from documents.knowledge.files import store
from documents.knowledge.forgetting import forget_passages_later, forget_space_later
from documents.models import KnowledgeSpace, Resource, SpaceMember


@receiver(post_delete, sender=Resource, dispatch_uid="documents.knowledge.resource")
def forget_resource(instance: Resource, **_kwargs: Any) -> None:
    """The file only after the commit: a row that comes back would have lost it."""
    forget_passages_later(instance)
    name = instance.stored_name
    transaction.on_commit(lambda: store.remove(name), robust=True)


@receiver(post_delete, sender=KnowledgeSpace, dispatch_uid="documents.knowledge.space")
def forget_space(instance: KnowledgeSpace, **_kwargs: Any) -> None:
    forget_space_later(instance)


@receiver(post_delete, sender=SpaceMember, dispatch_uid="documents.knowledge.member")
def forget_space_of_nobody(instance: SpaceMember, **_kwargs: Any) -> None:
    """What the last of its members leaves nobody can read, or delete, any more."""
    spaces = KnowledgeSpace.objects.filter(pk=instance.space_id, project=None, members=None)
    for space in spaces:
        space.delete()
