"""How a model can fail; each ends a run with a clear status and a conversation that goes on."""

from django.utils.translation import gettext_lazy as _

from config.base.errors import GatehouseError


class ModelError(GatehouseError):
    default_message = _("The model did not answer.")
    code = "model_failed"
    http_status = 503


class ModelTimeout(ModelError):
    default_message = _("The model took too long.")
    code = "model_timeout"
    retryable = True


class ModelUnreachable(ModelError):
    default_message = _("The model's server can't be reached.")
    code = "model_unreachable"
    retryable = True


class ModelFault(ModelUnreachable):
    default_message = _("The model's server failed.")


class ModelRateLimited(ModelError):
    default_message = _("The model's server asks us to wait.")
    code = "model_rate_limited"
    retryable = True


class ModelRefused(ModelError):
    default_message = _("The model's server refused the request.")
    code = "model_refused"
