"""The words that a list is narrowed by."""

from django.utils.translation import gettext as _

from config.base.errors import InvalidInput

MOST_WORDS = 10
MOST_CHARS = 2_000  # SQLite refuses to look for 50,000, escaped, and fails


def search_words(q: str) -> list[str]:
    """The first of them; no database knows NUL. Raises `InvalidInput` (too_long)."""
    if len(q) > MOST_CHARS:
        message = _("%(name)s has more than %(limit)s characters.")
        told = message % {"name": _("The search"), "limit": MOST_CHARS}
        raise InvalidInput(told, code="too_long", limit=MOST_CHARS)
    return q.replace("\0", "").split()[:MOST_WORDS]
