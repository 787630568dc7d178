"""Transactions beyond Django's own words for them."""

from contextlib import AbstractContextManager, nullcontext

from django.db import transaction
from psycopg.pq import TransactionStatus


def savepoint() -> AbstractContextManager[None]:
    """Within a transaction: an error inside leaves it usable. Without one: nothing, on purpose.

    A plain `atomic()` would begin a transaction there, which on SQLite takes the write lock.
    """
    inside = transaction.get_connection().in_atomic_block
    return transaction.atomic() if inside else nullcontext()


def atomic_for_several(several: bool) -> AbstractContextManager[None]:
    """For changes that PostgreSQL makes by one statement, unless there are `several`.

    A statement is a transaction by itself; to begin and to end one costs two ways there and back.
    Within a transaction it takes a savepoint all the same, so that its failure leaves that usable.
    """
    connection = transaction.get_connection()
    several = several or connection.vendor != "postgresql" or connection.in_atomic_block
    return transaction.atomic() if several else nullcontext()


def require_unbroken() -> None:
    """Raises `TransactionManagementError` where an error inside was swallowed.

    Both Django and PostgreSQL would end such a transaction by a rollback, without a word.
    """
    connection = transaction.get_connection()
    connection.validate_no_broken_transaction()
    if connection.vendor == "postgresql":
        status = connection.connection.info.transaction_status
        if status == TransactionStatus.INERROR:
            raise transaction.TransactionManagementError("an error inside was swallowed")


def release_connection() -> None:
    """Before this thread waits: give a pooled connection back.

    SQLite has no pool, and opening anew costs it more than most queries; there the thread keeps
    its connection, and closes it when it ends.
    """
    connection = transaction.get_connection()
    if connection.vendor != "sqlite" and not connection.in_atomic_block:
        connection.close()
