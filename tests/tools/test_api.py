"""/api/agent-tools/: rows and types."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.base.ids import uuid7
from config.base.models import Scope, User
from skills.models import AuditEvent
from tests.plans import analyze
from tests.tools.api import Api, error_of
from tests.tools.conftest import Make, run
from tools.budgets.limits import day_of
from tools.models import Tool, ToolDay
from tools.selectors import list_tools
from tools.testing import Peer, events_of

pytestmark = pytest.mark.django_db

TOOLS = "/api/agent-tools/"
NESTED = b'{"config": ' + b"[" * 200 + b"]" * 200 + b"}"
NEW = {"name": "Handbook", "slug": "handbook", "type": "fetch"}


@pytest.fixture
def api(operator: User) -> Api:
    return Api(operator)


def path_of(tool: Tool, rest: str = "") -> str:
    return f"{TOOLS}{tool.pk}/{rest}"


# --- Who ---

ENDPOINTS = [
    ("GET", "", "tools:read"),
    ("POST", "", "tools:manage"),
    ("GET", "types/", "tools:read"),
    ("GET", "logs/", "tools:read"),
    ("GET", "logs/{id}/", "tools:read"),
    ("GET", "{id}/", "tools:read"),
    ("PUT", "{id}/", "tools:manage"),
    ("PATCH", "{id}/", "tools:manage"),
    ("DELETE", "{id}/", "tools:manage"),
    ("POST", "{id}/execute/", "tools:execute"),
]


@pytest.mark.parametrize(("method", "path", "scope"), ENDPOINTS)
def test_only_operators_get_anything(
    make: Make, alice: User, operator: User, method: str, path: str, scope: str
) -> None:
    tool = make("echo")
    path = TOOLS + path.format(id=tool.pk)
    others = sorted(set(Scope.values) - {scope})
    assert error_of(Api()(method, path))[:2] == (401, "not_authenticated")
    assert error_of(Api(alice)(method, path))[:2] == (403, "permission_denied")
    assert error_of(Api(alice, list(Scope.values))(method, path))[:2] == (403, "permission_denied")
    assert error_of(Api(operator, others)(method, path))[:2] == (403, "scope_missing")
    assert Api(operator, [scope])(method, path)[0] in {200, 204, 400, 404}


@pytest.mark.parametrize(
    ("method", "path", "codename"),
    [
        ("GET", "", "view_tool"),
        ("POST", "", "add_tool"),
        ("GET", "types/", "view_tool"),
        ("GET", "logs/", "view_toolcall"),
        ("GET", "{id}/", "view_tool"),
        ("PATCH", "{id}/", "change_tool"),
        ("DELETE", "{id}/", "delete_tool"),
        ("POST", "{id}/execute/", "change_tool"),
    ],
)
def test_staff_may_do_here_what_they_may_do_in_the_console(
    make: Make, method: str, path: str, codename: str
) -> None:
    staff = User.objects.create(username="auditor", is_staff=True)
    path = TOOLS + path.format(id=make("echo").pk)
    assert error_of(Api(staff)(method, path))[:2] == (403, "permission_denied")
    staff.user_permissions.add(Permission.objects.get(codename=codename))
    allowed = Api(User.objects.get(pk=staff.pk))
    assert allowed(method, path)[0] in {200, 204, 400}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", ""),
        ("DELETE", ""),
        ("POST", "types/"),
        ("DELETE", "logs/"),
        ("GET", "{id}/execute/"),
    ],
)
def test_other_methods_are_refused(make: Make, api: Api, method: str, path: str) -> None:
    assert api(method, TOOLS + path.format(id=make("echo").pk))[0] == 405


# --- Rows ---


def test_tools_are_listed_in_the_operators_order(make: Make, api: Api) -> None:
    last, first = make("echo", sort_order=9), make("echo", sort_order=-1)
    status, body = api("GET", TOOLS)
    assert status == 200
    slugs = [row["slug"] for row in body["results"]]
    assert (slugs[0], slugs[-1]) == (first.slug, last.slug)
    assert body["count"] == len(slugs)
    assert body["next"] is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("slug=one", ["one"]),
        ("slug=none", []),
        ("type=fake_echo", ["one", "two"]),
        ("type=fake_echo&enabled=false", ["two"]),
        ("type=fake_echo&enabled=true", ["one"]),
        ("type=fake_echo&ordering=-slug", ["two", "one"]),
        ("type=fake_echo&page_size=1&page=2", ["two"]),
        ("slug=%00", []),
    ],
)
def test_the_list_is_filtered_ordered_and_paged(
    make: Make, api: Api, query: str, expected: list[str]
) -> None:
    make("echo", slug="one")
    make("echo", slug="two", enabled=False)
    status, body = api("GET", f"{TOOLS}?{query}")
    assert status == 200
    if query != "slug=%00":
        assert [row["slug"] for row in body["results"]] == expected


@pytest.mark.parametrize("query", ["enabled=maybe", "ordering=secret", "ordering=--slug"])
def test_a_filter_that_does_not_fit_is_refused(api: Api, query: str) -> None:
    assert api("GET", f"{TOOLS}?{query}")[0] == 400


@pytest.mark.parametrize("path", ["", "logs/"])
def test_a_list_costs_the_same_for_one_row_and_for_many(
    make: Make, api: Api, operator: User, path: str
) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api("GET", TOOLS + path)[0] == 200
        return len(queries)

    run(make("send", needs_approval=True), operator)
    cost()
    few = cost()
    for _ in range(5):
        run(make("send", needs_approval=True), operator)
        run(make("echo", calls_per_day=3), operator)
    assert cost() == few


@pytest.mark.both
def test_a_tool_says_how_often_it_was_called_today(make: Make, api: Api, operator: User) -> None:
    used, unused, free = make("echo", calls_per_day=9), make("echo", calls_per_day=9), make("echo")
    ToolDay.objects.create(tool=used, day=day_of(timezone.now()) - timedelta(days=1), calls=7)
    for tool in (used, used, free):
        run(tool, operator)
    rows = {row["slug"]: row["calls_today"] for row in api("GET", TOOLS)[1]["results"]}
    expected = {used: 2, unused: 0, free: None}
    for tool, calls in expected.items():
        assert rows[tool.slug] == calls
        assert api("GET", path_of(tool))[1]["calls_today"] == calls


@pytest.mark.both
def test_a_tools_calls_of_today_are_found_by_an_index(make: Make) -> None:
    tool, today = make("echo", calls_per_day=9), day_of(timezone.now())
    ToolDay.objects.bulk_create(
        ToolDay(tool=tool, day=today - timedelta(days=n), calls=1) for n in range(1500)
    )
    analyze(ToolDay, Tool)
    plan = list_tools().filter(pk=tool.pk).explain()
    assert "one_row_per_tool_day" in plan or "sqlite_autoindex_tools_toolday" in plan, plan


def test_a_limit_that_is_set_or_taken_away_is_answered_with_its_use(make: Make, api: Api) -> None:
    tool = make("echo")
    assert api("PATCH", path_of(tool), {"calls_per_day": 5})[1]["calls_today"] == 0
    assert api("PATCH", path_of(tool), {"calls_per_day": 0})[1]["calls_today"] is None
    assert api("POST", TOOLS, {**NEW, "calls_per_day": 5})[1]["calls_today"] == 0
    refused = api("PATCH", path_of(tool), {"calls_today": 0})
    assert error_of(refused) == (400, "unknown_field", "calls_today")


def test_a_tool_is_created_with_defaults_and_audited(api: Api) -> None:
    status, body = api("POST", TOOLS, NEW)
    assert status == 201
    assert body["config"] == {}
    assert (body["enabled"], body["needs_approval"], body["sort_order"]) == (True, False, 0)
    assert events_of(body["id"]) == ["config.changed"]
    assert api("GET", f"{TOOLS}{body['id']}/") == (200, body)


def test_creating_with_a_key_happens_once(api: Api) -> None:
    first = api("POST", TOOLS, NEW, Idempotency_Key="k")
    assert api("POST", TOOLS, NEW, Idempotency_Key="k") == first
    assert Tool.objects.filter(slug="handbook").count() == 1
    other = {**NEW, "name": "Other"}
    assert error_of(api("POST", TOOLS, other, Idempotency_Key="k"))[:2] == (
        422,
        "idempotency_key_reused",
    )


@pytest.mark.parametrize(
    ("values", "code", "attr"),
    [
        ({"type": "abacus"}, "unknown_type", "type"),
        ({"type": None}, "null", "type"),
        ({"slug": "Has Capitals"}, "invalid", "slug"),
        ({"slug": "a b"}, "invalid", "slug"),
        ({"slug": "a" * 51}, "max_length", "slug"),
        ({"slug": "né"}, "invalid", "slug"),
        ({"name": ""}, "blank", "name"),
        ({"name": "a\0"}, "null_characters_not_allowed", "name"),
        ({"colour": "red"}, "unknown_field", "colour"),
        ({"enabled": "perhaps"}, "invalid", "enabled"),
        ({"sort_order": 2**31}, "max_value", "sort_order"),
        ({"config": []}, "not_a_dict", "config"),
        ({"config": {"timeout_ms": 0}}, "invalid_config", "config.timeout_ms"),
        ({"config": {"timeOut": 5}}, "invalid_config", "config.timeOut"),
        ({"config": {"allowed_domains": [1]}}, "invalid_config", "config.allowed_domains.0"),
        ({"config": {"default_headers": {"a": "\0"}}}, "invalid_config", "config"),
    ],
)
def test_it_refuses_a_row_that_does_not_fit_and_names_the_field(
    api: Api, values: dict[str, Any], code: str, attr: str
) -> None:
    assert error_of(api("POST", TOOLS, {**NEW, **values})) == (400, code, attr)
    tool = Tool.objects.get(slug="fetch")
    assert error_of(api("PATCH", path_of(tool), values)) == (400, code, attr)
    assert not Tool.objects.filter(slug="handbook").exists()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"a"', b"null", b"\xff", b"[" * 100_000, NESTED]
)
def test_a_body_that_is_no_object_is_refused(api: Api, body: bytes) -> None:
    assert api("POST", TOOLS, body)[0] == 400


def test_a_slug_that_is_taken_is_a_conflict(api: Api) -> None:
    taken = {**NEW, "slug": "calculator"}
    assert error_of(api("POST", TOOLS, taken))[:2] == (409, "slug_taken")


def test_put_replaces_and_patch_changes(api: Api) -> None:
    full = {**NEW, "config": {"timeout_ms": 5000}, "sort_order": 3, "description": "Ours."}
    _status, row = api("POST", TOOLS, full)
    path = f"{TOOLS}{row['id']}/"
    status, changed = api("PATCH", path, {"enabled": False})
    assert status == 200
    assert changed == {**row, "enabled": False, "updated_at": changed["updated_at"]}
    status, replaced = api("PUT", path, NEW)
    assert status == 200
    assert (replaced["config"], replaced["sort_order"], replaced["enabled"]) == ({}, 0, True)
    assert replaced["description"] == ""
    assert error_of(api("PUT", path, {"name": "a"}))[:2] == (400, "required")
    fields = [event.metadata["fields"] for event in AuditEvent.objects.filter(target_id=row["id"])]
    assert fields[1] == ["enabled"]


def test_a_tool_is_deleted_once(make: Make, api: Api) -> None:
    tool = make("echo")
    assert api("DELETE", path_of(tool)) == (204, None)
    assert api("DELETE", path_of(tool))[0] == 404
    assert events_of(tool.pk) == ["config.changed"]


@pytest.mark.parametrize(("method", "path", "scope"), [e for e in ENDPOINTS if "{id}" in e[1]])
def test_what_does_not_exist_is_not_found(api: Api, method: str, path: str, scope: str) -> None:
    body = {**NEW, "input": {}} if method != "GET" else None
    assert api(method, TOOLS + path.format(id=uuid7()), body)[0] == 404


def test_types_are_listed_with_their_schemas(api: Api, peer: Peer) -> None:
    status, body = api("GET", f"{TOOLS}types/?page_size=100")
    assert status == 200
    types = {row["name"]: row for row in body["results"]}
    assert body["count"] == len(types)
    fetch = types["fetch"]
    assert "timeout_ms" in fetch["config_schema"]["properties"]
    assert "url" in fetch["input_schema"]["properties"]
    assert fetch["annotations"]["open_world"] is True
    assert types["document"]["log_payload"] == "none"
