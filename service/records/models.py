"""The tables of records, of the outbox, of the feed's state, and of idempotency keys."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import Model
from service.times import now


class Record(Model):
    """A record of a collection without its own table. Its columns are keys of `data`."""

    __tablename__ = "records"
    __table_args__ = (
        Index(None, "collection", "owner", "seq"),
        Index(None, "collection", "seq"),
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[str] = mapped_column(String(64), unique=True)
    collection: Mapped[str] = mapped_column(String(100))
    owner: Mapped[str] = mapped_column(String(255))
    data: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Outbox(Model):
    """A change of a record, written in the same transaction.

    `before` and `after` are full envelopes. `before` is null for a new record, `after` is null for
    a deleted record, and both are null if the text was erased. `xid` is PostgreSQL's transaction
    id, which the feed needs to read changes in order; it is 0 on SQLite.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index(None, "xid", "seq"),
        Index(None, "owner", "record_id"),
        {"sqlite_autoincrement": True},  # the numbers of pruned rows must not be reused
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    xid: Mapped[int] = mapped_column(BigInteger, default=0)
    collection: Mapped[str] = mapped_column(String(100))
    record_id: Mapped[str] = mapped_column(String(255))
    owner: Mapped[str] = mapped_column(String(255))
    action: Mapped[str] = mapped_column(String(8))  # added, updated, removed
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    # Only earlier releases use the index, to find old changes.
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


class FeedState(Model):
    """The single row with the id of this database and the place up to which it was pruned."""

    __tablename__ = "feed"

    epoch: Mapped[str] = mapped_column(String(32), primary_key=True)
    pruned_xid: Mapped[int] = mapped_column(BigInteger, default=0)
    pruned_seq: Mapped[int] = mapped_column(BigInteger, default=0)


class CreateKey(Model):
    """An `Idempotency-Key` and the record that was created with it, in the same transaction."""

    __tablename__ = "create_keys"

    user_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    collection: Mapped[str] = mapped_column(String(100), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    data_hash: Mapped[str] = mapped_column(String(64))
    record_id: Mapped[str] = mapped_column(String(255))
    expires_at: Mapped[datetime] = mapped_column(index=True)
