"""Which project a conversation is in: the person says it, no model does."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.base.errors import InvalidInput, NotFound
from config.base.models import Membership, Project, User


class ProjectRequired(InvalidInput):
    default_message = gettext_lazy("Say in which of your projects.")
    code = "project_required"


def list_memberships(user: User) -> QuerySet[Membership]:
    rows = Membership.objects.filter(user=user).select_related("project")
    return rows.order_by("project__name", "project__slug")


def choose_project(memberships: Sequence[Membership], slug: str) -> Project | None:
    """One of the user's own; none named: the only one, or none for somebody who is in none.

    Raises `NotFound`, and `ProjectRequired` with the `choices` when there are several.
    """
    if slug:
        for membership in memberships:
            if membership.project.slug == slug:
                return membership.project
        raise NotFound(_("You are in no such project."))
    if len(memberships) > 1:
        raise ProjectRequired(
            _("In which of your projects?"),
            choices=[{"slug": m.project.slug, "name": m.project.name} for m in memberships],
        )
    return memberships[0].project if memberships else None
