"""Whatever a setting names by a dotted path is there, or the product refuses to start."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config.base.checks import NAMED, what_settings_name_is_there

BAD = ["", "nothing", "skills.no_such.Thing", "skills.recorder.No", "skills.recorder.__doc__", 7]


def setting_of(name: str, path: Any) -> Any:
    """The setting with this path in it."""
    if name == "NAVIGATION":
        return [("Chat", "chat:home", "chat", path)]
    if name in {"PROCESSES", "READINESS_CHECKS"}:
        return {"one": path}
    return path if name in {"AUDIT_RECORDER", "AGENT_DIRECTORY"} else [path]


def test_what_is_shipped_passes() -> None:
    assert what_settings_name_is_there() == []


@pytest.mark.parametrize(
    ("name", "path"),
    # A navigation entry without a path has no badge.
    [(n.setting, path) for n in NAMED for path in BAD if (n.setting, path) != ("NAVIGATION", "")],
)
def test_what_can_not_be_used_is_an_error(settings: Settings, name: str, path: Any) -> None:
    setattr(settings, name, setting_of(name, path))
    [error] = what_settings_name_is_there()
    assert error.is_serious()
    assert name in error.msg


@pytest.mark.parametrize("name", [named.setting for named in NAMED if named.methods])
def test_a_class_that_lacks_a_method_is_an_error(settings: Settings, name: str) -> None:
    setattr(settings, name, setting_of(name, "config.base.checks.Named"))
    [error] = what_settings_name_is_there()
    assert "lacks" in error.msg


def test_without_a_gate_it_refuses_to_start(settings: Settings) -> None:
    settings.TOOL_GATES = []
    [error] = what_settings_name_is_there()
    assert "empty" in error.msg


@pytest.mark.parametrize("name", ["BACKGROUND_HOSTS", "NAVIGATION", "READINESS_CHECKS"])
def test_other_lists_may_be_empty(settings: Settings, name: str) -> None:
    setattr(settings, name, type(getattr(settings, name))())
    assert what_settings_name_is_there() == []


@pytest.mark.django_db
def test_the_command_says_which_setting(settings: Settings) -> None:
    settings.AGENT_DIRECTORY = "agents.directory.Gone"
    with pytest.raises(CommandError, match="AGENT_DIRECTORY can't be used: 'agents"):
        call_command("check")
