"""The tools that operators give to an agent."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api.serializers import AgentToolsSerializer, SetAgentToolsSerializer
from agents.giving import Given, get_given_tools, set_agent_tools
from config.base.actor import Actor, Origin
from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.permissions import HasScope, IsOperator


class AgentToolsView(APIView):
    permission_classes = [IsAuthenticated, IsOperator, HasScope]
    model_permissions = {"GET": "agents.view_agent", "PUT": "agents.change_agent"}
    scopes = {"GET": Scope.TOOLS_READ, "PUT": Scope.TOOLS_MANAGE}

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method != "PUT":
            return {}
        codes = ["unknown_tool", "given_twice", "unknown_field", "invalid", "required"]
        return {400: [*codes, "max_length", "null", "blank", "not_a_list"]}

    @extend_schema(summary="The tools that an agent was given", responses=AgentToolsSerializer)
    def get(self, request: Request, agent_id: UUID) -> Response:
        """An agent that was given none has the harmless ones by default, and `by_default` is true.

        A tool that is switched off itself is not offered, whatever stands here.
        """
        return _answer(agent_id)

    @extend_schema(
        summary="Give an agent its tools",
        request=SetAgentToolsSerializer,
        responses=AgentToolsSerializer,
    )
    def put(self, request: Request, agent_id: UUID) -> Response:
        """These and no others, from the agent's next turn on.

        An empty list takes all of them back: it has the harmless ones by default again.
        """
        get_given_tools(agent_id)  # what is not there is 404, whatever the body
        body = SetAgentToolsSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = [Given(**one) for one in body.validated_data["tools"]]
        actor = Actor(user=signed_in(request), origin=Origin.API, role="operator")
        set_agent_tools(actor, agent_id, given)
        return _answer(agent_id)


def _answer(agent_id: UUID) -> Response:
    return Response(AgentToolsSerializer(get_given_tools(agent_id)).data)
