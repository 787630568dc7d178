"""`manage.py rotate_secrets`: every secret under the newest key, whatever happens on the way."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.base.models import User
from skills.models import AuditEvent
from tests.tools.secrets import KEYS, VALUE, make_secret, operator_actor
from tools.models import Secret
from tools.secrets import rotation
from tools.secrets.keys import newest_key, seal
from tools.secrets.services import change_secret
from tools.secrets.use import resolve_secret

pytestmark = [pytest.mark.both, pytest.mark.django_db]

OLD, NEW = KEYS[0], KEYS[1]
NAMES = ["s1", "s2", "s3", "s4", "s5"]


@pytest.fixture
def five(operator: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sealed with the old key; two make a batch."""
    monkeypatch.setattr(rotation, "BATCH", 2)
    settings.SECRETS_KEYS = [OLD]
    for name in NAMES:
        make_secret(operator, name, value=f"{VALUE}{name}")
    settings.SECRETS_KEYS = [NEW, OLD]


def rotate() -> tuple[int, str, str]:
    """Exit code, output, errors."""
    out, err = StringIO(), StringIO()
    try:
        call_command("rotate_secrets", stdout=out, stderr=err)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def values() -> list[str]:
    return [resolve_secret(name, "a.example") for name in NAMES]


def resealed_events() -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(action="secret.resealed"))


@pytest.mark.usefixtures("five")
def test_afterwards_the_old_key_is_not_needed(settings: Any) -> None:
    code, said, _errors = rotate()
    assert (code, said) == (0, "5 sealed anew, 0 were sealed with the newest key\n")
    settings.SECRETS_KEYS = [NEW]
    assert values() == [f"{VALUE}{name}" for name in NAMES]
    events = resealed_events()
    assert {event.target_id for event in events} == {str(s.pk) for s in Secret.objects.all()}
    assert len(events) == 5
    assert {event.metadata["key_id"] for event in events} == {newest_key().id}


@pytest.mark.usefixtures("five")
def test_run_twice_it_changes_nothing_more() -> None:
    rotate()
    before = list(Secret.objects.values_list("sealed", "updated_at"))
    assert rotate()[:2] == (0, "0 sealed anew, 5 were sealed with the newest key\n")
    assert list(Secret.objects.values_list("sealed", "updated_at")) == before
    assert len(resealed_events()) == 5


@pytest.mark.usefixtures("five")
@pytest.mark.parametrize("dies_at", [1, 2, 3, 4, 5])
def test_killed_in_the_middle_it_goes_on_when_run_again(
    settings: Any, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    """At each secret: its batch is undone, those before it are done, all can be read."""
    sealed = 0

    def seal_or_die(value: str) -> tuple[str, str]:
        nonlocal sealed
        sealed += 1
        if sealed == dies_at:
            raise KeyboardInterrupt
        return seal(value)

    monkeypatch.setattr(rotation, "seal", seal_or_die)
    with pytest.raises(KeyboardInterrupt):
        rotate()
    done = 2 * ((dies_at - 1) // 2)
    assert Secret.objects.filter(key_id=newest_key().id).count() == done
    assert len(resealed_events()) == done
    assert values() == [f"{VALUE}{name}" for name in NAMES]
    monkeypatch.setattr(rotation, "seal", seal)
    expected = f"{5 - done} sealed anew, {done} were sealed with the newest key\n"
    assert rotate()[:2] == (0, expected)
    settings.SECRETS_KEYS = [NEW]
    assert values() == [f"{VALUE}{name}" for name in NAMES]


@pytest.mark.usefixtures("five")
@pytest.mark.parametrize("newest", [True, False])
def test_what_can_not_be_read_is_named_and_the_others_are_done(newest: bool) -> None:
    damaged = Secret.objects.filter(name="s2")
    damaged.update(sealed="nonsense", **({"key_id": newest_key().id} if newest else {}))
    Secret.objects.filter(name="s4").update(key_id="ffffffffffff")
    code, said, errors = rotate()
    assert (code, said) == (1, "3 sealed anew, 0 were sealed with the newest key\n")
    assert [line.partition(" ")[0] for line in errors.splitlines()] == ["s2", "s4"]
    assert "secret_unreadable" in errors
    assert "secret_key_missing" in errors
    assert VALUE not in said + errors
    assert damaged.get().sealed == "nonsense"
    assert rotate()[0] == 1


@pytest.mark.usefixtures("five")
def test_a_value_that_is_given_anew_mends_it(operator: User) -> None:
    damaged = Secret.objects.get(name="s2")
    Secret.objects.filter(pk=damaged.pk).update(sealed="nonsense")
    change_secret(operator_actor(operator), damaged.pk, value=f"{VALUE}s2")
    assert rotate()[0] == 0
    assert values() == [f"{VALUE}{name}" for name in NAMES]


def test_without_a_key_it_says_so(settings: Any) -> None:
    settings.SECRETS_KEYS = []
    with pytest.raises(CommandError, match="GATEHOUSE_SECRETS_KEY"):
        call_command("rotate_secrets")


def test_without_secrets_there_is_nothing_to_do() -> None:
    assert rotate()[:2] == (0, "0 sealed anew, 0 were sealed with the newest key\n")
