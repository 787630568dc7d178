"""Addresses of the page of skills in what is said: a path in a sentence becomes a link to it."""

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

# Not where it is part of something else: of another address, or of a word.
_BEFORE, _AFTER = r"(?<![\w/\[(`\"'#:.-])", r"(?![\w/#`\])-])"
_ADDRESS = re.compile(rf"{_BEFORE}/skills/(?:#[a-z0-9]+(?:[_-][a-z0-9]+)*)?{_AFTER}")
# As the sanitiser writes them: attributes are double-quoted, and `<` stands only before a tag.
_TAG = re.compile(r'(</?[a-z][a-z0-9]*(?:\s+[a-z-]+="[^"]*")*\s*/?>)')
_LITERAL = re.compile(r"<(/?)(?:a|code|pre)\b")  # what a link must not stand in


def link_in_html(html: SafeString) -> SafeString:
    """In the text of what was laid out, but for code and for what is a link already."""
    parts = []
    depth = 0
    for part in _TAG.split(html):
        if found := _LITERAL.match(part):
            depth += -1 if found[1] else 1
        parts.append(part if depth or part.startswith("<") else _linked(part))
    return mark_safe("".join(parts))  # noqa: S308  (it was, and so is what is put in)


def link_in_text(text: str) -> SafeString:
    """Plain text as HTML."""
    return mark_safe(_linked(escape(text)))  # noqa: S308  (escaped)


def _linked(escaped: str) -> str:
    """The address is of our own pattern, so it needs no escaping."""
    label = escape(_("Skills"))
    return _ADDRESS.sub(lambda found: f'<a href="{found.group()}">{label}</a>', escaped)
