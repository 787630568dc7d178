"""What a secret must be like."""

import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from config.base.outbound.domains import parse_domains
from config.base.storable import is_storable
from tools.secrets.encodings import MIN_LENGTH
from tools.secrets.errors import InvalidSecret
from tools.secrets.refs import NAME

MAX_VALUE_LENGTH = 8192  # what a header carries
MAX_NOTE_LENGTH = 500
MAX_HOSTS = 100


def check_name(name: Any) -> str:
    if not isinstance(name, str) or not re.fullmatch(NAME.strip("^$"), name):
        raise _invalid("name", _("Use a–z, 0–9, - and _ only, a letter or digit first."))
    return name


def check_value(value: Any) -> str:
    """One that is too short could not be told from other text, and so not be hidden in it."""
    if not isinstance(value, str) or not is_storable(value):
        raise _invalid("value", _("It holds characters that no text can hold."))
    if value != value.strip():
        raise _invalid("value", _("It begins or ends with a blank."))
    if not MIN_LENGTH <= len(value) <= MAX_VALUE_LENGTH:
        limits = {"low": MIN_LENGTH, "high": MAX_VALUE_LENGTH}
        raise _invalid("value", _("It has from %(low)s to %(high)s characters.") % limits)
    return value


def check_note(note: Any) -> str:
    if not isinstance(note, str) or not is_storable(note) or len(note) > MAX_NOTE_LENGTH:
        message = _("A text of at most %(high)s characters.")
        raise _invalid("note", message % {"high": MAX_NOTE_LENGTH})
    return note


def check_hosts(hosts: Sequence[Any]) -> list[str]:
    """As they were written, each once."""
    listed = list(dict.fromkeys(hosts)) if not isinstance(hosts, str) else []
    if not listed or len(listed) > MAX_HOSTS:
        message = _("Name the hosts that it may be sent to: from 1 to %(high)s.")
        raise _invalid("allowed_hosts", message % {"high": MAX_HOSTS})
    try:
        everything = parse_domains(map(str, listed)).everything
    except ValueError as error:
        raise _invalid("allowed_hosts", str(error)) from error
    if everything:
        raise _invalid("allowed_hosts", _("A secret names its hosts: * is none of them."))
    return [str(host).strip() for host in listed]


def _invalid(field: str, message: str) -> InvalidSecret:
    return InvalidSecret(f"{field}: {message}", fields={field: message})
