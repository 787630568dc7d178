"""Named columns and rows of cells."""

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.table_query.cells import KINDS, Cell

_NAMES_SHOWN = 50

type Row = list[Cell]


@dataclass(frozen=True, slots=True)
class Table:
    columns: list[str]
    rows: list[Row]
    _kinds: dict[int, set[str]] = field(default_factory=dict, compare=False)

    def index(self, column: str) -> int:
        """Raises `ToolFailure` with code column, and the columns that there are."""
        try:
            return self.columns.index(column)
        except ValueError:
            known = self.columns[:_NAMES_SHOWN]
            fail(
                "column",
                _("There is no column %(name)s; there are: %(known)s.")
                % {"name": repr(column[:50]), "known": ", ".join(known)[:1000]},
                columns=known,
            )

    def kinds(self, index: int) -> set[str]:
        """Of its cells that are not null."""
        if index not in self._kinds:
            present = {type(row[index]) for row in self.rows} - {type(None)}
            self._kinds[index] = {KINDS[found] for found in present}
        return self._kinds[index]

    def only_kind(self, index: int) -> str | None:
        """None: nothing but nulls. Raises `ToolFailure` (type) for a mixed column."""
        kinds = self.kinds(index)
        if len(kinds) > 1:
            fail(
                "type",
                _("The column %(name)s is mixed (%(kinds)s): it has no order and no sum.")
                % {"name": self.columns[index], "kinds": ", ".join(sorted(kinds))},
            )
        return next(iter(kinds), None)

    def kind_names(self) -> dict[str, str]:
        """Column to number, text, boolean, mixed or empty."""
        found = {name: self.kinds(index) for index, name in enumerate(self.columns)}
        return {
            name: "mixed" if len(kinds) > 1 else next(iter(kinds), "empty")
            for name, kinds in found.items()
        }


def check_names(names: list[str], code: str) -> None:
    """Raises `ToolFailure` with that code for a name that is there twice."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        fail(code, _("The column %(name)s is there twice.") % {"name": repr(twice[:50])})
