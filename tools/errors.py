"""What can go wrong with a tool call, beside the errors of `config.base.errors`."""

from typing import Any, Never

from django.utils.translation import gettext_lazy as _

from config.base.errors import Conflict, GatehouseError, Gone, InvalidInput, NotPermitted


class ToolFailure(GatehouseError):
    """The tool failed; the model is told the code and the message and adapts.

    Raised by `plan` and `execute`. The message is for the model and for people: no traceback, no
    secret, no address that the caller may not know. `details` become `error.details` of the result.
    """

    code = "tool_error"
    http_status = 200

    @classmethod
    def of(cls, error: GatehouseError, **details: Any) -> "ToolFailure":
        """What went wrong below the tool, told as its own."""
        failure = cls(error.message, code=error.code, **{**error.details, **details})
        failure.for_operator = str(error.for_operator)
        return failure


def fail(code: str, message: str, **details: Any) -> Never:
    raise ToolFailure(message, code=code, **details)


class ToolTimeout(ToolFailure):
    default_message = _("The tool did not end in time.")
    code = "timeout"


class UnknownToolType(InvalidInput):
    default_message = _("No tool type of this name is installed.")
    code = "unknown_type"


class InvalidToolConfig(InvalidInput):
    default_message = _("The config does not fit the tool type.")
    code = "invalid_config"


class StaleVersion(Conflict):
    default_message = _("The draft has moved on; look at its present version.")
    code = "stale_version"


class TargetChanged(Conflict):
    default_message = _("What this would act on has changed since you saw it.")
    code = "target_changed"


class ConditionsChanged(Conflict):
    default_message = _("The conditions of this action have changed since you saw it.")
    code = "conditions_changed"


class AlreadyDecided(Conflict):
    default_message = _("This was decided already.")
    code = "already_decided"


class DraftExpired(Gone):
    default_message = _("This has expired; nothing was done.")
    code = "expired"


class CallDenied(NotPermitted):
    default_message = _("A gate refuses this action.")
    code = "denied"


class CallInProgress(Conflict):
    default_message = _("The same call is still running.")
    code = "in_progress"
