"""What stands behind `?`: those that an operation's document names, and no others."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

MAX_NAMED = 20  # unknown parameters or fields that an answer names


def refuse_unknown_parameters(view: APIView, request: Request) -> None:
    """A misspelt filter would answer with everything."""
    known = query_parameters(view)
    unknown = sorted(set(request.query_params) - set(known))[:MAX_NAMED]
    if unknown:
        message = _("Unknown parameter; only %(names)s are known.") % {"names": ", ".join(known)}
        raise ValidationError(
            {name: [ErrorDetail(message, "unknown_parameter")] for name in unknown}
        )


def query_parameters(view: APIView) -> list[str]:
    """As `@extend_schema` on the view's `get` declares them, in its order."""
    schema: Any = view.get.kwargs["schema"]()  # type: ignore[attr-defined]  # where it leaves them
    schema.view = view
    declared: list[OpenApiParameter] = schema.get_override_parameters()
    return [one.name for one in declared if one.location == OpenApiParameter.QUERY]
