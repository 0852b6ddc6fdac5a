"""A user's tokens at an integration: kept sealed, refreshed by one at a time, cleared on a 401.

A refresh runs under a lease row that outlives its deadline, with no transaction open; what comes of
it is written only if nobody has written since (`version`). Source: contract section 10.
"""

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import gevent
import structlog
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from service.auth import users
from service.auth.users import Standing
from service.clock import current_time, from_now
from service.database import write_transaction
from service.errors import UpstreamFailed
from service.extensions import now, table
from service.integrations import places, refreshing
from service.integrations.accounts import account_id, is_other
from service.integrations.authority import Authority, Refused, Tokens
from service.integrations.models import Grant
from service.integrations.scopes import parsed
from service.integrations.seal import Sealer, Unsealable

PATIENCE = 25.0  # seconds that a call waits for somebody else's refresh
_grants = table(Grant)  # written past the ORM, which would change the rows that were read before

log = structlog.get_logger("grants")


@dataclass(frozen=True)
class Held:
    """A usable access token; `version` fences what is done to its row."""

    access_token: str
    version: int


class RefreshFailed(UpstreamFailed):
    message = "Token refresh failed. Please connect the account again."


class Grants:
    """The grants of one integration. Every method needs an app context."""

    def __init__(self, integration: str, sealer: Sealer) -> None:
        self._integration, self._sealer = integration, sealer

    def find(self, user_id: str) -> Grant | None:
        seen = refreshing.read(user_id, self._integration)
        return seen.grant if seen else None

    def token(self, user_id: str, authority: Authority) -> Held | None:
        """An access token that has not expired; None when the grant has gone.

        Shortly before its end it is refreshed; if that fails, it still serves until then.

        Raises `RefreshFailed`.
        """
        gives_up = time.monotonic() + PATIENCE
        began, pause = None, 0.03
        while time.monotonic() < gives_up:
            seen = refreshing.read(user_id, self._integration)
            if seen is None:
                return None
            grant, began = seen.grant, began or seen.at
            if not seen.is_due:
                return self._held(grant)
            has_failed = seen.has_failed(began)
            if not has_failed and (lease := refreshing.lease(seen)):
                if held := self._refresh(grant, lease, authority):
                    return held
            elif seen.serves:  # the access token is good until its end
                return self._held(grant)
            elif has_failed:
                break
            else:
                gevent.sleep(pause)
                pause = min(pause * 1.5, 0.5)
        raise RefreshFailed(upstreamStatus=None)

    def store(
        self, user: Standing, tokens: Tokens, account: Mapping[str, str], asked: Iterable[str]
    ) -> bool:
        """Tokens of a consent: its scopes join those granted before.

        False, with nothing stored, when another account is connected. Raises `Unauthorized` when
        the user has been disabled or erased since the consent was taken.
        """
        try:
            return self._store(user, tokens, account, asked)
        except IntegrityError:  # the first two consents at once: this one joins the other
            return self._store(user, tokens, account, asked)

    def _store(
        self, user: Standing, tokens: Tokens, account: Mapping[str, str], asked: Iterable[str]
    ) -> bool:
        user_id = user.subject
        with write_transaction() as session:
            users.hold_still(session, user)
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
            grant.scopes = sorted({*grant.scopes, *parsed(tokens.scope, asked)})
            grant.account = account_id(account)
            grant.email = account.get("email") or grant.email
            for name, value in self._sealed(user_id, tokens).items():
                setattr(grant, name, value)
            grant.version += 1
            grant.lease_id = grant.lease_until = grant.failed_at = None
            return True

    def _new(self, user_id: str) -> Grant:
        """It does not begin at 0: what is fenced by the version of a row that was cleared, such as
        the 401 of a call under way, must not meet it again here."""
        version = secrets.randbelow(1 << 30)
        return Grant(user_id=user_id, integration=self._integration, scopes=[], version=version)

    def clear(self, user_id: str, version: int | None = None) -> bool:
        """Forget the grant; with a version, only if it is still that one."""
        mine = delete(_grants).where(
            _grants.c.user_id == user_id, _grants.c.integration == self._integration
        )
        if version is not None:
            mine = mine.where(_grants.c.version == version)
        with write_transaction() as session:
            return session.execute(mine.returning(_grants.c.seq)).first() is not None

    def tokens_of(self, grant: Grant) -> list[str]:
        """What to revoke: the refresh token, else the access token."""
        found = []
        for name in ("refresh_token", "access_token"):
            sealed = getattr(grant, name)
            try:
                found += (
                    [self._sealer.open(sealed, self._place(grant.user_id, name))] if sealed else []
                )
            except Unsealable:
                continue
        return found

    def _held(self, grant: Grant) -> Held:
        place = self._place(grant.user_id, "access_token")
        try:
            return Held(self._sealer.open(grant.access_token, place), grant.version)
        except Unsealable as error:
            log.warning("not opened", integration=self._integration, why=repr(error))
            raise RefreshFailed(upstreamStatus=None) from None

    def _refresh(self, grant: Grant, lease: str, authority: Authority) -> Held | None:
        """Under the lease, with no transaction open.

        None when it failed, or somebody has connected anew, disconnected or taken over meanwhile.
        """
        user_id, place = grant.user_id, self._place(grant.user_id, "refresh_token")
        try:
            if grant.refresh_token is None:
                raise Refused()
            tokens = authority.refresh(self._sealer.open(grant.refresh_token, place))
        except (Refused, Unsealable) as error:
            log.warning("not refreshed", integration=self._integration, why=repr(error))
            self._write(grant, lease, {"failed_at": current_time()})
            return None
        fresh = self._sealed(user_id, tokens)
        fresh |= {"version": grant.version + 1, "failed_at": None}
        if tokens.scope:
            fresh["scopes"] = sorted({*grant.scopes, *parsed(tokens.scope, ())})
        if self._write(grant, lease, fresh):
            return Held(tokens.access, grant.version + 1)
        if tokens.refresh and self.find(user_id) is None:  # a disconnect knew only the one before
            authority.revoke(tokens.refresh)
        return None

    def _write(self, grant: Grant, lease: str, values: dict[str, Any]) -> bool:
        mine = update(_grants).where(*refreshing.same(grant), _grants.c.lease_id == lease)
        ended = {"lease_id": None, "lease_until": None}
        with write_transaction() as session:
            written = mine.values(**values, **ended).returning(_grants.c.seq)
            return session.execute(written).first() is not None

    def _sealed(self, user_id: str, tokens: Tokens) -> dict[str, Any]:
        """The columns of a token answer; without a refresh token, that column is left alone."""
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
