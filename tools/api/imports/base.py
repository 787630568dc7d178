"""What the imports ask for alike, and who may ask."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from config.base.actor import Actor, Origin
from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.serializers import StrictSerializer
from tools.api.rows import OPERATORS
from tools.configs.outside import MAX_LIST
from tools.preview import direct_actor


class ImportSerializer(StrictSerializer):
    allowed_private_networks = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        default=list,
        max_length=MAX_LIST,
        help_text="Networks that are not public and may be reached on purpose.",
    )


class ImportView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "tools.add_tool"}
    scope = Scope.TOOLS_MANAGE
    takes_idempotency_key = True


def importing_actor(request: Request) -> Actor:
    return direct_actor(signed_in(request), Origin.API)
