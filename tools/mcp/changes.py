"""What becomes of a tool whose server says something else of it than was pinned."""

from uuid import UUID

from django.db import transaction

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound, NotPermitted
from tools.configs.changes import change_of
from tools.mcp.descriptors import check_descriptor, descriptor_hash, keepable
from tools.mcp.errors import DescriptorMovedOn
from tools.models import Tool
from tools.schemas import JSON
from tools.services import update_tool, values_of

TYPE = "mcp"


@transaction.atomic
def disable_changed(tool_id: UUID, seen: JSON, *, pinned_hash: str) -> bool:
    """Switch it off and keep what was seen, for an operator. By the system itself: any call may
    find it. False: there is nothing to do, or another descriptor was pinned meanwhile."""
    tool = Tool.objects.select_for_update().filter(pk=tool_id, type=TYPE).first()
    if tool is None or tool.config.get("descriptor_hash") != pinned_hash:
        return False
    before = values_of(tool)
    tool.config = {**tool.config, "changed_descriptor": keepable(seen)}
    tool.enabled = False
    if values_of(tool) == before:
        return False
    tool.save(update_fields=["config", "enabled", "updated_at"])
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=None,
        target=("tool", tool.pk),
        tool=tool.slug,
        reason_code="descriptor_changed",
        metadata={"fields": ["config", "enabled"], **change_of(before, values_of(tool))},
    )
    return True


@transaction.atomic
def accept_descriptor(actor: Actor, tool_id: UUID, *, seen_hash: str) -> Tool:
    """Pin what an operator was shown, and switch the tool on.

    Raises `NotPermitted`, `NotFound`, `DescriptorMovedOn` when there is another by now,
    `DescriptorInvalid`.
    """
    if not actor.user.is_staff:
        raise NotPermitted
    tool = Tool.objects.select_for_update().filter(pk=tool_id, type=TYPE).first()
    if tool is None:
        raise NotFound
    config = dict(tool.config)
    seen = config.pop("changed_descriptor", None)
    if seen is None or descriptor_hash(seen) != seen_hash:
        raise DescriptorMovedOn
    check_descriptor(seen)
    config |= {"descriptor": seen, "descriptor_hash": descriptor_hash(seen)}
    return update_tool(actor, tool_id, config=config, enabled=True)
