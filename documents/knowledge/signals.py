"""What goes with a row, however it goes: by a service, with its project, with an account."""

from typing import Any

from django.db import models, transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from documents.knowledge.files import store
from documents.knowledge.forgetting import forget_passages_later, forget_space_later
from documents.models import KnowledgeSpace, Resource, SpaceMember


@receiver(post_delete, sender=Resource, dispatch_uid="documents.knowledge.resource")
def forget_resource(instance: Resource, origin: Any, **_kwargs: Any) -> None:
    """The file only after the commit: a row that comes back would have lost it.

    With its space its passages go as a whole: thousands of files one by one would hold up others.
    """
    if _model_of(origin) is Resource:
        forget_passages_later(instance)
    name = instance.stored_name
    transaction.on_commit(lambda: store.remove(name), robust=True)


@receiver(post_delete, sender=KnowledgeSpace, dispatch_uid="documents.knowledge.space")
def forget_space(instance: KnowledgeSpace, **_kwargs: Any) -> None:
    forget_space_later(instance)


@receiver(post_delete, sender=SpaceMember, dispatch_uid="documents.knowledge.member")
def forget_space_of_nobody(instance: SpaceMember, origin: Any, **_kwargs: Any) -> None:
    """What the last of its members leaves nobody can read, or delete, any more.

    Its row is locked first, as for every change of a space: of two who go at once the second sees
    that nobody is left.
    """
    if _model_of(origin) is KnowledgeSpace:
        return  # it goes already
    spaces = KnowledgeSpace.objects.select_for_update().filter(pk=instance.space_id, project=None)
    for space in spaces:
        if not space.members.exists():
            space.delete()


def _model_of(origin: Any) -> type[models.Model]:
    """Of what was asked to be deleted: a row, or all that a query finds."""
    model: type[models.Model] = (
        origin.model if isinstance(origin, models.QuerySet) else type(origin)
    )
    return model
