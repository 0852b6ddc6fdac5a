"""Grants, consents under way, jobs, idempotency keys, breakers, kept answers, counted calls."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import db
from service.times import now


class Grant(db.Model):  # type: ignore[name-defined,misc]
    """A user's tokens and scopes at an integration's vendor. Tokens are sealed.

    `version` counts the writes of tokens: a write is fenced by the version it has seen. A refresh
    runs under a lease, with no transaction open.
    """

    __tablename__ = "grants"
    __table_args__ = (UniqueConstraint("user_id", "integration"),)

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255))
    integration: Mapped[str] = mapped_column(String(64))
    account: Mapped[str | None] = mapped_column(String(255))  # the vendor's id of the account
    email: Mapped[str | None] = mapped_column(String(320))
    scopes: Mapped[list[Any]]  # full names, as the vendor's token answers gave them, unioned
    access_token: Mapped[str] = mapped_column(Text)
    refresh_token: Mapped[str | None] = mapped_column(Text)
    expires_at: Mapped[datetime]
    version: Mapped[int] = mapped_column(default=1)
    lease_id: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]  # the last refresh that failed
    failing_since: Mapped[datetime | None]  # the first one since tokens were stored
    failure: Mapped[str | None] = mapped_column(String(16))  # why the last one failed
    created_at: Mapped[datetime] = mapped_column(default=now)  # by the last consent
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Consent(db.Model):  # type: ignore[name-defined,misc]
    """A consent under way: only hashes of its state and of the browser's cookie are kept.

    Once the vendor has answered, and until the user has confirmed it, `tokens` holds the sealed
    answer, and `state_hash` is that of the page's form token.
    """

    __tablename__ = "consents"

    state_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255))
    integration: Mapped[str] = mapped_column(String(64))
    browser_hash: Mapped[str] = mapped_column(String(64))
    asked: Mapped[list[Any]]  # full names of the scopes asked for
    verifier: Mapped[str | None] = mapped_column(Text)  # PKCE, sealed
    tokens: Mapped[str | None] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class IntegrationJob(db.Model):  # type: ignore[name-defined,misc]
    """A slow call at the vendor's own task API; only its owner sees it.

    `charged` is what `payer` was charged when the vendor accepted it, in micro-credits; both are
    None if it cost nothing. `token_id` is that of the allowance that it came out of, if there is
    one. A job of another instance has that instance's id, in `task_id` too.
    """

    __tablename__ = "integration_jobs"

    job_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    endpoint: Mapped[str] = mapped_column(String(64))
    task_id: Mapped[str] = mapped_column(String(512))
    state: Mapped[str] = mapped_column(String(16))  # running, done, failed
    result: Mapped[str | None] = mapped_column(Text)  # JSON, sealed
    payer: Mapped[str | None] = mapped_column(String(255))
    charged: Mapped[int | None] = mapped_column(BigInteger)
    token_id: Mapped[str | None] = mapped_column(String(64))
    ends_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)

    @property
    def is_elsewhere(self) -> bool:
        return self.task_id == self.job_id


class IdempotencyKey(db.Model):  # type: ignore[name-defined,misc]
    """An `Idempotency-Key`, for a call that may be made once only.

    The key is done once it has an `answer`, which is sealed. Until then it belongs to the attempt
    `holder`, whose worker renews `held_until`; `left_at` is None until just before the attempt's
    first request. All times are the database's. A row without a `holder` was written by a release
    that did not know these columns. `chat_id` is the chat of a call of the assistant; a call that
    has left loses it when the chat is deleted, and stores no answer.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("user_id", "endpoint", "key"),)

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255))
    endpoint: Mapped[str] = mapped_column(String(64))
    key: Mapped[str] = mapped_column(String(255))
    chat_id: Mapped[str | None] = mapped_column(String(64))
    body_hash: Mapped[str] = mapped_column(String(64))
    answer: Mapped[str | None] = mapped_column(Text)
    holder: Mapped[str | None] = mapped_column(String(64), index=True)
    held_until: Mapped[datetime | None]
    left_at: Mapped[datetime | None]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class Breaker(db.Model):  # type: ignore[name-defined,misc]
    """An integration that failed again and again is left alone until `open_until`; then one call
    tries, for which the row is moved on."""

    __tablename__ = "breakers"

    integration: Mapped[str] = mapped_column(String(64), primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    open_until: Mapped[datetime | None]


class KeptAnswer(db.Model):  # type: ignore[name-defined,misc]
    """An answer that is given again until `expires_at`, by the database's clock.

    One that everybody gets stands in `answer`; one of a single user's in `sealed`, with the user's
    id. `size` is that of its JSON in bytes.
    """

    __tablename__ = "integration_answers"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str | None] = mapped_column(String(255), index=True)
    endpoint: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    stored_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    answer: Mapped[str | None] = mapped_column(Text)
    sealed: Mapped[str | None] = mapped_column(Text)


class CountedCalls(db.Model):  # type: ignore[name-defined,misc]
    """The calls that a user has made of an endpoint in a window that ends at `ends_at`."""

    __tablename__ = "integration_counts"

    user_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    endpoint: Mapped[str] = mapped_column(String(64), primary_key=True)
    calls: Mapped[int]
    ends_at: Mapped[datetime] = mapped_column(index=True)
