"""What each field of each config holds back when a call is run, and a call that goes past it.

A field is either here or among `NO_LIMITS`, with the reason why it is none: the walk in
`test_limits.py` fails for one that is in neither.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from documents.models import Document
from tests.agents.tool_types.world import INSIDE, POSTING
from tools.outcomes import CallOutcome
from tools.schemas import JSON

type Held = Callable[[CallOutcome], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """`held`: whether the limit did what it is for. It has to with `at`, and must not with
    `enough`, which is all that differs.
    """

    at: Any
    enough: Any
    arguments: JSON
    held: Held
    config: JSON = field(default_factory=dict)


def refuses(code: str, words: str = "") -> Held:
    return lambda outcome: bool(
        outcome.error and outcome.error.code == code and words in outcome.error.message
    )


def _is_stopped(outcome: CallOutcome) -> bool:
    """By the time, not by another limit."""
    return refuses("limit", "ran too long and was stopped")(outcome)


def _is_cut(outcome: CallOutcome) -> bool:
    """Some types say so in the data, for the model, and some beside it."""
    assert outcome.result is not None, outcome.error
    said = (outcome.result.data, outcome.result.metadata)
    return any(told.get("truncated") is True for told in said)


def _asks_a_person(outcome: CallOutcome) -> bool:
    return outcome.draft is not None


def _counts_as_irreversible(outcome: CallOutcome) -> bool:
    return outcome.draft is not None and outcome.draft.plan["risk"] == "L3"


def _results_of(outcome: CallOutcome) -> list[dict[str, Any]]:
    assert outcome.result is not None, outcome.error
    found: list[dict[str, Any]] = outcome.result.data["results"]
    return found


def _one_is_recalled(outcome: CallOutcome) -> bool:
    assert outcome.result is not None, outcome.error
    return len(outcome.result.data["memories"]) == 1


def _one_is_found(outcome: CallOutcome) -> bool:
    assert outcome.result is not None, outcome.error
    return len(outcome.result.data["resources"]) == 1


def _one_is_cited(outcome: CallOutcome) -> bool:
    assert outcome.result is not None, outcome.error
    return len(outcome.result.data["citations"]) == 1


def _summary_is_short(outcome: CallOutcome) -> bool:
    assert outcome.result is not None, outcome.error
    return len(Document.objects.get(pk=outcome.result.data["id"]).summary) <= 10


def _leaves_some_for_a_next_page(outcome: CallOutcome) -> bool:
    assert outcome.result is not None, outcome.error
    return bool(outcome.result.data["has_more"])


def _answer_is_cut(outcome: CallOutcome) -> bool:
    assert outcome.result is not None, outcome.error
    return "was cut" in str(outcome.result.warnings)


def at(value: Any, enough: Any, code: str = "limit", /, **arguments: Any) -> Limit:
    return Limit(at=value, enough=enough, arguments=arguments, held=refuses(code))


PAGE = "http://a.example"
PRIVATE = f"http://{INSIDE}"
NET = ["10.0.0.0/8"]
POST: JSON = {"method": "POST", "body": "x"}
WIDE: JSON = {"csv": "a,b,c\n1,2,3\n"}
# Each takes a good part of a second, so far more than a tenth and far less than ten.
SORTING = " | ".join(["sort_by(@, &to_string(@))"] * 30)
BACKTRACKING: JSON = {"operation": "extract", "text": "a" * 21, "pattern": "(a|a)*b"}
LOOP = "{% for a in range(9999) %}{% for b in range(300) %}{% endfor %}{% endfor %}"


def slow(**arguments: Any) -> Limit:
    return Limit(at=100, enough=10_000, arguments=arguments, held=_is_stopped)


LIMITS: dict[tuple[str, str], Limit] = {
    # --- Models and people ---
    ("ask_model", "max_input_tokens"): at(50, 900, task="Count.", text="word " * 200),
    ("ask_model", "max_output_tokens"): Limit(
        at=10, enough=500, arguments={"task": "Say something long."}, held=_answer_is_cut
    ),
    ("ask_model", "timeout_seconds"): at(1, 60, "timeout", task="Be slow."),
    ("ask_model", "allow_schema"): at(
        False, True, "invalid_arguments", task="Count.", answer_schema=None
    ),
    ("send_message", "max_chars"): at(3, 4, text="Milk"),
    ("send_message", "only_this_conversation"): at(
        True, False, "not_here", text="Milk", conversation="Elsewhere"
    ),
    ("memory_capture", "max_chars"): at(3, 4, text="teas"),
    ("knowledge_resource", "max_results"): Limit(
        at=1, enough=2, arguments={"query": "pump"}, held=_one_is_found
    ),
    ("knowledge_search", "max_results"): Limit(
        at=1, enough=2, arguments={"query": "pump"}, held=_one_is_cited
    ),
    ("knowledge_search", "max_query_chars"): at(3, 4, query="pump"),
    ("memory_search", "max_results"): Limit(
        at=1, enough=2, arguments={"query": "tea"}, held=_one_is_recalled
    ),
    ("memory_search", "max_query_chars"): at(3, 4, query="teas"),
    ("document", "max_content_length"): at(
        3, 4, "too_long", action="create", title="T", content="text"
    ),
    ("document", "default_summary_length"): Limit(
        at=10,
        enough=100,
        arguments={"action": "create", "title": "T", "content": "word " * 40},
        held=_summary_is_short,
    ),
    ("document", "token_budget"): Limit(
        at=100, enough=5_000, arguments={"action": "list"}, held=_leaves_some_for_a_next_page
    ),
    ("document", "max_page_size"): at(2, 3, "invalid_arguments", action="list", page_size=3),
    ("document", "approval_required_actions"): Limit(
        at=["create"],
        enough=[],
        arguments={"action": "create", "title": "T", "content": "C"},
        held=_asks_a_person,
    ),
    # --- Computing ---
    ("calculator", "max_expression_chars"): at(10, 11, expression="1+1+1+1+1+1"),
    ("encode", "max_chars"): at(100, 101, operation="hash", data="x" * 101, algorithm="sha256"),
    ("random", "max_items"): at(2, 3, operation="shuffle", items=[1, 2, 3]),
    ("random", "max_count"): at(2, 3, operation="dice", count=3),
    ("unit_convert", "max_unit_chars"): at(
        10, 11, **{"value": 1, "from": "kilometer/h", "to": "m/s"}
    ),
    ("unit_convert", "max_number_chars"): at(
        10, 11, **{"value": "12345678901", "from": "m", "to": "km"}
    ),
    ("json_query", "max_json_chars"): at(9, 99, expression="@", data={"a": "long"}),
    ("json_query", "max_expression_chars"): at(3, 5, expression="@ | @", data=[1]),
    ("json_query", "max_result_chars"): at(9, 99, expression="@", data=["long text"]),
    ("json_query", "timeout_ms"): slow(expression=SORTING, data=list(range(3_000))),
    ("table_query", "max_rows"): at(10, 11, csv="a\n" + "1\n" * 11),
    ("table_query", "max_columns"): at(2, 3, **WIDE),
    ("table_query", "max_cell_chars"): at(10, 11, rows=[{"a": "x" * 11}]),
    ("table_query", "max_result_rows"): Limit(
        at=1, enough=2, arguments={"rows": [{"a": 1}, {"a": 2}]}, held=_is_cut
    ),
    ("template", "max_template_chars"): at(7, 8, template="{{ a }}!", values={"a": 1}),
    ("template", "max_values_chars"): at(9, 99, template="{{ a }}", values={"a": "bcd"}),
    ("template", "max_output_chars"): at(3, 4, template="{{ a }}!", values={"a": "bcd"}),
    ("template", "timeout_ms"): slow(template=LOOP),
    ("text", "max_text_chars"): at(3, 4, operation="count", text="text"),
    ("text", "max_pattern_chars"): at(4, 5, operation="extract", text="a", pattern="a|b|c"),
    ("text", "max_matches"): Limit(
        at=2,
        enough=3,
        arguments={"operation": "extract", "text": "abc", "pattern": "."},
        held=_is_cut,
    ),
    ("text", "pattern_timeout_ms"): slow(**BACKTRACKING),
    # --- Reaching out ---
    ("fetch", "timeout_ms"): at(50, 9_000, "timeout", url=f"{PAGE}/slow"),
    ("fetch", "max_response_bytes"): Limit(
        at=10, enough=9_000, arguments={"url": f"{PAGE}/long"}, held=_is_cut
    ),
    ("fetch", "max_redirects"): at(0, 1, "too_many_redirects", url=f"{PAGE}/moved"),
    ("fetch", "allowed_domains"): at(
        ["b.example"], ["b.example", "a.example"], "domain_not_allowed", url=PAGE
    ),
    ("fetch", "blocked_domains"): at(["a.example"], ["b.example"], "domain_blocked", url=PAGE),
    ("fetch", "allowed_private_networks"): at([], NET, "address_refused", url=PRIVATE),
    ("fetch", "write_domains"): Limit(
        at=["b.example"],
        enough=["a.example"],
        arguments={"url": PAGE, **POST},
        held=_counts_as_irreversible,
    ),
    ("http_api", "timeout_ms"): at(50, 9_000, "timeout", place="slow"),
    ("http_api", "max_request_bytes"): Limit(
        at=5,
        enough=6,
        arguments={"body": "123456"},
        held=refuses("body_too_large"),
        config={**POSTING, "write_domains": ["api.example"]},
    ),
    ("http_api", "max_response_bytes"): Limit(
        at=10, enough=9_000, arguments={"place": "long"}, held=_is_cut
    ),
    ("http_api", "max_redirects"): at(0, 1, "too_many_redirects", place="moved"),
    ("http_api", "allowed_private_networks"): Limit(
        at=[],
        enough=NET,
        arguments={"place": "here"},
        held=refuses("address_refused"),
        config={"base_url": PRIVATE},
    ),
    ("http_api", "write_domains"): Limit(
        at=[],
        enough=["api.example"],
        arguments={"body": "x"},
        held=_counts_as_irreversible,
        config=POSTING,
    ),
    ("mcp", "timeout_ms"): at(50, 9_000, "timeout", query="slow"),
    ("mcp", "max_response_bytes"): at(600, 9_000, "response_too_large", query="long"),
    ("mcp", "allowed_private_networks"): Limit(
        at=[],
        enough=NET,
        arguments={"query": "tea"},
        held=refuses("address_refused"),
        config={"url": f"{PRIVATE}/mcp"},
    ),
    ("mcp", "trust_read_only"): Limit(
        at=False, enough=True, arguments={"query": "tea"}, held=_asks_a_person
    ),
    ("mcp", "write_domains"): Limit(
        at=[],
        enough=["mcp.example"],
        arguments={"query": "tea"},
        held=_counts_as_irreversible,
        config={"trust_read_only": False},
    ),
    ("web_search", "timeout_ms"): at(50, 9_000, "timeout", query="slow"),
    ("web_search", "max_query_chars"): at(3, 4, query="eggs"),
    ("web_search", "max_results"): Limit(
        at=1, enough=2, arguments={"query": "eggs"}, held=lambda got: len(_results_of(got)) == 1
    ),
    ("web_search", "max_snippet_chars"): Limit(
        at=50,
        enough=5_000,
        arguments={"query": "eggs"},
        held=lambda got: len(_results_of(got)[0]["snippet"]) <= 50,
    ),
    ("web_search", "allowed_private_networks"): Limit(
        at=[],
        enough=NET,
        arguments={"query": "eggs"},
        held=refuses("address_refused"),
        config={"url": f"{PRIVATE}/search"},
    ),
}

_DESCRIBES = "describes the operation; what a call says is held to it as to a schema"
NO_LIMITS: dict[str, dict[str, str]] = {
    "ask_model": {"model_profile": "says who is asked", "instructions": "is told to the model"},
    "datetime": {"default_timezone": "stands in for an argument; judged where it is saved"},
    "fetch": {
        "default_method": "stands in for an argument",
        "default_headers": "is sent; secrets have hosts of their own",
        "parse_mode": "says how an answer is read",
    },
    "http_api": {
        **dict.fromkeys(("base_url", "method", "path", "about"), _DESCRIBES),
        **dict.fromkeys(("parameters", "body", "definitions"), _DESCRIBES),
        "security": "is sent; secrets have hosts of their own",
        "source": "says where the description comes from",
    },
    "mcp": {
        **dict.fromkeys(("url", "remote_tool", "descriptor"), _DESCRIBES),
        "descriptor_hash": "is the pin: see the tests of a changed descriptor",
        "changed_descriptor": "is kept for an operator to look at",
        "headers": "is sent; secrets have hosts of their own",
    },
    "web_search": {
        "provider": "says who is asked",
        "url": "says where",
        "api_key": "is sent; secrets have hosts of their own",
        "safe_search": "is a wish to the provider, who holds to it or not",
    },
}
