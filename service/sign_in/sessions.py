"""The console's sessions: the bearer token of a page, refreshed by one request at a time.

The refresh follows docs/decisions/0007: it runs under a lease that outlives its deadline, and its
tokens are stored only if no others have been stored since.
Source: docs/contract.md, section 19.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

import gevent
import structlog

from service.app_keys import AppKey
from service.auth import user_locks, users
from service.auth.tokens import Verifier
from service.database import refresh_leases
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.database.detached import run_detached
from service.sealing.hashing import hash_secret
from service.sealing.seal import Sealer
from service.sign_in import sealed_tokens, session_rows
from service.sign_in.acceptance import TokensNotAccepted, pick_token
from service.sign_in.identity import IdentityProvider, IssuedTokens
from service.sign_in.models import ConsoleSession
from service.sign_in.provider_errors import ClientRefused, ProviderAway, ProviderRefused
from service.web.errors import Unauthorized, Unavailable

SESSIONS = AppKey["Sessions | None"]("sessions")
LIFETIME = timedelta(days=30)
# The provider's metadata, the tokens, its keys, and this service's keys: ten seconds each.
LEASE = refresh_leases.LONGEST_LEASE
RETRY_SECONDS = 5.0  # until a page asks again after a failed refresh
PATIENCE_SECONDS = 1.0  # for requests to the provider while a person signs in or out
NOT_REVOKED = "tokens not revoked"  # event of the log
ENDED = "The session has ended. Sign in again."
AWAY = "The identity provider gives no new token right now. Please try again."

log = structlog.get_logger("sessions")


@dataclass(frozen=True)
class Bearer:
    """The token of a page. `expires` is Unix time; `refresh_in` is in seconds, None for never."""

    token: str
    expires: float
    refresh_in: float | None


class Sessions:
    """All sessions. Every method needs an app context."""

    def __init__(self, provider: IdentityProvider, verifier: Verifier, sealer: Sealer) -> None:
        self._provider, self._verifier, self._sealer = provider, verifier, sealer

    def begin(self, issued: IssuedTokens, before: str | None) -> str:
        """Return a new session's id. The browser's session `before` ends in the same transaction.

        The refresh token of `before` is revoked only if it belongs to another person. A revocation
        may end all sessions of a person with this client, as Keycloak's does, and so the new one
        too. The caller waits for it at most `PATIENCE_SECONDS`.

        Raises `TokensNotAccepted`, `Unauthorized`, `Unavailable`, `SQLAlchemyError`.
        """
        bearer, claims = pick_token(self._verifier, issued)
        users.admit(claims)
        session_id = secrets.token_urlsafe(32)
        id_hash = hash_secret(session_id)
        values = sealed_tokens.columns(self._sealer, id_hash, bearer, claims, issued)
        values |= {"id_hash": id_hash, "user_id": claims.subject}
        values |= {"ends_at": from_now(LIFETIME.total_seconds()), "created_at": current_time()}
        # SQLite reuses the number of a deleted row, whose refresh may still run.
        values |= {"version": secrets.randbelow(1 << 30)}
        with write_transaction() as session:
            user_locks.lock(session, claims.subject)  # fails if the user is being erased
            session_rows.add(session, values)
            replaced = session_rows.remove(session, before) if before else None
        if replaced and replaced.user_id != claims.subject:
            with gevent.Timeout(PATIENCE_SECONDS, False):
                run_detached(partial(self._revoke, replaced), NOT_REVOKED)
        return session_id

    def bearer(self, session_id: str) -> Bearer:
        """Return the session's token, refreshed shortly before its end.

        Raises `Unauthorized` if the session has ended. If the token has expired and is not
        refreshed, raises `TokensNotAccepted` or `Unavailable`.
        """
        read = self._usable(session_id)
        if self._is_outdated(read.row):
            session_rows.expire(read.row)
            read = self._usable(session_id)
        return self._unseal(read)

    def _usable(self, session_id: str) -> refresh_leases.TokensRead[ConsoleSession]:
        try:
            read = refresh_leases.usable(partial(self._read, session_id), self._refresh, LEASE)
        except refresh_leases.NotRefreshed:
            raise Unavailable(AWAY) from None
        except TokensNotAccepted:
            read = self._read(session_id)
            if read and not read.is_usable:  # otherwise the old token is used until its end
                raise
        if read is None:
            raise Unauthorized(ENDED)
        return read

    def _is_outdated(self, row: ConsoleSession) -> bool:
        """Return whether the token is rejected before its expiry, and can be refreshed.

        A provider that withdraws a key makes tokens worthless, but not the sign-in.
        """
        token = self._open(row, "bearer")
        if not token or row.refresh_token is None:
            return False
        try:
            self._verifier.verify(token)
        except Unauthorized:
            return True
        return False

    def _read(self, session_id: str) -> refresh_leases.TokensRead[ConsoleSession] | None:
        """Return the session's row; None if it has ended.

        Without a refresh token it ends with its token, and `Unauthorized` is raised.
        """
        read = refresh_leases.read(ConsoleSession, id_hash=hash_secret(session_id))
        if read is None or read.row.ends_at <= read.at:
            return None
        can_refresh = read.row.refresh_token is not None
        if not can_refresh and not read.is_usable:
            raise self._end(read.row)
        return replace(read, can_refresh=can_refresh)

    def end(self, session_id: str, back: str) -> str | None:
        """End a session; returns the URL for signing out of the provider too, if it has one.

        The refresh token is revoked after the row is deleted. The caller waits for that at most
        `PATIENCE_SECONDS`.
        """
        with write_transaction() as session:
            row = session_rows.remove(session, session_id)
        if row is None:
            return None
        leaving = gevent.spawn(self._provider.end_session_url, self._open(row, "id_token"), back)
        with gevent.Timeout(PATIENCE_SECONDS, False):
            run_detached(partial(self._revoke, row), NOT_REVOKED)
            leaving.join()
        url: str | None = leaving.value
        return url

    def _revoke(self, row: ConsoleSession) -> None:
        if token := self._open(row, "refresh_token"):
            self._provider.revoke(token)

    def _unseal(self, read: refresh_leases.TokensRead[ConsoleSession]) -> Bearer:
        row = read.row
        token = self._open(row, "bearer")
        if token is None:
            raise self._end(row)
        try:
            claims = self._verifier.verify(token)
            users.admit(claims)
        except Unauthorized:
            raise self._end(row) from None
        if row.refresh_token is None:
            return Bearer(token, claims.expires, None)
        wait = (row.expires_at - read.margin - read.at).total_seconds()
        return Bearer(token, claims.expires, max(wait, 0.0) or RETRY_SECONDS)

    def _refresh(self, row: ConsoleSession, lease: str) -> bool:
        """Refresh under the lease, without an open transaction; returns whether tokens are stored.

        A new refresh token is stored even if the other tokens can't be checked right now, because
        the provider may not accept the old one any more. A refusal ends the session, unless another
        worker has refreshed it meanwhile, or the provider has refused this service as its client.

        Raises `TokensNotAccepted` when it has stored that.
        """
        issued = None
        try:
            issued = self._provider.refresh(self._open(row, "refresh_token") or "")
            earlier, used = self._open(row, "id_token"), self._open(row, "bearer")
            self._provider.check(issued, earlier)
            bearer, claims = pick_token(self._verifier, issued, earlier, used)
            if claims.subject != row.user_id:
                raise ProviderRefused("tokens: another subject")
        except (ProviderAway, ClientRefused, TokensNotAccepted, Unavailable) as error:
            log.warning("not refreshed", error=type(error).__name__, why=str(error))
            rotated = sealed_tokens.rotated(self._sealer, row, issued) if issued else {}
            self._store(row, lease, {**rotated, "failed_at": current_time()}, issued)
            if isinstance(error, TokensNotAccepted):
                raise
            return False
        except ProviderRefused as refusal:
            if session_rows.remove_unchanged(row):
                log.warning("session ended", why=str(refusal))
            return False
        fresh = sealed_tokens.columns(self._sealer, row.id_hash, bearer, claims, issued)
        fresh |= {"version": row.version + 1, "failed_at": None}
        return self._store(row, lease, fresh, issued)

    def _store(
        self, row: ConsoleSession, lease: str, values: dict[str, Any], issued: IssuedTokens | None
    ) -> bool:
        """Store the values of a refresh; returns False if others have written the row meanwhile.

        If the session has ended, the new refresh token is revoked, unless a revocation could end
        the person's next session (see `begin`).
        """
        if refresh_leases.store(row, lease, values):
            return True
        if issued and issued.refresh and not session_rows.is_continued(row):
            self._provider.revoke(issued.refresh)
        return False

    def _end(self, row: ConsoleSession) -> Unauthorized:
        """Delete the row, unless its tokens have been written since; returns the error to raise."""
        session_rows.remove_unchanged(row)
        return Unauthorized(ENDED)

    def _open(self, row: ConsoleSession, column: str) -> str | None:
        return sealed_tokens.opened(self._sealer, row, column)
