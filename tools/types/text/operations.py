"""One call of the tool: its limits, then the operation, in the child where it could run long."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tools.bounded.failures import LIMIT, Refused
from tools.bounded.limit_messages import limit_failure
from tools.bounded.parent import Limits, run_bounded
from tools.errors import ToolFailure
from tools.types.text import plain
from tools.types.text.operation_table import OperationName
from tools.types.text.schemas import TextConfig, TextInput

DIFF_CONTEXT = 3
JSON_CHARS = 12  # of one character in JSON, at worst: an escaped pair of surrogates
MATCH_CHARS = 4_000  # of the JSON around one match: its place, and the names of a hundred groups


@dataclass(frozen=True, slots=True)
class Answer:
    result: Any
    truncated: bool = False


def run(arguments: TextInput, config: TextConfig) -> Answer:
    """Raises `ToolFailure`: empty, pattern, replacement, group, limit, busy."""
    _check_sizes(arguments, config)
    try:
        return _OPERATIONS[arguments.operation](arguments, config)
    except Refused as refused:
        raise _failure(refused, config) from refused


def _check_sizes(arguments: TextInput, config: TextConfig) -> None:
    texts = (arguments.text, arguments.other, arguments.find, arguments.replacement)
    if any(len(text or "") > config.max_text_chars for text in texts):
        message = _("A text is longer than %(max)d characters.")
        raise ToolFailure(message % {"max": config.max_text_chars}, code=LIMIT)
    if len(arguments.pattern or "") > config.max_pattern_chars:
        message = _("The pattern is longer than %(max)d characters.")
        raise ToolFailure(message % {"max": config.max_pattern_chars}, code=LIMIT)
    if "" in (arguments.pattern, arguments.find):
        raise ToolFailure(_("There is nothing to look for."), code="empty")


def _failure(refused: Refused, config: TextConfig) -> ToolFailure:
    words: dict[str, Any] = {"detail": refused.detail, "max": config.max_matches}
    if refused.code == LIMIT and refused.detail != "matches":
        return limit_failure(refused)
    messages = {
        "pattern": _("The pattern is not valid: %(detail)s."),
        "replacement": _("The replacement is not valid: %(detail)s."),
        "group": _("The pattern has no group %(detail)s."),
        LIMIT: _("There are more than %(max)d matches; give a count, or a narrower pattern."),
    }
    return ToolFailure(messages[refused.code] % words, code=refused.code)


# --- With a process of their own ---


def _extract(arguments: TextInput, config: TextConfig) -> Answer:
    found = _bounded(
        "patterns:extract",
        config,
        **_looked_for(arguments, config),
        group=arguments.group,
        max_chars=config.max_text_chars,
    )
    return Answer(found["matches"], truncated=found["truncated"])


def _replace(arguments: TextInput, config: TextConfig) -> Answer:
    new_text = _bounded(
        "patterns:replace",
        config,
        **_looked_for(arguments, config),
        replacement=arguments.replacement,
        literal=arguments.pattern is None,
        max_chars=config.max_text_chars,
    )
    return Answer(new_text)


def _split(arguments: TextInput, config: TextConfig) -> Answer:
    return Answer(_bounded("patterns:split", config, **_looked_for(arguments, config)))


def _diff(arguments: TextInput, config: TextConfig) -> Answer:
    changes = _bounded(
        "differences:diff",
        config,
        text=arguments.text,
        other=arguments.other,
        context=DIFF_CONTEXT if arguments.context is None else arguments.context,
        max_chars=config.max_text_chars,
    )
    return Answer(changes)


def _looked_for(arguments: TextInput, config: TextConfig) -> dict[str, Any]:
    return {
        "pattern": arguments.pattern or re.escape(arguments.find or ""),
        "text": arguments.text,
        "ignore_case": bool(arguments.ignore_case),
        "count": arguments.count,
        "max_matches": config.max_matches,
    }


def _bounded(place: str, config: TextConfig, **arguments: Any) -> Any:
    limits = Limits(
        seconds=config.pattern_timeout_ms / 1000,
        output_chars=JSON_CHARS * config.max_text_chars + MATCH_CHARS * (config.max_matches + 1),
    )
    return run_bounded(f"tools.types.text.{place}", arguments, limits)


# --- Without ---


def _count(arguments: TextInput, _config: TextConfig) -> Answer:
    return Answer(plain.count(arguments.text))


def _case(arguments: TextInput, _config: TextConfig) -> Answer:
    return Answer(plain.change_case(arguments.text, arguments.case or "lower"))


def _dedupe(arguments: TextInput, _config: TextConfig) -> Answer:
    return Answer(plain.dedupe(arguments.text, ignore_case=bool(arguments.ignore_case)))


_OPERATIONS: dict[OperationName, Callable[[TextInput, TextConfig], Answer]] = {
    "count": _count,
    "extract": _extract,
    "replace": _replace,
    "split": _split,
    "diff": _diff,
    "case": _case,
    "dedupe": _dedupe,
}
