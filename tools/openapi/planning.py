"""What an import would do with each operation: a new tool, a changed one, or none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from django.utils.translation import gettext as _

from config.base.errors import GatehouseError
from config.base.outbound.urls import parse_url
from tools.configs import validated_config
from tools.configs.changes import change_of
from tools.configs.outside import check_reachable
from tools.errors import InvalidToolConfig
from tools.models import Tool
from tools.openapi.choices import Choices
from tools.openapi.document import Document
from tools.openapi.errors import DocumentTooLarge, OperationUnusable, SchemeUnknown
from tools.openapi.limits import MAX_CONFIG_CHARS
from tools.openapi.operations import Operation, Problem, Reader
from tools.openapi.security import Scheme, credentials_for, schemes_of
from tools.openapi.slugs import LONGEST, slug_of
from tools.openapi.words import in_one_line
from tools.schemas import JSON
from tools.secrets.use import check_secret

TYPE = "http_api"
# Of a tool that is there already these are the document's; whatever else it has is the operator's.
_OF_THE_DOCUMENT = frozenset(
    {
        "base_url",
        "method",
        "path",
        "about",
        "parameters",
        "body",
        "definitions",
        "security",
        "source",
    }
)


class Step(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One operation. `slug` and `name` are those of the tool that is there, or would be made."""

    operation: Operation
    step: Step
    slug: str = ""
    name: str = ""
    tool: Tool | None = None
    config: JSON = field(default_factory=dict)
    fields: tuple[str, ...] = ()  # of the config, that would change
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """`gone`: tools whose operation is not in the document any more; they stay as they are."""

    name: str
    title: str
    schemes: Mapping[str, Scheme]
    secrets: Mapping[str, str]  # chosen now or before
    items: list[Item]
    gone: list[Tool]


def plan_import(document: Document, choices: Choices, *, lock: bool = False) -> ImportPlan:
    """Reads only. `lock`: within the transaction that carries it out, so that nobody changes
    meanwhile what the plan keeps of a tool. Raises `DocumentTooLarge`, `SchemeUnknown`."""
    name = in_one_line(choices.document, 200) or document.title
    tools = tools_of(name, lock=lock)
    reader = Reader(document, choices.base_url)
    schemes = schemes_of(document, reader.references)
    _check_schemes(choices.secrets, schemes)
    secrets = {**_known_secrets(tools), **choices.secrets}
    maker = _Maker(name, choices, schemes, secrets, tools)
    items = [maker.item(operation) for operation in reader.operations()]
    keys = {item.operation.key for item in items}
    return ImportPlan(
        name=name,
        title=document.title,
        schemes=schemes,
        secrets={scheme: secret for scheme, secret in secrets.items() if scheme in schemes},
        items=items,
        gone=[tool for key, tool in tools.items() if key not in keys],
    )


def _check_schemes(given: Mapping[str, str], schemes: Mapping[str, Scheme]) -> None:
    known = ", ".join(list(schemes)[:20])
    has = _("It has: %(names)s.") % {"names": known} if known else _("It has none.")
    message = _("The document has no security scheme of this name.")
    wrong = {name: f"{message} {has}" for name in given if name not in schemes}
    if wrong:
        raise SchemeUnknown(secrets=wrong)


def tools_of(document: str, *, lock: bool) -> dict[str, Tool]:
    """By operation: what earlier imports of this document made; of two the older."""
    rows = Tool.objects.filter(type=TYPE, config__source__document=document).order_by("pk")
    found: dict[str, Tool] = {}
    for tool in sorted(rows.select_for_update() if lock else rows, key=lambda one: one.created_at):
        found.setdefault(str(tool.config["source"].get("operation")), tool)
    return found


def _known_secrets(tools: Mapping[str, Tool]) -> dict[str, str]:
    return {
        str(scheme): str(secret)
        for tool in tools.values()
        for scheme, secret in (tool.config["source"].get("secrets") or {}).items()
    }


class _Maker:
    def __init__(
        self,
        name: str,
        choices: Choices,
        schemes: Mapping[str, Scheme],
        secrets: Mapping[str, str],
        tools: Mapping[str, Tool],
    ) -> None:
        self._name = name
        self._choices = choices
        self._schemes = schemes
        self._secrets = secrets
        self._tools = tools
        self._slugs = set(Tool.objects.values_list("slug", flat=True))
        self._chars = 0
        self._check_secret = cache(check_secret)  # one query for each secret and host

    def item(self, operation: Operation) -> Item:
        tool = self._tools.get(operation.key)
        try:
            config = self._config(operation, tool)
        except OperationUnusable as error:
            return self._unusable(operation, tool, error.code, error.message)
        except InvalidToolConfig as error:
            return self._unusable(operation, tool, "schema_unusable", error.message)
        except GatehouseError as error:  # of a secret, or an address
            if isinstance(error, DocumentTooLarge):
                raise
            message = str(error.for_operator or error.message)
            return self._unusable(operation, tool, error.code, message)
        if tool is None:
            return self._new(operation, config)
        change = change_of({"config": tool.config}, {"config": config})
        names = {*change["before"], *change["after"]}
        fields = tuple(sorted(name.removeprefix("config.") for name in names))
        return Item(
            operation=operation,
            step=Step.CHANGED if fields else Step.SAME,
            slug=tool.slug,
            name=tool.name,
            tool=tool,
            config=config,
            fields=fields,
        )

    def _new(self, operation: Operation, config: JSON) -> Item:
        slug = slug_of(operation.words, self._choices.prefix, self._slugs)
        self._slugs.add(slug)
        name = in_one_line(operation.summary or operation.words, LONGEST)
        return Item(operation=operation, step=Step.NEW, slug=slug, name=name, config=config)

    @staticmethod
    def _unusable(operation: Operation, tool: Tool | None, code: str, message: str) -> Item:
        problem = Problem(code, message)
        return Item(operation=operation, step=Step.UNUSABLE, tool=tool, problem=problem)

    def _config(self, operation: Operation, tool: Tool | None) -> JSON:
        """As it would be stored."""
        if operation.config is None:
            assert operation.problem is not None
            raise OperationUnusable(operation.problem.code, operation.problem.message)
        security = credentials_for(operation.alternatives, self._schemes, self._secrets)
        self._check_hosts(operation.config["base_url"], security)
        used = {one["value"]["secret"] for one in security}
        source = {
            "document": self._name,
            "operation": operation.key,
            "secrets": {k: v for k, v in self._secrets.items() if v in used and k in self._schemes},
        }
        config = self._kept(tool) | operation.config | {"source": source}
        check_reachable(config["base_url"], config.get("allowed_private_networks", ()))
        if security:
            config["security"] = security
        self._chars += len(json.dumps(config))
        if self._chars > MAX_CONFIG_CHARS:
            raise DocumentTooLarge(
                _("All its operations together are described at too great a length; import a part "
                  "of the document.")
            )  # fmt: skip
        return validated_config(TYPE, config)

    def _check_hosts(self, base_url: str, security: list[JSON]) -> None:
        url = parse_url(base_url)
        for one in security:
            self._check_secret(one["value"]["secret"], url.host, scheme=url.scheme)

    def _kept(self, tool: Tool | None) -> JSON:
        """What the operator set, on the tool or for this import."""
        kept = {
            name: value
            for name, value in (tool.config if tool else {}).items()
            if name not in _OF_THE_DOCUMENT
        }
        if self._choices.write_domains:
            kept["write_domains"] = list(self._choices.write_domains)
        if self._choices.allowed_private_networks:
            kept["allowed_private_networks"] = list(self._choices.allowed_private_networks)
        return kept
