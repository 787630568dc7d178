"""What two operators do at once on the console: clear words, nothing half done, no broken page."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.db import IntegrityError
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from agents.models import Agent, ModelProfile
from config.base.models import Project, User
from tests.tools.console_forms import ConsolePage
from tests.tools.factories import ToolFactory
from tests.tools.secrets import make_secret
from tools.models import Secret, Tool

pytestmark = pytest.mark.django_db

MAKERS: dict[str, Callable[[User], Model]] = {
    "tool": lambda _user: ToolFactory.create(type="calculator", slug="mine", config={}),
    "secret": make_secret,
    "project": lambda _user: Project.objects.create(name="Mine", slug="mine"),
    "agent": lambda _user: Agent.objects.create(name="Mine"),
    "profile": lambda _user: ModelProfile.objects.create(name="Mine", model="rules"),
}


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture(params=MAKERS)
def row(request: pytest.FixtureRequest, operator: User) -> Model:
    return MAKERS[request.param](operator)


def page(row: Model, kind: str, *key: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{kind}", args=key)


def delete_when_read(row: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else does so after this page has read it."""
    ours = type(admin.site.get_model_admin(type(row)))
    read = ours.get_object

    def get_object(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = read(self, *args, **kwargs)
        type(row)._default_manager.filter(pk=row.pk).delete()
        return found

    monkeypatch.setattr(ours, "get_object", get_object)


def said(console: Client, response: Any) -> str:
    assert response.status_code == 302, response.content[:500]
    text: str = console.get(response.url, follow=True).content.decode()
    return text


def changed(row: Model, form: ConsolePage) -> ConsolePage:
    return form.set("note" if isinstance(row, Secret) else "name", "Changed")


def test_a_form_of_a_row_that_is_gone_says_so(console: Client, row: Model) -> None:
    form = changed(row, ConsolePage(console, page(row, "change", row.pk)))
    type(row)._default_manager.filter(pk=row.pk).delete()
    assert "Perhaps it was deleted?" in said(console, form.press("_save").response)
    assert not type(row)._default_manager.filter(pk=row.pk).exists()


def test_one_that_goes_while_it_is_saved_is_not_made_anew(
    console: Client, row: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = changed(row, ConsolePage(console, page(row, "change", row.pk)))
    delete_when_read(row, monkeypatch)
    response = form.press("_save").response
    assert response.status_code in (200, 302)  # some forms see it themselves
    if response.status_code == 302:
        assert "somebody else deleted this" in said(console, response)
    assert not type(row)._default_manager.filter(pk=row.pk).exists()


def test_one_that_goes_while_it_is_deleted_is_told(
    console: Client, row: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = page(row, "delete", row.pk)
    console.get(address)
    delete_when_read(row, monkeypatch)
    said(console, console.post(address, {"post": "yes"}))
    assert not type(row)._default_manager.filter(pk=row.pk).exists()


def test_a_list_with_a_row_that_is_gone_still_opens_and_saves(console: Client) -> None:
    gone = ToolFactory.create(type="calculator", slug="gone", config={})
    kept = ToolFactory.create(type="calculator", slug="kept", config={})
    form = ConsolePage(console, reverse("admin:tools_tool_changelist"))
    gone.delete()
    assert form.press("_save").response.status_code in (200, 302)
    assert Tool.objects.filter(pk=kept.pk).exists()
    assert not Tool.objects.filter(slug="gone").exists()


def test_the_panel_of_a_tool_that_is_gone_says_so(console: Client) -> None:
    tool = ToolFactory.create(type="calculator", slug="mine", config={})
    address = reverse("admin:tools_tool_try_it", args=[tool.pk])
    tool.delete()
    for ask in (console.get, console.post):
        assert "Perhaps it was deleted?" in said(console, ask(address))


def test_what_is_used_while_it_is_deleted_stays(
    console: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that begins in the same moment: its reference would lead nowhere."""
    tool = ToolFactory.create(type="calculator", slug="mine", config={})

    def refused(*_args: Any, **_options: Any) -> None:
        raise IntegrityError("FOREIGN KEY constraint failed")

    monkeypatch.setattr(Tool, "delete", refused)
    response = console.post(page(tool, "delete", tool.pk), {"post": "yes"})
    assert "at the same moment" in said(console, response)
    assert Tool.objects.filter(pk=tool.pk).exists()
