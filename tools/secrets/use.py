"""Opening a secret for one call: the only place where its value leaves its row."""

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from config.base.outbound.domains import parse_domains
from tools.models import Secret
from tools.secrets.errors import (
    SecretHostRefused,
    SecretKeyMissing,
    SecretNeedsHttps,
    SecretUnknown,
    SecretUnreadable,
)
from tools.secrets.keys import unseal
from tools.secrets.known import remember

USE_NOTED_EVERY = timedelta(minutes=1)


def resolve_secret(name: str, host: str, *, scheme: str = "https") -> str:
    """The value, to be sent to this host (normalised, as in `ParsedUrl`) over this scheme.

    From here on the value is hidden from results, logs and errors. Raises `SecretUnknown`,
    `SecretHostRefused`, `SecretNeedsHttps`, `SecretKeyMissing`, `SecretUnreadable`.
    """
    return open_secret(check_secret(name, host, scheme=scheme))


def check_secret(name: str, host: str, *, scheme: str = "https") -> Secret:
    """Whether it may be sent there; for plans, which do not open it. Raises as `resolve_secret`."""
    secret = Secret.objects.filter(name=name).first()
    if secret is None:
        raise SecretUnknown(_("There is no secret “%(name)s”.") % {"name": name})
    if not is_meant_for(secret, host):
        raise _host_refused(name, host)
    if scheme != "https" and not secret.allow_http:
        raise SecretNeedsHttps(
            _("The secret “%(name)s” is sent over https only; nothing was sent.") % {"name": name}
        )
    return secret


def _host_refused(name: str, host: str) -> SecretHostRefused:
    words = {"name": name, "host": host}
    error = SecretHostRefused(
        _("The secret “%(name)s” is not meant for %(host)s; nothing was sent. Ask an operator "
          "to add the host to it.") % words
    )  # fmt: skip
    mend = _("The secret “%(name)s” is not meant for %(host)s; nothing was sent. Add the host to "
             "its allowed hosts.")  # fmt: skip
    error.for_operator = mend % words
    return error


def is_meant_for(secret: Secret, host: str) -> bool:
    """Also of a row that was written past the services: `*` opens nothing."""
    domains = parse_domains(secret.allowed_hosts)
    return not domains.everything and domains.matches(host)


def problem_of(secret: Secret) -> str:
    """Why it can't be opened, for operators; "" when it can. It does not count as used."""
    try:
        unseal(secret.sealed, secret.key_id)
    except (SecretKeyMissing, SecretUnreadable) as error:
        return error.message
    return ""


def open_secret(secret: Secret) -> str:
    """For who checks the host itself, below its own client."""
    value = unseal(secret.sealed, secret.key_id)
    remember(value)
    _note_use(secret)
    return value


def _note_use(secret: Secret) -> None:
    """To the minute: a busy secret is no row that everybody writes."""
    now, last = timezone.now(), secret.last_used_at
    if last is None or now - last > USE_NOTED_EVERY:
        Secret.objects.filter(pk=secret.pk).update(last_used_at=now)


def unknown_secrets(names: Iterable[str]) -> list[str]:
    wanted = set(names)
    if not wanted:
        return []
    found = Secret.objects.filter(name__in=wanted).values_list("name", flat=True)
    return sorted(wanted - set(found))
