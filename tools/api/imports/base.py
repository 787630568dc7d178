"""What the imports ask for alike, who may ask, and how both tell what they can't do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError, InvalidInput
from config.base.models import Scope
from config.base.outbound.errors import HeaderNotAllowed, OutboundError
from config.base.people import signed_in
from config.base.rest.serializers import StrictSerializer
from tools.api.rows import OPERATORS
from tools.configs.outside import MAX_LIST, check_networks
from tools.openapi.errors import DocumentNotFetched
from tools.preview import direct_actor

# Of whom an import asks, at `url`.
ASKING_CODES = (
    *("address_refused", "connect_failed", "dns_failed", "response_invalid", "scheme_not_allowed"),
    *("timeout", "tls_failed", "too_many_redirects", "url_invalid"),
)


class ImportSerializer(StrictSerializer):
    allowed_private_networks = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        default=list,
        max_length=MAX_LIST,
        help_text="Networks that are not public and may be reached on purpose.",
    )
    enabled = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Whether new tools are switched on; those that are there stay as they are.",
    )

    def validate_allowed_private_networks(self, value: list[str]) -> list[str]:
        return checked(check_networks, value)


class ImportView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "tools.add_tool"}
    scope = Scope.TOOLS_MANAGE
    takes_idempotency_key = True


def importing_actor(request: Request) -> Actor:
    return direct_actor(signed_in(request), Origin.API)


def checked(check: Any, value: list[str]) -> list[str]:
    """A check of `tools.configs.outside`, told at the field."""
    try:
        return list(check(tuple(value)))
    except ValueError as error:
        raise serializers.ValidationError(str(error)) from error


@contextmanager
def naming_fields() -> Iterator[None]:
    """A peer that fails, or may not be asked, is none of ours: it was the wrong one to name."""
    try:
        yield
    except (OutboundError, DocumentNotFetched) as error:
        field = "headers" if isinstance(error, HeaderNotAllowed) else "url"
        raise ValidationError({field: [detail_of(error)]}) from error
    except InvalidInput as error:
        fields: dict[str, str] = error.details.get("fields", {})
        if not fields:
            raise
        told = {field: [ErrorDetail(why, error.code)] for field, why in fields.items()}
        raise ValidationError(told) from error


def detail_of(error: GatehouseError) -> ErrorDetail:
    """Who imports may change what refuses it."""
    return ErrorDetail(str(error.for_operator or error.message), error.code)


def errors_at(field: str, asked: list[str], wrong: dict[str, str], code: str) -> ValidationError:
    """At its place in a list of names each."""
    places = {name: number for number, name in reversed(list(enumerate(asked)))}
    told: Any = {places[name]: [ErrorDetail(why, code)] for name, why in wrong.items()}
    return ValidationError({field: told})
