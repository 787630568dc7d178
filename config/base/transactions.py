"""Transactions beyond Django's own words for them."""

from contextlib import AbstractContextManager, nullcontext

from django.db import transaction


def savepoint() -> AbstractContextManager[None]:
    """Within a transaction: an error inside leaves it usable. Without one: nothing, on purpose.

    A plain `atomic()` would begin a transaction there, which on SQLite takes the write lock.
    """
    inside = transaction.get_connection().in_atomic_block
    return transaction.atomic() if inside else nullcontext()
