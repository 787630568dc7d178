from documents.models.document import (
    TITLE_LENGTH,
    Document,
    DocumentFields,
    DocumentQuerySet,
    DocumentVersion,
    DocumentVersionQuerySet,
)
from documents.models.search import SearchEntry, SearchScope, SearchVector
from documents.models.share import DocumentShare, DocumentShareQuerySet

__all__ = [
    "TITLE_LENGTH",
    "Document",
    "DocumentFields",
    "DocumentQuerySet",
    "DocumentShare",
    "DocumentShareQuerySet",
    "DocumentVersion",
    "DocumentVersionQuerySet",
    "SearchEntry",
    "SearchScope",
    "SearchVector",
]
