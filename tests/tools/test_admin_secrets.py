"""The operator's pages of secrets: written there, never shown; refused while in use."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import ModelProfile
from config.base.models import User
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.tools.api import Api
from tests.tools.console_forms import ConsolePage
from tests.tools.secrets import KEYS, VALUE, make_secret, operator_actor
from tools.models import Secret, Tool
from tools.secrets.use import resolve_secret
from tools.services import create_tool

pytestmark = [pytest.mark.both, pytest.mark.django_db]

LIST = reverse("admin:tools_secret_changelist")
ADD = reverse("admin:tools_secret_add")
FIELDS = {"name": "api", "value": VALUE, "allowed_hosts": "a.example\r\n*.b.example", "note": "n"}
TOKEN = VALUE.partition(" ")[2]


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def secret(operator: User) -> Secret:
    return make_secret(operator, note="of the team")


def change(secret: Secret) -> str:
    return reverse("admin:tools_secret_change", args=[secret.pk])


def delete(secret: Secret) -> str:
    return reverse("admin:tools_secret_delete", args=[secret.pk])


def use(operator: User, slug: str = "api_call") -> Tool:
    return create_tool(
        operator_actor(operator), name=slug, slug=slug, type="fetch",
        config={"default_headers": {"authorization": {"secret": "api"}}},
    )  # fmt: skip


def errors(response: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = response.context["adminform"].form.errors
    return found


def test_a_new_one_is_kept_and_not_shown(console: Client) -> None:
    told = console.post(ADD, FIELDS, follow=True)
    secret = Secret.objects.get()
    assert secret.allowed_hosts == ["a.example", "*.b.example"]
    assert resolve_secret("api", "x.b.example") == VALUE
    pages = [told, console.get(LIST), console.get(change(secret)), console.get(delete(secret))]
    for page in pages:
        assert page.status_code == 200
        assert TOKEN not in page.content.decode()
        assert secret.sealed not in page.content.decode()
    event = AuditEvent.objects.get(target_id=str(secret.pk))
    assert (event.action, event.origin) == ("config.changed", "admin")


def test_the_value_is_a_password_field_without_a_value(console: Client, secret: Secret) -> None:
    page = console.get(change(secret)).content.decode()
    [field] = re.findall(r'<input[^>]*name="value"[^>]*>', page)
    assert 'type="password"' in field
    assert 'autocomplete="new-password"' in field
    assert "value=" not in field.replace('name="value"', "")


def test_what_is_wrong_does_not_come_back_with_the_page(console: Client) -> None:
    response = console.post(ADD, {**FIELDS, "allowed_hosts": "*"})
    assert "allowed_hosts" in errors(response)
    assert TOKEN not in response.content.decode()
    assert not Secret.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "With Blank"),
        ("value", ""),
        ("value", "short"),
        ("allowed_hosts", ""),
        ("allowed_hosts", "*"),
        ("allowed_hosts", "https://a.example/"),
        ("note", "x" * 501),
    ],
)
def test_what_can_not_be_kept_is_said_at_its_field(console: Client, field: str, value: str) -> None:
    told = errors(console.post(ADD, {**FIELDS, field: value}))
    assert set(told) == {field, "value"}  # the value must come again


@pytest.mark.parametrize("wrong", [{"allowed_hosts": "*"}, {"name": "Not a name"}])
def test_a_value_that_came_with_an_error_elsewhere_must_come_again(
    console: Client, wrong: dict[str, str]
) -> None:
    told = console.post(ADD, {**FIELDS, **wrong})
    assert "enter it again: nothing was saved" in " ".join(errors(told)["value"])
    assert TOKEN not in told.content.decode()


def test_an_error_without_a_value_asks_for_none(console: Client, secret: Secret) -> None:
    told = console.post(change(secret), {"value": "", "allowed_hosts": "*"})
    assert set(errors(told)) == {"allowed_hosts"}


def test_the_list_says_what_goes_unencrypted(console: Client, operator: User) -> None:
    make_secret(operator, "open")
    make_secret(operator, "closed", allow_http=False)
    page = console.get(LIST).content.decode()
    cells = re.findall(r'<td class="field-http[^>]*>(.*?)</td>', page, re.DOTALL)
    assert sorted("yes" in cell for cell in cells) == [False, True]


def test_a_name_is_taken_once(console: Client, secret: Secret) -> None:
    assert "name" in errors(console.post(ADD, FIELDS))


def test_without_a_key_the_form_says_so(console: Client, settings: Any) -> None:
    settings.SECRETS_KEYS = []
    assert "GATEHOUSE_SECRETS_KEY" in str(errors(console.post(ADD, FIELDS)))


def test_an_empty_value_keeps_the_old_one(console: Client, secret: Secret) -> None:
    fields = {"value": "", "allowed_hosts": "b.example", "note": "new", "allow_http": ""}
    assert console.post(change(secret), fields).status_code == 302
    assert resolve_secret("api", "b.example") == VALUE
    assert Secret.objects.get().allow_http is False


def test_a_name_stays_whatever_is_sent(console: Client, secret: Secret) -> None:
    console.post(change(secret), {**FIELDS, "name": "other"})
    assert Secret.objects.get().name == "api"


def test_the_list_shows_who_uses_it_in_as_many_queries_for_many(
    console: Client, operator: User, secret: Secret
) -> None:
    ModelProfile.objects.create(name="Local", model="m", api_key_secret=secret)
    use(operator)

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            page = console.get(LIST).content.decode()
        assert "tool “api_call”, model profile “Local”" in page
        assert "with the newest key" in page
        return len(queries)

    cost()
    few = cost()
    for n in range(5):
        make_secret(operator, f"s{n}")
        use(operator, f"tool_{n}")
    with CaptureQueriesContext(connection) as queries:
        assert console.get(LIST).status_code == 200
    assert len(queries) == few


@pytest.mark.parametrize("keys", [[], [KEYS[0]], [KEYS[0], KEYS[1]]])
def test_no_page_breaks_when_the_key_is_lost(
    console: Client, settings: Any, operator: User, keys: list[str]
) -> None:
    settings.SECRETS_KEYS = [KEYS[1]]
    secret = make_secret(operator)
    ModelProfile.objects.create(name="Local", model="m", api_key_secret=secret)
    settings.SECRETS_KEYS = keys
    said = "with an older key" if KEYS[1] in keys else "its key is not there"
    assert said in console.get(LIST).content.decode()
    assert said in console.get(change(secret)).content.decode()
    profiles = console.get(reverse("admin:agents_modelprofile_changelist"))
    assert profiles.status_code == 200


def test_one_in_use_can_not_be_deleted(console: Client, operator: User, secret: Secret) -> None:
    tool = use(operator)
    page = console.get(delete(secret)).content.decode()
    assert "tool “api_call”" in page
    console.post(delete(secret), {"post": "yes"})
    many = {"action": "delete_selected", "_selected_action": [secret.pk], "post": "yes"}
    console.post(LIST, many)
    assert Secret.objects.exists()
    tool.delete()
    assert console.post(delete(secret), {"post": "yes"}).status_code == 302
    assert not Secret.objects.exists()


def test_a_tool_s_form_offers_secrets_by_name_and_never_their_values(
    console: Client, operator: User, secret: Secret
) -> None:
    tool = use(operator)
    form = ConsolePage(console, reverse("admin:tools_tool_change", args=[tool.pk]))
    assert form["config.default_headers.0:key"] == "authorization"
    assert form["config.default_headers.0_1"] == "api"
    assert VALUE not in form.text
    form = form.press("config:act", "add config.default_headers")
    form.set("config.default_headers.1:key", "x-plain").set("config.default_headers.1_0", "text")
    assert form.press("_save").response.status_code == 302
    tool.refresh_from_db()
    assert tool.config["default_headers"] == {
        "authorization": {"secret": "api"},
        "x-plain": "text",
    }


# --- Who may ---


def test_others_never_see_them(client: Client, alice: User, secret: Secret) -> None:
    pages = [LIST, ADD, change(secret), delete(secret)]
    for user in (None, alice, UserFactory.create(is_staff=True)):
        if user:
            client.force_login(user)
        for address in pages:
            for response in (client.get(address), client.post(address, FIELDS)):
                assert response.status_code in {302, 403}
                assert "of the team" not in response.content.decode()
    assert Secret.objects.get().note == "of the team"


def test_who_may_only_look_has_no_field_to_write(client: Client, secret: Secret) -> None:
    reader = UserFactory.create(is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_secret"))
    client.force_login(reader)
    page = client.get(change(secret))
    assert page.status_code == 200
    assert 'name="value"' not in page.content.decode()
    assert "a.example" in page.content.decode()
    assert client.post(change(secret), FIELDS).status_code == 403


def test_the_api_shows_the_reference_to_operators_only(
    alice: User, operator: User, secret: Secret
) -> None:
    tool = use(operator)
    path = f"/api/agent-tools/{tool.pk}/"
    status, body = Api(operator)("GET", path)
    assert (status, body["config"]["default_headers"]) == (
        200,
        {"authorization": {"secret": "api"}},
    )
    assert Api(alice)("GET", path)[0] in {403, 404}
    status, body = Api(operator)(
        "PATCH", path, {"config": {"default_headers": {"x": {"secret": "nobody"}}}}
    )
    assert (status, body["errors"][0]["code"]) == (400, "invalid_config")
