"""Which client an agent speaks with: its profile, else the environment's model, else `rules`."""

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from agents.model_clients.fallback import FallbackClient
from agents.model_clients.keyless import KeylessClient
from agents.model_clients.protocol import ModelClient
from agents.models import Agent, ModelProfile
from agents.models.agent import MAX_FALLBACKS, RULES
from tools.secrets.errors import SecretKeyMissing, SecretUnreadable
from tools.secrets.use import open_secret


def client_for(agent: Agent) -> ModelClient:
    """For one run of this agent."""
    return client_of(profiles_for(agent))


def client_of(profiles: list[ModelProfile]) -> ModelClient:
    """The first answers; the others when those before them can't."""
    clients = [(profile.name, _client(profile)) for profile in profiles]
    return clients[0][1] if len(clients) == 1 else FallbackClient(clients)


def profiles_for(agent: Agent) -> list[ModelProfile]:
    """In the order in which they are asked; never empty."""
    if agent.model_profile_id is None:
        return [environment_profile() or ModelProfile(name=RULES, model=RULES, external=False)]
    return usable_chain(ModelProfile.objects.with_chain().get(pk=agent.model_profile_id))


def usable_chain(profile: ModelProfile) -> list[ModelProfile]:
    """The profile and its fallbacks, up to the first that content may not go to.

    Content goes outside only when all that were asked before are outside too, or allow it.
    """
    chain = [profile]
    may_leave = True
    while len(chain) <= MAX_FALLBACKS:
        last = chain[-1]
        may_leave = may_leave and (last.leaves or last.fallback_may_leave)
        following = last.fallback
        if following is None or following in chain or (following.leaves and not may_leave):
            break
        chain.append(following)
    return chain


def environment_profile() -> ModelProfile | None:
    """The profile that GATEHOUSE_MODEL and its companions describe; not a row."""
    if not settings.MODEL:
        return None
    return ModelProfile(
        name="",
        model=settings.MODEL,
        base_url=settings.MODEL_BASE_URL,
        api_key_env="GATEHOUSE_MODEL_API_KEY",
    )


def describe_models(agent: Agent) -> str:
    """Whom this agent speaks with, for operators: `Local → Cloud`."""
    if agent.model_profile is None:
        return describe_environment_model()
    return " → ".join(profile.name for profile in usable_chain(agent.model_profile))


def describe_environment_model() -> str:
    """What agents without a profile speak with, for operators: `openai/x at http://…`."""
    profile = environment_profile()
    if profile is None or profile.model == RULES:
        return _("offline (rules)")
    if not profile.base_url:
        return profile.model
    url = urlsplit(profile.base_url)
    place = url._replace(netloc=url.netloc.rpartition("@")[2], query="", fragment="").geturl()
    return _("%(model)s at %(url)s") % {"model": profile.model, "url": place}


@dataclass(frozen=True, slots=True)
class ApiKey:
    """`hosts`: the only ones that it may be sent to; None: whichever the profile leads to."""

    text: str = field(repr=False)
    hosts: tuple[str, ...] | None = None
    allow_http: bool = True


def api_key_of(profile: ModelProfile) -> ApiKey:
    """Raises `SecretKeyMissing` and `SecretUnreadable`."""
    secret = profile.api_key_secret
    if secret is None:
        return ApiKey(os.environ.get(profile.api_key_env, "") if profile.api_key_env else "")
    return ApiKey(open_secret(secret), tuple(secret.allowed_hosts), secret.allow_http)


def _client(profile: ModelProfile) -> ModelClient:
    if profile.model == RULES:
        rules: ModelClient = import_string("agents.model_clients.rules.RulesClient")()
        return rules
    try:
        return _litellm(profile, api_key_of(profile))
    except (SecretKeyMissing, SecretUnreadable) as error:
        return KeylessClient(error.code)


def _litellm(profile: ModelProfile, key: ApiKey) -> ModelClient:
    from agents.model_clients.litellm_client import LiteLLMClient, Options
    from agents.model_clients.transport import TimeLimits
    from agents.model_clients.usage import Prices

    return LiteLLMClient(
        model=profile.model,
        base_url=profile.base_url,
        api_key=key.text,
        timeout_seconds=profile.timeout_seconds,
        num_retries=profile.retries,
        options=Options(
            name=profile.name,
            key_hosts=key.hosts,
            key_over_http=key.allow_http,
            stream=profile.stream,
            limits=TimeLimits(
                connect_seconds=profile.connect_timeout_seconds,
                first_byte_seconds=profile.first_byte_timeout_seconds,
                idle_seconds=profile.idle_timeout_seconds,
            ),
            max_output_tokens=profile.max_output_tokens,
            prices=Prices(profile.input_price_usd, profile.output_price_usd),
        ),
    )
