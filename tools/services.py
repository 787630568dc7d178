"""What changes tool rows; each change is validated, committed and audited together."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.batches import delete_batch
from config.base.errors import Conflict, InvalidInput, NotFound, NotPermitted
from tools.configs import validated_config
from tools.configs.changes import change_of
from tools.models import ShippedTool, Tool, ToolCallContent
from tools.registry import AnyToolType, list_tool_types
from tools.secrets.refs import secret_names
from tools.secrets.services import hold_secrets

FIELDS = (
    "name",
    "slug",
    "description",
    "type",
    "config",
    "needs_approval",
    "calls_per_day",
    "enabled",
    "sort_order",
)


def create_tool(actor: Actor, **values: Any) -> Tool:
    """Raises `NotPermitted`, `UnknownToolType`, `InvalidToolConfig`, `Conflict` (slug_taken)."""
    _check_operator(actor)
    with _one_slug():
        tool = Tool()
        changed = _set(tool, values)
        tool.save(force_insert=True)
        _record_change(actor, tool, changed, before={})
    return tool


def update_tool(actor: Actor, tool_id: UUID, **values: Any) -> Tool:
    """Changes these fields of the row as it is now, and no other: others may be changing them.

    Raises what `create_tool` raises, and `NotFound`.
    """
    _check_operator(actor)
    with _one_slug():
        tool = _lock(tool_id)
        before = values_of(tool)
        changed = _set(tool, values)
        if changed:
            tool.save(update_fields=[*changed, "updated_at"])
            _record_change(actor, tool, changed, before=before)
    return tool


@transaction.atomic
def switch_tools(actor: Actor, tool_ids: Iterable[UUID], *, enabled: bool) -> int:
    """Switch several on or off, broken ones too, and tell how many were not so already."""
    _check_operator(actor)
    rows = Tool.objects.select_for_update().filter(pk__in=list(tool_ids), enabled=not enabled)
    tools = list(rows.order_by("pk"))  # whoever locks several locks them in one order
    for tool in tools:
        before = values_of(tool)
        tool.enabled = enabled
        tool.save(update_fields=["enabled", "updated_at"])
        _record_change(actor, tool, ["enabled"], before=before)
    return len(tools)


@transaction.atomic
def delete_tool(actor: Actor, tool_id: UUID) -> None:
    """Its calls stay in the ledger, with slug and type as text."""
    _check_operator(actor)
    tool = _lock(tool_id)
    tool.delete()
    tool.pk = tool_id
    _record(actor, tool, {"fields": ["deleted"], **change_of(values_of(tool), {})})


def _check_operator(actor: Actor) -> None:
    if not actor.user.is_staff:
        raise NotPermitted


def _lock(tool_id: UUID) -> Tool:
    tool = Tool.objects.select_for_update().filter(pk=tool_id).first()
    if tool is None:
        raise NotFound
    return tool


@contextmanager
def _one_slug() -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise Conflict(_("Another tool has this slug."), code="slug_taken") from error


def _set(tool: Tool, values: dict[str, Any]) -> list[str]:
    """The names of the fields that differ now. A tool whose type is gone can be switched off."""
    unknown = sorted(set(values) - set(FIELDS))
    if unknown:
        raise InvalidInput(_("Unknown fields: %(names)s.") % {"names": ", ".join(unknown)})
    before = values_of(tool)
    for name, value in values.items():
        setattr(tool, name, value)
    if tool._state.adding or {"type", "config"} & set(values):
        if isinstance(tool.config, dict):
            hold_secrets(secret_names(tool.config))
        tool.config = validated_config(tool.type, tool.config)
    return sorted(name for name in FIELDS if getattr(tool, name) != before[name])


def values_of(tool: Tool) -> dict[str, Any]:
    return {name: getattr(tool, name) for name in FIELDS}


def _record_change(
    actor: Actor | None, tool: Tool, fields: list[str], *, before: dict[str, Any]
) -> None:
    """`before`: `values_of`, or {} for a new one."""
    _record(actor, tool, {"fields": fields, **change_of(before, values_of(tool))})


def _record(actor: Actor | None, tool: Tool, metadata: dict[str, Any]) -> None:
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("tool", tool.pk),
        tool=tool.slug,
        metadata=metadata,
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
    tool = Tool.objects.create(name=name, slug=tool_type.name, type=tool_type.name)
    _record_change(None, tool, ["created"], before={})
    return tool


def purge_old_content() -> int:
    """A batch of what is older than settings.CALL_CONTENT_DAYS; the ledger stays."""
    old = ToolCallContent.objects.filter(
        created_at__lt=Now() - timedelta(days=settings.CALL_CONTENT_DAYS)
    )
    return delete_batch(old)
