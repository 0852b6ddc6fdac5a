"""A user's tokens at an integration, which are stored sealed and refreshed by one call at a time.

A refresh runs under a lease that outlives its deadline, with no transaction open. Its tokens are
stored only if no others have been stored since (`version`).
Source: docs/contract.md, section 10.14.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError

from service.auth import user_locks
from service.auth.user_locks import Standing
from service.database import refresh_leases
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.database.detached import run_detached
from service.extensions import table
from service.integrations.consent.accounts import VendorAccount, is_other
from service.integrations.consent.authority import Authority, NoTokens, Tokens
from service.integrations.consent.scopes import granted_scopes
from service.integrations.models import Grant
from service.observing import measures
from service.sealing import places
from service.sealing.seal import Sealer, Unsealable
from service.times import now
from service.web.errors import UpstreamFailed

NO_FAILURE = {"failed_at": None, "failing_since": None, "failure": None}
_grants = table(Grant)  # for writes without the ORM, which would change rows that were read before

log = structlog.get_logger("grants")


@dataclass(frozen=True)
class AccessToken:
    """A usable access token. Its row is cleared only if `version` is unchanged.

    `consented_at` is the time of the last consent, which a refresh does not change."""

    text: str
    version: int
    consented_at: datetime


class RefreshFailed(UpstreamFailed):
    """A refresh failed. `provider` names the integration that has to be connected again."""

    message = "Token refresh failed. Please connect the account again."


class Grants:
    """The grants of one integration. Every method needs an app context."""

    def __init__(self, integration: str, sealer: Sealer) -> None:
        self._integration, self._sealer = integration, sealer

    def find(self, user_id: str) -> Grant | None:
        snapshot = self._read(user_id)
        return snapshot.row if snapshot else None

    def _read(self, user_id: str) -> refresh_leases.TokensRead[Grant] | None:
        return refresh_leases.read(Grant, user_id=user_id, integration=self._integration)

    def token(self, user_id: str, authority: Authority) -> AccessToken | None:
        """Return an access token that has not expired, or None if there is no grant.

        The token is refreshed shortly before its end. If that fails, it is used until its end.

        Raises `RefreshFailed`.
        """
        refresh = partial(self._refresh, authority)
        try:
            snapshot = refresh_leases.usable(partial(self._read, user_id), refresh)
        except refresh_leases.NotRefreshed:
            raise RefreshFailed(upstreamStatus=None, provider=self._integration) from None
        return self._unseal(snapshot.row) if snapshot else None

    def renew(self, user_id: str, authority: Authority, idle: timedelta) -> None:
        """Refresh the tokens if they are older than `idle` and no other call refreshes them.

        A failure of the vendor is stored and not raised.
        """
        snapshot = self._read(user_id)
        if snapshot is None or snapshot.row.updated_at > snapshot.at - idle:
            return
        if lease := refresh_leases.lease(snapshot):
            refresh = partial(self._refresh, authority, snapshot.row, lease)
            try:
                run_detached(refresh, refresh_leases.NOT_REFRESHED)
            except RefreshFailed:  # no key here opens the token, so other grants go first
                refresh_leases.note_failure(snapshot.row)

    def store(
        self, user: Standing, tokens: Tokens, account: VendorAccount, requested: Iterable[str]
    ) -> bool:
        """Store the tokens of a consent, and add its scopes to those granted before.

        Stores nothing and returns False if another account is connected. Raises `Unauthorized` if
        the user has been disabled or erased since the consent was used up.
        """
        try:
            return self._store(user, tokens, account, requested)
        except IntegrityError:  # another first consent came at the same time
            return self._store(user, tokens, account, requested)

    def _store(
        self, user: Standing, tokens: Tokens, account: VendorAccount, requested: Iterable[str]
    ) -> bool:
        user_id = user.subject
        with write_transaction() as session:
            user_locks.lock_unchanged(session, user)
            grant = session.scalar(
                select(Grant)
                .filter_by(user_id=user_id, integration=self._integration)
                .with_for_update()
            )
            if grant is None:
                grant = self._new(user_id)
                session.add(grant)
            elif is_other(grant, account):
                return False
            grant.scopes = sorted({*grant.scopes, *granted_scopes(tokens.scope, requested)})
            grant.account = account.id
            grant.email = account.email or grant.email
            for name, value in self._seal(user_id, tokens).items():
                setattr(grant, name, value)
            grant.version += 1
            grant.created_at = now()
            grant.lease_id = grant.lease_until = None
            grant.failed_at = grant.failing_since = grant.failure = None
            return True

    def _new(self, user_id: str) -> Grant:
        """Return a new row with a random version.

        A call that uses an earlier, cleared row and gets a 401 must not clear this row.
        """
        version = secrets.randbelow(1 << 30)
        return Grant(user_id=user_id, integration=self._integration, scopes=[], version=version)

    def clear(self, user_id: str, version: int | None = None) -> Grant | None:
        """Delete the grant and return it. If `version` is given, delete only that version."""
        mine = delete(_grants).where(
            _grants.c.user_id == user_id, _grants.c.integration == self._integration
        )
        if version is not None:
            mine = mine.where(_grants.c.version == version)
        with write_transaction() as session:
            row = session.execute(mine.returning(_grants)).one_or_none()
        return Grant(**row._mapping) if row else None

    def tokens_of(self, grant: Grant) -> list[str]:
        """Return the tokens that can be opened, the refresh token first."""
        tokens = []
        for name in ("refresh_token", "access_token"):
            sealed = getattr(grant, name)
            try:
                if sealed:
                    tokens.append(self._sealer.open(sealed, self._place(grant.user_id, name)))
            except Unsealable:
                continue
        return tokens

    def _unseal(self, grant: Grant) -> AccessToken:
        place = self._place(grant.user_id, "access_token")
        try:
            text = self._sealer.open(grant.access_token, place)
        except Unsealable as error:
            log.warning("not opened", integration=self._integration, why=repr(error))
            raise RefreshFailed(upstreamStatus=None, provider=self._integration) from None
        return AccessToken(text, grant.version, grant.created_at)

    def _refresh(self, authority: Authority, grant: Grant, lease: str) -> bool:
        """Refresh under the lease, with no transaction open.

        Returns False if that failed, or if the tokens have been replaced or cleared meanwhile.
        """
        user_id, place = grant.user_id, self._place(grant.user_id, "refresh_token")
        try:
            if grant.refresh_token is None:
                raise NoTokens("no-refresh-token")
            tokens = authority.refresh(self._sealer.open(grant.refresh_token, place))
        except Unsealable as error:
            # Another worker may have the key, so the grant has not failed.
            log.warning("not opened", integration=self._integration, why=repr(error))
            refresh_leases.store(grant, lease, {})
            raise RefreshFailed(upstreamStatus=None, provider=self._integration) from None
        except NoTokens as error:
            log.warning("not refreshed", integration=self._integration, why=repr(error))
            if grant.failing_since is None:  # later attempts are not counted again
                measures.REFRESHES.labels(self._integration, error.failure).inc()
            refresh_leases.store(grant, lease, _failure_values(error))
            return False
        measures.REFRESHES.labels(self._integration, "refreshed").inc()
        fresh = self._seal(user_id, tokens)
        fresh |= {"version": grant.version + 1, **NO_FAILURE}
        if tokens.scope:
            fresh["scopes"] = sorted({*grant.scopes, *granted_scopes(tokens.scope, ())})
        if refresh_leases.store(grant, lease, fresh):
            return True
        if tokens.refresh is None or self._replace_refresh_token(grant, fresh["refresh_token"]):
            return False
        if self.find(user_id) is None:  # a disconnect revoked the earlier token
            authority.revoke(tokens.refresh)
        return False

    def _replace_refresh_token(self, grant: Grant, sealed: str) -> bool:
        """Replace the refresh token that a refresh has used up, if a consent has left it.

        A consent during the refresh stores its own access token, and may bring no refresh token.
        """
        same = (_grants.c.seq == grant.seq, _grants.c.refresh_token == grant.refresh_token)
        with write_transaction() as session:
            replaced = update(_grants).where(*same).values(refresh_token=sealed)
            return session.execute(replaced.returning(_grants.c.seq)).first() is not None

    def _seal(self, user_id: str, tokens: Tokens) -> dict[str, Any]:
        """Return columns for a token answer. Without a refresh token, its column is not changed."""
        seal, place = self._sealer.seal, self._place
        age = max(0.0, (now() - tokens.issued_at).total_seconds())
        values: dict[str, Any] = {
            "access_token": seal(tokens.access, place(user_id, "access_token")),
            "expires_at": from_now(tokens.seconds - age),
            "updated_at": from_now(-age),
        }
        if tokens.refresh:
            values["refresh_token"] = seal(tokens.refresh, place(user_id, "refresh_token"))
        return values

    def _place(self, user_id: str, column: str) -> str:
        return places.grant(user_id, self._integration, column)


def _failure_values(error: NoTokens) -> dict[str, Any]:
    since = func.coalesce(_grants.c.failing_since, current_time())
    return {"failed_at": current_time(), "failing_since": since, "failure": error.failure}
