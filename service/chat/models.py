"""Chats, messages, summaries, turns, the journal, claims with their leases, published chunks."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql.functions import coalesce

from service.billing.models import credits_in_sql
from service.billing.units import to_credits
from service.chat.usage import turn_usage
from service.column_types import BigId
from service.extensions import Model
from service.providers.events import Usage
from service.times import now

TITLE_LIMIT = 200
ID_LIMIT = 64  # characters of a chat's id


class Chat(Model):
    __tablename__ = "chats"

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[str] = mapped_column(String(ID_LIMIT), unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.subject"), index=True)
    title: Mapped[str] = mapped_column(String(TITLE_LIMIT), default="")
    pinned: Mapped[bool | None]
    active_at: Mapped[datetime | None]  # see `collections.keep_place`
    history_tokens: Mapped[int | None]  # an upper bound, stored by the last turn
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Message(Model):
    """`record_id` is chosen by the client for a user row, so it is unique only for its owner."""

    __tablename__ = "messages"
    __table_args__ = (
        UniqueConstraint("user_id", "record_id"),
        Index(None, "chat_id", "seq", "updated_at"),
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[str] = mapped_column(String(128))
    chat_id: Mapped[str] = mapped_column(ForeignKey("chats.record_id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.subject"))
    role: Mapped[str] = mapped_column(String(16))
    content: Mapped[str] = mapped_column(Text)
    parts: Mapped[list[Any] | None]
    edited: Mapped[bool | None]  # by its owner, after it was stored
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Summary(Model):
    """The cached summary of a chat's beginning, up to the message `covers_seq`.

    Without a text it only counts the failures to make one.
    """

    __tablename__ = "summaries"

    chat_id: Mapped[str] = mapped_column(
        ForeignKey("chats.record_id", ondelete="CASCADE"), primary_key=True
    )
    text: Mapped[str | None] = mapped_column(Text)
    covers_seq: Mapped[int] = mapped_column(BigInteger, default=0)
    fingerprint: Mapped[str] = mapped_column(String(64), default="")
    failures: Mapped[int] = mapped_column(default=0)
    failed_at: Mapped[datetime | None]


class Turn(Model):
    """The metadata row of a turn. It outlives its chat, so it has no foreign keys."""

    __tablename__ = "turns"
    __table_args__ = (Index(None, "chat_id", "status"),)

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(64), unique=True)
    chat_id: Mapped[str] = mapped_column(String(ID_LIMIT))
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    user_message_id: Mapped[str] = mapped_column(String(128))
    assistant_message_id: Mapped[str] = mapped_column(String(64))
    model: Mapped[str] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(String(16))  # why it was aborted
    finish_reason: Mapped[str] = mapped_column(String(32))
    steps: Mapped[int]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    cached_input_tokens: Mapped[int | None]  # of `input_tokens`: read from the provider's cache
    cache_write_tokens: Mapped[int | None]  # of `input_tokens`: written to it
    usage_estimated: Mapped[bool]
    credits: Mapped[int] = mapped_column(BigInteger, default=0)  # micro-credits charged
    duration_ms: Mapped[int]
    compaction: Mapped[dict[str, Any] | None]  # stages, dropped rows, usage of a summary
    created_at: Mapped[datetime] = mapped_column(default=now)
    undone_at: Mapped[datetime | None]

    @property
    def usage(self) -> dict[str, Any]:
        cache = (self.cached_input_tokens or 0, self.cache_write_tokens or 0)
        used = Usage(self.input_tokens, self.output_tokens, *cache)
        return turn_usage(used, self.usage_estimated, (self.compaction or {}).get("usage"))

    @hybrid_property
    def updated_at(self) -> datetime:
        """The time of the turn's undo, or of its creation: nothing else changes a turn."""
        return self.undone_at or self.created_at

    @updated_at.inplace.expression
    @classmethod
    def _updated_in_sql(cls) -> ColumnElement[Any]:
        return coalesce(cls.undone_at, cls.created_at)

    @hybrid_property
    def charged(self) -> float:
        """The charge in credits."""
        return to_credits(self.credits)

    @charged.inplace.expression
    @classmethod
    def _charged_in_sql(cls) -> ColumnElement[Any]:
        return credits_in_sql(cls.credits)


class JournalEntry(Model):
    """A write of the assistant for a user, or a paid read outside the app.

    `before` and `after` are the record before and after the write, until their texts are deleted.
    `user_message_id` is the message that was being answered, until an answer to it is stored.
    `input_hash` is the fingerprint of the tool's call; `call_id` is the key of a call outside the
    app.
    """

    __tablename__ = "journal"
    __table_args__ = (
        Index(None, "user_id", "seq"),
        Index(None, "user_id", "user_message_id"),
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(64), index=True)
    chat_id: Mapped[str] = mapped_column(String(ID_LIMIT), index=True)
    user_id: Mapped[str] = mapped_column(String(255))
    tool: Mapped[str] = mapped_column(String(128))
    collection: Mapped[str] = mapped_column(String(100))
    record_id: Mapped[str] = mapped_column(String(255))
    # The record's owner; null until `journal.name_owners` if a release before 0008 wrote the row.
    owner: Mapped[str | None] = mapped_column(String(255), index=True)
    outcome: Mapped[str] = mapped_column(String(16))  # an action of records, or of external_calls
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    user_message_id: Mapped[str | None] = mapped_column(String(128))
    input_hash: Mapped[str | None] = mapped_column(String(64))
    call_id: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


class Undo(Model):
    """A turn whose changes were reverted. A turn can be undone once."""

    __tablename__ = "undos"

    turn_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Approval(Model):
    """A tool call that waits for the user's decision, or a decision.

    `shown` is the part that the client shows, until the turn has read the decision. The decision
    "chat" allows the same endpoint in this chat, up to `credits` micro-credits for each call.
    `user_message_id` is the message that was being answered.
    """

    __tablename__ = "approvals"
    __table_args__ = (Index(None, "chat_id", "endpoint"),)

    call_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(64), index=True)
    chat_id: Mapped[str] = mapped_column(ForeignKey("chats.record_id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    user_message_id: Mapped[str | None] = mapped_column(String(128))
    endpoint: Mapped[str] = mapped_column(String(128))
    credits: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(16))  # asked, once, chat, denied, expired
    shown: Mapped[dict[str, Any] | None]
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


class Lease(Model):
    """A worker counts as alive until `expires_at`. It renews this time."""

    __tablename__ = "leases"

    lease_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class Claim(Model):
    """A user message whose turn is running; valid as long as its worker's lease.

    `replaced_chat` is the message's chat if the turn replaces stored messages. A chat can have one
    such turn at a time.
    """

    __tablename__ = "claims"
    __table_args__ = (UniqueConstraint("user_id", "user_message_id"),)

    turn_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255))
    user_message_id: Mapped[str] = mapped_column(String(128))
    chat_id: Mapped[str] = mapped_column(String(ID_LIMIT), index=True)
    lease_id: Mapped[str] = mapped_column(String(64))
    end_reason: Mapped[str | None] = mapped_column(String(16))
    replaced_chat: Mapped[str | None] = mapped_column(String(ID_LIMIT), index=True, unique=True)
    began_at: Mapped[datetime | None]  # null if a release before 0021 wrote the row
    watched_until: Mapped[datetime | None]  # by readers in other workers
    # Null if an older release wrote the row.
    model: Mapped[str | None] = mapped_column(String(64))
    assistant_message_id: Mapped[str | None] = mapped_column(String(64))


class PublishedChunks(Model):
    """Chunks of a running turn, numbered from `first` to `last`, for readers in other workers.

    `events` has their server-sent events, one after the other.
    """

    __tablename__ = "published_chunks"
    __table_args__ = (UniqueConstraint("turn_id", "last"),)

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    turn_id: Mapped[str] = mapped_column(String(64))
    chat_id: Mapped[str] = mapped_column(
        ForeignKey("chats.record_id", ondelete="CASCADE"), index=True
    )
    first: Mapped[int]
    last: Mapped[int]
    events: Mapped[str] = mapped_column(Text)
    is_end: Mapped[bool]  # whether the turn ends with these chunks
    created_at: Mapped[datetime] = mapped_column(index=True)
