"""What changes tool rows; each change is validated, committed and audited together."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict, InvalidInput
from tools.configs import validated_config
from tools.models import ShippedTool, Tool, ToolCallContent
from tools.registry import AnyToolType, list_tool_types

FIELDS = (
    "name",
    "slug",
    "description",
    "type",
    "config",
    "needs_approval",
    "enabled",
    "sort_order",
)


def create_tool(actor: Actor, **values: Any) -> Tool:
    """Raises `UnknownToolType`, `InvalidToolConfig`, `Conflict` (slug_taken)."""
    return _save(actor, Tool(), values)


def update_tool(actor: Actor, tool: Tool, **values: Any) -> Tool:
    return _save(actor, tool, values)


def _save(actor: Actor, tool: Tool, values: dict[str, Any]) -> Tool:
    unknown = sorted(set(values) - set(FIELDS))
    if unknown:
        raise InvalidInput(f"unknown fields: {', '.join(unknown)}")
    changed = sorted(name for name in values if getattr(tool, name, None) != values[name])
    for name, value in values.items():
        setattr(tool, name, value)
    tool.config = validated_config(tool.type, tool.config)
    try:
        with transaction.atomic():
            tool.save()
            record_change(actor, tool, changed)
    except IntegrityError as error:
        raise Conflict(_("Another tool has this slug."), code="slug_taken") from error
    return tool


@transaction.atomic
def delete_tool(actor: Actor, tool: Tool) -> None:
    """Its calls stay in the ledger, with slug and type as text."""
    key = tool.pk
    tool.delete()
    tool.pk = key
    record_change(actor, tool, ["deleted"])


def record_change(actor: Actor | None, tool: Tool, fields: list[str]) -> None:
    """For the admin too, whose form saves the row itself."""
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("tool", tool.pk),
        tool=tool.slug,
        metadata={"fields": fields},
    )


@transaction.atomic
def create_shipped_tools() -> list[Tool]:
    """One row for each type that is new here; one that was deleted on purpose stays away."""
    made = []
    for tool_type in list_tool_types():
        if tool_type.needs_set_up:
            continue
        _mark, new = ShippedTool.objects.get_or_create(type=tool_type.name)
        if new and not Tool.objects.filter(slug=tool_type.name).exists():
            made.append(_create_default(tool_type))
    return made


def _create_default(tool_type: AnyToolType) -> Tool:
    with translation.override("en"):
        name = str(tool_type.label)[:50]
    return Tool.objects.create(name=name, slug=tool_type.name, type=tool_type.name)


def purge_old_content() -> int:
    """Delete the content of calls older than settings.CALL_CONTENT_DAYS; the ledger stays."""
    old = ToolCallContent.objects.filter(
        created_at__lt=Now() - timedelta(days=settings.CALL_CONTENT_DAYS)
    )
    deleted, _rows = old.delete()
    return deleted
