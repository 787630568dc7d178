"""Addresses of the page of skills in what is said: a path in a sentence becomes a link to it."""

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

# Not where it is part of something else: another address, a link that is one already, code.
_BEFORE, _AFTER = r"(?<![\w/\[(`\"'#:.-])", r"(?![\w/#`\])-])"
_ADDRESS = re.compile(rf"{_BEFORE}/skills/(?:#[a-z0-9]+(?:[_-][a-z0-9]+)*)?{_AFTER}")


def link_in_markdown(text: str) -> str:
    return _ADDRESS.sub(lambda found: f"[{_('Skills')}]({found.group()})", text)


def link_in_text(text: str) -> SafeString:
    """Plain text as HTML."""
    label = escape(_("Skills"))
    linked = _ADDRESS.sub(lambda found: f'<a href="{found.group()}">{label}</a>', escape(text))
    return mark_safe(linked)  # noqa: S308  (escaped, and the address is of our own pattern)
