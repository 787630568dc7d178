"""For tool types with several operations behind one flat input: which one takes which arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from django.utils.translation import gettext as _
from pydantic import model_validator

from tools.tool_type import ToolInput


@dataclass(frozen=True, slots=True)
class Arguments:
    """`required`: all of them. `one_of`: exactly one. `some_of`: at least one. `optional`."""

    gives: str
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    some_of: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def problem(self, given: set[str]) -> str:
        missing = [name for name in self.required if name not in given]
        if missing:
            return _("needs: %(names)s") % {"names": ", ".join(missing)}
        known = {*self.required, *self.one_of, *self.some_of, *self.optional}
        if unknown := sorted(given - known):
            return _("does not take: %(names)s") % {"names": ", ".join(unknown)}
        if self.one_of and len(given & set(self.one_of)) != 1:
            return _("needs exactly one of: %(names)s") % {"names": ", ".join(self.one_of)}
        if self.some_of and not given & set(self.some_of):
            return _("needs at least one of: %(names)s") % {"names": ", ".join(self.some_of)}
        return ""

    def signature(self) -> str:
        parts = [*self.required]
        if self.one_of:
            parts.append("|".join(self.one_of))
        parts.extend(f"{name}?" for name in (*self.some_of, *self.optional))
        return ", ".join(parts)


class OperationInput(ToolInput):
    """Each operation takes its own part of the arguments and refuses the rest."""

    operations: ClassVar[Mapping[str, Arguments]]
    of_each: ClassVar[frozenset[str]] = frozenset()  # what every operation takes

    operation: str

    @model_validator(mode="after")
    def has_its_arguments(self) -> Self:
        given = set(self.model_dump(exclude_none=True)) - {"operation"} - self.of_each
        problem = self.operations[self.operation].problem(given)
        if problem:
            raise ValueError(f"{self.operation} {problem}")
        return self


def describe_operations(operations: Mapping[str, Arguments]) -> str:
    """One line for each, for a tool type's description."""
    return "\n".join(
        f"- {name}({arguments.signature()}): {arguments.gives}"
        for name, arguments in operations.items()
    )
