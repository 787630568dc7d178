"""Everything that is to be known of a tool type, as one record."""

import re
from dataclasses import dataclass
from typing import Any

from tools.docs.catalogue import describe_type, example_config
from tools.docs.schema import FieldDoc, fields_of_model
from tools.registry import AnyToolType, list_tool_types
from tools.schemas import JSON

_MARK = re.compile(r"\berror codes?:\s*", re.IGNORECASE)
_CODE = re.compile(r"`?([a-z][a-z0-9_]*)`?(?:\s*\(([^()]*)\))?(,\s*(?:and |or )?)?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode:
    code: str
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDocs:
    """`arguments` and `description` depend on the config: they are those of a row with the
    defaults, or with `example`; None where neither is possible. `annotations`: the worst that any
    config allows."""

    name: str
    label: str
    purpose: str
    description: str | None
    annotations: JSON | None
    config: list[FieldDoc]
    arguments: list[FieldDoc] | None
    error_codes: list[ErrorCode]
    log_payload: str
    roles: list[str] | None
    needs_set_up: bool
    first_party: bool
    timeout_seconds: float
    example: JSON | None = None  # where the defaults alone are no config


def docs_of(tool_type: AnyToolType) -> TypeDocs:
    told, example = describe_type(tool_type), example_config(tool_type)
    config = example.config if example else None
    arguments = fields_of_model(tool_type.input_model(config)) if config is not None else None
    return TypeDocs(
        name=told.name,
        label=told.label,
        purpose=str(tool_type.purpose) or _purpose(told.description or ""),
        description=told.description,
        annotations=told.annotations,
        config=fields_of_model(tool_type.config_model),
        arguments=arguments,
        error_codes=error_codes_in(told.description or ""),
        log_payload=told.log_payload,
        roles=told.roles,
        needs_set_up=told.needs_set_up,
        first_party=told.first_party,
        timeout_seconds=tool_type.timeout_seconds(config)
        if config is not None
        else told.default_timeout_seconds,
        example=example.given or None if example else None,
    )


def all_docs() -> list[TypeDocs]:
    return [docs_of(tool_type) for tool_type in list_tool_types()]


def undescribed_fields(docs: TypeDocs) -> list[str]:
    """Those that nobody who configures or calls such a tool could understand."""
    named: list[tuple[str, list[FieldDoc]]] = [
        ("config", docs.config),
        ("arguments", docs.arguments or []),
    ]
    return [
        f"{where}.{field.path}"
        for where, fields in named
        for field in fields
        if not field.help and not field.is_fixed
    ]


def error_codes_in(description: str) -> list[ErrorCode]:
    """What follows “Error codes:”, up to the end of that list."""
    mark = _MARK.search(description)
    found: list[ErrorCode] = []
    at = mark.end() if mark else len(description)
    while one := _CODE.match(description, at):
        found.append(ErrorCode(code=one[1], meaning=" ".join((one[2] or "").split())))
        if not one[3]:
            break
        at = one.end()
    return found


def _purpose(description: str) -> str:
    """Its first sentence."""
    first: Any = _SENTENCE.split(description.strip(), maxsplit=1)[0]
    return str(first).rstrip(";")
