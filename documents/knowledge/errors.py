"""What is wrong with a file, a space or a member, for whoever has to act."""

from django.utils.translation import gettext_lazy as _

from config.base.errors import Conflict, InvalidInput, NotFound, NotPermitted


class FileRefused(InvalidInput):
    """A file that is not taken; the code says why."""

    default_message = _("This file is not taken.")
    code = "file_refused"


class FileTooLarge(InvalidInput):
    default_message = _("The file is too large.")
    code = "too_large"
    http_status = 413


class FileInfected(FileRefused):
    default_message = _("The virus scanner refuses this file.")
    code = "infected"


class ScanFailed(FileRefused):
    """A scanner that can't decide refuses."""

    default_message = _("The virus scanner gave no answer, so the file is not taken. Try again.")
    code = "scan_failed"


class AlreadyThere(Conflict):
    default_message = _("The same file is in this space already.")
    code = "already_there"


class StillReading(Conflict):
    default_message = _("It is being read already.")
    code = "still_reading"


class LastManager(Conflict):
    default_message = _("Somebody has to manage the space: make another one manager first.")
    code = "last_manager"


class RoleMissing(NotPermitted):
    default_message = _("Your role in this space does not allow it.")
    code = "role_missing"


class SpaceMissing(NotFound):
    default_message = _("There is no such space, or you are not in it.")


class ResourceMissing(NotFound):
    default_message = _("There is no such file, or you are not in its space.")


class PersonMissing(NotFound):
    default_message = _("There is nobody of that name in a project of yours, or in the space.")
