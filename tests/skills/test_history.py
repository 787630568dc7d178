"""What was done to a row, as the console tells it: from the audit, with before and after."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.base.accounts import end_sessions
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.console import history
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.tools.secrets import operator_actor
from tools.models import Tool
from tools.services import create_tool, update_tool

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def tool(operator: User) -> Tool:
    actor = operator_actor(operator)
    made = create_tool(actor, name="Sums", slug="sums", type="calculator")
    update_tool(
        actor, made.pk, name="Sums & more", config={"max_expression_chars": 20}, enabled=False
    )
    return made


def address_of(tool: Tool) -> str:
    return reverse("admin:tools_tool_history", args=[tool.pk])


def text_of(response: Any) -> str:
    assert response.status_code == 200
    text: str = response.content.decode()
    return " ".join(text.split())


def test_a_change_is_told_with_who_before_and_after(console: Client, tool: Tool) -> None:
    text = text_of(console.get(address_of(tool)))
    assert "operator (operator)" in text
    assert "<code>config.max_expression_chars</code>" in text
    assert "<code>Sums</code>" in text
    assert "<code>Sums &amp; more</code>" in text
    changed, _new, made = text.partition("<span>new</span>")
    assert changed.count("Before</th>") == 1
    assert "Before</th>" not in made


def test_it_has_pages_and_asks_the_database_no_more_for_them(
    console: Client, operator: User, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PER_PAGE", 5)
    console.get(address_of(tool))
    with CaptureQueriesContext(connection) as few:
        console.get(address_of(tool))
    for n in range(6):
        update_tool(operator_actor(operator), tool.pk, description=f"words {n}")
    with CaptureQueriesContext(connection) as many:
        text = text_of(console.get(address_of(tool)))
    assert len(many) == len(few)
    assert "<code>words 5</code>" in text
    assert "<code>sums</code>" not in text
    older = text_of(console.get(address_of(tool), {"page": 2}))
    assert "<code>sums</code>" in older
    assert "Newer" in older


def test_of_others_the_names_of_their_fields_are_told(console: Client) -> None:
    group = Group.objects.create(name="Gardens")
    address = reverse("admin:auth_group_history", args=[group.pk])
    assert "Nothing was done to it" in text_of(console.get(address))
    console.post(reverse("admin:auth_group_change", args=[group.pk]), {"name": "Parks"})
    assert "<p><code>name</code></p>" in text_of(console.get(address))


def test_who_may_not_see_the_tool_does_not_see_what_was_done_to_it(
    client: Client, tool: Tool
) -> None:
    clerk = UserFactory.create(is_staff=True)
    client.force_login(clerk)
    assert client.get(address_of(tool)).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_tool"))
    text = text_of(client.get(address_of(tool)))
    assert "Sums &amp; more" in text
    assert "In the audit" not in text


def test_of_a_tool_that_is_gone_it_says_so(console: Client) -> None:
    address = reverse("admin:tools_tool_history", args=[uuid.uuid4()])
    response = console.get(address, follow=True)
    assert "Perhaps it was deleted?" in text_of(response)


def test_an_account_shows_what_its_person_and_others_did_to_it(
    console: Client, operator: User, alice: User
) -> None:
    """Their own is kept by their subject: it leads to the account only while it is there."""
    end_sessions(Actor(user=alice, origin=Origin.PAGE))
    name = {"username": "alicia"}
    console.post(reverse("admin:base_user_change", args=[alice.pk]), name)
    page = text_of(console.get(reverse("admin:base_user_history", args=[alice.pk])))
    assert "sessions.ended" in page
    event = AuditEvent.objects.get(action="sessions.ended")
    assert (event.target_type, event.target_id) == ("user", str(event.subject))
    shown = text_of(console.get(reverse("admin:skills_auditevent_change", args=[event.pk])))
    assert reverse("admin:base_user_change", args=[alice.pk]) in shown
    found = text_of(
        console.get(reverse("admin:skills_auditevent_changelist"), {"q": str(alice.pk)})
    )
    assert "sessions.ended" in found
