"""Somebody saved while somebody else was writing: all texts in sight, and nothing lost.

Every button is a plain submit, so it works without JavaScript and by keyboard alone. What is saved
is a decision made with both texts in sight: the form carries the revision that it shows.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from config.base.models import User
from config.base.people import signed_in
from documents.diffing import Merged, compare, has_conflict_marks, merge_texts
from documents.forms import DocumentForm, initial_of
from documents.history import lines_of
from documents.models import Document, DocumentVersion
from documents.selectors import find_version, list_versions
from documents.versus import paged_rows
from documents.views.common import revision_in

_FOLLOWING = ("title", "type", "tags", "summary")  # theirs where the writer left them alone
_SHOWN_LINES = 5


class Resolution(StrEnum):
    """What the button says."""

    SAVE = "save"
    MERGE = "merge"  # put both changes together and show that
    MINE = "mine"  # show mine again
    COPY = "copy"  # mine becomes a document of its own

    @classmethod
    def of(cls, request: HttpRequest) -> "Resolution":
        given = request.POST.get("decision", "")
        return cls(given) if given in cls else cls.SAVE


@dataclass(frozen=True, slots=True)
class _Texts:
    """With `\\n` as their line ending; saving gives them back the document's own."""

    base_revision: int
    base: DocumentVersion | None
    mine: str
    theirs: str
    merged: Merged


def conflict_page(
    request: HttpRequest,
    document: Document,
    decision: Resolution = Resolution.SAVE,
    refused: DocumentForm | None = None,
) -> HttpResponse:
    """`refused` is the form of this page, sent back for what is wrong in it."""
    user = signed_in(request)
    to_mine = decision is Resolution.MINE or refused is not None
    texts = _texts_of(request, user, document, to_mine=to_mine)
    merging = _shows_merged(request, texts, decision, refused)
    form = refused or _form(request, document, texts, merging=merging)
    context = {
        "document": document,
        "form": form,
        "theirs": document.content,
        "texts": texts,
        "merging": merging,
        "can_merge": texts.mine != texts.theirs,
        "meanwhile": _meanwhile(user, document, texts.base_revision),
        **_diffs(texts),
    }
    return render(request, "documents/conflict.html", context, status=409)


def judge_merged(request: HttpRequest, form: DocumentForm) -> None:
    """Marks that were overlooked are not saved into a text."""
    content = form.cleaned_data.get("content", "")
    if request.POST.get("mode") == Resolution.MERGE and has_conflict_marks(content):
        message = _("There are still places to decide: look for <<<<<<< and take the marks out.")
        form.add_error("content", message)


def with_values(request: HttpRequest, **values: str) -> QueryDict:
    data = request.POST.copy()
    for name, value in values.items():
        data[name] = value
    return data


def _texts_of(request: HttpRequest, user: User, document: Document, *, to_mine: bool) -> _Texts:
    """`to_mine`: the writer's own text, not the merged one that the form holds."""
    held_merged = request.POST.get("mode") == Resolution.MERGE
    mine = _plain(request.POST.get("mine" if held_merged and to_mine else "content", ""))
    known = revision_in(request.POST, "base_revision")
    shown = revision_in(request.POST, "expected_revision") or document.revision
    # A text that both changes are in already goes on from the one they were put together with.
    base_revision = shown if known is None or (held_merged and not to_mine) else known
    base = find_version(user, document.pk, base_revision)
    theirs = _plain(document.content)
    names = (_("yours"), _("theirs"))
    merged = merge_texts(_plain(base.content) if base else None, mine, theirs, names)
    return _Texts(base_revision, base, mine, theirs, merged)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _shows_merged(
    request: HttpRequest, texts: _Texts, decision: Resolution, refused: DocumentForm | None
) -> bool:
    """At first where both changes fit together; later as the buttons say."""
    if refused is not None:
        return request.POST.get("mode") == Resolution.MERGE
    if decision is Resolution.SAVE:
        return texts.base is not None and not texts.merged.conflicts
    return decision is Resolution.MERGE


def _form(
    request: HttpRequest, document: Document, texts: _Texts, *, merging: bool
) -> DocumentForm:
    data = with_values(
        request,
        expected_revision=str(document.revision),
        content=texts.merged.text if merging else texts.mine,
        **_following(request, document, texts.base),
    )
    return DocumentForm(data, document=document)


def _following(
    request: HttpRequest, document: Document, base: DocumentVersion | None
) -> dict[str, str]:
    if base is None:
        return {}
    before, now = initial_of(base), initial_of(document)
    return {name: now[name] for name in _FOLLOWING if request.POST.get(name) == before[name]}


def _meanwhile(user: User, document: Document, base_revision: int) -> list[Any]:
    since = list_versions(user, document.pk).filter(revision__gt=base_revision)
    return lines_of(since[:_SHOWN_LINES], user)


def _diffs(texts: _Texts) -> dict[str, Any]:
    """What they changed since the writer began, and how the writer's text differs from theirs."""
    return {
        "their_rows": _rows(_plain(texts.base.content), texts.theirs) if texts.base else None,
        "rows": _rows(texts.theirs, texts.mine),
    }


def _rows(before: str, after: str) -> Any:
    return paged_rows(compare(before, after), QueryDict())
