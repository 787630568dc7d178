"""What a document may hold, judged once for the tool, the API and the pages."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from config.base.errors import InvalidInput
from config.base.provenance import Provenance
from documents.enums import DocumentType
from documents.models import TITLE_LENGTH

MAX_CONTENT_LENGTH = 50_000  # characters; a tool's config may say otherwise
MAX_SUMMARY_LENGTH = 2_000
MAX_TAGS_LENGTH = 500  # of all tags together
SUMMARY_LENGTH = 200  # of a summary that we make


def too_long(name: str, limit: int) -> InvalidInput:
    return InvalidInput(
        _("%(name)s has more than %(limit)s characters.") % {"name": name, "limit": limit},
        code="too_long",
        limit=limit,
    )


def _checked(name: str, text: str, limit: int) -> str:
    if len(text) > limit:
        raise too_long(name, limit)
    if "\x00" in text or not _is_encodable(text):
        message = _("%(name)s holds characters that can't be stored.") % {"name": name}
        raise InvalidInput(message, code="invalid")
    return text


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, as JSON can hold
        return False
    return True


def clean_title(title: str) -> str:
    """One line without blanks around it. Raises `InvalidInput`: empty, too_long, invalid."""
    title = " ".join(_checked(_("The title"), title, TITLE_LENGTH).split())
    if not title:
        raise InvalidInput(_("The title is empty."), code="empty")
    return title


def clean_content(content: str, limit: int = MAX_CONTENT_LENGTH) -> str:
    """As it is: not a byte is changed. Raises `InvalidInput`: empty, too_long, invalid."""
    if not content.strip():
        raise InvalidInput(_("The content is empty."), code="empty")
    return _checked(_("The content"), content, limit)


def clean_summary(summary: str) -> str:
    return " ".join(_checked(_("The summary"), summary, MAX_SUMMARY_LENGTH).split())


def clean_tags(tags: str | Iterable[str]) -> list[str]:
    """From a list or a comma-separated string; a tag that differs only in case is the same one."""
    parts = (
        tags.split(",") if isinstance(tags, str) else [p for tag in tags for p in tag.split(",")]
    )
    found: dict[str, str] = {}
    for part in parts:
        tag = " ".join(part.split())
        if tag:
            found.setdefault(tag.casefold(), tag)
    _checked(_("The list of tags"), ",".join(found.values()), MAX_TAGS_LENGTH)
    return list(found.values())


def tags_as_text(tags: Sequence[str]) -> str:
    """For the column that tags are searched in."""
    return "\n" + "".join(f"{tag.casefold()}\n" for tag in tags)


def clean_type(value: str) -> DocumentType:
    try:
        return DocumentType(value)
    except ValueError:
        known = ", ".join(DocumentType.values)
        message = _("There is no type %(value)s; there are: %(known)s.")
        raise InvalidInput(message % {"value": value, "known": known}, code="invalid") from None


def merge_provenance(present: Iterable[str], added: Iterable[str]) -> list[str]:
    """In the enum's order; what a text once took in stays with it."""
    names = {*present, *added}
    return [value.value for value in Provenance if value.value in names]


def clean_search(query: str) -> str:
    return _checked(_("The search"), query.strip(), MAX_TAGS_LENGTH)
