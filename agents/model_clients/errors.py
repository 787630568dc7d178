"""How a model can fail; each ends a run with a clear status and a conversation that goes on."""

from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from config.base.errors import GatehouseError


class ModelError(GatehouseError):
    """`unavailable`: the run ends UNAVAILABLE, not FAILED; `elsewhere`: another may answer."""

    default_message = _("The model did not answer.")
    code = "model_failed"
    http_status = 503
    unavailable: ClassVar[bool] = False
    elsewhere: ClassVar[bool] = True
    retry_after_seconds: float = 0.0  # what the server asked us to wait
    raw: str = ""  # what the server or the library said, without secrets: for operators only


class ModelTimeout(ModelError):
    default_message = _("The model took too long.")
    code = "model_timeout"
    retryable = True
    unavailable = True


class ModelUnreachable(ModelError):
    default_message = _("The model's server can't be reached.")
    code = "model_unreachable"
    retryable = True
    unavailable = True


class ModelFault(ModelUnreachable):
    default_message = _("The model's server failed.")


class ModelRateLimited(ModelError):
    default_message = _("The model's server asks us to wait.")
    code = "model_rate_limited"
    retryable = True
    unavailable = True


class ModelConfused(ModelError):
    default_message = _("The model's answer can't be read.")
    code = "model_answer_invalid"
    retryable = True


class ModelTooMuch(ModelError):
    default_message = _("The model said more than we take, and was stopped.")
    code = "model_answer_too_long"
    elsewhere = False  # what somebody has read by then


class ModelRepeats(ModelError):
    default_message = _("The model repeated itself and was stopped.")
    code = "model_repeats"


class ModelRefused(ModelError):
    default_message = _("The model's server refused the request.")
    code = "model_refused"
    elsewhere = False


class ModelFiltered(ModelRefused):
    default_message = _("The model's provider filtered the answer.")
    code = "model_filtered"


class ModelContextExceeded(ModelRefused):
    default_message = _("The conversation is too long for the model.")
    code = "model_context_exceeded"
    elsewhere = True  # one that takes more


class ModelKeyRefused(ModelRefused):
    default_message = _("The model's server does not let us in.")
    code = "model_key_refused"
    unavailable = True
    elsewhere = True


class ModelKeyUnusable(ModelError):
    default_message = _("The model's key can't be used. An operator has to look at its profile.")
    code = "model_key_unusable"
    unavailable = True


class ModelNotFound(ModelRefused):
    default_message = _("The model's server does not know the model.")
    code = "model_not_found"
    unavailable = True
    elsewhere = True


class ModelRedirected(ModelRefused):
    default_message = _("The model's server sent us elsewhere; nothing was sent there.")
    code = "model_redirected"
    unavailable = True
    elsewhere = True
