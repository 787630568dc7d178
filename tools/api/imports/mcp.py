"""Importing from an MCP server: what it offers, and making tools of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.base.rest.examples import answers_like, asked_like
from config.base.rest.idempotency import find_first_answer, idempotent
from config.base.rest.parameters import MAX_NAMED
from tools.api.imports import examples
from tools.api.imports.base import (
    ASKING_CODES,
    ImportSerializer,
    ImportView,
    errors_at,
    importing_actor,
    naming_fields,
)
from tools.mcp.endpoint import Endpoint, endpoint_from
from tools.mcp.errors import ToolUnknown
from tools.mcp.importing import MAX_PREFIX, Offers, OfferState, import_offers, list_offers
from tools.mcp.listing import MAX_TOOLS
from tools.schemas import JSON


@asked_like(
    what_it_has={"url": "https://mcp.example.com/mcp"},
    two_of_its_tools=examples.ASK_MCP,
)
class ImportMcpSerializer(ImportSerializer):
    url = serializers.CharField(max_length=2000, help_text="The server's endpoint.")
    headers = serializers.DictField(
        required=False,
        default=dict,
        help_text='Sent with every request; a value of {"secret": "name"} is that secret.',
    )
    prefix = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=MAX_PREFIX,
        help_text="Slugs begin with it; else with the server's own name.",
    )
    tools = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=MAX_TOOLS,
        help_text="Names of those to import. Left out: nothing is imported, all are listed.",
    )


class OfferSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="At the server.")
    state = serializers.ChoiceField(choices=OfferState.choices)
    slug = serializers.CharField(allow_blank=True, help_text="Of its tool here, present or to be.")
    tool_id = serializers.UUIDField(allow_null=True)
    hash = serializers.CharField(allow_blank=True, help_text="SHA-256 of its descriptor.")
    problem = serializers.CharField(allow_blank=True, help_text="Why it can't be had.")
    descriptor = serializers.DictField(help_text="What the server says of it: not to be trusted.")


@answers_like(done=examples.MCP_IMPORTED)
class OffersSerializer(serializers.Serializer[Any]):
    server = serializers.CharField()
    version = serializers.CharField(help_text="Of the protocol that was spoken.")
    tools = OfferSerializer(many=True)


class ImportMcpView(ImportView):
    error_codes = {
        400: [
            *("unknown_field", "invalid", "required", "header_not_allowed", "mcp_error"),
            *("mcp_unauthorized", "mcp_tool_unknown", "response_too_large"),
            *("redirect_not_allowed", *ASKING_CODES),
        ],
        403: ["secret_host_not_allowed", "secret_needs_https"],
        404: ["secret_unknown"],
        409: ["slug_taken", "secret_key_missing", "secret_unreadable"],
        422: ["idempotency_key_reused"],
    }

    @extend_schema(
        summary="List the tools of an MCP server, or import some",
        request=ImportMcpSerializer,
        responses=OffersSerializer,
    )
    def post(self, request: Request) -> Response:
        """One tool for each that is named; a name that the server does not list is refused, unless
        it was imported before: then it is told as `gone`. New tools are off until they have been
        looked at, unless `enabled` is true. What was imported before stays as it is; where the
        server describes it in another way by now, it is told as `changed` and switched off, also
        when tools are only listed."""
        body = ImportMcpSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        first, given = find_first_answer(request), body.validated_data
        if first is not None:
            return first
        with naming_fields():
            endpoint = endpoint_from(
                given["url"], given["headers"], given["allowed_private_networks"]
            )
            offers = list_offers(importing_actor(request), endpoint, prefix=given["prefix"])
        return self._answer(request, endpoint, offers, given)

    @idempotent
    def _answer(
        self, request: Request, endpoint: Endpoint, offers: Offers, given: JSON
    ) -> Response:
        names = given.get("tools")
        if names is not None:
            with _naming_tools(names):
                offers = import_offers(
                    importing_actor(request),
                    endpoint,
                    offers,
                    dict.fromkeys(names),
                    enabled=given["enabled"],
                )
        return Response(OffersSerializer(offers).data)


@contextmanager
def _naming_tools(names: list[str]) -> Iterator[None]:
    try:
        yield
    except ToolUnknown as error:
        wrong = dict.fromkeys(error.details["tools"][:MAX_NAMED], error.message)
        raise errors_at("tools", names, wrong, error.code) from error
