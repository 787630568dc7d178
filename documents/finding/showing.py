"""What a search shows of each document: the place that matched, marked, and why it was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.safestring import SafeString

from config.base.models import User
from documents.finding.hits import Found, by_meaning
from documents.finding.marking import Marker, typed_words
from documents.models import Document
from documents.search.retrieve import Hit
from documents.summary import plain_text

SNIPPET_LENGTH = 200
_BEFORE = 60  # characters of the snippet before the first word
_AROUND = 600  # characters of a text, with its marks of markdown, that a snippet is made of


@dataclass(frozen=True, slots=True)
class Why:
    words: tuple[str, ...]  # of the search, as they were typed
    meaning: float | None  # the cosine; None: it goes by words alone
    by_meaning: bool  # those words alone would not have found it


@dataclass(frozen=True, slots=True)
class Shown:
    title_html: SafeString
    snippet: str
    snippet_html: SafeString
    why: Why


def show(user: User, documents: Sequence[Document], found: Found) -> None:
    """Each of a page gets its `shown`. Their contents are read in one query."""
    if not found.q or not documents:
        return
    marker = Marker(found.q)
    ids = [document.pk for document in documents]
    mine = Document.objects.for_user(user).filter(pk__in=ids)
    contents: dict[UUID, str] = dict(mine.values_list("pk", "content"))
    for document in documents:
        content = contents.get(document.pk, "")  # gone meanwhile
        document.shown = _shown(document, content, found, marker)  # type: ignore[attr-defined]


def _shown(document: Document, content: str, found: Found, marker: Marker) -> Shown:
    hit = found.hits.get(document.pk)
    snippet = _snippet(content, document.summary, hit, marker)
    return Shown(
        title_html=marker.html(document.title),
        snippet=snippet,
        snippet_html=marker.html(snippet),
        why=Why(
            words=_words(found.q, document, content, hit),
            meaning=hit.meaning if hit else None,
            by_meaning=by_meaning(hit) if hit else False,
        ),
    )


def _snippet(content: str, summary: str, hit: Hit | None, marker: Marker) -> str:
    passage = _passage(content, hit, marker)
    if not passage:
        return _window(summary, marker)
    return _window(plain_text(passage), marker) or summary


def _passage(content: str, hit: Hit | None, marker: Marker) -> str:
    """The one that was found; "" where it was found by its title, tags or summary alone."""
    if hit and hit.end > hit.start:
        return content[hit.start : hit.end]
    first = marker.first(content)
    if first is None:
        return ""
    start = max(content.rfind("\n", 0, first) + 1, first - _BEFORE)
    return content[start : first + _AROUND]


def _window(text: str, marker: Marker) -> str:
    spans = marker.spans(text)
    start = max(spans[0][0] - _BEFORE, 0) if spans else 0
    if start:
        start = text.find(" ", start, spans[0][0]) + 1 or start
    end = start + SNIPPET_LENGTH
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"


def _words(q: str, document: Document, content: str, hit: Hit | None) -> tuple[str, ...]:
    """Those that stand in it as they were typed, then those that do in another form."""
    text = "\n".join([document.title, document.summary, *document.tags, content]).casefold()
    typed = [word for word in typed_words(q) if word.casefold() in text]
    others = hit.words if hit else ()
    return (*typed, *(one for one in others if not any(one in word for word in typed)))
