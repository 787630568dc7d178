"""What an operator can do about a model that does not answer."""

import os

from django.utils.translation import gettext as _

from agents.models import ModelProfile
from agents.models.agent import RULES
from tools.secrets.use import problem_of


def missing_key(profile: ModelProfile) -> str:
    """A sentence when the profile names a key that this process has not; never its value."""
    if profile.api_key_secret:
        return problem_of(profile.api_key_secret)
    if not profile.api_key_env or os.environ.get(profile.api_key_env):
        return ""
    return _(
        "The environment variable %(name)s is not set where Gatehouse runs. Set it there and "
        "restart."
    ) % {"name": profile.api_key_env}


def hint_for(code: str, profile: ModelProfile) -> str:
    """What most often helps against this error."""
    if code == "model_key_refused":
        return _key_hint(profile)
    if code == "model_key_unusable":
        return missing_key(profile) or _(
            "A secret is sent to its allowed hosts only. Add the host of the model to them."
        )
    hints = {
        "model_not_found": _(
            "Look at the name: a server lists those that it knows at …/models. The base URL of an "
            "OpenAI-compatible server usually ends in /v1."
        ),
        "model_unreachable": _(
            "Does the server run, and is this the address that Gatehouse reaches it at? In a "
            "container, localhost is the container itself. The base URL usually ends in /v1."
        ),
        "model_timeout": _(
            "A local model may still be loading: try again. Else give it more time in the profile."
        ),
        "model_rate_limited": _("Look at the limits and the balance of your account there."),
        "model_answer_invalid": _(
            "The base URL may lead to something else, such as a web page; it usually ends in /v1. "
            "For a server that can't stream, switch “streams” off."
        ),
        "model_redirected": _("Write the address that it sends you to into the base URL."),
        "model_refused": _(
            "What it said stands above. Some models can't take functions, and some no limit of the "
            "answer."
        ),
    }
    return hints.get(code, "")


def _key_hint(profile: ModelProfile) -> str:
    if profile.api_key_secret:
        return missing_key(profile) or _(
            "Is “%(name)s” a key for this server, and still valid? Give the secret its new value."
        ) % {"name": profile.api_key_secret}
    if profile.model == RULES or not profile.api_key_env:
        return _("Name the secret, or the environment variable, that holds the key in the profile.")
    return missing_key(profile) or _(
        "Is the key in %(name)s one for this server, and still valid? After changing it, restart."
    ) % {"name": profile.api_key_env}
