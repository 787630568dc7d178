from django.utils.translation import gettext_lazy as _

from documents.knowledge import jobs as knowledge_jobs  # noqa: F401  (registers its jobs)
from documents.search import jobs  # noqa: F401  (registers the jobs of the index)
from documents.services import purge_old_shares, purge_old_trash, purge_old_versions
from jobs.handlers import Recurrence
from jobs.housekeeping import Housekeeping
from jobs.registry import register


@register
class DocumentTrash(Housekeeping):
    kind = "housekeeping.document_trash"
    description = _("Deletes for good what has been in the trash for long enough.")
    recurrence = Recurrence("22 * * * *")
    purges = {"versions": purge_old_trash}


@register
class DocumentVersions(Housekeeping):
    kind = "housekeeping.document_versions"
    description = _("Throws away old versions of documents; the current one stays.")
    recurrence = Recurrence("27 3 * * *")
    purges = {"versions": purge_old_versions}


@register
class DocumentShares(Housekeeping):
    kind = "housekeeping.document_shares"
    description = _("Forgets shares that ended long ago; the audit keeps that they were.")
    recurrence = Recurrence("42 3 * * *")
    purges = {"shares": purge_old_shares}
