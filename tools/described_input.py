"""Arguments that somebody else described by a JSON schema: an OpenAPI document, an MCP server.

Nothing is fetched for such a schema, and no pattern in it can make a check run long.
"""

import json
from copy import deepcopy
from functools import lru_cache
from typing import Any, ClassVar, Self

import jsonschema_rs
from django.utils.translation import gettext as _
from pydantic import ConfigDict, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from config.base.errors import InvalidInput
from tools.schemas import JSON
from tools.tool_type import ToolInput

_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1_000_000, dfa_size_limit=1_000_000)
_MOST_ERRORS = 20
_LONGEST_MESSAGE = 200


class UnusableSchema(InvalidInput):
    default_message = _("The JSON schema of the arguments can't be used.")
    code = "schema_unusable"


class DescribedInput(ToolInput):
    """Holds the arguments as they were given, once they fit the schema."""

    model_config = ConfigDict(extra="allow")

    input_schema: ClassVar[JSON] = {"type": "object"}
    validator: ClassVar[Any]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        errors = [_line_error(error) for error in _first(cls.validator.iter_errors(obj))]
        if errors:
            raise ValidationError.from_exception_data(cls.__name__, errors)
        return cls.model_construct(None, **obj)

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
        validator = jsonschema_rs.validator_for(schema, offline=True, pattern_options=_PATTERNS)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise UnusableSchema(_cut(str(error))) from error
    members = {"input_schema": schema, "validator": validator, "__module__": __name__}
    return type("DescribedInput", (DescribedInput,), members)


def _first(errors: Any) -> list[Any]:
    return [error for error, _number in zip(errors, range(_MOST_ERRORS), strict=False)]


def _line_error(error: Any) -> InitErrorDetails:
    told = PydanticCustomError("schema", "{told}", {"told": _cut(error.message)})
    return {"type": told, "loc": tuple(error.instance_path), "input": None}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"
