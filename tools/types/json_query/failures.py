"""What the child refused, told: with the place in the expression wherever there is one."""

import json
from typing import Any

from django.utils.translation import gettext as _

from tools.bounded.failures import LIMIT, Refused
from tools.bounded.limit_messages import limit_failure
from tools.errors import ToolFailure

NEAR_CHARS = 20


def failure_of(refused: Refused, expression: str) -> ToolFailure:
    if refused.code == LIMIT:
        return limit_failure(refused)
    facts: dict[str, Any] = json.loads(refused.detail)
    template = _syntax(facts, expression) if refused.code == "syntax" else _message(refused, facts)
    place = {name: facts[name] for name in ("position", "line") if name in facts}
    return ToolFailure(template % facts, code=refused.code, **place)


def _syntax(facts: dict[str, Any], expression: str) -> str:
    facts["near"] = expression[facts["position"] :][:NEAR_CHARS]
    if not facts["near"]:
        return _("The expression ends too early.")
    return _("The expression does not parse at character %(position)d: “%(near)s”.")


def _message(refused: Refused, facts: dict[str, Any]) -> str:
    if refused.code == "json" and "position" in facts:
        return _("This is not JSON: %(reason)s at character %(position)d, line %(line)d.")
    if refused.code == "type" and not facts["expected"]:
        return _("%(name)s() at character %(position)d can't work on values of these types.")
    messages = {
        "json": _("This is not JSON: %(reason)s."),
        "function": _("There is no function %(name)s() (character %(position)d)."),
        "arity": _(
            "%(name)s() at character %(position)d takes %(needed)d arguments, not %(given)d."
        ),
        "type": _("%(name)s() at character %(position)d wants %(expected)s, not %(got)s."),
        "value": _("The expression can't be evaluated: %(reason)s."),
    }
    return messages[refused.code]
