"""Config, input and output of the tool type `table_query`."""

from typing import Any, Self

from django.utils.translation import gettext as _
from pydantic import ConfigDict, Field, model_validator

from tools.tool_type import ToolConfig, ToolInput, ToolOutput
from tools.types.table_query.limits import (
    MAX_CELL_CHARS,
    MAX_COLUMNS,
    MAX_RESULT_ROWS,
    MAX_ROWS,
)

type JSONRow = dict[str, Any] | list[Any]


class TableQueryConfig(ToolConfig):
    max_rows: int = Field(default=10_000, ge=10, le=MAX_ROWS, description="More are refused.")
    max_columns: int = Field(default=100, ge=2, le=MAX_COLUMNS, description="More are refused.")
    max_cell_chars: int = Field(
        default=2_000, ge=10, le=MAX_CELL_CHARS, description="Longer texts in a cell are refused."
    )
    max_result_rows: int = Field(
        default=200, ge=1, le=MAX_RESULT_ROWS, description="The answer is cut there, and says so."
    )


class Condition(ToolInput):
    """Either one comparison or a list of conditions."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=False
    )

    column: str | None = Field(default=None, description="Name of the column to compare.")
    operator: str | None = Field(default=None, description="eq, ne, lt, le, gt, ge, in, …")
    value: Any = Field(default=None, description="Text, number, true, false; a list for in.")
    ignore_case: bool = Field(default=False, description="Of texts.")
    and_: "list[Condition] | None" = Field(default=None, alias="and", description="All hold.")
    or_: "list[Condition] | None" = Field(default=None, alias="or", description="One holds.")

    @model_validator(mode="after")
    def is_one_of_three(self) -> Self:
        compares = self.column is not None and self.operator is not None
        if [compares, self.and_ is not None, self.or_ is not None].count(True) != 1:
            raise ValueError(_("give column and operator, or and, or or"))
        return self


class SortKey(ToolInput):
    column: str = Field(description="Name of the column to sort by.")
    descending: bool = Field(default=False, description="Largest first.")


class Aggregate(ToolInput):
    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=False
    )

    function: str = Field(description="count, sum, mean, median, min, max, distinct.")
    column: str | None = Field(default=None, description="Not for a count of rows.")
    as_: str | None = Field(default=None, alias="as", description="Name of the new column.")


class Group(ToolInput):
    by: list[str] = Field(default=[], description="None: all rows are one group.")
    aggregates: list[Aggregate] = Field(description="The columns that are made of each group.")


class TableQueryInput(ToolInput):
    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=False
    )

    rows: list[JSONRow] | None = Field(
        default=None, description="Objects, or lists with `columns`. Give rows or csv."
    )
    columns: list[str] | None = Field(
        default=None, description="Names for rows that are lists, or for CSV without a header."
    )
    csv: str | None = Field(default=None, description="CSV text with a header line.")
    delimiter: str | None = Field(
        default=None, description="Of the CSV; found out of , ; tab and | without it."
    )
    text_columns: list[str] | None = Field(
        default=None, description="Columns of the CSV that stay text though they look like numbers."
    )
    filter: Condition | None = Field(default=None, description="Which rows stay.")
    group: Group | None = Field(default=None, description="Makes one row of each group.")
    sort: list[SortKey] | None = Field(default=None, description="First key first; nulls last.")
    select: list[str] | None = Field(default=None, description="Columns of the answer, in order.")
    limit: int | None = Field(default=None, ge=0, description="At most so many rows.")
    offset: int = Field(default=0, ge=0, description="So many rows are passed over first.")

    @model_validator(mode="after")
    def has_one_table(self) -> Self:
        if (self.rows is None) == (self.csv is None):
            raise ValueError(_("give either rows or csv"))
        if self.csv is None and (self.delimiter is not None or self.text_columns is not None):
            raise ValueError(_("delimiter and text_columns are for csv"))
        return self


class TableQueryOutput(ToolOutput):
    columns: list[str]
    rows: list[list[Any]]
    total_rows: int
    matched_rows: int
    result_rows: int
    truncated: bool
    types: dict[str, str]
