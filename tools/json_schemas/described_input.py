"""Arguments that somebody else described by a JSON schema: an OpenAPI document, an MCP server.

Nothing is fetched for such a schema, and neither a pattern nor a reference in it can make a check
run long.
"""

import json
from copy import deepcopy
from functools import lru_cache
from typing import Any, ClassVar, Self, cast

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import ConfigDict, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from config.base.errors import InvalidInput
from tools.bounded.failures import Refused
from tools.bounded.parent import run_bounded
from tools.json_schemas.checks import (
    Checked,
    cut,
    first_errors,
    takes_long,
    validator_of,
    weight_of,
)
from tools.schemas import JSON
from tools.tool_type import ToolInput

_CHECK = "tools.json_schemas.checks:check"


class UnusableSchema(InvalidInput):
    default_message = gettext_lazy("The JSON schema of the arguments can't be used.")
    code = "schema_unusable"


class DescribedInput(ToolInput):
    """Holds the arguments as they were given, once they fit the schema."""

    model_config = ConfigDict(extra="allow")

    input_schema: ClassVar[JSON] = {"type": "object"}
    validator: ClassVar[Any]
    weight: ClassVar[float]

    @classmethod
    def model_validate(cls, obj: Any, **_options: Any) -> Self:
        if errors := [_line_error(*error) for error in cls._errors_in(obj)]:
            raise ValidationError.from_exception_data(cls.__name__, errors)
        arguments = cast("Self", cls.model_construct(None))
        arguments.__pydantic_extra__ = obj
        return arguments

    @classmethod
    def _errors_in(cls, obj: Any) -> Checked:
        """What could take long is checked in the process that can be stopped."""
        if not takes_long(cls.weight, obj):
            if cls.validator.is_valid(obj):
                return []
            if not takes_long(cls.weight, obj, to_tell=True):
                return first_errors(cls.validator, obj)
        try:
            found: Checked = run_bounded(_CHECK, {"schema": cls.input_schema, "value": obj})
        except Refused:
            return [([], _("The schema of the arguments takes too long to check."))]
        return found

    @classmethod
    def model_json_schema(cls, *_arguments: Any, **_options: Any) -> JSON:
        return deepcopy(cls.input_schema)

    def model_dump(self, **_options: Any) -> JSON:
        """All of it: for its peer `null` is not the same as nothing."""
        return deepcopy(self.__pydantic_extra__ or {})


def described_input(schema: JSON) -> type[DescribedInput]:
    """One class for each schema. Raises `UnusableSchema`; what is no object schema is none.

    A reference may lead to a place in the same schema, and nowhere else.
    """
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise UnusableSchema(_("The arguments of a tool are a JSON object."))
    return _made(json.dumps(schema, sort_keys=False))


@lru_cache(maxsize=512)
def _made(text: str) -> type[DescribedInput]:
    schema = json.loads(text)
    try:
        validator = validator_of(schema)
    except ValueError as error:
        raise UnusableSchema(cut(str(error))) from error
    members = {
        "input_schema": schema,
        "validator": validator,
        "weight": weight_of(schema),
        "__module__": __name__,
    }
    return type("DescribedInput", (DescribedInput,), members)


def _line_error(place: list[str | int], message: str) -> InitErrorDetails:
    told = PydanticCustomError("schema", "{told}", {"told": message})
    return {"type": told, "loc": tuple(place), "input": None}
