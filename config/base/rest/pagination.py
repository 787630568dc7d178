"""Lists: `{"count", "next", "previous", "results"}` by `page` and `page_size`."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class Pages(PageNumberPagination):
    page_size = 20
    page_size_query_param = "page_size"
    max_page_size = 100


def ordered[QuerySetT: QuerySet[Any]](
    queryset: QuerySetT, request: Request, *, allowed: tuple[str, ...], default: str
) -> QuerySetT:
    """Apply `?ordering=`; the key makes the order total, so that no page repeats a row."""
    wanted = request.query_params.get("ordering") or default
    if wanted.lstrip("-") not in allowed or wanted.startswith("--"):
        names = ", ".join(allowed)
        raise ValidationError(
            {"ordering": _("Order by one of %(names)s, with - for descending.") % {"names": names}}
        )
    return queryset.order_by(wanted, "-pk" if wanted.startswith("-") else "pk")


def list_parameters(*orderings: str) -> list[OpenApiParameter]:
    """What every list takes, for its schema."""
    ways = f"{', '.join(orderings)}; - reverses."
    return [
        OpenApiParameter("ordering", str, description=ways),
        OpenApiParameter("page", int),
        OpenApiParameter("page_size", int),
    ]


class PaginatedView(APIView):
    """A plain view that answers with a page of rows."""

    pagination_class = Pages

    def paginated(self, queryset: QuerySet[Any], request: Request, serializer: Any) -> Any:
        paginator = self.pagination_class()
        page = paginator.paginate_queryset(queryset, request, view=self)
        return paginator.get_paginated_response(serializer(page, many=True).data)
