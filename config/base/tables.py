"""Whether there is anything to write to yet."""

from django.apps import apps
from django.db import connection


def are_there() -> bool:
    """All tables, of all apps: a change is audited by a higher one.

    `migrate ONE_APP` on a new database ends with only some of them.
    """
    wanted = {model._meta.db_table for model in apps.get_models() if model._meta.managed}
    return wanted <= set(connection.introspection.table_names())
