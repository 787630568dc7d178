"""Security schemes of a document, and the operator's secrets that stand for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tools.openapi.document import Document
from tools.openapi.errors import OperationUnusable
from tools.openapi.pointers import References
from tools.openapi.words import in_one_line
from tools.schemas import JSON

_PLACES = ("header", "query", "cookie")


@dataclass(frozen=True, slots=True)
class Scheme:
    """`credential` is what a config gets, but for the secret; None: it can't be used here."""

    name: str
    kind: str  # in the document's words
    description: str
    credential: JSON | None


def schemes_of(document: Document, references: References) -> dict[str, Scheme]:
    found = {}
    for name, value in document.components("securitySchemes").items():
        try:
            found[name] = _scheme(name, references.resolve(value))
        except OperationUnusable as error:
            found[name] = Scheme(name, "?", error.message, None)
    return found


def _scheme(name: str, scheme: JSON) -> Scheme:
    kind, way = str(scheme.get("type")), str(scheme.get("scheme", "")).lower()
    description = in_one_line(scheme.get("description"), 200)
    credential: JSON | None = None
    if kind == "apiKey" and scheme.get("in") in _PLACES and isinstance(scheme.get("name"), str):
        kind = f"apiKey ({scheme['in']} {scheme['name'][:100]})"
        credential = {"kind": "api_key", "in": scheme["in"], "name": scheme["name"][:100]}
    elif kind == "http":
        kind = f"http {way[:20]}"
        credential = {"kind": way} if way in {"bearer", "basic"} else None
    elif kind in {"oauth2", "openIdConnect"}:  # with a token that the operator got there
        credential = {"kind": "bearer"}
    return Scheme(name, kind[:150], description, credential)


type Alternatives = tuple[tuple[str, ...], ...]


def alternatives_of(document: Document, operation: JSON) -> Alternatives:
    """Each is a set of schemes that are needed together; an empty one: none is needed."""
    told = operation.get("security", document.root.get("security"))
    if not isinstance(told, list):
        return ((),)
    return tuple(tuple(one) for one in told if isinstance(one, dict)) or ((),)


def credentials_for(
    alternatives: Alternatives, schemes: Mapping[str, Scheme], secrets: Mapping[str, str]
) -> list[JSON]:
    """By the first alternative whose schemes all have secrets. Raises `OperationUnusable`."""
    usable = [one for one in alternatives if all(_usable(schemes.get(name)) for name in one)]
    if not usable:
        raise OperationUnusable(
            "security_unsupported",
            _("It signs in in a way that is not known here: %(schemes)s.")
            % {"schemes": _or(alternatives)},
        )
    for one in sorted(usable, key=lambda names: not names):  # the anonymous one last
        if all(secrets.get(name) for name in one):
            return [_credential(schemes[name], secrets[name]) for name in one]
    raise OperationUnusable(
        "secret_missing",
        _("Choose a secret for %(schemes)s.") % {"schemes": _or(tuple(usable))},
    )


def _usable(scheme: Scheme | None) -> bool:
    return scheme is not None and scheme.credential is not None


def _credential(scheme: Scheme, secret: str) -> JSON:
    made: dict[str, Any] = dict(scheme.credential or {})
    return {**made, "value": {"secret": secret}}


def _or(alternatives: Alternatives) -> str:
    each = [" + ".join(name[:50] for name in one) for one in alternatives if one]
    return _(" or ").join(each[:5])
