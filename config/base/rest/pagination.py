"""Lists: `{"count", "next", "previous", "results"}` by `page` and `page_size`."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from config.base.rest.parameters import refuse_unknown_parameters


class Pages(PageNumberPagination):
    page_size = 20
    page_size_query_param = "page_size"
    max_page_size = 100
    last_page_strings = ()  # a page is a number

    def get_page_size(self, request: Request) -> int:
        """More than the most is the most; what is no size at all is refused."""
        wanted = request.query_params.get("page_size")
        if wanted is None:
            return self.page_size
        if not _is_size(wanted):
            raise ValidationError({"page_size": _("A whole number of 1 or more.")})
        return min(int(wanted), self.max_page_size)

    def get_page_number(self, request: Request, paginator: Any) -> Any:
        """An empty one is none either."""
        return request.query_params.get("page", "1")

    def get_paginated_response_schema(self, schema: Any) -> Any:
        """In the words of OpenAPI 3.1, which knows no `nullable`."""
        shape = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            link = shape["properties"][name]
            del link["nullable"]
            link["type"] = ["string", "null"]
        return shape


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) > 0


def ordered[QuerySetT: QuerySet[Any]](
    queryset: QuerySetT, request: Request, *, allowed: tuple[str, ...], default: str
) -> QuerySetT:
    """Apply `?ordering=`; the key makes the order total, so that no page repeats a row."""
    wanted = request.query_params.get("ordering", default)
    if wanted.lstrip("-") not in allowed or wanted.startswith("--"):
        names = ", ".join(allowed)
        raise ValidationError(
            {"ordering": _("Order by one of %(names)s, with - for descending.") % {"names": names}}
        )
    return queryset.order_by(wanted, "-pk" if wanted.startswith("-") else "pk")


PAGE = [
    OpenApiParameter("page", {"type": "integer", "minimum": 1, "default": 1}),
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "default": Pages.page_size},
        description=f"More than {Pages.max_page_size} is {Pages.max_page_size}.",
    ),
]


def list_parameters(*orderings: str, default: str) -> list[OpenApiParameter]:
    """What every list takes, for its schema."""
    ways = [sign + name for name in orderings for sign in ("", "-")]
    ordering = OpenApiParameter(
        "ordering", str, enum=ways, default=default, description="With `-`: descending."
    )
    return [ordering, *PAGE]


class PaginatedView(APIView):
    """A plain view that answers with a page of rows."""

    pagination_class = Pages

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in {"GET", "HEAD"}:
            refuse_unknown_parameters(self, request)

    def paginated(self, queryset: QuerySet[Any], request: Request, serializer: Any) -> Any:
        paginator = self.pagination_class()
        page = paginator.paginate_queryset(queryset, request, view=self)
        return paginator.get_paginated_response(serializer(page, many=True).data)
