"""System checks of the tools app: what must not be started with."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.utils.translation import gettext as _

from config.base import tables
from tools.secrets.keys import MIN_KEY_LENGTH, place_of_key
from tools.secrets.lost import count_lost
from tools.types.datetime.clock import parse_fixed


@register
def check_fixed_clock(**_kwargs: Any) -> list[CheckMessage]:
    """`GATEHOUSE_TEST_NOW` is for tests: outside DEBUG it would make every answer a lie."""
    fixed: str | None = getattr(settings, "TEST_NOW", None)
    if not fixed:
        return []
    errors: list[CheckMessage] = []
    if not settings.DEBUG:
        errors.append(Error(_("GATEHOUSE_TEST_NOW is set, but DEBUG is off."), id="tools.E001"))
    try:
        parse_fixed(fixed)
    except ValueError as error:
        errors.append(
            Error(_("GATEHOUSE_TEST_NOW: %(problem)s") % {"problem": error}, id="tools.E002")
        )
    return errors


@register
def check_secrets_keys(**_kwargs: Any) -> list[CheckMessage]:
    """A key that can be guessed would open every secret of a stolen database."""
    keys = settings.SECRETS_KEYS
    if keys and all(len(key) >= MIN_KEY_LENGTH for key in keys):
        return []
    message = _("GATEHOUSE_SECRETS_KEY: each key is a random text of %(n)s characters or more.")
    hint = _("Unset it to have one generated, or take the output of: openssl rand -hex 32")
    return [Error(message % {"n": MIN_KEY_LENGTH}, hint=hint, id="tools.E003")]


@register(Tags.database)
def check_secrets_open(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """A warning: everything but these secrets works, and the console says which they are."""
    if not databases or not tables.are_there():
        return []
    return [
        checks.Warning(
            f"GATEHOUSE_SECRETS_KEY lacks the key {key_id}: what it sealed can't be opened ({n}).",
            hint=place_of_key(key_id),
            id="tools.W001",
        )
        for key_id, n in sorted(count_lost().items())
    ]
