"""Reading documents. Each function takes the acting user first and sees only what is theirs."""

import uuid
from collections import Counter
from datetime import datetime

from django.db.models import Count, F, Min
from django.db.models.functions import Length, Lower
from django.utils.translation import gettext as _

from config.base.errors import InvalidInput, NotFound
from config.base.models import User
from documents.enums import Change, DocumentType
from documents.finding.hits import Found, find_hits, narrowed
from documents.finding.matching import best_first, matching
from documents.models import Document, DocumentQuerySet, DocumentVersion, DocumentVersionQuerySet
from documents.texts import clean_type
from documents.versions import TRASH_KEPT_FOR

ORDERINGS = ("updated_at", "created_at", "title")
NEWEST_FIRST = "-updated_at"
BEST_FIRST = "best"  # of a search; without one it is the newest
MAX_REVISION = 2**31 - 1
_TAGS_LOOKED_AT = 500


def document_missing() -> NotFound:
    """One and the same for what is missing and for what is not yours."""
    return NotFound(_("The document does not exist, or it is not yours."))


def key_of(document_id: uuid.UUID | str) -> uuid.UUID:
    """Raises `NotFound`: nothing has such an id."""
    if isinstance(document_id, uuid.UUID):
        return document_id
    try:
        return uuid.UUID(document_id)
    except ValueError:
        raise document_missing() from None


def find_document(user: User, document_id: uuid.UUID | str) -> Document | None:
    try:
        key = key_of(document_id)
    except NotFound:
        return None
    return Document.objects.for_user(user).filter(pk=key).first()


def get_document(user: User, document_id: uuid.UUID | str) -> Document:
    """Raises `NotFound`."""
    document = find_document(user, document_id)
    if document is None:
        raise document_missing()
    return document


def list_documents(
    user: User,
    *,
    type: str = "",  # noqa: A002  (the field's name)
    q: str = "",
    tag: str = "",
    ordering: str = NEWEST_FIRST,
    found: Found | None = None,
) -> DocumentQuerySet:
    """Without content, with `content_length`. The order is total. Raises `InvalidInput`.

    `found`: what the index has answered to `q`, where that is known already.
    """
    type = clean_type(type) if type else ""  # noqa: A001  (as above)
    found = found or find_hits(user, q, type=type, tag=tag)
    documents = matching(narrowed(user, type=type, tag=tag), found)
    documents = documents.defer("content").annotate(content_length=Length("content"))
    if ordering == BEST_FIRST:
        return best_first(documents, found)
    return _ordered(documents, ordering)


def search_documents(
    user: User,
    q: str,
    *,
    type: str = "",  # noqa: A002  (as above)
    tag: str = "",
) -> DocumentQuerySet:
    """The best matches first; one that is called so, or has this id, before all others."""
    return list_documents(user, type=type, q=q, tag=tag, ordering=BEST_FIRST)


def count_by_type(
    user: User, *, q: str = "", tag: str = "", found: Found | None = None
) -> dict[DocumentType, int]:
    """Every type. A search is made once; without one each type is counted from its index."""
    found = found or find_hits(user, q, tag=tag)
    documents = matching(narrowed(user, tag=tag), found).order_by()
    if not found.q and not tag:
        return {value: documents.filter(type=value).count() for value in DocumentType}
    counted = dict(documents.values_list("type").annotate(Count("pk")))
    return {value: counted.get(value.value, 0) for value in DocumentType}


def count_tags(
    user: User,
    *,
    type: str,  # noqa: A002  (as above)
    limit: int,
) -> list[tuple[str, int]]:
    """The commonest first, of the documents changed last."""
    recent = Document.objects.for_user(user).filter(type=type).order_by("-updated_at", "-pk")
    counted: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for tags in recent.values_list("tags", flat=True)[:_TAGS_LOOKED_AT]:
        for tag in tags:
            counted[tag.casefold()] += 1
            spelled.setdefault(tag.casefold(), tag)
    return [(spelled[key], count) for key, count in counted.most_common(limit)]


def list_versions(user: User, document_id: uuid.UUID) -> DocumentVersionQuerySet:
    """Newest first, without content."""
    versions = DocumentVersion.objects.for_user(user).filter(document_id=document_id)
    return versions.defer("content").select_related("user").order_by("-revision")


def list_versions_with_length(user: User, document_id: uuid.UUID) -> DocumentVersionQuerySet:
    return list_versions(user, document_id).annotate(content_length=Length("content"))


def find_version(user: User, document_id: uuid.UUID, revision: int) -> DocumentVersion | None:
    if revision > MAX_REVISION:  # no database could hold it
        return None
    versions = DocumentVersion.objects.for_user(user).filter(document_id=document_id)
    found = versions.filter(revision=revision).annotate(content_length=Length("content"))
    return found.select_related("user").first()


def get_version(user: User, document_id: uuid.UUID, revision: int) -> DocumentVersion:
    """Raises `NotFound`."""
    version = find_version(user, document_id, revision)
    if version is None:
        raise NotFound(_("There is no such version, or it is no longer kept."))
    return version


def find_oldest_revision(user: User, document_id: uuid.UUID) -> int:
    """Of the versions that are kept; 0 without any."""
    versions = DocumentVersion.objects.for_user(user).filter(document_id=document_id)
    return versions.aggregate(oldest=Min("revision"))["oldest"] or 0


def list_trash(user: User, now: datetime) -> DocumentVersionQuerySet:
    """The deletions that can be taken back, newest first; no contents, but `content_length`."""
    deletions = _restorable(user, now).defer("content").annotate(content_length=Length("content"))
    return deletions.select_related("user").order_by("-created_at", "-pk")


def find_in_trash(user: User, document_id: uuid.UUID, now: datetime) -> DocumentVersion | None:
    deletions = _restorable(user, now).annotate(content_length=Length("content"))
    return deletions.filter(document_id=document_id).first()


def get_in_trash(user: User, document_id: uuid.UUID | str, now: datetime) -> DocumentVersion:
    """Raises `NotFound`."""
    deletion = find_in_trash(user, key_of(document_id), now)
    if deletion is None:
        raise NotFound(_("It is not in your trash."))
    return deletion


def _restorable(user: User, now: datetime) -> DocumentVersionQuerySet:
    mine = DocumentVersion.objects.for_user(user).last_deletions()
    return mine.filter(created_at__gte=now - TRASH_KEPT_FOR)


def was_deleted(user: User, document_id: uuid.UUID) -> bool:
    """Whether the last that is known of it is its deletion."""
    last = list_versions(user, document_id).first()
    return last is not None and last.change == Change.DELETED


def _ordered(documents: DocumentQuerySet, ordering: str) -> DocumentQuerySet:
    name = ordering.removeprefix("-")
    if name not in ORDERINGS:
        known = ", ".join(ORDERINGS)
        message = _("Order by one of %(names)s, with - for descending.") % {"names": known}
        raise InvalidInput(message, code="invalid")
    key = Lower("title") if name == "title" else F(name)
    if ordering.startswith("-"):
        return documents.order_by(key.desc(), "-pk")
    return documents.order_by(key.asc(), "pk")
