"""Where a text comes from: stored with messages, documents, drafts and whatever is read."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Provenance(TextChoices):
    """It only ever grows, since nobody can tell what was taken out."""

    OWN = "own", _("own words")
    PRIVATE = "private", _("private data")
    UNTRUSTED = "untrusted", _("somebody else's words")
