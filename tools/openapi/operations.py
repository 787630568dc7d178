"""The operations of a document: each as the config of a tool, or why it can't be one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from tools.openapi.bodies import body_of
from tools.openapi.document import Document
from tools.openapi.errors import DocumentTooLarge, OperationUnusable
from tools.openapi.limits import ABOUT_CHARS, MAX_OPERATIONS
from tools.openapi.parameters import parameters_of
from tools.openapi.pointers import References
from tools.openapi.schemas import Schemas
from tools.openapi.security import Alternatives, alternatives_of
from tools.openapi.servers import base_url_of
from tools.openapi.words import in_one_line
from tools.schemas import JSON

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_UNSUPPORTED = ("options", "trace")


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`config` is without credentials; None, with a `problem`, where no tool can be made of it."""

    key: str  # `GET /pets/{id}`
    words: str  # operationId, else method and path: what slugs are made of
    summary: str
    tags: tuple[str, ...]
    deprecated: bool
    alternatives: Alternatives
    config: JSON | None = None
    problem: Problem | None = None


@dataclass(slots=True)
class Reader:
    """Of one document; `base_url` is the operator's, for all operations."""

    document: Document
    base_url: str = ""
    references: References = field(init=False)
    schemas: Schemas = field(init=False)

    def __post_init__(self) -> None:
        self.references = References(self.document.root)
        self.schemas = Schemas(self.references)

    def operations(self) -> list[Operation]:
        """In the document's order. Raises `DocumentTooLarge`."""
        found: list[Operation] = []
        for path, method, path_item, operation in self._all():
            if len(found) >= MAX_OPERATIONS:
                raise DocumentTooLarge(
                    _("It has more than %(limit)d operations.") % {"limit": MAX_OPERATIONS}
                )
            found.append(self._operation(path, method, path_item, operation))
        return found

    def _all(self) -> Iterator[tuple[str, str, JSON, Any]]:
        for path, value in self.document.paths.items():
            if not path.startswith("/"):
                continue  # x-…
            try:
                path_item = self.references.resolve(value)
            except OperationUnusable:
                continue
            for method in METHODS:
                if method in path_item:
                    yield path, method, path_item, path_item[method]

    def _operation(self, path: str, method: str, path_item: JSON, told: Any) -> Operation:
        operation = told if isinstance(told, dict) else {}
        name = operation.get("operationId")
        made = _facts(method, path, name if isinstance(name, str) else "", operation)
        alternatives = alternatives_of(self.document, operation)
        try:
            config = self._config(path, method, path_item, operation)
        except OperationUnusable as error:
            problem = Problem(error.code, error.message)
            return Operation(**made, alternatives=alternatives, problem=problem)
        return Operation(**made, alternatives=alternatives, config=config)

    def _config(self, path: str, method: str, path_item: JSON, operation: JSON) -> JSON:
        if method in _UNSUPPORTED:
            raise OperationUnusable("method_unsupported", _("Nobody calls this method."))
        parameters, schemas = parameters_of(path, path_item, operation, self.schemas)
        body, schema = body_of(method.upper(), operation, self.schemas)
        definitions = self.schemas.definitions([*schemas, *([schema] if schema else [])])
        config: JSON = {
            "base_url": base_url_of(self.document, path_item, operation, self.base_url),
            "method": method.upper(),
            "path": path,
            "about": _about(operation),
            "parameters": parameters,
            "body": body,
            "definitions": definitions,
        }
        return {name: value for name, value in config.items() if value}


def _facts(method: str, path: str, name: str, operation: JSON) -> dict[str, Any]:
    key = f"{method.upper()} {path}"
    tags = operation.get("tags")
    return {
        "key": key[:1100],
        "words": in_one_line(name, 100) or f"{method} {path}",
        "summary": in_one_line(operation.get("summary"), 120)
        or in_one_line(operation.get("description"), 120),
        "tags": tuple(in_one_line(tag, 50) for tag in tags[:5] if isinstance(tag, str))
        if isinstance(tags, list)
        else (),
        "deprecated": operation.get("deprecated") is True,
    }


def _about(operation: JSON) -> str:
    told = [in_one_line(operation.get(part), ABOUT_CHARS) for part in ("summary", "description")]
    parts = [text if text.endswith((".", "!", "?", "…")) else f"{text}." for text in told if text]
    return in_one_line(" ".join(dict.fromkeys(parts)), ABOUT_CHARS)
