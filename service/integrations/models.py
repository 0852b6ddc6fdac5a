"""The tables of grants, consents, jobs, idempotency keys, breakers, answers and counted calls."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import Model
from service.times import now


class Grant(Model):
    """A user's tokens and scopes at an integration's vendor. Tokens are sealed.

    `version` counts the writes of tokens: a write succeeds only if the version it has read is
    unchanged. A refresh runs under a lease, with no transaction open.
    """

    __tablename__ = "grants"
    __table_args__ = (UniqueConstraint("user_id", "integration"),)

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255))
    integration: Mapped[str] = mapped_column(String(64))
    account: Mapped[str | None] = mapped_column(String(255))  # the vendor's id of the account
    email: Mapped[str | None] = mapped_column(String(320))
    scopes: Mapped[list[Any]]  # all full names from the vendor's token answers
    access_token: Mapped[str] = mapped_column(Text)
    refresh_token: Mapped[str | None] = mapped_column(Text)
    expires_at: Mapped[datetime]
    version: Mapped[int] = mapped_column(default=1)
    lease_id: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]  # the last refresh that failed
    failing_since: Mapped[datetime | None]  # the first failed refresh since then
    failure: Mapped[str | None] = mapped_column(String(16))  # of the last refresh
    created_at: Mapped[datetime] = mapped_column(default=now)  # time of the last consent
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Consent(Model):
    """A consent in progress. Only hashes of its state and of the browser's cookie are stored.

    While the vendor's answer waits for the user's confirmation, `tokens` holds the sealed answer,
    and `state_hash` is the hash of the page's form token. A row without `verifier` and `tokens`
    only remembers the browser of a consent that has ended.
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


class IntegrationJob(Model):
    """A slow call at the vendor's own task API. Only its owner sees it.

    `charged` is the amount in micro-credits that `payer` was charged when the vendor accepted the
    task. Both are None if it cost nothing. `token_id` names the allowance that was charged, if
    there is one. A job of another instance has that instance's job id, also in `task_id`.
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


class IdempotencyKey(Model):
    """An `Idempotency-Key`, for a call that may be made only once.

    The key is done when it has an `answer`, which is sealed. Until then it belongs to the attempt
    `holder`, whose worker renews `held_until`; `left_at` is None until just before the attempt's
    first request. All times are the database's. A row without a `holder` was written by a release
    that did not know these columns. `chat_id` is the chat of an assistant's call. If the chat is
    deleted after the call was sent, `chat_id` becomes None and the answer is not stored.
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


class Breaker(Model):
    """The breaker of an integration: after repeated failures no call is sent until `open_until`.

    Then one call may try, which moves `open_until` on.
    """

    __tablename__ = "breakers"

    integration: Mapped[str] = mapped_column(String(64), primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    open_until: Mapped[datetime | None]


class KeptAnswer(Model):
    """An answer that is given again until `expires_at`, by the database's clock.

    A shared answer is stored in `answer`. A single user's answer is stored in `sealed`, with the
    user's id. `size` is the length of its JSON in bytes.
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


class CountedCalls(Model):
    """The number of a user's calls of an endpoint in a window that ends at `ends_at`."""

    __tablename__ = "integration_counts"

    user_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    endpoint: Mapped[str] = mapped_column(String(64), primary_key=True)
    calls: Mapped[int]
    ends_at: Mapped[datetime] = mapped_column(index=True)
