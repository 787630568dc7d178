"""UUIDs (RFC 9562)."""

import uuid

from django.utils.translation import gettext as _

from tools.errors import fail

NAMESPACES = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}


def named_uuid(namespace: str, name: str) -> uuid.UUID:
    """Raises `ToolFailure` (encoding) when the namespace is neither known nor a UUID."""
    known = NAMESPACES.get(namespace.strip().lower())
    return uuid.uuid5(known or _parsed(namespace), name)


def _parsed(namespace: str) -> uuid.UUID:
    try:
        return uuid.UUID(namespace.strip())
    except ValueError:
        fail(
            "encoding",
            _("The namespace is a UUID or one of: %(known)s.") % {"known": ", ".join(NAMESPACES)},
        )
