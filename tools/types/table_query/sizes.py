"""Whether a table is as small as the config wants it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tools.errors import fail
from tools.types.table_query.limits import MAX_CELLS
from tools.types.table_query.schemas import TableQueryConfig


def check_rows(rows: int, columns: int, config: TableQueryConfig) -> None:
    if rows > config.max_rows:
        most = config.max_rows
        text = ngettext("At most %(max)d row.", "At most %(max)d rows.", most)
        fail("limit", text % {"max": most})
    if rows * columns > MAX_CELLS:
        fail("limit", _("At most %(max)d cells.") % {"max": MAX_CELLS})


def check_columns(columns: int, config: TableQueryConfig) -> None:
    if columns > config.max_columns:
        most = config.max_columns
        text = ngettext("At most %(max)d column.", "At most %(max)d columns.", most)
        fail("limit", text % {"max": most})
