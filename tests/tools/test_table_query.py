"""What table_query answers: exact sums, a known order, and no guess about what a cell means."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from config.base.models import User
from tests.tools.api import Api
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.models import Tool
from tools.types.table_query.conditions import OPERATORS
from tools.types.table_query.groups import FUNCTIONS
from tools.types.table_query.limits import MAX_CONDITIONS, MAX_CSV_CHARS, MAX_STEPS
from tools.types.table_query.query import Answer, run
from tools.types.table_query.schemas import TableQueryConfig, TableQueryInput
from tools.types.table_query.tool import TableQueryType

CODES = {"csv", "column", "operator", "type", "limit"}
STAFF = [
    {"name": "Ada", "team": "red", "pay": 10.1, "on": True},
    {"name": "Bob", "team": "blue", "pay": 20.2, "on": False},
    {"name": "Cy", "team": "red", "pay": None},
    {"name": "Di", "team": None, "pay": 10.2, "on": True},
]


def query(*, config: TableQueryConfig | None = None, **arguments: Any) -> Answer:
    given = TableQueryInput.model_validate(arguments)
    return run(given, config or TableQueryConfig())


def failure_of(**arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as failure:
        query(**arguments)
    return failure.value


def code_of(**arguments: Any) -> str:
    return failure_of(**arguments).code


def names(**arguments: Any) -> list[str]:
    """Of the staff that a query leaves, in its order."""
    found = query(rows=STAFF, select=["name"], **arguments).rows
    return [row[0] for row in found]


def kept(column: str, operator: str, value: Any = None, **more: Any) -> list[str]:
    return names(filter={"column": column, "operator": operator, "value": value, **more})


# --- Filter ---


@pytest.mark.parametrize(
    ("column", "operator", "value", "expected"),
    [
        ("team", "eq", "red", ["Ada", "Cy"]),
        ("team", "=", "red", ["Ada", "Cy"]),
        ("team", "ne", "red", ["Bob"]),
        ("pay", "lt", 20.2, ["Ada", "Di"]),
        ("pay", "<=", 20.2, ["Ada", "Bob", "Di"]),
        ("pay", "gt", 10, ["Ada", "Bob", "Di"]),
        ("pay", "eq", 10.10, ["Ada"]),
        ("name", "ge", "Bob", ["Bob", "Cy", "Di"]),
        ("team", "in", ["blue", "green"], ["Bob"]),
        ("team", "not_in", ["blue", "green"], ["Ada", "Cy"]),
        ("name", "contains", "d", ["Ada"]),
        ("name", "not_contains", "d", ["Bob", "Cy", "Di"]),
        ("name", "starts_with", "B", ["Bob"]),
        ("name", "ends_with", "y", ["Cy"]),
        ("team", "is_null", None, ["Di"]),
        ("pay", "not_null", None, ["Ada", "Bob", "Di"]),
        ("on", "eq", True, ["Ada", "Di"]),
        ("on", "is_null", None, ["Cy"]),
    ],
)
def test_it_filters(column: str, operator: str, value: Any, expected: list[str]) -> None:
    assert kept(column, operator, value) == expected


def test_it_ignores_case_where_told_to() -> None:
    assert kept("name", "contains", "D") == ["Di"]
    assert kept("name", "contains", "D", ignore_case=True) == ["Ada", "Di"]
    assert kept("name", "in", ["ADA"], ignore_case=True) == ["Ada"]


def test_conditions_combine() -> None:
    red = {"column": "team", "operator": "eq", "value": "red"}
    poor = {"column": "pay", "operator": "lt", "value": 15}
    assert names(filter={"and": [red, poor]}) == ["Ada"]
    assert names(filter={"or": [red, poor]}) == ["Ada", "Cy", "Di"]
    not_cy = {"column": "name", "operator": "ne", "value": "Cy"}
    assert names(filter={"and": [{"or": [red, poor]}, not_cy]}) == ["Ada", "Di"]
    assert names(filter={"and": []}) == ["Ada", "Bob", "Cy", "Di"]
    assert names(filter={"or": []}) == []


@pytest.mark.parametrize(
    ("column", "operator", "value", "code"),
    [
        ("pay", "eq", "10.1", "type"),
        ("name", "gt", 5, "type"),
        ("on", "eq", 1, "type"),
        ("pay", "contains", 1, "type"),
        ("pay", "in", 10, "type"),
        ("pay", "in", ["10"], "type"),
        ("pay", "eq", None, "type"),
        ("pay", "eq", [10], "type"),
        ("pay", "like", 10, "operator"),
        ("pay", "__eq__", 10, "operator"),
        ("salary", "eq", 10, "column"),
        ("name", "in", ["a"] * 1_001, "limit"),
    ],
)
def test_it_refuses_a_condition(column: str, operator: str, value: Any, code: str) -> None:
    condition = {"column": column, "operator": operator, "value": value}
    assert code_of(rows=STAFF, filter=condition) == code


def test_an_unknown_column_is_answered_with_the_known_ones() -> None:
    failure = failure_of(rows=STAFF, select=["salary"])
    assert failure.details["columns"] == ["name", "team", "pay", "on"]
    assert "pay" in failure.message


# --- Sort ---


def test_it_sorts_numbers_as_numbers_and_nulls_last() -> None:
    assert names(sort=[{"column": "pay"}]) == ["Ada", "Di", "Bob", "Cy"]
    assert names(sort=[{"column": "pay", "descending": True}]) == ["Bob", "Di", "Ada", "Cy"]
    numbers = query(csv="n\n10\n9\n-1\n1e1\n", sort=[{"column": "n"}]).rows
    assert numbers == [[-1], [9], [10], [10]]


def test_it_sorts_by_several_keys_and_keeps_the_order_of_equals() -> None:
    keys = [{"column": "team", "descending": True}, {"column": "name", "descending": True}]
    assert names(sort=keys) == ["Cy", "Ada", "Bob", "Di"]
    rows = [[n % 3, n] for n in range(12)]
    ordered = query(rows=rows, columns=["a", "b"], sort=[{"column": "a", "descending": True}]).rows
    assert [b for a, b in ordered if a == 1] == [1, 4, 7, 10]


def test_it_does_not_order_what_has_no_order() -> None:
    mixed: dict[str, Any] = {"rows": [[1], ["a"], [True], [None]], "columns": ["x"]}
    assert code_of(**mixed, sort=[{"column": "x"}]) == "type"
    assert code_of(**mixed, filter={"column": "x", "operator": "lt", "value": 2}) == "type"
    assert query(**mixed).types == {"x": "mixed"}
    just_one = {"column": "x", "operator": "eq", "value": 1}
    assert query(**mixed, filter=just_one, sort=[{"column": "x"}]).rows == [[1]]


# --- Group ---


def grouped(by: list[str], *aggregates: dict[str, str], rows: Any = STAFF) -> list[list[Any]]:
    return query(rows=rows, group={"by": by, "aggregates": list(aggregates)}).rows


def test_it_groups_in_order_of_appearance() -> None:
    rows = grouped(
        ["team"],
        {"function": "count"},
        {"function": "count", "column": "pay"},
        {"function": "sum", "column": "pay"},
        {"function": "max", "column": "name"},
        {"function": "distinct", "column": "on"},
    )
    assert rows == [
        ["red", 2, 1, 10.1, "Cy", 1],
        ["blue", 1, 1, 20.2, "Bob", 1],
        [None, 1, 1, 10.2, "Di", 1],
    ]


def test_without_columns_all_rows_are_one_group() -> None:
    functions = ["sum", "mean", "median", "min", "max", "distinct"]
    aggregates = [{"function": name, "column": "pay"} for name in functions]
    assert grouped([], *aggregates) == [[40.5, 13.5, 10.2, 10.1, 20.2, 3]]
    assert grouped([], *aggregates, {"function": "count"}, rows=STAFF[2:3]) == [
        [0, None, None, None, None, 0, 1]
    ]


def test_of_no_rows_there_is_still_one_count() -> None:
    nobody = {"column": "name", "operator": "eq", "value": "Zoe"}
    total = {"aggregates": [{"function": "count"}]}
    assert query(rows=STAFF, filter=nobody, group=total).rows == [[0]]


def test_aggregates_have_names() -> None:
    aggregates = [
        {"function": "count"},
        {"function": "sum", "column": "pay", "as": "total"},
        {"function": "max", "column": "pay"},
    ]
    group = {"by": ["team"], "aggregates": aggregates}
    answer = query(rows=STAFF, group=group, sort=[{"column": "total", "descending": True}])
    assert answer.columns == ["team", "count", "total", "max_pay"]
    assert [row[0] for row in answer.rows] == ["blue", None, "red"]


def test_sums_are_exact() -> None:
    tenths = [[0.1]] * 10
    total = {"function": "sum", "column": "x"}
    assert query(rows=tenths, columns=["x"], group={"aggregates": [total]}).rows == [[1]]
    far = [[1e300], [1], [-1e300], [1e-300]]
    assert query(rows=far, columns=["x"], group={"aggregates": [total]}).rows == [
        [f"1.{'0' * 299}1"]
    ]


def test_a_mean_without_end_is_rounded() -> None:
    mean = {"function": "mean", "column": "x"}
    rows = query(rows=[[1], [1], [0]], columns=["x"], group={"aggregates": [mean]}).rows
    assert rows == [[0.666666666666667]]


def test_true_is_not_one() -> None:
    rows = query(
        rows=[[True], [1], [1.0], [0], [False]],
        columns=["x"],
        group={"by": ["x"], "aggregates": [{"function": "count"}]},
    ).rows
    assert [(type(key), count) for key, count in rows] == [(bool, 1), (int, 2), (int, 1), (bool, 1)]


@pytest.mark.parametrize(
    ("aggregate", "code"),
    [
        ({"function": "sum", "column": "name"}, "type"),
        ({"function": "mean", "column": "on"}, "type"),
        ({"function": "sum"}, "column"),
        ({"function": "sum", "column": "salary"}, "column"),
        ({"function": "mode", "column": "pay"}, "operator"),
        ({"function": "count", "as": "team"}, "column"),
    ],
)
def test_it_refuses_an_aggregate(aggregate: dict[str, str], code: str) -> None:
    assert code_of(rows=STAFF, group={"by": ["team"], "aggregates": [aggregate]}) == code


# --- CSV ---


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("a,b\n1,x\n2,y\n", ["a", "b"], [[1, "x"], [2, "y"]]),
        ("a;b\r\n1,5;x\r\n", ["a", "b"], [["1,5", "x"]]),
        ("a\tb\n1\tx, y\n", ["a", "b"], [[1, "x, y"]]),
        ("a|b\n1|2", ["a", "b"], [[1, 2]]),
        ("a;b, c\n1;2\n", ["a", "b, c"], [[1, 2]]),
        ("a,b\n" + "1;1,2\n" * 9_000, ["a", "b"], [["1;1", 2]] * 200),
        ("\ufeffa,b\n1,2\n", ["a", "b"], [[1, 2]]),
        ('a,b\n"x, ""y""\nz",2\n', ["a", "b"], [['x, "y"\nz', 2]]),
        ("a,b\n\n1,\n,2\n", ["a", "b"], [[1, None], [None, 2]]),
        ("a\n007\n1\n", ["a"], [["007"], ["1"]]),
        ("a\n1,234\n", ["a"], None),
        ('a\n"1,234"\n', ["a"], [["1,234"]]),
        ("a\n5%\n", ["a"], [["5%"]]),
        ("a\n-1.50\n2e3\n", ["a"], [[-1.5], [2000]]),
        ("a\nnan\n", ["a"], [["nan"]]),
        ("a\n１\n", ["a"], [["１"]]),
        (" a , \n1,2\n", ["a", "column_2"], [[1, 2]]),
        ("姓名,分数\n张三,90\n", ["姓名", "分数"], [["张三", 90]]),
        ("a,b\n", ["a", "b"], []),
    ],
)
def test_it_reads_csv(text: str, columns: list[str], rows: list[list[Any]] | None) -> None:
    if rows is None:
        assert code_of(csv=text) == "csv"
    else:
        answer = query(csv=text)
        assert (answer.columns, answer.rows) == (columns, rows)


def test_a_delimiter_can_be_named() -> None:
    assert query(csv="a;b,c\n1;2,3\n", delimiter=",").columns == ["a;b", "c"]
    assert query(csv="a b\n1 2\n", delimiter=" ").rows == [[1, 2]]
    assert query(csv="a\tb\n1\t2\n", delimiter="tab").rows == [[1, 2]]


def test_columns_can_be_named_and_kept_as_text() -> None:
    assert query(csv="1,2\n3,4\n", columns=["a", "b"]).rows == [[1, 2], [3, 4]]
    assert query(csv="zip,n\n10115,4\n", text_columns=["zip"]).rows == [["10115", 4]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"csv": ""}, "csv"),
        ({"csv": "\n\n"}, "csv"),
        ({"csv": "a,b\n1\n"}, "csv"),
        ({"csv": "a,b\n1,2,3\n"}, "csv"),
        ({"csv": 'a,b\n"1,2\n'}, "csv"),
        ({"csv": 'a,b\n"1"x,2\n'}, "csv"),
        ({"csv": "a,a\n1,2\n"}, "csv"),
        ({"csv": "a,b\n", "delimiter": "ab"}, "csv"),
        ({"csv": "a,b\n", "delimiter": '"'}, "csv"),
        ({"csv": "a,b\n", "delimiter": ""}, "csv"),
        ({"csv": "a,b\n", "text_columns": ["c"]}, "column"),
        ({"csv": "a" * (MAX_CSV_CHARS + 1)}, "limit"),
        ({"csv": "a\n" + "x" * 200_000}, "limit"),
        ({"csv": "a,b\n1,2\n", "columns": [str(n) for n in range(101)]}, "limit"),
    ],
)
def test_it_refuses_csv(arguments: dict[str, Any], code: str) -> None:
    assert code_of(**arguments) == code


# --- Rows ---


def test_a_key_that_is_not_there_is_null() -> None:
    answer = query(rows=[{"a": 1}, {"b": "x"}])
    assert (answer.columns, answer.rows) == (["a", "b"], [[1, None], [None, "x"]])
    assert answer.types == {"a": "number", "b": "text"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"rows": [[1, 2]]}, "column"),
        ({"rows": [{"a": 1}, [1]]}, "column"),
        ({"rows": [{"a": 1}], "columns": ["a"]}, "column"),
        ({"rows": [[1, 2]], "columns": ["a"]}, "column"),
        ({"rows": [[1, 2]], "columns": ["a", "a"]}, "column"),
        ({"rows": [{"a": [1]}]}, "type"),
        ({"rows": [{"a": {}}]}, "type"),
        ({"rows": [{"a": 10**400}]}, "limit"),
        ({"rows": [{"a": float("inf")}]}, "type"),
        ({"rows": STAFF, "select": ["name", "name"]}, "column"),
        ({"rows": STAFF, "select": ["name"] * 100_000}, "column"),
    ],
)
def test_it_refuses_rows(arguments: dict[str, Any], code: str) -> None:
    assert code_of(**arguments) == code


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"rows": [], "csv": "a"},
        {"rows": [], "delimiter": ","},
        {"rows": [1]},
        {"rows": [], "limit": -1},
        {"rows": [], "offset": -1},
        {"rows": [], "filter": {}},
        {"rows": [], "filter": {"column": "a"}},
        {"rows": [], "filter": {"and": [], "or": []}},
        {"rows": [], "filter": {"column": "a", "operator": "eq", "or": []}},
        {"rows": [], "sort": ["a"]},
        {"rows": [], "where": {}},
    ],
)
def test_it_takes_one_table_and_known_steps(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TableQueryInput.model_validate(arguments)


def test_it_answers_a_part_and_says_so() -> None:
    rows = [[n] for n in range(10)]
    some = {"column": "n", "operator": "gt", "value": 1}
    answer = query(rows=rows, columns=["n"], filter=some, offset=2, limit=3)
    assert answer.rows == [[4], [5], [6]]
    assert (answer.total_rows, answer.matched_rows, answer.result_rows) == (10, 8, 8)
    assert answer.truncated
    assert not query(rows=rows, columns=["n"], offset=7, limit=3).truncated
    assert query(rows=rows, columns=["n"], offset=10**30).rows == []
    assert query(rows=rows, columns=["n"], limit=0).rows == []


def test_numbers_come_back_as_they_were() -> None:
    rows = [[1], [2.5], [10**30], [1e300], [1e-300], [-0.0], [123456789012345678]]
    found = query(rows=rows, columns=["n"]).rows
    assert found == rows
    assert query(csv="n\n0.1000000000000000000001\n").rows == [["0.1000000000000000000001"]]


# --- Limits ---

SMALL = TableQueryConfig(max_rows=10, max_columns=2, max_cell_chars=10, max_result_rows=1)


@pytest.mark.parametrize(
    "arguments",
    [
        {"rows": [{"a": 1}] * 11},
        {"csv": "a\n" + "1\n" * 11},
        {"rows": [{"a": 1, "b": 2}, {"c": 3}]},
        {"rows": [[1, 2, 3]], "columns": ["a", "b", "c"]},
        {"csv": "a,b,c\n1,2,3"},
        {"rows": [{"a": "x" * 11}]},
        {"rows": [{"x" * 11: 1}]},
        {"csv": f"a\n{'x' * 11}\n"},
        {"rows": [{"a": 1}], "limit": 2},
    ],
)
def test_it_keeps_to_its_config(arguments: dict[str, Any]) -> None:
    assert code_of(config=SMALL, **arguments) == "limit"
    assert query(**arguments).result_rows


def test_an_answer_is_cut_at_the_configured_rows() -> None:
    answer = query(config=SMALL, rows=[{"a": 1}, {"a": 2}])
    assert (answer.rows, answer.truncated) == ([[1]], True)


def nested(depth: int) -> dict[str, Any]:
    if not depth:
        return {"column": "a", "operator": "not_null"}
    return {"and": [nested(depth - 1)]}


@pytest.mark.parametrize(
    "arguments",
    [
        {"filter": nested(5)},
        {"filter": {"or": [nested(0)] * MAX_CONDITIONS}},
        {"sort": [{"column": "a"}] * (MAX_STEPS + 1)},
        {"group": {"by": ["a"] * (MAX_STEPS + 1), "aggregates": []}},
        {"group": {"aggregates": [{"function": "count"}] * (MAX_STEPS + 1)}},
    ],
)
def test_it_takes_so_many_steps(arguments: dict[str, Any]) -> None:
    assert code_of(rows=[{"a": 1}], **arguments) == "limit"


def test_rows_and_columns_together_are_limited() -> None:
    config = TableQueryConfig(max_rows=20_000, max_columns=200)
    row = [0] * 200
    columns = [str(n) for n in range(200)]
    assert code_of(config=config, rows=[row] * 501, columns=columns) == "limit"
    assert query(config=config, rows=[row] * 500, columns=columns).total_rows == 500


# --- Anything at all ---

CELLS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
STEP_OPERATORS = st.sampled_from([*OPERATORS, "odd"])


def outcome(**arguments: Any) -> str:
    """Any other exception fails the test."""
    try:
        query(**arguments)
    except ToolFailure as failure:
        return failure.code
    return "answered"


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=8),
    STEP_OPERATORS,
    CELLS | st.lists(CELLS, max_size=3),
    st.sampled_from([*FUNCTIONS, "odd"]),
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_cells_end_with_an_answer_or_a_code(
    rows: list[list[Any]], operator: str, value: Any, function: str
) -> None:
    condition = {"column": "a", "operator": operator, "value": value}
    steps: list[dict[str, Any]] = [
        {"filter": condition},
        {"sort": [{"column": "a"}, {"column": "b", "descending": True}]},
        {"group": {"by": ["a"], "aggregates": [{"function": function, "column": "b"}]}},
    ]
    for step in steps:
        assert outcome(rows=rows, columns=["a", "b"], **step) in {"answered", *CODES}


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(list('ab1,;"\n\r\t| ')), max_size=60).map("".join)
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_is_csv_or_is_not(text: str) -> None:
    assert outcome(csv=text) in {"answered", "csv"}


@given(st.lists(st.decimals(-(10**9), 10**9, places=4), min_size=1, max_size=30))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_sum_is_that_of_fractions(numbers: list[Decimal]) -> None:
    text = "n\n" + "\n".join(str(number) for number in numbers)
    group = {"aggregates": [{"function": "sum", "column": "n"}]}
    [[total]] = query(csv=text, group=group).rows
    assert Fraction(str(total)) == sum(map(Fraction, numbers))


# --- As a tool ---


@pytest.fixture
def tool(db: None) -> Tool:
    return Tool.objects.get(slug="table_query")


def execute(tool: Tool, user: User, **arguments: Any) -> dict[str, Any]:
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, body = Api(user)("POST", path, {"input": arguments})
    assert status == 200
    answered: dict[str, Any] = body
    return answered


def test_it_answers_through_rest(tool: Tool, operator: User) -> None:
    red = {"column": "team", "operator": "eq", "value": "red"}
    blue = {"column": "team", "operator": "eq", "value": "blue"}
    total = {"function": "sum", "column": "pay", "as": "total"}
    body = execute(
        tool,
        operator,
        rows=STAFF,
        filter={"or": [red, {"and": [blue]}]},
        group={"by": ["team"], "aggregates": [total]},
        sort=[{"column": "total", "descending": True}],
        limit=1,
    )
    assert body["error"] is None
    assert body["data"] == {
        "columns": ["team", "total"],
        "rows": [["blue", 20.2]],
        "total_rows": 4,
        "matched_rows": 3,
        "result_rows": 2,
        "truncated": True,
        "types": {"name": "text", "team": "text", "pay": "number", "on": "boolean"},
    }
    assert body["metadata"]["truncated"] is True


def test_a_mixed_column_is_said(tool: Tool, operator: User) -> None:
    body = execute(tool, operator, rows=[{"a": 1}, {"a": None}, {"a": "1"}])
    assert body["data"]["rows"] == [[1], [None], ["1"]]
    assert body["metadata"]["warnings"] == ["Mixed columns: a."]


def test_it_is_a_pure_computation_that_tells_its_limits_and_codes() -> None:
    annotations = TableQueryType().annotations(TableQueryConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )
    text = TableQueryType().description(TableQueryConfig(max_rows=777))
    assert "777" in text
    assert all(word in text for word in (*CODES, *OPERATORS, *FUNCTIONS))
