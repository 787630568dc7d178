from documents.models.document import (
    TITLE_LENGTH,
    Document,
    DocumentFields,
    DocumentQuerySet,
    DocumentVersion,
    DocumentVersionQuerySet,
)
from documents.models.knowledge import (
    KnowledgeSpace,
    KnowledgeSpaceQuerySet,
    Resource,
    ResourcePassage,
    ResourceQuerySet,
    SpaceMember,
    SpaceMemberQuerySet,
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
    "KnowledgeSpace",
    "KnowledgeSpaceQuerySet",
    "Resource",
    "ResourcePassage",
    "ResourceQuerySet",
    "SearchEntry",
    "SearchScope",
    "SearchVector",
    "SpaceMember",
    "SpaceMemberQuerySet",
]
