"""What comes of a text."""

from dataclasses import dataclass, field
from html import escape

from django.utils.safestring import SafeString, mark_safe

from documents.rendering.finish import Heading

_NOTHING = mark_safe("")


@dataclass(frozen=True, slots=True)
class Rendered:
    html: SafeString
    outline: list[Heading] = field(default_factory=list)
    contents: SafeString = _NOTHING  # the outline as a list of links, where it has two or more


def list_contents(outline: list[Heading]) -> SafeString:
    if len(outline) < 2:
        return _NOTHING
    items = "".join(_item(heading) for heading in outline)
    return mark_safe(f'<ul class="outline" role="list">{items}</ul>')  # noqa: S308  (escaped)


def _item(heading: Heading) -> str:
    link = f'<a href="#{escape(heading.anchor)}">{escape(heading.text)}</a>'
    return f'<li data-level="{heading.level}">{link}</li>'
