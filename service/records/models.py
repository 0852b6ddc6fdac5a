"""The records of collections that bring no table of their own, and the outbox of all changes."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.extensions import BigId, db, now


class Record(db.Model):  # type: ignore[name-defined,misc]
    """A record of any declared collection; its columns are keys of `data`."""

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


class Outbox(db.Model):  # type: ignore[name-defined,misc]
    """A change, written in the transaction that made it.

    `before` and `after` hold every column's value, `after` with its times; `before` is null for a
    new record, `after` for a deleted one, and both where the text had to go. `xid` is PostgreSQL's
    transaction id, by which the feed knows what can no longer be overtaken; 0 on SQLite.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index(None, "xid", "seq"),
        Index(None, "collection", "record_id"),
        {"sqlite_autoincrement": True},  # a number that was pruned must never come again
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    xid: Mapped[int] = mapped_column(BigInteger, default=0)
    collection: Mapped[str] = mapped_column(String(100))
    record_id: Mapped[str] = mapped_column(String(255))
    owner: Mapped[str] = mapped_column(String(255))
    action: Mapped[str] = mapped_column(String(8))  # added, updated, removed
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


class Feed(db.Model):  # type: ignore[name-defined,misc]
    """One row: which database this is, and up to where its outbox has been pruned."""

    __tablename__ = "feed"

    epoch: Mapped[str] = mapped_column(String(32), primary_key=True)
    pruned_xid: Mapped[int] = mapped_column(BigInteger, default=0)
    pruned_seq: Mapped[int] = mapped_column(BigInteger, default=0)


class CreateKey(db.Model):  # type: ignore[name-defined,misc]
    """An `Idempotency-Key` and the record that was made with it, in the same transaction."""

    __tablename__ = "create_keys"

    user_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    collection: Mapped[str] = mapped_column(String(100), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    data_hash: Mapped[str] = mapped_column(String(64))
    record_id: Mapped[str] = mapped_column(String(255))
    expires_at: Mapped[datetime] = mapped_column(index=True)
