"""A user's consent, from its URL to the tokens that it gives.

A state can be used once, within ten minutes, for one user and one integration. It is bound to the
browser for which it was made. In that browser, a consent connects at once. In another browser, a
page first names both accounts and asks, so that nobody can be tricked into linking their account to
another person's user.
Source: RFC 9700; docs/contract.md, section 10.15.
"""

import json
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.auth.user_locks import Standing
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import table
from service.integrations.consent import browsers
from service.integrations.consent.accounts import VendorAccount, from_store, is_other
from service.integrations.consent.authority import Authority, NoTokens, Tokens
from service.integrations.consent.grants import Grants
from service.integrations.consent.scopes import granted_scopes
from service.integrations.models import Consent
from service.sealing import places
from service.sealing.hashing import hash_secret
from service.sealing.seal import Sealer, Unsealable
from service.web.errors import Unauthorized

LIFETIME = timedelta(minutes=10)

_consents = table(Consent)


@dataclass(frozen=True)
class Connected:
    """The grant is stored. `is_open` tells whether it has the scope that was requested."""

    email: str | None
    is_open: bool


@dataclass(frozen=True)
class Unconfirmed:
    """The consent came from another browser. Its form posts `token`, which can be used once."""

    token: str
    user_id: str
    email: str | None


@dataclass(frozen=True)
class Failed:
    """Nothing is connected. `reason` is a text for people."""

    reason: str


Outcome = Connected | Unconfirmed | Failed

NOT_ADMITTED = "This user of the app can't connect an account now."
GONE = "This link has been used already, or is too old. Please start again in the app."
OTHER_SERVER = "This answer is not the provider's. Please start again in the app."
DENIED = "The access was not granted."
NO_TOKENS = "The provider did not complete the connection. Please try again."
OTHER_ACCOUNT = (
    "Another account is connected already. Disconnect it in the app first, or choose that account."
)


class Consents:
    """The consents of one integration. Every method needs an app context."""

    def __init__(self, integration: str, redirect: str, sealer: Sealer, grants: Grants) -> None:
        self._integration, self._redirect = integration, redirect
        self._sealer, self._grants = sealer, grants

    def begin(
        self, user_id: str, browser: str | None, scopes: list[str], authority: Authority
    ) -> str:
        """Return the URL where the user grants these scopes.

        Without `browser`, the confirmation page appears in every browser, because no cookie has an
        empty hash.
        """
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
        grant = self._grants.find(user_id)
        row = self._row(state, user_id, scopes)
        row.browser_hash = hash_secret(browser) if browser else ""
        row.verifier = self._sealer.seal(verifier, places.consent(row.state_hash))
        with write_transaction() as session:
            user_locks.lock(session, user_id)
            session.add(row)
        hint = grant.email if grant else None
        return authority.consent_url(self._redirect, scopes, state, verifier, hint)

    def finish(
        self,
        state: str,
        code: str | None,
        browser: str | None,
        authority: Authority,
        issuer: str | None = None,
    ) -> Outcome:
        """Return the outcome of the vendor's redirect, which has no `code` if the user has refused.

        An answer of another server uses up the state, because its code may be an attacker's.
        """
        consent, user = self._take(state)
        if consent is None or consent.verifier is None:
            return Failed(GONE)
        if not authority.sends(issuer):
            return Failed(OTHER_SERVER)
        if not code:
            return Failed(DENIED)
        if user is None:
            return Failed(NOT_ADMITTED)
        known = browser is not None and browsers.is_known(browser, consent)
        try:
            verifier = self._sealer.open(consent.verifier, places.consent(hash_secret(state)))
            tokens = authority.exchange(code, self._redirect, verifier)
        except (NoTokens, Unsealable):  # `Unsealable` without its sealing key
            return Failed(NO_TOKENS)
        account = authority.account(tokens)
        if reason := self._objection(consent.user_id, account):
            return Failed(reason)
        try:
            if known:
                return self._connect(user, tokens, account, consent.asked)
            return self._ask(user, consent.asked, tokens, account)
        except Unauthorized:
            self._give_back(user, tokens, authority)
            return Failed(NOT_ADMITTED)

    def confirm(self, token: str, authority: Authority | None) -> Outcome:
        """Connect after the user has agreed on the confirmation page.

        `authority` is needed only to revoke tokens. It is None if it is not configured.
        """
        consent, user = self._take(token)
        if consent is None or consent.tokens is None:
            return Failed(GONE)
        if user is None:
            return Failed(NOT_ADMITTED)
        try:
            stored = json.loads(
                self._sealer.open(consent.tokens, places.consent(hash_secret(token)))
            )
        except Unsealable:
            return Failed(NO_TOKENS)
        issued_at = datetime.fromisoformat(stored["tokens"].pop("issued_at"))
        tokens = Tokens(**stored["tokens"], issued_at=issued_at)
        try:
            return self._connect(user, tokens, from_store(stored["account"]), consent.asked)
        except Unauthorized:
            self._give_back(user, tokens, authority)
            return Failed(NOT_ADMITTED)

    def _connect(
        self, user: Standing, tokens: Tokens, account: VendorAccount, requested: list[str]
    ) -> Connected | Failed:
        if not self._grants.store(user, tokens, account, requested):
            return Failed(OTHER_ACCOUNT)
        [wanted, *_] = requested  # the endpoint's scope; those of the identity follow
        return Connected(account.email, wanted in granted_scopes(tokens.scope, requested))

    def _ask(
        self, user: Standing, requested: list[str], tokens: Tokens, account: VendorAccount
    ) -> Unconfirmed:
        """Store the answer, sealed, until the page's form comes back. Raises `Unauthorized`."""
        token = secrets.token_urlsafe(32)
        answer = {**asdict(tokens), "issued_at": tokens.issued_at.isoformat()}
        del answer["account"]  # which `account` has
        stored = json.dumps({"tokens": answer, "account": account.as_json})
        row = self._row(token, user.subject, requested)
        row.tokens = self._sealer.seal(stored, places.consent(row.state_hash))
        with write_transaction() as session:
            user_locks.lock_unchanged(session, user)
            session.add(row)
        return Unconfirmed(token, user.subject, account.email)

    def _row(self, state: str, user_id: str, scopes: list[str]) -> Consent:
        """Return a new row, which is not bound to a browser yet."""
        return Consent(
            state_hash=hash_secret(state),
            user_id=user_id,
            integration=self._integration,
            browser_hash="",
            asked=scopes,
            expires_at=from_now(LIFETIME.total_seconds()),
        )

    def _give_back(self, user: Standing, tokens: Tokens, authority: Authority | None) -> None:
        """Revoke the tokens if the user was erased during the exchange or the confirmation.

        Tokens of other users are only dropped: revoking them may also end grants that the same
        account has given to another user of the app.
        """
        if authority and user_locks.was_erased(user):
            authority.revoke(tokens.refresh or tokens.access)

    def _take(self, state: str) -> tuple[Consent | None, Standing | None]:
        """Use up a state. Return its consent, and its user if that user is still admitted."""
        mine = (
            _consents.c.state_hash == hash_secret(state),
            _consents.c.integration == self._integration,
            _consents.c.expires_at > current_time(),
        )
        with write_transaction() as session:
            begun_by = session.scalar(select(_consents.c.user_id).where(*mine))
            user = _lock_user(session, begun_by) if begun_by else None
            row = session.execute(delete(_consents).where(*mine).returning(_consents)).one_or_none()
            consent = Consent(**row._mapping) if row else None
            if consent and user:
                browsers.remember(session, consent)
        return consent, user

    def _objection(self, user_id: str, account: VendorAccount) -> str | None:
        """Return why these tokens can't be stored, or not together with the granted scopes."""
        if account.id is None:  # the account of the next consent could not be compared
            return NO_TOKENS
        grant = self._grants.find(user_id)
        return OTHER_ACCOUNT if grant and is_other(grant, account) else None


def _lock_user(session: Session, user_id: str) -> Standing | None:
    try:
        return user_locks.lock(session, user_id)
    except Unauthorized:
        return None


def sweep(session: Session) -> None:
    session.execute(delete(_consents).where(_consents.c.expires_at < current_time()))
