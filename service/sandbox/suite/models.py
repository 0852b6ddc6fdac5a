"""The state of the sandbox's suite: grants of the accounts to the app, mail, events and files.

Only hashes of tokens and codes are stored.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import Model
from service.times import now


class SuiteAccess(Model):
    """The scopes that an account has granted so far. `seconds` is the life of its next tokens."""

    __tablename__ = "suite_accesses"

    account: Mapped[str] = mapped_column(String(32), primary_key=True)
    scopes: Mapped[list[Any]]  # neutral names
    seconds: Mapped[int]


class SuiteCode(Model):
    """An authorization code, which can be used once."""

    __tablename__ = "suite_codes"

    code_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account: Mapped[str] = mapped_column(String(32))
    scopes: Mapped[list[Any]]
    challenge: Mapped[str] = mapped_column(String(128))
    expires_at: Mapped[datetime]


class SuiteToken(Model):
    """A token. All tokens of one consent are a family. A refresh token can be used once."""

    __tablename__ = "suite_tokens"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))  # access, refresh
    family: Mapped[str] = mapped_column(String(32), index=True)
    account: Mapped[str] = mapped_column(String(32), index=True)
    scopes: Mapped[list[Any]]
    spent: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class SuiteMessage(Model):
    """A mail message of one account. Sent mail has a copy for each receiving account."""

    __tablename__ = "suite_messages"

    message_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    seq: Mapped[int] = mapped_column(BigId, index=True)  # milliseconds since 1970
    account: Mapped[str] = mapped_column(String(32), index=True)
    thread_id: Mapped[str] = mapped_column(String(32))
    labels: Mapped[list[Any]]
    headers: Mapped[list[Any]]  # [name, value], decoded
    text: Mapped[str] = mapped_column(Text)
    raw: Mapped[bytes] = mapped_column(LargeBinary)


class SuiteEvent(Model):
    __tablename__ = "suite_events"

    event_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    account: Mapped[str] = mapped_column(String(32), index=True)
    resource: Mapped[dict[str, Any]]
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    updated_at: Mapped[datetime] = mapped_column(default=now)


class SuiteFile(Model):
    """A file. `by_app` says whether the app has made it: only such files open to `drive.file`."""

    __tablename__ = "suite_files"

    file_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    account: Mapped[str] = mapped_column(String(32), index=True)
    name: Mapped[str] = mapped_column(Text)
    mime_type: Mapped[str] = mapped_column(String(255))
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    parents: Mapped[list[Any]]
    by_app: Mapped[bool] = mapped_column(default=False)
    trashed: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    modified_at: Mapped[datetime] = mapped_column(default=now)
