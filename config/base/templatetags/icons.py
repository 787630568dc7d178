"""`{% icon "name" %}`: in every template, without loading it."""

from functools import lru_cache

from django.template import Library
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = Library()


@register.simple_tag
@lru_cache(maxsize=256)  # a page shows some forty
def icon(name: str, css_class: str = "") -> SafeString:
    """A drawing of icons.svg. Always decorative: the text beside it, or a label, says the same."""
    return format_html(
        '<svg class="{}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        f"icon {css_class}".strip(),
        static("gatehouse/icons.svg"),
        name,
    )
