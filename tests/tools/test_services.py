"""Tool rows: every change is validated, committed and audited together."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from config.base.errors import Conflict, InvalidInput, NotFound, NotPermitted
from config.base.ids import uuid7
from config.base.models import User
from skills.models import AuditEvent
from tests.tools.conftest import Make, actor_of, run
from tools.configs import validated_config
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import ShippedTool, Tool, ToolCall, ToolCallContent
from tools.services import (
    create_shipped_tools,
    create_tool,
    delete_tool,
    purge_old_content,
    update_tool,
)
from tools.testing import events_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

VALUES = {"name": "Sums", "slug": "sums", "type": "calculator"}


def test_creating_a_tool_is_audited(operator: User) -> None:
    tool = create_tool(actor_of(operator), **VALUES, config={})
    assert Tool.objects.get(slug="sums") == tool
    assert events_of(tool.pk) == ["config.changed"]
    event = AuditEvent.objects.get(target_id=str(tool.pk))
    assert event.tool == "sums"
    assert set(event.metadata["fields"]) >= {"name", "slug", "type"}


def test_changing_a_tool_is_audited_with_the_names_of_what_changed(operator: User) -> None:
    tool = create_tool(actor_of(operator), **VALUES)
    update_tool(actor_of(operator), tool.pk, enabled=False, name="Sums")
    event = AuditEvent.objects.filter(target_id=str(tool.pk)).latest("id")
    assert event.metadata["fields"] == ["enabled"]
    tool.refresh_from_db()
    assert not tool.enabled


def test_a_change_writes_its_own_fields_only(operator: User, monkeypatch: Any) -> None:
    """What somebody else wrote while we were at it stays."""
    tool = create_tool(actor_of(operator), **VALUES)

    def meanwhile(type_name: str, config: Any) -> Any:
        Tool.objects.filter(pk=tool.pk).update(enabled=False)
        return validated_config(type_name, config)

    monkeypatch.setattr("tools.services.validated_config", meanwhile)
    update_tool(actor_of(operator), tool.pk, name="Other", config={})
    tool.refresh_from_db()
    assert (tool.name, tool.enabled) == ("Other", False)


def test_a_tool_whose_type_is_gone_can_be_switched_off(operator: User) -> None:
    tool = create_tool(actor_of(operator), **VALUES)
    Tool.objects.filter(pk=tool.pk).update(type="abacus")
    assert not update_tool(actor_of(operator), tool.pk, enabled=False).enabled


def test_a_change_that_changes_nothing_is_no_event(operator: User) -> None:
    tool = create_tool(actor_of(operator), **VALUES)
    update_tool(actor_of(operator), tool.pk, name="Sums")
    assert AuditEvent.objects.filter(target_id=str(tool.pk)).count() == 1


def test_only_staff_change_tools(operator: User, alice: User) -> None:
    tool = create_tool(actor_of(operator), **VALUES)
    for change in (
        lambda: create_tool(actor_of(alice), **{**VALUES, "slug": "more"}),
        lambda: update_tool(actor_of(alice), tool.pk, enabled=False),
        lambda: delete_tool(actor_of(alice), tool.pk),
    ):
        with pytest.raises(NotPermitted):
            change()
    tool.refresh_from_db()
    assert tool.enabled


def test_a_tool_that_is_not_there_is_not_found(operator: User) -> None:
    with pytest.raises(NotFound):
        update_tool(actor_of(operator), uuid7(), enabled=False)
    with pytest.raises(NotFound):
        delete_tool(actor_of(operator), uuid7())


def test_deleting_a_tool_is_audited_and_keeps_its_calls(make: Make, operator: User) -> None:
    tool = make("echo", slug="echo")
    run(tool, operator)
    key = tool.pk
    delete_tool(actor_of(operator), tool.pk)
    assert events_of(key) == ["config.changed"]
    call = ToolCall.objects.get()
    assert (call.tool, call.tool_slug, call.tool_type) == (None, "echo", "fake_echo")


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"type": "abacus"}, UnknownToolType),
        ({"type": "fetch", "config": {"timeout_ms": 0}}, InvalidToolConfig),
        ({"colour": "red"}, InvalidInput),
        ({"slug": "calculator"}, Conflict),
    ],
)
def test_what_does_not_fit_changes_and_audits_nothing(
    operator: User, values: dict[str, Any], error: type[Exception]
) -> None:
    tools, events = Tool.objects.count(), AuditEvent.objects.count()
    with pytest.raises(error), transaction.atomic():
        create_tool(actor_of(operator), **{**VALUES, **values})
    assert (Tool.objects.count(), AuditEvent.objects.count()) == (tools, events)


def test_migrate_made_a_tool_of_each_type_that_needs_no_set_up() -> None:
    slugs = set(Tool.objects.values_list("slug", flat=True))
    assert {"calculator", "datetime", "document", "fetch"} <= slugs
    assert all(Tool.objects.values_list("enabled", flat=True))


def test_a_shipped_tool_that_was_deleted_stays_away(operator: User) -> None:
    delete_tool(actor_of(operator), Tool.objects.get(slug="fetch").pk)
    assert create_shipped_tools() == []
    ShippedTool.objects.filter(type="fetch").delete()
    [made] = create_shipped_tools()
    assert made.slug == "fetch"
    event = AuditEvent.objects.get(target_id=str(made.pk))
    assert (event.action, event.actor, event.metadata["fields"]) == (
        "config.changed",
        "system",
        ["created"],
    )


def test_a_shipped_type_does_not_take_a_slug_that_is_taken(operator: User) -> None:
    tool = Tool.objects.get(slug="fetch")
    update_tool(actor_of(operator), tool.pk, name="Ours")
    ShippedTool.objects.all().delete()
    assert create_shipped_tools() == []
    tool.refresh_from_db()
    assert tool.name == "Ours"


def test_old_content_goes_and_the_ledger_stays(make: Make, alice: User, settings: Any) -> None:
    for word in ("old", "new"):
        run(make("echo"), alice, word)
    old = ToolCallContent.objects.filter(input={"text": "old"})
    old.update(created_at=timezone.now() - timedelta(days=settings.CALL_CONTENT_DAYS, minutes=1))
    assert purge_old_content() == 1
    assert ToolCallContent.objects.get().input == {"text": "new"}
    assert ToolCall.objects.count() == 2
