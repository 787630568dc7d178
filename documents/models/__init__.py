from documents.models.document import (
    TITLE_LENGTH,
    Document,
    DocumentFields,
    DocumentQuerySet,
    DocumentVersion,
    DocumentVersionQuerySet,
)
from documents.models.search import SearchEntry, SearchScope, SearchVector

__all__ = [
    "TITLE_LENGTH",
    "Document",
    "DocumentFields",
    "DocumentQuerySet",
    "DocumentVersion",
    "DocumentVersionQuerySet",
    "SearchEntry",
    "SearchScope",
    "SearchVector",
]
