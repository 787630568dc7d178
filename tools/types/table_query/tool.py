"""The tool type `table_query`."""

from dataclasses import asdict

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.enums import Risk
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.table_query.conditions import OPERATORS
from tools.types.table_query.groups import FUNCTIONS
from tools.types.table_query.limits import MAX_CELLS, SHOWN_DIGITS
from tools.types.table_query.query import run
from tools.types.table_query.schemas import (
    TableQueryConfig,
    TableQueryInput,
    TableQueryOutput,
)


@register
class TableQueryType(ToolType[TableQueryConfig, TableQueryInput]):
    """Pure computation over the rows that it is given."""

    name = "table_query"
    label = gettext_lazy("Table query")
    config_model = TableQueryConfig
    output_model = TableQueryOutput

    def input_model(self, config: TableQueryConfig) -> type[TableQueryInput]:
        return TableQueryInput

    def description(self, config: TableQueryConfig) -> str:
        return (
            "Filters, groups, sorts and aggregates rows that you give it; always use it instead of "
            "counting or adding up yourself. Give `rows` (objects, or lists with `columns`) or "
            "`csv` (with a header line, or `columns`), then any of these steps, done in this "
            "order:\n"
            '- filter: {"column", "operator", "value", "ignore_case"?} or {"and": […]} or '
            f'{{"or": […]}}. Operators: {", ".join(OPERATORS)} (also = != < <= > >=). A null meets '
            "is_null only. in takes a list.\n"
            '- group: {"by": [columns], "aggregates": [{"function", "column"?, "as"?}]}. '
            f"Functions: {', '.join(FUNCTIONS)} (distinct counts different values; count without a "
            "column counts rows; all pass over nulls). The result has the columns of by, then one "
            "for each aggregate, named as `as` says or function_column.\n"
            '- sort: [{"column", "descending"?}]: numbers by value, texts by code point, nulls '
            "last, equal rows keep their order.\n"
            "- select: columns of the answer. offset, limit: which rows of it.\n"
            "Values are text, numbers, true, false, null. Numbers are exact decimals; a mean "
            f"without a short form has {SHOWN_DIGITS} digits. In CSV a column holds numbers when "
            "each of its cells is written like 12, -0.5 or 1e6 (not 007, 1,234, 5% or $3: those "
            "are text); an empty cell is null. Nothing is converted: comparing a number with a "
            "text, or adding up texts, is an error. `types` tells what each given column holds "
            "(number, text, boolean, mixed, empty), `result_rows` how many rows there are in all, "
            "`truncated` that more follow.\n"
            f"At most {config.max_rows} rows, {config.max_columns} columns, {MAX_CELLS} cells, "
            f"{config.max_cell_chars} characters in a cell, {config.max_result_rows} rows in an "
            "answer. Error codes: csv (the text is not CSV), column (unknown; the message names "
            "the known ones), operator (or aggregate), type, limit."
        )

    def annotations(
        self, config: TableQueryConfig, arguments: TableQueryInput | None = None
    ) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: TableQueryConfig, context: ToolContext) -> ToolResult:
        answer = run(self.parse(plan, config), config)
        mixed = [name for name, kind in answer.types.items() if kind == "mixed"]
        warnings = [_("Mixed columns: %(names)s.") % {"names": ", ".join(mixed)[:500]}]
        return ToolResult(
            data=asdict(answer),
            metadata={"truncated": True} if answer.truncated else {},
            warnings=warnings if mixed else [],
        )
