"""Which client an agent speaks with: its profile, else the environment's model, else `rules`."""

import os
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from agents.model_clients.protocol import ModelClient
from agents.models import Agent, ModelProfile
from agents.models.agent import RULES


def client_for(agent: Agent) -> ModelClient:
    profile = agent.model_profile or environment_profile()
    if profile is None or profile.model == RULES:
        rules: ModelClient = import_string("agents.model_clients.rules.RulesClient")()
        return rules
    return _litellm(profile)


def environment_profile() -> ModelProfile | None:
    """The profile that GATEHOUSE_MODEL and its companions describe; not a row."""
    if not settings.MODEL:
        return None
    return ModelProfile(
        name="environment",
        model=settings.MODEL,
        base_url=settings.MODEL_BASE_URL,
        api_key_env="GATEHOUSE_MODEL_API_KEY",
    )


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


def _litellm(profile: ModelProfile) -> ModelClient:
    from agents.model_clients.litellm_client import LiteLLMClient

    return LiteLLMClient(
        model=profile.model,
        base_url=profile.base_url,
        api_key=os.environ.get(profile.api_key_env, "") if profile.api_key_env else "",
        timeout_seconds=profile.timeout_seconds,
        num_retries=profile.retries,
    )
