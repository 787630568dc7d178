from typing import Any

import pytest
from django.core.exceptions import ValidationError

from tests.tools.mcp_servers import TOOL
from tools.configs import load_config, validated_config
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.mcp.descriptors import descriptor_hash
from tools.models import Tool


def test_what_is_stored_is_what_was_given_not_the_defaults() -> None:
    assert validated_config("fetch", {"timeout_ms": 5000}) == {"timeout_ms": 5000}
    assert validated_config("fetch", {}) == {}


def test_defaults_come_when_it_is_loaded() -> None:
    config: Any = load_config("fetch", {})
    assert config.timeout_ms == 10_000


@pytest.mark.parametrize(
    ("config", "fields"),
    [
        ({"timeout_ms": "soon"}, {"timeout_ms"}),
        ({"timeout_ms": 0, "max_redirects": -1}, {"timeout_ms", "max_redirects"}),
        ({"timeOut": 1}, {"timeOut"}),
        ({"parse_mode": "guess"}, {"parse_mode"}),
        ({"allowed_domains": [1]}, {"allowed_domains.0"}),
    ],
)
def test_it_refuses_and_names_each_field(config: dict[str, Any], fields: set[str]) -> None:
    with pytest.raises(InvalidToolConfig) as refused:
        validated_config("fetch", config)
    assert set(refused.value.details["fields"]) == fields
    assert all(name in refused.value.message for name in fields)


@pytest.mark.parametrize(
    "config", [None, [], "text", 1, {"default_headers": {"a": "\0"}}, {"\ud800": 1}]
)
def test_it_refuses_what_is_no_config_at_all(config: Any) -> None:
    with pytest.raises(InvalidToolConfig):
        validated_config("fetch", config)


def test_it_refuses_a_type_that_is_not_installed() -> None:
    with pytest.raises(UnknownToolType):
        validated_config("abacus", {})


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"type": "abacus"}, "type"),
        ({"type": "fetch", "config": {"timeout_ms": 0}}, "config"),
    ],
)
def test_a_form_is_told_which_field_is_wrong(values: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Tool(slug="a", name="a", **values).clean()
    assert list(refused.value.message_dict) == [field]


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("web_search", {"provider": "searxng", "url": "http://127.0.0.1:8888/search"}),
        ("http_api", {"base_url": "http://127.0.0.1:8888", "path": "/"}),
        ("mcp", {"url": "http://127.0.0.1:8888/mcp", "remote_tool": "search",
                 "descriptor": TOOL, "descriptor_hash": descriptor_hash(TOOL)}),
    ],
)  # fmt: skip
def test_what_could_call_nobody_is_no_config(kind: str, config: dict[str, Any]) -> None:
    with pytest.raises(InvalidToolConfig, match=r"add 127\.0\.0\.1/32 to allowed_private_networks"):
        validated_config(kind, config)
    validated_config(kind, {**config, "allowed_private_networks": ["127.0.0.1/32"]})
