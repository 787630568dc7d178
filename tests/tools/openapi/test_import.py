"""Importing: one tool for each operation, again without doubles, all of them or none."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission

from config.base.actor import Actor
from config.base.errors import Conflict, NotPermitted
from config.base.models import User
from config.base.outbound.errors import OutboundRefused
from config.base.outbound.testing import http_answer
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.tools.openapi.conftest import Import, Peer, read
from tests.tools.openapi.documents import LIBRARY, PETSTORE, as_bytes, large, small
from tests.tools.secrets import make_secret, operator_actor
from tools.models import Tool
from tools.openapi import planning, services, source
from tools.openapi.choices import Choices
from tools.openapi.errors import ChoiceInvalid, DocumentNotFetched, DocumentTooLarge
from tools.openapi.planning import Step
from tools.openapi.services import import_openapi, preview_import
from tools.services import update_tool

pytestmark = pytest.mark.django_db

BASE = "http://a.example/v1"
SECRETS = {"api_key": "api"}


@pytest.fixture
def secret(operator: User) -> None:
    make_secret(operator)


def imported() -> list[Tool]:
    return list(Tool.objects.filter(type="http_api").order_by("slug"))


def events() -> list[AuditEvent]:
    changes = AuditEvent.objects.filter(action="config.changed", target_type="tool")
    return list(changes.order_by("pk"))


@pytest.mark.both
def test_each_operation_becomes_a_tool(imports: Import, secret: None) -> None:
    done = imports(PETSTORE, base_url=BASE, secrets=SECRETS)
    assert [tool.slug for tool in done.created] == [
        *("list_pets", "create_pet", "show_pet_by_id", "update_pet_with_form")
    ]
    assert (done.name, done.updated, done.unchanged, done.gone) == ("Pet Store", [], [], [])
    shown = Tool.objects.get(slug="show_pet_by_id")
    assert (shown.name, shown.enabled, shown.description) == (
        "Info for a specific pet",
        False,
        "",
    )
    assert shown.config["security"] == [
        {"kind": "api_key", "in": "header", "name": "X-Api-Key", "value": {"secret": "api"}}
    ]
    assert shown.config["source"] == {
        "document": "Pet Store",
        "operation": "GET /pets/{petId}",
        "secrets": SECRETS,
    }
    assert "security" not in Tool.objects.get(slug="list_pets").config
    assert [event.tool for event in events()] == [tool.slug for tool in done.created]
    assert events()[0].metadata["after"]["config.path"] == "/pets"


def test_only_what_is_chosen_is_made_switched_on_by_choice(imports: Import) -> None:
    done = imports(PETSTORE, operations=["GET /pets"], enabled=True, prefix="store_")
    assert [(tool.slug, tool.enabled) for tool in imported()] == [("store_list_pets", True)]
    assert [tool.slug for tool in done.created] == ["store_list_pets"]


def test_a_slug_that_is_taken_gets_a_number(imports: Import) -> None:
    Tool.objects.create(slug="list_pets", name="Mine", type="calculator")
    done = imports(PETSTORE, operations=["GET /pets"])
    assert [tool.slug for tool in done.created] == ["list_pets_2"]


@pytest.mark.both
def test_the_same_document_again_changes_nothing(imports: Import, secret: None) -> None:
    imports(PETSTORE, base_url=BASE, secrets=SECRETS)
    before = [(tool.pk, tool.updated_at) for tool in imported()]
    done = imports(PETSTORE, base_url=BASE)  # the secrets are known from before
    assert (done.created, done.updated) == ([], [])
    assert len(done.unchanged) == 4
    assert [(tool.pk, tool.updated_at) for tool in imported()] == before
    assert len(events()) == 4


def test_a_new_version_changes_what_is_there_and_keeps_what_is_the_operators(
    imports: Import, importer: Actor
) -> None:
    first = small()
    first["paths"]["/old"] = {"get": {"operationId": "old"}}
    made = {tool.slug: tool for tool in imports(first).created}
    mine = {**made["get_it"].config, "timeout_ms": 1234, "max_response_bytes": 99}
    update_tool(importer, made["get_it"].pk, config=mine, slug="mine", enabled=True, name="Mine")
    second = small(operation={"summary": "Get it now", "operationId": "other"})
    second["paths"]["/new"] = {"get": {}}
    done = imports(second, enabled=False)
    [changed] = done.updated
    assert (changed.tool.pk, changed.fields) == (made["get_it"].pk, ("about",))
    tool = Tool.objects.get(pk=made["get_it"].pk)
    assert (tool.slug, tool.name, tool.enabled) == ("mine", "Mine", True)
    assert tool.config == {**mine, "about": "Get it now."}
    assert [tool.slug for tool in done.created] == ["get_new"]
    assert [tool.slug for tool in done.gone] == ["old"]
    assert len(imported()) == 3
    [event] = [event for event in events() if event.metadata["fields"] == ["config"]][-1:]
    assert event.metadata["after"] == {"config.about": "Get it now."}


def test_what_the_document_leaves_out_goes(imports: Import) -> None:
    imports(small(operation={"parameters": [{"name": "q", "in": "query"}]}))
    [changed] = imports(small()).updated
    assert changed.fields == ("parameters",)
    assert "parameters" not in changed.tool.config


def test_another_name_is_another_document(imports: Import) -> None:
    imports(small())
    done = imports(small(), document="The other one")
    assert [tool.slug for tool in done.created] == ["get_it_2"]
    assert len(imports(small(), document="The other one").unchanged) == 1


def test_a_preview_says_all_of_it_and_changes_nothing(
    importer: Actor, secret: None, imports: Import
) -> None:
    imports(PETSTORE, operations=["GET /pets"], base_url=BASE)
    before = (len(imported()), len(events()))
    plan = preview_import(importer, read(PETSTORE), Choices(base_url="http://b.example"))
    steps = {item.operation.key: item.step for item in plan.items}
    assert steps == {
        "GET /pets": Step.CHANGED,
        "POST /pets": Step.UNUSABLE,
        "GET /pets/{petId}": Step.UNUSABLE,
        "PUT /pets/{petId}": Step.UNUSABLE,
        "DELETE /pets/{petId}": Step.UNUSABLE,
        "POST /pets/{petId}/image": Step.UNUSABLE,
    }
    assert plan.items[0].fields == ("base_url",)
    problems = [item.problem.code for item in plan.items if item.problem]
    assert problems == ["secret_missing"] * 4 + ["body_unsupported"]
    assert {name: scheme.kind for name, scheme in plan.schemes.items()} == {
        "api_key": "apiKey (header X-Api-Key)",
        "store_auth": "oauth2",
    }
    assert (len(imported()), len(events())) == before


# --- Security ---


def secured(scheme: Any, requirement: Any = None) -> dict[str, Any]:
    document = small(root={"security": requirement or [{"s": []}]})
    document["components"]["securitySchemes"] = {"s": scheme, "t": {"type": "mutualTLS"}}
    return document


@pytest.mark.parametrize(
    ("scheme", "credential"),
    [
        ({"type": "apiKey", "in": "query", "name": "k"}, {"in": "query", "name": "k"}),
        ({"type": "apiKey", "in": "cookie", "name": "k"}, {"in": "cookie", "name": "k"}),
        ({"type": "http", "scheme": "Bearer"}, {"kind": "bearer"}),
        ({"type": "http", "scheme": "basic"}, {"kind": "basic"}),
        ({"type": "oauth2", "flows": {}}, {"kind": "bearer"}),
        ({"type": "openIdConnect", "openIdConnectUrl": "x"}, {"kind": "bearer"}),
    ],
)
def test_a_scheme_is_sent_as_it_says(
    imports: Import, operator: User, scheme: Any, credential: Any
) -> None:
    make_secret(operator, allowed_hosts=["small.example"])
    [tool] = imports(secured(scheme), secrets={"s": "api"}).created
    [found] = tool.config["security"]
    assert found == {"kind": "api_key", **credential, "value": {"secret": "api"}}


@pytest.mark.parametrize(
    "scheme",
    [
        {"type": "mutualTLS"},
        {"type": "http", "scheme": "digest"},
        {"type": "apiKey", "in": "body", "name": "k"},
        {"type": "apiKey", "in": "header"},
        {"$ref": "#/gone"},
        {},
    ],
)
def test_a_scheme_that_is_not_known_is_said(importer: Actor, scheme: Any) -> None:
    plan = preview_import(importer, read(secured(scheme)), Choices(secrets={"s": "api"}))
    assert plan.items[0].problem is not None
    assert plan.items[0].problem.code == "security_unsupported"


def test_the_first_alternative_with_secrets_counts_nothing_comes_last(
    imports: Import, operator: User
) -> None:
    make_secret(operator, allowed_hosts=["small.example"])
    document = secured({"type": "http", "scheme": "basic"}, [{}, {"t": []}, {"s": []}])
    assert "security" not in imports(document).created[0].config
    [changed] = imports(document, secrets={"s": "api"}).updated
    assert changed.tool.config["security"][0]["kind"] == "basic"


@pytest.mark.parametrize(
    ("secrets", "base_url", "code"),
    [
        ({}, BASE, "secret_missing"),
        ({"api_key": "gone"}, BASE, "secret_unknown"),
        (SECRETS, "http://b.example", "secret_host_not_allowed"),
    ],
)
def test_a_secret_that_would_not_go_there_stops_the_import(
    imports: Import, secret: None, secrets: Any, base_url: str, code: str
) -> None:
    with pytest.raises(ChoiceInvalid) as caught:
        imports(PETSTORE, operations=["POST /pets"], secrets=secrets, base_url=base_url)
    assert set(caught.value.details["operations"]) == {"POST /pets"}
    assert imported() == []
    plan = preview_import(
        operator_actor(User.objects.get(username="operator")),
        read(PETSTORE),
        Choices(secrets=secrets, base_url=base_url),
    )
    assert plan.items[1].problem is not None
    assert plan.items[1].problem.code == code


# --- All or nothing ---


@pytest.mark.parametrize(
    "operations", [["GET /pets", "GET /gone"], ["GET /pets", "POST /pets/{petId}/image"], []]
)
def test_a_choice_that_can_not_be_made_changes_nothing(
    imports: Import, operations: list[str]
) -> None:
    with pytest.raises(ChoiceInvalid) as caught:
        imports(PETSTORE, operations=operations)
    assert caught.value.code == "openapi_not_importable"
    assert (imported(), events()) == ([], [])


def test_nothing_is_kept_of_an_import_that_fails_half_way(
    imports: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "slug_of", lambda *_words: "same")
    with pytest.raises(Conflict) as caught:
        imports(LIBRARY, url="http://a.example/")
    assert caught.value.code == "slug_taken"
    assert (imported(), events()) == ([], [])


def test_too_many_at_once_are_refused(imports: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_CHOSEN", 10)
    with pytest.raises(ChoiceInvalid):
        imports(large(12))
    assert imported() == []


def test_too_much_at_once_is_refused(imports: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MAX_CONFIG_CHARS", 5000)
    with pytest.raises(DocumentTooLarge):
        imports(large(40))


@pytest.mark.parametrize(
    "choices",
    [
        {"write_domains": ("*",)},
        {"write_domains": ("a b",)},
        {"allowed_private_networks": ("all",)},
        {"prefix": "Pets-"},
        {"prefix": "x" * 21},
    ],
)
def test_choices_are_checked(choices: dict[str, Any]) -> None:
    with pytest.raises(ChoiceInvalid):
        Choices(**choices)


def test_choices_for_all_go_into_each(imports: Import) -> None:
    choices = {
        "write_domains": ("things.example",),
        "allowed_private_networks": ("10.0.0.0/8",),
    }
    for tool in imports(large(4), **choices).created:
        assert {name: tuple(tool.config[name]) for name in choices} == choices


@pytest.mark.parametrize("permissions", [[], ["add_tool"], ["change_tool"]])
def test_it_needs_to_add_and_to_change(permissions: list[str]) -> None:
    staff = UserFactory.create(is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    for act in (preview_import, import_openapi):
        with pytest.raises(NotPermitted):
            act(operator_actor(staff), read(small()), Choices())


def test_somebody_with_both_may(alice: User) -> None:
    staff = UserFactory.create(is_staff=True)
    both = Permission.objects.filter(codename__in=["add_tool", "change_tool"])
    staff.user_permissions.set(both)
    assert import_openapi(operator_actor(staff), read(small()), Choices()).created
    alice.user_permissions.set(both)
    with pytest.raises(NotPermitted):
        import_openapi(operator_actor(alice), read(small()), Choices())


def test_planning_costs_the_same_for_few_as_for_many(
    importer: Actor, django_assert_num_queries: Any
) -> None:
    for number in (4, 60):
        document = read(large(number))
        with django_assert_num_queries(2):
            preview_import(importer, document, Choices())


# --- From a URL ---


def test_a_document_is_fetched_through_the_judged_client(server: Peer) -> None:
    server.answer = http_answer(as_bytes(LIBRARY))
    found = source.fetch_document("http://lib.example/docs/openapi.json")
    assert found.url == "http://lib.example/docs/openapi.json"
    assert server.last[0] == "GET /docs/openapi.json HTTP/1.1"
    for url in ("http://127.0.0.1/x", "file:///etc/passwd", "http://10.0.0.7/", "nonsense"):
        with pytest.raises(OutboundRefused):
            source.fetch_document(url)
    assert len(server.requests) == 1
    source.fetch_document("http://10.0.0.7/", ["10.0.0.0/8"])


def test_an_error_page_is_no_document(server: Peer) -> None:
    server.answer = http_answer(b"gone", status="404 Not Found")
    with pytest.raises(DocumentNotFetched, match="404"):
        source.fetch_document("http://lib.example/")


def test_a_long_answer_is_too_large(server: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_DOCUMENT_BYTES", 1000)
    server.answer = http_answer(as_bytes(LIBRARY))
    with pytest.raises(DocumentTooLarge):
        source.fetch_document("http://lib.example/")
