"""Bodies as JSON."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from config.base.storable import is_storable


class StorableJSONParser(JSONParser):
    """Refuses what JSON can spell and no database keeps: NUL, half surrogates, endless nesting."""

    def parse(self, *args: Any, **options: Any) -> Any:
        try:
            body = super().parse(*args, **options)
        except RecursionError as error:
            raise ParseError(_("Nested too deeply.")) from error
        if not is_storable(body):
            raise ParseError(
                _("The body nests too deeply, or a text holds NUL or half a surrogate pair.")
            )
        return body
