"""The console's import: give a document, choose operations, see what came of it."""

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.base.models import User
from config.base.outbound.testing import http_answer
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.tools.console_forms import ConsolePage
from tests.tools.openapi.conftest import Import, Peer
from tests.tools.openapi.documents import LIBRARY, PETSTORE, as_bytes, large, small
from tests.tools.secrets import make_secret
from tools.admin.openapi import packed
from tools.admin.openapi.packed import pack, unpack
from tools.models import Tool
from tools.openapi.errors import DocumentInvalid, DocumentTooLarge

pytestmark = pytest.mark.django_db


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def address() -> str:
    return reverse("admin:tools_tool_import_openapi")


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return " ".join(BeautifulSoup(response.content, "html.parser").get_text(" ").split())


def give(console: Client, document: Any = None, **values: Any) -> Any:
    if document is not None:
        values["file"] = SimpleUploadedFile("openapi.yaml", as_bytes(document))
    return console.post(address(), values)


def fields_of(response: Any) -> dict[str, Any]:
    """Of the page's form, as a browser would send them back."""
    page = BeautifulSoup(response.content, "html.parser")
    sent: dict[str, Any] = {}
    for field in page.select("form input[name], form textarea[name], form select[name]"):
        name, kind = str(field["name"]), field.get("type")
        if kind in {"checkbox", "radio"} and not field.has_attr("checked"):
            continue
        if field.name == "select":
            picked = field.select_one("option[selected]")
            sent[name] = picked["value"] if picked else ""
        elif field.name == "textarea":
            sent[name] = field.get_text().strip()
        elif kind == "checkbox":
            sent.setdefault(name, []).append(field.get("value"))
        else:
            sent[name] = field.get("value", "")
    return sent


def choose(console: Client, response: Any, **values: Any) -> Any:
    return console.post(address(), {**fields_of(response), "import": "1", **values})


def imported() -> list[str]:
    return list(Tool.objects.filter(type="http_api").values_list("slug", flat=True))


def test_the_list_of_tools_leads_there(console: Client) -> None:
    page = console.get(reverse("admin:tools_tool_changelist"))
    assert address() in page.content.decode()
    assert "Import from OpenAPI" in text_of(console.get(address()))


def test_a_file_becomes_a_list_and_the_choice_tools(console: Client) -> None:
    listed = give(console, PETSTORE)
    text = text_of(listed)
    assert "6 operations" in text
    assert "GET /pets/{petId} Info for a specific pet" in text
    assert "https://eu.pets.example/v1" in text
    assert "A body of this kind can't be written: application/octet-stream." in text
    assert imported() == []
    done = text_of(choose(console, listed, operations=["GET /pets"]))
    assert "1 new tool" in done
    assert "list_pets List all pets (switched off)" in done
    assert "No agent has a new tool before it is given to one." in done
    assert imported() == ["list_pets"]
    [event] = AuditEvent.objects.filter(action="config.changed", tool="list_pets")
    assert event.metadata["after"]["config.path"] == "/pets"


def test_nothing_is_chosen_before_somebody_chooses(console: Client) -> None:
    listed = give(console, PETSTORE)
    assert "operations" not in fields_of(listed)
    assert fields_of(listed)["enabled"] == "off"
    assert "Choose at least one operation" in text_of(choose(console, listed))
    assert imported() == []


def test_secrets_are_chosen_for_the_schemes(console: Client, operator: User) -> None:
    make_secret(operator)
    listed = give(console, PETSTORE)
    text = text_of(listed)
    assert "api_key" in text
    assert "Choose a secret for api_key." in text
    chosen = {"secret-0": "api", "base_url": "http://a.example", "operations": ["POST /pets"]}
    shown = console.post(address(), {**fields_of(listed), **chosen, "show": "1"})
    assert "http://a.example" in text_of(shown)
    assert fields_of(shown)["operations"] == ["POST /pets"]
    done = choose(console, shown, enabled="on", slug_prefix="pets_", write_domains="a.example")
    assert "pets_create_pet" in text_of(done)
    tool = Tool.objects.get(slug="pets_create_pet")
    assert (tool.enabled, tool.config["write_domains"]) == (True, ["a.example"])
    assert tool.config["security"][0]["value"] == {"secret": "api"}


def test_what_can_not_be_imported_is_said_and_the_choice_kept(console: Client) -> None:
    listed = give(console, PETSTORE)
    again = choose(console, listed, operations=["GET /pets", "POST /pets"])
    assert "“POST /pets” can't be imported: Choose a secret for api_key." in text_of(again)
    assert fields_of(again)["operations"] == ["GET /pets", "POST /pets"]
    assert imported() == []


def test_again_shows_what_would_change(console: Client, imports: Import) -> None:
    first = small()
    first["paths"]["/gone"] = {"get": {"operationId": "gone"}}
    imports(first)
    listed = give(console, small(operation={"summary": "New words"}))
    text = text_of(listed)
    assert "get_it would change : about" in text.replace("change:", "change :")
    assert "Not in this document any more; these tools stay as they are: gone" in text
    assert fields_of(listed)["operations"] == ["GET /it"]
    assert "1 changed tool get_it about" in text_of(choose(console, listed))
    assert "1 tool was as the document says already." in text_of(
        choose(console, give(console, small(operation={"summary": "New words"})))
    )


def test_a_url_is_fetched_once(console: Client, server: Peer) -> None:
    server.answer = http_answer(as_bytes(LIBRARY))
    listed = give(console, url="http://lib.example/docs/openapi.json")
    server.answer = http_answer(as_bytes(small()))
    assert "2 new tools" in text_of(
        choose(console, listed, operations=re.findall(r"(?:PATCH|POST) /[\w/{}]+", text_of(listed)))
    )
    assert len(server.requests) == 1
    assert Tool.objects.get(slug="post_books").config["base_url"] == "http://lib.example/api"


def test_more_than_two_hundred_operations_are_one_list(console: Client) -> None:
    listed = give(console, large(240))
    boxes = BeautifulSoup(listed.content, "html.parser").select("[name=operations]")
    keys = [str(box["value"]) for box in boxes]
    assert len(keys) == 240
    assert "240 new tools" in text_of(choose(console, listed, operations=keys))
    assert len(imported()) == 240


@pytest.mark.parametrize(
    ("document", "values", "said"),
    [
        (None, {}, "Give a file or a URL, one of the two."),
        (PETSTORE, {"url": "http://a.example"}, "Give a file or a URL, one of the two."),
        ("{nonsense", {}, "neither JSON nor YAML"),
        ('{"swagger": "2.0"}', {}, "Swagger 2.0"),
        (None, {"url": "http://127.0.0.1/"}, "not public"),
        (None, {"url": "http://a.example", "allowed_private_networks": "x"}, "is no network"),
        ("", {}, "empty"),
    ],
)
def test_what_is_no_document_is_said(
    console: Client, document: Any, values: dict[str, Any], said: str
) -> None:
    assert said in text_of(give(console, document, **values))


@pytest.mark.parametrize(
    "values",
    [
        {"packed": "nonsense!"},
        {"packed": "aGk="},
        {"slug_prefix": "Bad-"},
        {"write_domains": "*"},
        {"allowed_private_networks": "x"},
        {"secret-0": "gone"},
        {"enabled": "maybe"},
    ],
)
def test_what_a_browser_should_not_send_changes_nothing(
    console: Client, values: dict[str, Any]
) -> None:
    listed = give(console, PETSTORE)
    again = choose(console, listed, operations=["GET /pets"], **values)
    assert again.status_code == 200
    assert imported() == []
    assert BeautifulSoup(again.content, "html.parser").select(".errornote, .errorlist, .errors")


def test_a_document_comes_back_as_it_was_and_no_bomb_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unpack(pack(b"a\nb", "http://a.example/")) == (b"a\nb", "http://a.example/")
    bomb = pack(b"x" * 20_000_000, "")
    with pytest.raises(DocumentInvalid):
        unpack(bomb)
    monkeypatch.setattr(packed, "_MAX_CHARS", 10)
    with pytest.raises(DocumentTooLarge):
        pack(b"abcdefghijkl", "")


@pytest.mark.parametrize("permissions", [["view_tool", "add_tool"], ["view_tool", "change_tool"]])
def test_it_needs_to_add_and_to_change(client: Client, permissions: list[str]) -> None:
    staff = UserFactory.create(is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(staff)
    assert client.get(address()).status_code == 403
    assert give(client, PETSTORE).status_code == 403
    assert address() not in client.get(reverse("admin:tools_tool_changelist")).content.decode()


def test_what_a_document_says_is_text(console: Client) -> None:
    evil = "<script>alert(1)</script>"
    document = small(operation={"summary": evil, "operationId": evil, "tags": [evil]})
    document["info"]["title"] = evil
    document["paths"][f"/{evil}"] = {"get": {}}
    page = give(console, document).content.decode()
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_an_imported_tool_is_configured_and_tried_like_any(
    console: Client, imports: Import, server: Peer
) -> None:
    [tool] = imports(large(1), enabled=True).created
    change = reverse("admin:tools_tool_change", args=[tool.pk])
    saved = ConsolePage(console, change).set("config.timeout_ms", "1234").press("_save")
    assert saved.response.status_code == 302
    tool.refresh_from_db()
    assert tool.config["timeout_ms"] == 1234
    assert tool.config["path"] == "/v0/things-0/{id}"
    again = imports(large(1)).unchanged
    assert [one.pk for one in again] == [tool.pk]
    page = ConsolePage(console, reverse("admin:tools_tool_try_it", args=[tool.pk]))
    assert page.has("arguments.id")
    assert page.has("arguments.trace")
    done = page.set("arguments.id", "7").press("run")
    assert "200" in text_of(done.response)
    assert server.last[0] == "GET /v0/things-0/7 HTTP/1.1"


def test_an_address_of_ones_own_network_is_opened_in_its_section(console: Client) -> None:
    response = console.post(address(), {"url": "http://127.0.0.1/openapi.json"})
    [advice] = response.context["form"].errors["allowed_private_networks"]
    assert "add 127.0.0.1/32 to allowed_private_networks" in advice
    assert "<details open>" in response.content.decode()
