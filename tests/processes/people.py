"""Somebody with a token, on whatever database the product is."""

from agents.models import Agent, AgentTool
from config.base.actor import Actor, Origin
from config.base.models import Scope, User
from config.base.tokens import create_token
from tools.models import Tool


def person(name: str, *, staff: bool = False) -> tuple[User, str]:
    user = User.objects.create(username=name, is_staff=staff, is_superuser=staff)
    actor = Actor(user=user, origin=Origin.ADMIN)
    return user, create_token(user, actor=actor, name="test", scopes=Scope.values)[1]


def agent_with(*slugs: str) -> Agent:
    agent = Agent.objects.create(slug="guide", name="Guide")
    for tool in Tool.objects.filter(slug__in=slugs):
        AgentTool.objects.create(agent=agent, tool=tool)
    return agent
