"""A user's consent, from the URL that asks for it to the tokens that it gives.

A state is good once, for ten minutes, for one user and one integration. It also knows the browser
it was made for: there a consent connects at once. In another browser a page asks first, naming
both accounts, so that nobody can be made to link their mail to somebody else's user.
Source: RFC 9700; contract section 10.
"""

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.auth import users
from service.auth.users import Standing
from service.clock import current_time, from_now
from service.database import write_transaction
from service.errors import Unauthorized
from service.extensions import db, table
from service.integrations import places
from service.integrations.accounts import account_id, is_other
from service.integrations.authority import Authority, Refused, Tokens
from service.integrations.grants import Grants
from service.integrations.models import Consent
from service.integrations.seal import Sealer, Unsealable

LIFETIME = timedelta(minutes=10)

_consents = table(Consent)


@dataclass(frozen=True)
class Connected:
    """The grant is stored."""

    email: str | None


@dataclass(frozen=True)
class Unconfirmed:
    """Another browser: `token` is what its form posts, good once."""

    token: str
    user_id: str
    email: str | None


@dataclass(frozen=True)
class Failed:
    """`reason` is a text for people."""

    reason: str


Outcome = Connected | Unconfirmed | Failed

NOT_ADMITTED = "This user of the app can't connect an account now."
GONE = "This link has been used already, or is too old. Please start again in the app."
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

    def begin(self, user_id: str, browser: str, scopes: list[str], authority: Authority) -> str:
        """The URL where the user grants these scopes."""
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
        grant = self._grants.find(user_id)
        row = Consent(
            state_hash=hashed(state),
            user_id=user_id,
            integration=self._integration,
            browser_hash=hashed(browser),
            asked=scopes,
            verifier=self._sealer.seal(verifier, places.consent(hashed(state))),
            expires_at=from_now(LIFETIME.total_seconds()),
        )
        with write_transaction() as session:
            users.hold(session, user_id)
            session.add(row)
        hint = grant.email if grant else None
        return authority.consent_url(self._redirect, scopes, state, verifier, hint)

    def finish(
        self, state: str, code: str | None, browser: str | None, authority: Authority
    ) -> Outcome:
        """What the vendor's redirect brought; without a `code`, that it was refused."""
        taken, user = self._take(state)
        if taken is None or taken.verifier is None:
            return Failed(GONE)
        if not code:
            return Failed(DENIED)
        if user is None:
            return Failed(NOT_ADMITTED)
        known = browser is not None and self._is_known(hashed(browser), taken)
        try:
            verifier = self._sealer.open(taken.verifier, places.consent(hashed(state)))
            tokens = authority.exchange(code, self._redirect, verifier)
        except (Refused, Unsealable):  # `Unsealable` once its sealing key is gone
            return Failed(NO_TOKENS)
        account = authority.account(tokens.access)
        if reason := self._objection(taken.user_id, account):
            return Failed(reason)
        try:
            if known:
                return self._connect(user, tokens, account, taken.asked)
            return self._ask(user, taken.asked, tokens, account)
        except Unauthorized:
            self._give_back(user, tokens, authority)
            return Failed(NOT_ADMITTED)

    def confirm(self, token: str) -> Outcome:
        """The user has said yes on the page."""
        taken, user = self._take(token)
        if taken is None or taken.tokens is None:
            return Failed(GONE)
        if user is None:
            return Failed(NOT_ADMITTED)
        try:
            told = json.loads(self._sealer.open(taken.tokens, places.consent(hashed(token))))
        except Unsealable:
            return Failed(NO_TOKENS)
        issued_at = datetime.fromisoformat(told["tokens"].pop("issued_at"))
        tokens = Tokens(**told["tokens"], issued_at=issued_at)
        try:
            return self._connect(user, tokens, told["account"], taken.asked)
        except Unauthorized:
            return Failed(NOT_ADMITTED)

    def _connect(
        self, user: Standing, tokens: Tokens, account: Mapping[str, str], asked: Iterable[str]
    ) -> Connected | Failed:
        stored = self._grants.store(user, tokens, account, asked)
        return Connected(account.get("email")) if stored else Failed(OTHER_ACCOUNT)

    def _ask(
        self, user: Standing, asked: list[str], tokens: Tokens, account: Mapping[str, str]
    ) -> Unconfirmed:
        """Keep the answer, sealed, until the page's form comes back. Raises `Unauthorized`."""
        token = secrets.token_urlsafe(32)
        answer = {**asdict(tokens), "issued_at": tokens.issued_at.isoformat()}
        told = json.dumps({"tokens": answer, "account": account})
        row = Consent(
            state_hash=hashed(token),
            user_id=user.subject,
            integration=self._integration,
            browser_hash="",
            asked=asked,
            tokens=self._sealer.seal(told, places.consent(hashed(token))),
            expires_at=from_now(LIFETIME.total_seconds()),
        )
        with write_transaction() as session:
            users.hold_still(session, user)
            session.add(row)
        return Unconfirmed(token, user.subject, account.get("email"))

    def _give_back(self, user: Standing, tokens: Tokens, authority: Authority) -> None:
        """Revoke the tokens if the user was erased during the exchange. Tokens of others are kept:
        revoking them may end what the user has granted elsewhere in the app."""
        if users.was_erased(user):
            authority.revoke(tokens.refresh or tokens.access)

    def _take(self, state: str) -> tuple[Consent | None, Standing | None]:
        """Use up a state: its consent, and its user, or None for a user who is not admitted."""
        mine = (
            _consents.c.state_hash == hashed(state),
            _consents.c.integration == self._integration,
            _consents.c.expires_at > current_time(),
        )
        with write_transaction() as session:
            begun_by = session.scalar(select(_consents.c.user_id).where(*mine))
            user = _admitted(session, begun_by) if begun_by else None
            row = session.execute(delete(_consents).where(*mine).returning(_consents)).one_or_none()
        return (Consent(**row._mapping) if row else None), user

    def _is_known(self, browser_hash: str, taken: Consent) -> bool:
        """Whether a consent of this user was begun in this browser: this one, or a later one, for
        each answer with a URL replaces the cookie, and a page may get several at once."""
        if secrets.compare_digest(browser_hash, taken.browser_hash):
            return True
        begun = select(Consent.state_hash).filter_by(
            user_id=taken.user_id, integration=self._integration, browser_hash=browser_hash
        )
        found = db.session.scalar(begun.where(Consent.expires_at > current_time()).limit(1))
        db.session.commit()
        return found is not None

    def _objection(self, user_id: str, account: Mapping[str, str]) -> str | None:
        """Why these tokens can't be kept, or can't join those that are there."""
        if account_id(account) is None:  # the next consent could not be told to be of the same
            return NO_TOKENS
        grant = self._grants.find(user_id)
        return OTHER_ACCOUNT if grant and is_other(grant, account) else None


def _admitted(session: Session, user_id: str) -> Standing | None:
    try:
        return users.hold(session, user_id)
    except Unauthorized:
        return None


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def sweep(session: Session) -> None:
    session.execute(delete(_consents).where(_consents.c.expires_at < current_time()))
