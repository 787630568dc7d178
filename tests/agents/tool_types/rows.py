"""One call of each type that works, and one whose arguments do not fit."""

from dataclasses import dataclass, field

from tools.schemas import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`data`: what the result holds, among other things; `answer`: how the model hears of it."""

    arguments: JSON
    data: JSON
    answer: str
    invalid: JSON
    at: str  # the argument that does not fit
    config: JSON = field(default_factory=dict)
    effect: str = "none"
    waits_for: str = ""  # a person, and what for
    fills: JSON = field(default_factory=dict)  # what they say on the card


ELSEWHERE = "Elsewhere"

ROWS: dict[str, Row] = {
    "ask_model": Row(
        arguments={"task": "What is it about?", "text": "A dog barks."},
        data={"text": "About a dog."},
        answer="About a dog.",
        invalid={"task": 5},
        at="task",
    ),
    "calculator": Row(
        arguments={"expression": "12.5% * 80 + 1/3"},
        data={"result": "10.3333333333333"},
        answer='"result": "10.3333333333333"',
        invalid={"expression": 5},
        at="expression",
    ),
    "datetime": Row(
        arguments={"operation": "weekday", "date": "2026-11-29"},
        data={"result": "Sunday"},
        answer="Sunday",
        invalid={"operation": "add_calendar", "date": "2026-11-29", "days": "many"},
        at="days",
    ),
    "document": Row(
        arguments={"action": "create", "title": "Note", "content": "Buy milk."},
        data={"title": "Note", "type": "memory", "revision": 1},
        answer='"title": "Note"',
        invalid={"action": "list", "page": 0},
        at="page",
        effect="inside",
    ),
    "encode": Row(
        arguments={"operation": "base64_encode", "data": "你好"},
        data={"result": "5L2g5aW9"},
        answer="5L2g5aW9",
        invalid={"operation": "base64_encode", "data": 5},
        at="data",
    ),
    "fetch": Row(
        arguments={"url": "http://a.example/here?x=1"},
        data={"status_code": 200, "content": '{"here": "/here?x=1"}'},
        answer="/here?x=1",
        invalid={"url": "http://a.example/", "method": "PURGE"},
        at="method",
    ),
    "http_api": Row(
        arguments={"place": "here", "q": "a b"},
        data={"status_code": 200, "content": {"here": "/here?q=a%20b"}},
        answer="/here?q=a%20b",
        invalid={"place": "here", "q": 5},
        at="q",
    ),
    "json_query": Row(
        arguments={"expression": "a[?b > `1`].b", "data": {"a": [{"b": 1}, {"b": 2}]}},
        data={"result": [2]},
        answer='"result": [2]',
        invalid={"expression": ["a"], "data": {}},
        at="expression",
    ),
    "knowledge_resource": Row(
        arguments={"query": "pumps"},
        data={"status": "NO_EVIDENCE", "resources": []},
        answer="No file that the user may read fits",
        invalid={"query": 5},
        at="query",
    ),
    "knowledge_search": Row(
        arguments={"query": "How often is the pump checked?"},
        data={"status": "NO_EVIDENCE", "citations": []},
        answer="No evidence: no file that the user may read answers this",
        invalid={"query": "pump", "limit": 0},
        at="limit",
    ),
    "mcp": Row(
        arguments={"query": "tea"},
        data={"text": "found tea", "structured": None, "attachments": []},
        answer="found tea",
        invalid={"query": 5},
        at="query",
    ),
    "memory_capture": Row(
        arguments={"text": "Likes tea."},
        data={"status": "active", "visibility": "private"},
        answer='"status": "active"',
        invalid={"text": "Likes tea.", "importance": 9},
        at="importance",
        effect="inside",
        waits_for="confirmation",
        fills={"visibility": "private"},
    ),
    "memory_search": Row(
        arguments={"query": "Which tea do I like?"},
        data={"evidence": False, "memories": []},
        answer="nothing is remembered",
        invalid={"query": 5},
        at="query",
    ),
    "random": Row(
        arguments={"operation": "dice", "count": 5, "seed": 7},
        data={"result": [3, 2, 6, 1, 5], "total": 17, "seeded": True},
        answer='"total": 17',
        invalid={"operation": "dice", "count": "many"},
        at="count",
    ),
    "send_message": Row(
        arguments={"text": "Milk, too.", "conversation": ELSEWHERE},
        data={"position": 1},
        answer='"position": 1',
        invalid={"text": 5},
        at="text",
        effect="inside",
    ),
    "table_query": Row(
        arguments={"csv": "who,cost\nAda,0.1\nBob,0.2\n", "sort": [{"column": "who"}]},
        data={"rows": [["Ada", 0.1], ["Bob", 0.2]], "total_rows": 2},
        answer='["Bob", 0.2]',
        invalid={"csv": "a\n1\n", "limit": -1},
        at="limit",
    ),
    "template": Row(
        arguments={"template": "Dear {{ name }}", "values": {"name": "Ada"}},
        data={"result": "Dear Ada"},
        answer="Dear Ada",
        invalid={"template": "x", "escape": "xml"},
        at="escape",
    ),
    "text": Row(
        arguments={"operation": "replace", "text": "a1", "pattern": r"\d", "replacement": "2"},
        data={"result": "a2"},
        answer='"result": "a2"',
        invalid={"operation": "extract", "text": "a", "pattern": "a", "count": 0},
        at="count",
    ),
    "unit_convert": Row(
        arguments={"value": 26.2, "from": "mile", "to": "km"},
        data={"result": "42.1648128", "rounded": False},
        answer="42.1648128",
        invalid={"value": 1, "from": 5, "to": "km"},
        at="from",
    ),
    "web_search": Row(
        arguments={"query": "platypus", "max_results": 2},
        data={"query": "platypus"},
        answer="http://zoo.example/echidna?x=1",
        invalid={"query": "platypus", "max_results": 0},
        at="max_results",
        waits_for="consent",
    ),
}
