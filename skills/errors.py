from django.utils.translation import gettext_lazy as _

from config.base.errors import Bug, InvalidInput, NotFound


class AppendOnly(Bug):
    """Audit events and seals are never changed or deleted."""

    code = "append_only"


class MetadataRefused(Bug):
    """An audit event's metadata must be small JSON without content."""

    code = "audit_metadata_refused"


class UnknownSkill(NotFound):
    default_message = _("There is no such skill, or not in this version.")
    code = "unknown_skill"


class UndeclaredPermission(InvalidInput):
    default_message = _("The skill does not ask for this permission.")
    code = "permission_not_declared"


class NothingToGrant(InvalidInput):
    default_message = _("You are asked each time this is done; it can’t be granted beforehand.")
    code = "asked_each_time"


class AgentNotYours(NotFound):
    default_message = _("There is no such agent, or you may not use it.")
    code = "agent_not_found"
