"""System checks of the tools app: what must not be started with."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.utils.translation import gettext as _

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
