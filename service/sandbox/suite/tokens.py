"""Codes and tokens: each code serves once, each refresh token once, and one that comes again ends
all that came of its consent. Revoking ends whatever the account had allowed, as Google's does.

Source: RFC 6749, RFC 7636, RFC 9700 section 4.14.
"""

import base64
import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.database import write_transaction
from service.extensions import db, now
from service.sandbox.suite.models import SuiteAccess, SuiteCode, SuiteToken

CODE_LIFE = timedelta(minutes=5)
REFRESH_LIFE = timedelta(days=180)
SPENT_LIFE = timedelta(days=1)  # how long one that comes again is recognised
HOUR, SHORT = 3600, 5  # seconds of an access token


@dataclass(frozen=True)
class Pair:
    access: str
    refresh: str
    seconds: int
    scopes: list[str]


@dataclass(frozen=True)
class Holder:
    """Whose access token it is, and what it opens."""

    account: str
    scopes: frozenset[str]


def allow(session: Session, account: str, scopes: list[str], challenge: str, union: bool) -> str:
    """An authorization code; with `union` it stands for all that was ever allowed."""
    access = session.get(SuiteAccess, account)
    if access is None:
        access = SuiteAccess(account=account, scopes=[], seconds=HOUR)
        session.add(access)
    everything = sorted({*access.scopes, *scopes})
    access.scopes = everything
    code = secrets.token_urlsafe(32)
    granted = everything if union else sorted(scopes)
    row = {"account": account, "scopes": granted, "challenge": challenge}
    session.add(SuiteCode(code_hash=_hashed(code), expires_at=now() + CODE_LIFE, **row))
    return code


def redeem(code: str, verifier: str) -> Pair | None:
    """Tokens for a code, which is then used up, also by a verifier that is not its own."""
    mine = delete(SuiteCode).where(SuiteCode.code_hash == _hashed(code)).returning(SuiteCode)
    with write_transaction() as session:
        taken = session.scalar(mine)
        if taken is None or taken.expires_at < now() or _challenge(verifier) != taken.challenge:
            return None
        return _issue(session, taken.account, taken.scopes, secrets.token_hex(16))


def refresh(token: str) -> Pair | None:
    unspent = update(SuiteToken).where(
        SuiteToken.token_hash == _hashed(token),
        SuiteToken.kind == "refresh",
        SuiteToken.spent.is_(False),
        SuiteToken.expires_at > now(),
    )
    with write_transaction() as session:
        old = session.scalar(unspent.values(spent=True).returning(SuiteToken))
        if old is not None:
            return _issue(session, old.account, old.scopes, old.family)
        known = session.get(SuiteToken, _hashed(token))
        if known is not None and known.kind == "refresh":
            session.execute(delete(SuiteToken).where(SuiteToken.family == known.family))
        return None


def holder(token: str) -> Holder | None:
    known = db.session.get(SuiteToken, _hashed(token))
    if known is None or known.kind != "access" or known.expires_at < now():
        return None
    return Holder(known.account, frozenset(known.scopes))


def revoke(token: str) -> bool:
    """Whether there was something to revoke."""
    with write_transaction() as session:
        known = session.get(SuiteToken, _hashed(token))
        if known is not None:
            forget(session, known.account)
        return known is not None


def forget(session: Session, account: str) -> None:
    """All that the account has allowed."""
    for table in (SuiteToken, SuiteCode, SuiteAccess):
        session.execute(delete(table).where(table.account == account))


def expire(session: Session, account: str) -> None:
    """Its access tokens are refused from now on, sooner than the app can know."""
    mine = (SuiteToken.account == account, SuiteToken.kind == "access")
    session.execute(update(SuiteToken).where(*mine).values(expires_at=now()))


def set_life(session: Session, account: str, seconds: int) -> None:
    session.execute(
        update(SuiteAccess).where(SuiteAccess.account == account).values(seconds=seconds)
    )


def listed(account: str) -> Iterable[SuiteToken]:
    """The tokens that still open something, newest first."""
    alive = (SuiteToken.spent.is_(False), SuiteToken.expires_at > now())
    mine = select(SuiteToken).where(SuiteToken.account == account, *alive)
    return db.session.scalars(mine.order_by(SuiteToken.created_at.desc(), SuiteToken.kind)).all()


def _issue(session: Session, account: str, scopes: list[str], family: str) -> Pair:
    access = session.get(SuiteAccess, account)
    seconds = access.seconds if access else HOUR
    pair = Pair(secrets.token_urlsafe(32), secrets.token_urlsafe(32), seconds, list(scopes))
    lives = {"access": timedelta(seconds=seconds), "refresh": REFRESH_LIFE}
    for kind, token in (("access", pair.access), ("refresh", pair.refresh)):
        facts = {"kind": kind, "family": family, "account": account, "scopes": list(scopes)}
        expires = now() + lives[kind]
        session.add(SuiteToken(token_hash=_hashed(token), expires_at=expires, **facts))
    _sweep(session)
    return pair


def _sweep(session: Session) -> None:
    moment = now()
    session.execute(delete(SuiteCode).where(SuiteCode.expires_at < moment))
    session.execute(delete(SuiteToken).where(SuiteToken.expires_at < moment - SPENT_LIFE))
    old = (SuiteToken.spent.is_(True), SuiteToken.created_at < moment - SPENT_LIFE)
    session.execute(delete(SuiteToken).where(*old))


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
