"""What somebody else did between a page and its form: told in words, never a broken page."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist, ObjectNotUpdated
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from config.base.errors import Bug, GatehouseError

type View = Callable[..., HttpResponse]


def told(view: View) -> View:
    """For a page that changes something: its transaction is undone, and the page says why.

    Back to where the form was sent from; Django's own answer if its row is gone.
    """

    @wraps(view)
    def guarded(admin: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(admin, request, *args, **kwargs)
        except Bug:
            raise
        except (GatehouseError, IntegrityError, ObjectDoesNotExist, ObjectNotUpdated) as error:
            if request.method != "POST":
                raise
            messages.error(request, _words(error))
            return HttpResponseRedirect(request.get_full_path())

    return guarded


def _words(error: Exception) -> str:
    if isinstance(error, GatehouseError) and error.code != "not_found":
        return str(error.message)
    if isinstance(error, IntegrityError):
        return _(
            "Nothing was changed: somebody else uses or changed this at the same moment. Look at "
            "it again, then repeat what you did."
        )
    return _("Nothing was changed: somebody else deleted this in the meantime.")
