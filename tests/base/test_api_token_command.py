"""`manage.py api_token`: prints one usable token, or says what is wrong and makes none."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line
from django.utils import timezone

from config.base.models import ApiToken, Scope, User
from config.base.tokens import find_token
from skills.models import AuditEvent

pytestmark = pytest.mark.django_db


def api_token(*arguments: str) -> ApiToken:
    out = StringIO()
    call_command("api_token", *arguments, stdout=out)
    lines = out.getvalue().splitlines()
    assert len(lines) == 1  # nothing but the token, so that a script can take it
    found = find_token(lines[0])
    assert found is not None
    return found


def test_it_prints_a_token_of_this_user(alice: User) -> None:
    token = api_token("alice")
    assert (token.user, token.name, token.expires_at) == (alice, "command line", None)
    assert Scope.ACTIONS_CONFIRM not in token.scopes
    assert AuditEvent.objects.filter(action="token.created").count() == 1


def test_the_help_says_which_scopes_open_nothing_yet(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        execute_from_command_line(["manage.py", "api_token", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "agent – talk to agents;" in text
    assert "work data (later)" in text
    assert "knowledge (later)" not in text


def test_name_days_and_scopes_are_as_given(alice: User) -> None:
    token = api_token("alice", "--name", "ci", "--days", "7", "--scopes", "agent,actions:confirm")
    assert (token.name, token.scopes) == ("ci", ["agent", "actions:confirm"])
    assert token.expires_at is not None
    week = timezone.now() + timedelta(days=7)
    assert abs(token.expires_at - week) < timedelta(minutes=1)


def test_no_scopes_at_all_is_a_choice_too(alice: User) -> None:
    assert api_token("alice", "--scopes", "").scopes == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nobody"], "no user 'nobody'"),
        (["alice", "--days", "0"], "--days"),
        (["alice", "--days", "-3"], "--days"),
        (["alice", "--days", "999999999"], "--days"),
        (["alice", "--scopes", "agent,all"], "all"),
        (["alice", "--name", "n" * 101], "name"),
    ],
)
def test_what_can_not_be_is_refused(alice: User, arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        api_token(*arguments)
    assert not ApiToken.objects.exists()
