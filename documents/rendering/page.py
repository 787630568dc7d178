"""The one function that renders, and what it finds on the way."""

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from documents.rendering.errors import RenderingTooLong
from documents.rendering.finish import Heading, finish
from documents.rendering.highlight import highlight
from documents.rendering.host import convert
from documents.rendering.kept import kept
from documents.rendering.rendered import Rendered, list_contents
from documents.rendering.sanitise import sanitise


def render(text: str) -> Rendered:
    """Ends within 2 s and 256 MB on any text; past that the text is shown as it is written."""
    try:
        return kept(_encodable(text), _laid_out)
    except RenderingTooLong:
        return Rendered(_as_written(text))


def _laid_out(text: str) -> Rendered:
    html, headings = finish(sanitise(convert(text)))
    safe = mark_safe(highlight(html))  # noqa: S308  (sanitised just above)
    return Rendered(safe, headings, list_contents(headings))


def render_markdown(text: str) -> SafeString:
    return render(text).html


def outline(text: str) -> list[Heading]:
    return render(text).outline


def _encodable(text: str) -> str:
    """A lone surrogate is no character; the sanitiser can't take it."""
    return text.encode("utf-8", "replace").decode()


def _as_written(text: str) -> SafeString:
    note = _("This text is too intricate to lay out; here it is as written.")
    return format_html('<p class="render-note">{}</p><pre>{}</pre>', note, text)
