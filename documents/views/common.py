"""What the pages share."""

from django.http import QueryDict
from django.views.decorators.http import require_http_methods

require_form_methods = require_http_methods(["GET", "HEAD", "POST"])


def revision_in(sent: QueryDict, name: str) -> int | None:
    """What a field says, if it is a number that a revision can have."""
    given = sent.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
