"""Bodies as JSON."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

MAX_DEPTH = 100


class BoundedJSONParser(JSONParser):
    """Nesting has an end: what the decoder bears, something behind it may not."""

    def parse(self, *args: Any, **options: Any) -> Any:
        try:
            body = super().parse(*args, **options)
        except RecursionError as error:
            raise ParseError(_("Nested too deeply.")) from error
        if _is_deeper(body, MAX_DEPTH):
            raise ParseError(_("Nested too deeply."))
        return body


def _is_deeper(value: Any, depth: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return depth == 0 or any(_is_deeper(item, depth - 1) for item in items)
