"""Secrets: what changes them, who may, who opens them and for which hosts."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.base.errors import GatehouseError, NotFound, NotPermitted
from config.base.ids import uuid7
from config.base.models import User
from skills.models import AuditEvent
from tests.threads import both_at_once
from tests.tools.secrets import KEYS, VALUE, make_secret, operator_actor
from tools.checks import check_secrets_keys, check_secrets_open
from tools.errors import InvalidToolConfig
from tools.models import Secret, Tool
from tools.secrets.errors import (
    InvalidSecret,
    SecretHostRefused,
    SecretInUse,
    SecretKeyMissing,
    SecretNameTaken,
    SecretNeedsHttps,
    SecretUnknown,
    SecretUnreadable,
)
from tools.secrets.services import change_secret, create_secret, delete_secret
from tools.secrets.use import resolve_secret
from tools.secrets.users import users_of
from tools.services import create_tool, update_tool

pytestmark = [pytest.mark.both, pytest.mark.django_db]

REFERENCE = {"default_headers": {"authorization": {"secret": "api"}}}


@pytest.fixture
def secret(operator: User) -> Secret:
    return make_secret(operator)


def make_tool(operator: User, **values: Any) -> Tool:
    values = {"name": "API", "slug": "api_call", "type": "fetch", "config": REFERENCE, **values}
    return create_tool(operator_actor(operator), **values)


# --- Keeping ---


def test_what_is_kept_is_sealed_and_what_is_shown_is_the_name(secret: Secret) -> None:
    row = Secret.objects.values().get()
    assert VALUE not in str(row)
    assert (str(secret), secret.sealed[:6]) == ("api", "gAAAAA")
    assert VALUE not in repr(secret)
    assert resolve_secret("api", "a.example") == VALUE


def test_equal_values_are_sealed_differently(operator: User, secret: Secret) -> None:
    assert make_secret(operator, "other").sealed != secret.sealed


def test_a_change_without_a_value_keeps_it(operator: User, secret: Secret) -> None:
    change_secret(operator_actor(operator), secret.pk, note="mine", allowed_hosts=["b.example"])
    assert resolve_secret("api", "b.example") == VALUE
    with pytest.raises(SecretHostRefused):
        resolve_secret("api", "a.example")


def test_a_new_value_counts_at_once(operator: User, secret: Secret) -> None:
    change_secret(operator_actor(operator), secret.pk, value="another value")
    assert resolve_secret("api", "a.example") == "another value"


def test_each_change_is_one_audit_event_without_the_value(operator: User, secret: Secret) -> None:
    actor = operator_actor(operator)
    change_secret(actor, secret.pk, value="another value", note="mine")
    change_secret(actor, secret.pk, note="mine")
    delete_secret(actor, secret.pk)
    events = AuditEvent.objects.filter(target_type="secret", target_id=str(secret.pk))
    fields = [event.metadata["fields"] for event in events.order_by("pk")]
    assert fields == [["created"], ["note", "value"], ["deleted"]]
    assert "another" not in str(list(events.values()))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "With Blank"),
        ("name", "-api"),
        ("name", "api\n"),
        ("name", "x" * 51),
        ("name", None),
        ("value", ""),
        ("value", "short"),
        ("value", "x" * 8193),
        ("value", " surrounded "),
        ("value", "trailing line\n"),
        ("value", "lone \ud800 surrogate"),
        ("value", "nul \0 inside"),
        ("note", "x" * 501),
        ("note", "\ud800"),
        ("allowed_hosts", []),
        ("allowed_hosts", ["*"]),
        ("allowed_hosts", ["a.example", " * "]),
        ("allowed_hosts", ["https://a.example"]),
        ("allowed_hosts", ["a.example:443"]),
        ("allowed_hosts", ["*.*.example"]),
        ("allowed_hosts", ["a.example/path"]),
        ("allowed_hosts", "a.example"),
        ("allowed_hosts", [f"h{n}.example" for n in range(101)]),
    ],
)
def test_what_can_not_be_kept_is_refused_by_its_field(
    operator: User, field: str, value: Any
) -> None:
    with pytest.raises(InvalidSecret) as error:
        make_secret(operator, **{field: value})
    assert error.value.code == "invalid_secret"
    assert list(error.value.details["fields"]) == [field]
    assert not Secret.objects.exists()


def test_a_name_is_taken_once(operator: User, secret: Secret) -> None:
    with pytest.raises(SecretNameTaken) as error:
        make_secret(operator)
    assert error.value.code == "secret_name_taken"


def test_who_is_no_operator_changes_nothing(alice: User, secret: Secret) -> None:
    actor = operator_actor(alice)
    with pytest.raises(NotPermitted):
        create_secret(actor, name="mine", value=VALUE, allowed_hosts=["a.example"])
    with pytest.raises(NotPermitted):
        change_secret(actor, secret.pk, allowed_hosts=["evil.example"])
    with pytest.raises(NotPermitted):
        delete_secret(actor, secret.pk)
    assert Secret.objects.get().allowed_hosts == ["a.example"]


def test_one_that_is_gone_is_not_found(operator: User) -> None:
    with pytest.raises(NotFound):
        change_secret(operator_actor(operator), uuid7(), note="x")
    with pytest.raises(NotFound):
        delete_secret(operator_actor(operator), uuid7())


# --- Opening ---


@pytest.mark.parametrize(
    ("hosts", "host", "opens"),
    [
        (["a.example"], "a.example", True),
        (["A.Example."], "a.example", True),
        (["a.example"], "b.example", False),
        (["a.example"], "x.a.example", False),
        (["a.example"], "a.example.evil.example", False),
        (["*.a.example"], "x.a.example", True),
        (["*.a.example"], "a.example", False),
        (["*.a.example"], "xa.example", False),
        (["bücher.example"], "xn--bcher-kva.example", True),
        (["127.0.0.1"], "127.0.0.1", True),
    ],
)
def test_it_opens_for_its_hosts_only(
    operator: User, hosts: list[str], host: str, opens: bool
) -> None:
    make_secret(operator, allowed_hosts=hosts)
    if opens:
        assert resolve_secret("api", host) == VALUE
        return
    with pytest.raises(SecretHostRefused) as error:
        resolve_secret("api", host)
    assert error.value.code == "secret_host_not_allowed"
    assert VALUE not in error.value.message


def test_a_row_written_past_the_services_opens_for_no_host(secret: Secret) -> None:
    Secret.objects.update(allowed_hosts=["*"])
    with pytest.raises(SecretHostRefused):
        resolve_secret("api", "a.example")


def test_it_goes_over_http_only_by_leave(operator: User) -> None:
    make_secret(operator, allow_http=False)
    assert resolve_secret("api", "a.example", scheme="https") == VALUE
    with pytest.raises(SecretNeedsHttps) as error:
        resolve_secret("api", "a.example", scheme="http")
    assert error.value.code == "secret_needs_https"


def test_one_that_is_not_there_is_said_by_name() -> None:
    with pytest.raises(SecretUnknown, match="nobody") as error:
        resolve_secret("nobody", "a.example")
    assert error.value.code == "secret_unknown"


def test_its_last_use_is_noted_once_a_minute(secret: Secret) -> None:
    resolve_secret("api", "a.example")
    first = Secret.objects.get().last_used_at
    assert first is not None
    with CaptureQueriesContext(connection) as queries:
        resolve_secret("api", "a.example")
    assert len(queries) == 1
    earlier = timezone.now() - timedelta(minutes=2)
    Secret.objects.update(last_used_at=earlier)
    resolve_secret("api", "a.example")
    used = Secret.objects.get()
    assert used.last_used_at
    assert used.last_used_at > earlier
    assert used.updated_at == secret.updated_at


# --- Keys ---


@pytest.mark.parametrize("other", [[KEYS[1]], []])
def test_without_its_key_it_says_so(operator: User, settings: Any, other: list[str]) -> None:
    settings.SECRETS_KEYS = [KEYS[0]]
    secret = make_secret(operator)
    settings.SECRETS_KEYS = other
    with pytest.raises(SecretKeyMissing, match=secret.key_id) as error:
        resolve_secret("api", "a.example")
    assert error.value.code == "secret_key_missing"
    assert error.value.http_status < 500
    assert [warning.id for warning in check_secrets_open(["default"])] == ["tools.W001"]


def test_a_key_that_was_generated_is_pointed_at(
    operator: User, settings: Any, tmp_path: Path
) -> None:
    """Who sets a key for the first time does not know that there was one."""
    settings.HOME, settings.SECRETS_KEYS = tmp_path, [KEYS[0]]
    secret = make_secret(operator)
    (tmp_path / "secrets_key").write_text(f"{KEYS[0]}\n")
    settings.SECRETS_KEYS = [KEYS[1]]
    with pytest.raises(SecretKeyMissing, match="the file secrets_key of GATEHOUSE_HOME") as error:
        resolve_secret("api", "a.example")
    assert KEYS[0] not in error.value.message
    [warning] = check_secrets_open(["default"])
    assert "the file secrets_key" in str(warning.hint)
    assert secret.key_id in warning.msg
    (tmp_path / "secrets_key").write_text(KEYS[2])
    with pytest.raises(SecretKeyMissing, match="or give the secret its value anew"):
        resolve_secret("api", "a.example")


def test_without_any_key_nothing_is_kept(operator: User, settings: Any) -> None:
    settings.SECRETS_KEYS = []
    with pytest.raises(SecretKeyMissing):
        make_secret(operator)
    assert not Secret.objects.exists()


def test_an_older_key_still_opens(operator: User, settings: Any) -> None:
    settings.SECRETS_KEYS = [KEYS[0]]
    make_secret(operator)
    settings.SECRETS_KEYS = [KEYS[1], KEYS[0]]
    assert resolve_secret("api", "a.example") == VALUE
    assert check_secrets_open(["default"]) == []


@pytest.mark.parametrize("sealed", ["", "nonsense", "gAAAAABm", "é"])
def test_one_that_was_damaged_says_so(secret: Secret, sealed: str) -> None:
    Secret.objects.update(sealed=sealed)
    with pytest.raises(SecretUnreadable) as error:
        resolve_secret("api", "a.example")
    assert error.value.code == "secret_unreadable"


@pytest.mark.parametrize("keys", [[], ["short"], [KEYS[0], "x" * 31]])
def test_keys_that_protect_nothing_are_an_error(settings: Any, keys: list[str]) -> None:
    settings.SECRETS_KEYS = keys
    assert [error.id for error in check_secrets_keys()] == ["tools.E003"]


def test_the_generated_key_will_do() -> None:
    assert check_secrets_keys() == []
    assert check_secrets_open(["default"]) == []


# --- Use by settings ---


def test_a_config_may_only_name_what_is_there(operator: User) -> None:
    with pytest.raises(InvalidToolConfig, match="api") as error:
        make_tool(operator)
    assert error.value.code == "invalid_config"
    make_secret(operator)
    assert make_tool(operator).config == REFERENCE


def test_one_in_use_stays_and_says_by_whom(operator: User, secret: Secret) -> None:
    tool = make_tool(operator)
    assert users_of(secret) == ["tool “api_call”"]
    with pytest.raises(SecretInUse, match="api_call") as error:
        delete_secret(operator_actor(operator), secret.pk)
    assert error.value.code == "secret_in_use"
    update_tool(operator_actor(operator), tool.pk, config={})
    delete_secret(operator_actor(operator), secret.pk)
    assert not Secret.objects.exists()


def test_a_tool_whose_type_is_gone_still_holds_it(operator: User, secret: Secret) -> None:
    Tool.objects.create(name="x", slug="x", type="gone", config={"a": [{"b": {"secret": "api"}}]})
    with pytest.raises(SecretInUse):
        delete_secret(operator_actor(operator), secret.pk)


@pytest.mark.django_db(transaction=True)
def test_it_is_never_deleted_from_under_a_tool_that_begins_to_name_it(operator: User) -> None:
    for round_ in range(5):
        secret = make_secret(operator)

        def name_it(slug: str = f"round_{round_}") -> bool:
            try:
                make_tool(operator, slug=slug)
            except GatehouseError:
                return False
            return True

        def delete_it(key: Any = secret.pk) -> bool:
            try:
                delete_secret(operator_actor(operator), key)
            except GatehouseError:
                return False
            return True

        named, deleted = both_at_once(name_it, delete_it)
        assert named != deleted
        Tool.objects.filter(slug__startswith="round_").delete()
        Secret.objects.all().delete()
