"""Whether a table is as small as the config wants it."""

from django.utils.translation import gettext as _

from tools.types.table_query.limits import MAX_CELLS, fail
from tools.types.table_query.schemas import TableQueryConfig


def check_rows(rows: int, columns: int, config: TableQueryConfig) -> None:
    if rows > config.max_rows:
        fail("limit", _("At most %(max)d rows.") % {"max": config.max_rows})
    if rows * columns > MAX_CELLS:
        fail("limit", _("At most %(max)d cells.") % {"max": MAX_CELLS})


def check_columns(columns: int, config: TableQueryConfig) -> None:
    if columns > config.max_columns:
        fail("limit", _("At most %(max)d columns.") % {"max": config.max_columns})
