"""Codes and tokens. Each code can be used once, and so can each refresh token.

If a refresh token is used again, all tokens of its consent end. Revoking a token ends all grants of
the account to the app.

Source: RFC 6749, RFC 7636, RFC 9700 section 4.14.
"""

import base64
import hashlib
import secrets
from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.database.access import write_transaction
from service.extensions import db
from service.integrations.declare.oauth2 import Encoding
from service.sandbox.suite.models import SuiteAccess, SuiteCode, SuiteToken
from service.sealing.hashing import hash_secret
from service.times import now

CODE_LIFE = timedelta(minutes=5)
REFRESH_LIFE = timedelta(days=180)
SPENT_LIFE = timedelta(days=1)  # for which a used token is recognised
HOUR, SHORT = 3600, 5  # seconds of an access token


@dataclass(frozen=True)
class TokenPair:
    account: str
    access: str
    refresh: str
    seconds: int
    scopes: list[str]


@dataclass(frozen=True)
class Holder:
    """The account of an access token, and the token's scopes."""

    account: str
    scopes: frozenset[str]


def allow(session: Session, account: str, scopes: list[str], challenge: str, union: bool) -> str:
    """Return an authorization code. With `union` it covers all scopes that were ever granted."""
    access = session.get(SuiteAccess, account)
    if access is None:
        access = SuiteAccess(account=account, scopes=[], seconds=HOUR)
        session.add(access)
    everything = sorted({*access.scopes, *scopes})
    access.scopes = everything
    code = secrets.token_urlsafe(32)
    granted = everything if union else sorted(scopes)
    row = {"account": account, "scopes": granted, "challenge": challenge}
    session.add(SuiteCode(code_hash=hash_secret(code), expires_at=now() + CODE_LIFE, **row))
    return code


def redeem(code: str, challenge: str, accounts: Container[str]) -> TokenPair | None:
    """Return tokens for a code of one of these accounts. A wrong challenge uses up the code."""
    mine = delete(SuiteCode).where(SuiteCode.code_hash == hash_secret(code)).returning(SuiteCode)
    with write_transaction() as session:
        row = session.scalar(mine)
        if row is None or row.expires_at < now() or row.account not in accounts:
            return None
        if row.challenge != challenge:
            return None
        return _issue(session, row.account, row.scopes, secrets.token_hex(16))


def refresh(token: str, accounts: Container[str]) -> TokenPair | None:
    unspent = update(SuiteToken).where(
        SuiteToken.token_hash == hash_secret(token),
        SuiteToken.kind == "refresh",
        SuiteToken.spent.is_(False),
        SuiteToken.expires_at > now(),
    )
    with write_transaction() as session:
        old = session.scalar(unspent.values(spent=True).returning(SuiteToken))
        if old is not None and old.account not in accounts:
            return None
        if old is not None:
            return _issue(session, old.account, old.scopes, old.family)
        known = session.get(SuiteToken, hash_secret(token))
        if known is not None and known.kind == "refresh":
            session.execute(delete(SuiteToken).where(SuiteToken.family == known.family))
        return None


def holder(token: str, accounts: Container[str]) -> Holder | None:
    known = db.session.get(SuiteToken, hash_secret(token))
    if known is None or known.kind != "access" or known.expires_at < now():
        return None
    if known.account not in accounts:
        return None
    return Holder(known.account, frozenset(known.scopes))


def revoke(token: str, accounts: Container[str]) -> bool:
    """Revoke a token. Return whether it belonged to one of these accounts."""
    with write_transaction() as session:
        known = session.get(SuiteToken, hash_secret(token))
        if known is None or known.account not in accounts:
            return False
        forget(session, known.account)
        return True


def forget(session: Session, account: str) -> None:
    """Delete all grants of the account."""
    for table in (SuiteToken, SuiteCode, SuiteAccess):
        session.execute(delete(table).where(table.account == account))


def expire(session: Session, account: str) -> None:
    """Let the account's access tokens expire now, earlier than the app was told."""
    mine = (SuiteToken.account == account, SuiteToken.kind == "access")
    session.execute(update(SuiteToken).where(*mine).values(expires_at=now()))


def set_life(session: Session, account: str, seconds: int) -> None:
    session.execute(
        update(SuiteAccess).where(SuiteAccess.account == account).values(seconds=seconds)
    )


def list_active(account: str) -> Iterable[SuiteToken]:
    """Return the tokens that are still valid, newest first."""
    alive = (SuiteToken.spent.is_(False), SuiteToken.expires_at > now())
    mine = select(SuiteToken).where(SuiteToken.account == account, *alive)
    return db.session.scalars(mine.order_by(SuiteToken.created_at.desc(), SuiteToken.kind)).all()


def _issue(session: Session, account: str, scopes: list[str], family: str) -> TokenPair:
    access = session.get(SuiteAccess, account)
    seconds = access.seconds if access else HOUR
    pair = TokenPair(
        account, secrets.token_urlsafe(32), secrets.token_urlsafe(32), seconds, list(scopes)
    )
    lives = {"access": timedelta(seconds=seconds), "refresh": REFRESH_LIFE}
    for kind, token in (("access", pair.access), ("refresh", pair.refresh)):
        facts = {"kind": kind, "family": family, "account": account, "scopes": list(scopes)}
        expires = now() + lives[kind]
        session.add(SuiteToken(token_hash=hash_secret(token), expires_at=expires, **facts))
    _sweep(session)
    return pair


def _sweep(session: Session) -> None:
    moment = now()
    session.execute(delete(SuiteCode).where(SuiteCode.expires_at < moment))
    session.execute(delete(SuiteToken).where(SuiteToken.expires_at < moment - SPENT_LIFE))
    old = (SuiteToken.spent.is_(True), SuiteToken.created_at < moment - SPENT_LIFE)
    session.execute(delete(SuiteToken).where(*old))


def challenge(encoding: Encoding | None, verifier: str) -> str:
    """Return the challenge of a verifier, or "" if the vendor does not use PKCE."""
    digest = hashlib.sha256(verifier.encode()).digest()
    match encoding:
        case None:
            return ""
        case "hex":
            return digest.hex()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
