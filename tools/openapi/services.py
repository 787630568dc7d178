"""Making and changing the tools of an import: all of them in one transaction, or none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.utils.translation import gettext as _

from config.base.actor import Actor
from config.base.errors import NotPermitted
from tools.models import Tool
from tools.openapi.choices import Choices
from tools.openapi.document import Document
from tools.openapi.errors import ChoiceInvalid
from tools.openapi.limits import MAX_CHOSEN
from tools.openapi.planning import TYPE, ImportPlan, Item, Step, plan_import
from tools.services import create_tool, update_tool

_PERMISSIONS = ("tools.add_tool", "tools.change_tool")


@dataclass(frozen=True, slots=True)
class Changed:
    tool: Tool
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    name: str  # of the document
    created: list[Tool]
    updated: list[Changed]
    unchanged: list[Tool]
    gone: list[Tool]
    skipped: list[Item]  # what can't be imported, where all that can be was asked for


def preview_import(actor: Actor, document: Document, choices: Choices) -> ImportPlan:
    """What `import_openapi` would find. Raises `NotPermitted`, `DocumentTooLarge`."""
    _check(actor)
    return plan_import(document, choices)


@transaction.atomic
def import_openapi(
    actor: Actor, document: Document, choices: Choices, operations: Sequence[str] | None = None
) -> Imported:
    """Tools for the operations of these keys (`GET /pets`), all of them or none; None: for all
    that can be imported, and what can't be is `skipped`.

    Raises `NotPermitted`, `ChoiceInvalid`, `SchemeUnknown`, `DocumentTooLarge`, and `Conflict`
    (slug_taken) when somebody else made such tools meanwhile. Then nothing was changed.
    """
    _check(actor)
    plan = plan_import(document, choices, lock=True)
    skipped = [item for item in plan.items if item.problem] if operations is None else []
    result = Imported(
        name=plan.name, created=[], updated=[], unchanged=[], gone=plan.gone, skipped=skipped
    )
    for item in _chosen(plan.items, operations):
        _carry_out(actor, item, choices, result)
    return result


def may_import(actor: Actor) -> bool:
    return actor.user.is_staff and actor.user.has_perms(_PERMISSIONS)


def _check(actor: Actor) -> None:
    if not may_import(actor):
        raise NotPermitted


def _chosen(items: Sequence[Item], operations: Iterable[str] | None) -> list[Item]:
    usable = [item for item in items if item.step != Step.UNUSABLE]
    chosen = usable if operations is None else _by_key(items, list(operations))
    if not chosen:
        wrong = {} if operations is not None else _problems_of(items)
        message = _("Choose at least one operation that can be imported.")
        raise ChoiceInvalid(" ".join([message, *_first(wrong)]), operations=wrong)
    if len(chosen) > MAX_CHOSEN:
        raise ChoiceInvalid(
            _("Choose at most %(limit)d operations at a time.") % {"limit": MAX_CHOSEN}
        )
    return chosen


def _by_key(items: Sequence[Item], operations: list[str]) -> list[Item]:
    by_key = {item.operation.key: item for item in items}
    wrong = {key: _problem_of(by_key.get(key)) for key in operations[: MAX_CHOSEN + 1]}
    wrong = {key: problem for key, problem in wrong.items() if problem}
    if wrong:
        raise ChoiceInvalid(" ".join(_first(wrong)), operations=wrong)
    return [by_key[key] for key in dict.fromkeys(operations) if key in by_key]


def _problems_of(items: Sequence[Item]) -> dict[str, str]:
    return {item.operation.key: item.problem.message for item in items if item.problem}


def _first(wrong: Mapping[str, str]) -> Iterator[str]:
    for key, why in islice(wrong.items(), 1):
        yield _("“%(key)s” can't be imported: %(why)s Nothing was changed.") % {
            "key": key[:100],
            "why": why,
        }


def _problem_of(item: Item | None) -> str:
    if item is None:
        return _("It is not in the document.")
    return item.problem.message if item.problem else ""


def _carry_out(actor: Actor, item: Item, choices: Choices, result: Imported) -> None:
    if item.tool is None:
        values = {
            "name": item.name,
            "slug": item.slug,
            "type": TYPE,
            "config": item.config,
            "enabled": choices.enabled,
        }
        result.created.append(create_tool(actor, **values))
    elif item.step == Step.CHANGED:
        tool = update_tool(actor, item.tool.pk, config=item.config)
        result.updated.append(Changed(tool, item.fields))
    else:
        result.unchanged.append(item.tool)
