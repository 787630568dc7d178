"""Transactions beyond Django's own words for them."""

from contextlib import AbstractContextManager, nullcontext

from django.db import transaction


def savepoint() -> AbstractContextManager[None]:
    """Within a transaction: an error inside leaves it usable. Without one: nothing, on purpose.

    A plain `atomic()` would begin a transaction there, which on SQLite takes the write lock.
    """
    inside = transaction.get_connection().in_atomic_block
    return transaction.atomic() if inside else nullcontext()


def release_connection() -> None:
    """Before this thread waits: give a pooled connection back.

    SQLite has no pool, and opening anew costs it more than most queries; there the thread keeps
    its connection, and closes it when it ends.
    """
    connection = transaction.get_connection()
    if connection.vendor != "sqlite" and not connection.in_atomic_block:
        connection.close()
