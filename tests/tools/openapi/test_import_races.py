"""An import and an operator who changes one of its tools at the same moment."""

import threading
from typing import Any

import pytest

from config.base.actor import Actor
from tests.skills.audit import Thread
from tests.tools.openapi.conftest import Import
from tests.tools.openapi.documents import small
from tools.models import Tool
from tools.openapi import planning, security
from tools.services import update_tool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


def test_what_an_operator_sets_while_an_import_is_planned_is_not_lost(
    imports: Import, importer: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    [tool] = imports(small()).created
    planned, schemes_of = threading.Event(), security.schemes_of

    def slowly(*arguments: Any) -> Any:
        """The tools were read by now."""
        planned.set()
        operator.join(0.5)
        return schemes_of(*arguments)

    def change() -> None:
        planned.wait(10)
        held = Tool.objects.get(pk=tool.pk).config
        update_tool(importer, tool.pk, config={**held, "timeout_ms": 1234})

    monkeypatch.setattr(planning, "schemes_of", slowly)
    operator = Thread(change)
    imports(small(operation={"summary": "Get it now"}))
    operator.finish()
    assert Tool.objects.get(pk=tool.pk).config["timeout_ms"] == 1234
