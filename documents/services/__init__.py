"""Changing documents: tool, API and pages all come here.

Each change is one transaction with its version row and its audit event, on a locked row.
"""

from documents.services.documents import (
    Limits,
    cleaned_changes,
    create_document,
    delete_document,
    update_document,
)
from documents.services.keeping import StaleRevision
from documents.services.sharing import (
    NotAPerson,
    make_link,
    purge_old_shares,
    revoke_share,
    share_with_project,
    share_with_user,
)
from documents.services.trash import (
    empty_trash,
    purge_document,
    purge_old_trash,
    restore_document,
)
from documents.services.versions import purge_old_versions, restore_version

__all__ = [
    "Limits",
    "NotAPerson",
    "StaleRevision",
    "cleaned_changes",
    "create_document",
    "delete_document",
    "empty_trash",
    "make_link",
    "purge_document",
    "purge_old_shares",
    "purge_old_trash",
    "purge_old_versions",
    "restore_document",
    "restore_version",
    "revoke_share",
    "share_with_project",
    "share_with_user",
    "update_document",
]
