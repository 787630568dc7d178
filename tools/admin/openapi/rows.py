"""The operations of a document as rows of a page."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tools.openapi.planning import ImportPlan, Item, Step

# They can be chosen all the same: what is missing stands on the same page.
_STILL_CHOSEN = frozenset({"secret_missing", "server_unusable", "address_refused"})
_STEPS: dict[Step, Any] = {
    Step.NEW: _("new"),
    Step.CHANGED: _("would change"),
    Step.SAME: _("as it is"),
}


@dataclass(frozen=True, slots=True)
class Row:
    item: Item
    number: int
    checked: bool

    @property
    def may_choose(self) -> bool:
        problem = self.item.problem
        return problem is None or problem.code in _STILL_CHOSEN

    @property
    def step(self) -> Any:
        return _STEPS.get(self.item.step, "")

    @property
    def searched(self) -> str:
        operation = self.item.operation
        words = (operation.key, operation.words, operation.summary, self.item.slug)
        return " ".join((*words, *operation.tags)).lower()


def rows_of(plan: ImportPlan, chosen: Collection[str] | None) -> list[Row]:
    """`chosen`: what was; None: the tools that are there already."""
    return [
        Row(
            item,
            number,
            item.tool is not None if chosen is None else item.operation.key in chosen,
        )
        for number, item in enumerate(plan.items)
    ]


def servers_of(plan: ImportPlan) -> list[str]:
    """Whom the tools would call."""
    urls = [(item.operation.config or {}).get("base_url", "") for item in plan.items]
    return list(dict.fromkeys(filter(None, urls)))[:20]
