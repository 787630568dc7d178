"""What the tool type `template` gives and refuses; no template gets out or runs on."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.models import User
from tests.tools.api import Api
from tools.bounded.failures import Refused
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.models import Tool
from tools.types.template.fill import fill
from tools.types.template.schemas import TemplateConfig, TemplateInput
from tools.types.template.tool import TemplateType, run

PATIENT = 10_000  # for what is not about the time, however busy the machine is
TOO_LONG = "It ran too long and was stopped."
CODES = {"syntax", "undefined", "forbidden", "value", "limit"}


def filled(
    template: str, values: dict[str, Any] | None = None, *, limits: Any = None, **more: Any
) -> str:
    given = {"template": template, "values": values or {}, **more}
    config = TemplateConfig(**{"timeout_ms": PATIENT, **(limits or {})})
    return run(TemplateInput.model_validate(given), config)


def failure_of(
    template: str, values: dict[str, Any] | None = None, *, limits: Any = None, **more: Any
) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        filled(template, values, limits=limits, **more)
    assert caught.value.message
    return caught.value


# --- Right answers ---


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("", {}, ""),
        ("Hello {{ name }}.\n", {"name": "林"}, "Hello 林.\n"),
        ("{% for i in items %}{{ loop.index }}:{{ i.n }} {% endfor %}",
         {"items": [{"n": 1}, {"n": None}]}, "1:1 2:None "),
        ("{{ items|map(attribute='n')|join(', ') }}", {"items": [{"n": 1}, {"n": 2}]}, "1, 2"),
        ("{{ x|default('-') }}", {}, "-"),
        ("{{ '%.2f'|format(x) }} {{ '{:>4}'.format(x) }}", {"x": 1.5}, "1.50  1.5"),
        ("{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(1) }}{{ m(2) }}", {}, "<1><2>"),
        ("{% set s = namespace(n=0) %}{% for i in x %}{% set s.n = s.n + i %}{% endfor %}{{ s.n }}",
         {"x": [1, 2]}, "3"),
        ("{{ x.items()|list }} {{ x['a b'] }}", {"x": {"a b": 1}}, "[('a b', 1)] 1"),
        ("{{ x|tojson }}", {"x": {"a": [None, True]}}, '{"a": [null, true]}'),
        ("{{ x }}", {"x": "{{ y }}"}, "{{ y }}"),
        ("{{ range }}", {"range": "1-2"}, "1-2"),
    ],
)  # fmt: skip
def test_it_fills_a_template(template: str, values: dict[str, Any], expected: str) -> None:
    assert filled(template, values) == expected


@pytest.mark.parametrize(("escape", "expected"), [("none", "<b> <i>"), ("html", "&lt;b&gt; <i>")])
def test_it_escapes_when_it_is_told_to(escape: str, expected: str) -> None:
    assert filled("{{ a }} {{ b|safe }}", {"a": "<b>", "b": "<i>"}, escape=escape) == expected


def test_what_has_no_value_is_an_error_or_empty() -> None:
    assert filled("[{{ a }}{{ a.b.c }}]", undefined="empty") == "[]"
    failure = failure_of("\n{{ a }}")
    assert (failure.code, failure.details) == ("undefined", {"line": 2})
    assert failure.message == "A value is missing: 'a' is undefined. Line 2."


# --- Refusals ---


@pytest.mark.parametrize(
    ("template", "code", "line"),
    [
        ("a\n{{ a", "syntax", 2),
        ("\n\n{% for %}", "syntax", 3),
        ("{% if x %}", "syntax", 1),
        ("{{ 1|no_such_filter }}", "syntax", 1),
        ("{{ 'x'|random }}", "syntax", 1),
        ("{% macro m(a, a) %}{% endmacro %}", "syntax", None),
        ("\n{{ x.y }}", "undefined", 2),
        ("{{ {}.x.y }}", "undefined", 1),
        ("{{ lipsum() }}", "undefined", 1),
        ("{% macro m() %}\n{{ z }}\n{% endmacro %}{{ m() }}", "undefined", 2),
        ("\n{{ 1 / 0 }}", "value", 2),
        ("{{ 1 + 'a' }}", "value", 1),
        ("{{ 10 ** 5000 }}", "value", 1),
        ("{{ [1]|map('string') }}", "value", 1),
        ("{{ range }}", "value", 1),
        ("{{ self }}", "value", 1),
        ("\n{% include 'a' %}", "forbidden", 2),
        ("{% import 'a' as a %}", "forbidden", 1),
        ("{% from 'a' import b %}", "forbidden", 1),
        ("{% extends 'a' %}", "forbidden", 1),
        ("{% if false %}{% include '/etc/passwd' ignore missing %}{% endif %}", "forbidden", 1),
    ],
)
def test_what_can_not_be_filled_is_told_with_its_line(
    template: str, code: str, line: int | None
) -> None:
    failure = failure_of(template)
    assert (failure.code, failure.details.get("line")) == (code, line)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_template_chars": 7},
        {"max_values_chars": 9},
        {"max_output_chars": 3},
    ],
)
def test_each_limit_of_the_config_holds(limits: dict[str, int]) -> None:
    assert failure_of("{{ a }}!", {"a": "bcd"}, limits=limits).code == "limit"


@pytest.mark.parametrize(
    "given",
    [
        {"values": {}},
        {"template": "a", "values": ["a"]},
        {"template": "a", "escape": "latex"},
        {"template": "a", "undefined": "ignore"},
        {"template": "a", "loader": "/etc"},
    ],
)
def test_arguments_that_do_not_fit_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        TemplateInput.model_validate(given)


# --- Hostile ---

WAYS_OUT = {
    "the classic": "{{ ''.__class__.__mro__ }}",
    "by item": "{{ ''['__class__'] }}",
    "by item, put together": "{{ ''['__cla' ~ 'ss__'] }}",
    "by filter": "{{ ''|attr('__class__') }}",
    "by map": "{{ [1]|map(attribute='__class__')|list }}",
    "by nested map": "{{ [[1]]|map(attribute='0.__class__')|list }}",
    "by select": "{{ [1]|selectattr('__class__')|list }}",
    "by sort": "{{ [1, 2]|sort(attribute='__class__')|list }}",
    "by groupby": "{{ [1, 2]|groupby('__class__')|list }}",
    "by sum": "{{ [1]|sum(attribute='__class__') }}",
    "by format": "{{ '{0.__class__}'.format(1) }}",
    "by format, of a name": "{{ '{x.__class__}'.format(x=1) }}",
    "by format, of an item": "{{ '{0[__class__]}'.format(range) }}",
    "by format_map": "{{ '{x.__class__}'.format_map({'x': 1}) }}",
    "by a format kept": "{% set f = '{0.__class__}'.format %}{{ f(1) }}",
    "by a format as attribute": "{{ ('{0.__class__}'|attr('format'))(1) }}",
    "by a format as item": "{{ '{0.__class__}'['format'](1) }}",
    "by format of what is safe": "{{ ('{0.__class__}'|safe).format(1) }}",
    "cycler": "{{ cycler.__init__.__globals__ }}",
    "cycler's method": "{{ cycler('a').next.__func__.__globals__ }}",
    "joiner": "{{ joiner.__init__.__globals__ }}",
    "namespace": "{{ namespace.__init__.__globals__ }}",
    "namespace's mro": "{{ namespace.mro() }}",
    "dict's mro": "{{ dict.mro() }}",
    "self": "{{ self.__init__.__globals__ }}",
    "self's context": "{{ self._TemplateReference__context }}",
    "range": "{{ range.__globals__ }}",
    "a macro": "{% macro m() %}{% endmacro %}{{ m.__class__ }}",
    "a macro's function": "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "the loop": "{% for i in [1] %}{{ loop.__class__ }}{% endfor %}",
    "a generator": "{% for i in [[1]|map('string')] %}{{ i.gi_frame }}{% endfor %}",
    "undefined": "{{ (x|default(y)).__class__ }}",
    "a method's owner": "{{ ''.join.__self__ }}",
    "changing a list": "{{ x.append(1) }}",
    "changing an object": "{{ {}.update(a=1) }}",
}


def outcome(template: str, values: dict[str, Any], **more: bool) -> str | Refused:
    """What the child would answer: a text, or a refusal."""
    told: dict[str, Any] = {"strict": True, "escape_html": False, **more}
    try:
        return fill(template, values, **told, max_chars=10_000)
    except Refused as refused:
        return refused


@pytest.mark.parametrize("template", WAYS_OUT.values(), ids=WAYS_OUT.keys())
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("escape_html", [True, False])
def test_no_way_leads_out_of_the_sandbox(template: str, strict: bool, escape_html: bool) -> None:
    values: dict[str, Any] = {"x": [1]} if "append" in template else {}
    found = outcome(template, values, strict=strict, escape_html=escape_html)
    assert isinstance(found, Refused)
    assert found.code in {"forbidden", "undefined"}


@pytest.mark.parametrize("template", ["{{ lipsum.__globals__ }}", "{{ lipsum.__globals__['os'] }}"])
def test_what_is_not_there_leads_nowhere(template: str) -> None:
    assert failure_of(template).code in {"forbidden", "undefined"}


ENDLESS = {
    "nested loops": "{% for a in range(99999) %}" * 4 + "{% endfor %}" * 4,
    "a huge power": "{{ 10 ** (10 ** 9) }}",
    "a huge power, unprinted": "{% set a = 10 ** (10 ** 9) %}",
    "a macro that forks": "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}"
    "{% endmacro %}{{ m(60) }}",
}


@pytest.mark.parametrize("template", ENDLESS.values(), ids=ENDLESS.keys())
def test_no_template_runs_on(template: str) -> None:
    failure = failure_of(template, limits={"timeout_ms": 1_500})
    assert (failure.code, failure.message) == ("limit", TOO_LONG)


LARGE = {
    "a huge range": "{% for a in range(10**9) %}{% endfor %}",
    "nested loops that print": "{% for a in range(99999) %}" * 4 + "x" + "{% endfor %}" * 4,
    "a long text": "{{ 'a' * 10**9 }}",
    "a long list": "{{ ([0] * 10**9)|length }}",
    "a long text in pieces": "{% for a in range(99999) %}{{ 'a' * 1000 }}{% endfor %}",
    "a text that doubles": "{% set n = namespace(t='ab') %}"
    "{% for a in range(99) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
    "center": "{{ 'a'|center(10**9) }}",
    "center in the output": "{{ 'a'|center(10**6) }}",
    "indent": "{{ 'a\\nb'|indent(10**9) }}",
    "the format filter": "{{ '%1000000000d'|format(1) }}",
    "the format method": "{{ '{:>1000000000}'.format(1) }}",
    "a float's digits": "{{ '%.999999999f'|format(1.5) }}",
    "ljust": "{{ 'a'.ljust(10**9) }}",
    "a recursive macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a recursive block": "{% block b %}{{ self.b() }}{% endblock %}",
    "a recursive loop": "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "deep blocks": "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
    "deep brackets": "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "replace": "{{ ('a' * 9999)|replace('', 'a' * 99999) }}",
}


@pytest.mark.parametrize("template", LARGE.values(), ids=LARGE.keys())
def test_no_template_grows(template: str) -> None:
    failure = failure_of(template)
    assert failure.code == "limit"
    assert failure.message != TOO_LONG


TEMPLATES = st.lists(
    st.sampled_from(
        [
            *(
                "{{",
                "}}",
                "{%",
                "%}",
                "{#",
                "#}",
                "x",
                ".y",
                "['y']",
                "|",
                "upper",
                "list",
                "(",
                ")",
            ),
            *("for a in x", "endfor", "if x", "else", "endif", "set a =", "macro m()", "endmacro"),
            *("1", "'s'", "+", "-", "~", ",", "[", "]", " ", "\n", "loop.index", "block b", "m()"),
            *("join", "tojson", "attr('__class__')", ".__class__", "include 'x'", "self", "%"),
        ]
    ),
    max_size=14,
).map("".join)
VALUES = st.fixed_dictionaries(
    {}, optional={"x": st.lists(st.text(max_size=2) | st.integers(), max_size=2) | st.text()}
)


@given(TEMPLATES, VALUES, st.booleans())
@settings(max_examples=600, deadline=None, derandomize=True)
def test_any_pile_of_parts_ends_with_text_or_a_code(
    template: str, values: dict[str, Any], strict: bool
) -> None:
    found = outcome(template, values, strict=strict)
    if isinstance(found, Refused):
        assert found.code in CODES
        assert found.code == "limit" or json.loads(found.detail)["reason"]
    else:
        assert "<class" not in found


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_value_is_never_read_as_a_template(text: str) -> None:
    assert outcome("{{ x }}", {"x": text}) == text


# --- As a tool ---


def test_it_names_its_codes_and_limits_in_its_description() -> None:
    text = TemplateType().description(TemplateConfig(max_template_chars=123, timeout_ms=456))
    assert all(word in text for word in (*CODES, "123", "456 ms"))


def test_it_is_a_pure_computation() -> None:
    annotations = TemplateType().annotations(TemplateConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )


@pytest.mark.django_db
@pytest.mark.both
def test_it_answers_through_the_api_with_nulls_kept(operator: User) -> None:
    path = f"/api/agent-tools/{Tool.objects.get(slug='template').pk}/execute/"
    given = {"template": "{{ x|tojson }}", "values": {"x": {"a": None}}}
    _status, answer = Api(operator)("POST", path, {"input": given})
    assert answer["data"] == {"result": '{"a": null}'}
    _status, answer = Api(operator)("POST", path, {"input": {"template": "\n{{ y }}"}})
    assert (answer["error"]["code"], answer["error"]["line"]) == ("undefined", 2)
