"""Named locks, which a transaction holds until it ends.

Transactions that lock in different orders can end in a deadlock. All transactions therefore lock in
this order: names (of a message, then of chats and other records), rows of chats, of users, then the
name of a create's `Idempotency-Key`, claims, idempotency keys of calls, the journal, holds,
accounts, allowances.
Several rows of one table are locked in the order of their numbers, or with SKIP LOCKED if the work
can leave a row for its next run. A tool's write locks its turn's claim last, and does not wait for
it.
"""

from sqlalchemy import Connection, bindparam, func, select

from service.database.prepared import Prepared

_number = func.hashtextextended(bindparam("name"), 0)
LOCK = Prepared(select(func.pg_advisory_xact_lock(_number)))
TRY_LOCK = Prepared(select(func.pg_try_advisory_xact_lock(_number).label("is_locked")))


def lock_name(connection: Connection, name: str) -> None:
    """Keep out other transactions that lock the same name. Call it before any other write.

    On SQLite, a transaction that writes keeps out all others.
    """
    if connection.dialect.name == "postgresql":
        LOCK.send(connection, {"name": name})


def try_lock_name(connection: Connection, name: str) -> bool:
    """Lock a name as `lock_name` does, but don't wait for it. Returns whether it is locked."""
    if connection.dialect.name != "postgresql":
        return True
    is_locked: bool = TRY_LOCK.row(connection, {"name": name}).is_locked
    return is_locked
