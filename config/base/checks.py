"""System checks: the product refuses to start in a state that it can't answer for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.checks import Error, register
from django.utils.module_loading import import_string


@dataclass(frozen=True, slots=True)
class Named:
    """A setting that names code by its dotted path, and what that code has to offer."""

    setting: str
    id: str
    what: str
    methods: tuple[str, ...] = ()
    required: bool = False  # a list must not be empty

    def paths(self) -> Iterator[Any]:
        value = getattr(settings, self.setting)
        if self.setting == "NAVIGATION":
            yield from (badge for _label, _url, _icon, badge in value if badge)
        elif isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, list | tuple):
            yield from value
        else:
            yield value


NAMED = (
    Named(
        "AUDIT_RECORDER", "gatehouse.E001", "a class with record(entries)", ("record", "insertion")
    ),
    Named("CONSOLE_HISTORY", "gatehouse.E010", "a page of a row"),
    Named("CONSOLE_POLICY", "gatehouse.E013", "a page of a person"),
    Named("TOOL_GATES", "gatehouse.E003", "classes with judge(call, context)", ("judge",), True),
    Named(
        "AGENT_DIRECTORY",
        "gatehouse.E004",
        "a class with may_use and tool_set",
        ("may_use", "tool_set"),
    ),
    Named("BACKGROUND_HOSTS", "gatehouse.E005", "classes with start and stop", ("start", "stop")),
    Named("PROCESSES", "gatehouse.E008", "functions that take nothing"),
    Named("READINESS_CHECKS", "gatehouse.E009", "functions that say ok or what is wrong"),
    Named("NAVIGATION", "gatehouse.E007", "functions that count for a user"),
)


@register()
def what_settings_name_is_there(**_: Any) -> list[Error]:
    """Found out here, not by the first call, round or page that needs it."""
    return [error for named in NAMED for error in _errors(named)]


def _errors(named: Named) -> Iterator[Error]:
    paths = list(named.paths())
    if named.required and not paths:
        yield _error(named, "it is empty")
    for path in paths:
        problem = _problem(named, path)
        if problem:
            yield _error(named, f"{path!r}: {problem}")


def _problem(named: Named, path: Any) -> str:
    try:
        found = import_string(path)
    except (AttributeError, ImportError) as error:
        return str(error)
    if not callable(found):
        return "it can't be called"
    missing = [name for name in named.methods if not callable(getattr(found, name, None))]
    return f"it lacks {', '.join(missing)}" if missing else ""


def _error(named: Named, problem: str) -> Error:
    return Error(
        f"{named.setting} can't be used: {problem}", hint=f"Name {named.what}.", id=named.id
    )
