"""References within a document (RFC 6901), followed as far as it is sane."""

from typing import Any
from urllib.parse import unquote

from django.utils.translation import gettext as _

from tools.json_schemas.pointers import value_at
from tools.openapi.errors import OperationUnusable
from tools.openapi.limits import MAX_REFERENCE_CHAIN
from tools.schemas import JSON


class References:
    def __init__(self, root: JSON) -> None:
        self._root = root

    def resolve(self, value: Any) -> JSON:
        """The object that stands there in the end. Raises `OperationUnusable`."""
        for _step in range(MAX_REFERENCE_CHAIN):
            if not isinstance(value, dict):
                raise OperationUnusable(
                    "reference_broken", _("Where an object is expected there is none.")
                )
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value
            value = self.at(pointer_of(reference))
        raise OperationUnusable("reference_broken", _("A reference leads to itself."))

    def at(self, pointer: str) -> Any:
        try:
            return value_at(self._root, pointer)
        except LookupError as error:
            raise OperationUnusable(
                "reference_broken",
                _("“%(pointer)s” leads nowhere.") % {"pointer": pointer[:100]},
            ) from error


def pointer_of(reference: str) -> str:
    """Of a place in the same document. Raises `OperationUnusable`: nothing else is fetched."""
    if not reference.startswith("#/"):
        raise OperationUnusable(
            "reference_external",
            _("“%(reference)s” is outside the document; bundle it into one first.")
            % {"reference": reference[:100]},
        )
    return unquote(reference[1:])
