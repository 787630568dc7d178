"""Which model a call asks, and whether what it is told leaves."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from agents.model_clients.resolve import environment_profile, profiles_for, usable_chain
from agents.models import Agent, ModelProfile
from agents.models.agent import RULES
from agents.types.ask_model.config import AskModelConfig
from config.base.actor import Actor
from tools.errors import ToolFailure


@dataclass(frozen=True, slots=True)
class Asked:
    """`profiles` in the order in which they are asked; `is_own`: the agent's own model or one
    that stands in for it, so that nothing reaches a model that does not reach it anyway."""

    profiles: list[ModelProfile]
    is_own: bool

    @property
    def leaves(self) -> bool:
        return any(profile.leaves for profile in self.profiles)

    @property
    def name(self) -> str:
        """For people: who may answer."""
        return " → ".join(profile.name or profile.model for profile in self.profiles)

    @property
    def places(self) -> str:
        """Where each of them is: a person who confirms looks at it."""
        return "\n".join(map(_shown_place, self.profiles))

    @property
    def url(self) -> str:
        return self.profiles[0].base_url

    @property
    def context_tokens(self) -> int:
        return min(profile.context_tokens for profile in self.profiles)


def asked_by(config: AskModelConfig, actor: Actor) -> Asked:
    """Raises `ToolFailure`: model_unavailable, where there is none, or none but the offline one."""
    own = _of_agent(actor)
    chain = _named(config.model_profile) if config.model_profile else own or _of_environment()
    profiles = [profile for profile in chain if profile.model != RULES]
    if not profiles:
        message = _("There is only the offline model, and it can't do this. Do without.")
        raise ToolFailure(message, code="model_unavailable")
    places = {_place(profile) for profile in own}
    return Asked(profiles, all(_place(profile) in places for profile in profiles))


def _of_agent(actor: Actor) -> list[ModelProfile]:
    agent = Agent.objects.filter(pk=actor.agent_id).first() if actor.agent_id else None
    return profiles_for(agent) if agent else []


def _of_environment() -> list[ModelProfile]:
    profile = environment_profile()
    return [profile] if profile else []


def _named(name: str) -> list[ModelProfile]:
    profile = ModelProfile.objects.with_chain().filter(name=name).first()
    if profile is None:
        message = _("There is no model profile “%(name)s”. An operator has to look at this tool.")
        raise ToolFailure(message % {"name": name}, code="model_unavailable")
    return usable_chain(profile)


def _place(profile: ModelProfile) -> tuple[str, str]:
    """A profile of the environment is no row; what counts is where content goes."""
    return profile.model, profile.base_url


def _shown_place(profile: ModelProfile) -> str:
    """`openai/x, model.example:8080`: an address may hold a password before its host."""
    host = urlsplit(profile.base_url).netloc.rpartition("@")[2]
    return f"{profile.model}, {host}" if host else profile.model
