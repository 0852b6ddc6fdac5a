"""The app's owner, who pays for the calls that forward the owner's token or no token.

The token is verified at the start. If the identity provider can't be reached then, the service
starts, and nothing is charged to the owner before the token has been verified.
Source: docs/contract.md, section 3.5.
"""

import structlog
from flask import Flask

from config import ConfigError
from service.app_keys import AppKey
from service.auth import tokens
from service.auth.tokens import Claims, Verifier
from service.auth.users import OWNER, Caller
from service.observing import measures
from service.web.errors import Unauthorized, Unavailable

OWNER_CHECK = AppKey["OwnerCheck"]("owner_check")
REFUSED = "The token of the app's owner is not valid."

log = structlog.get_logger("auth")


def set_up(app: Flask, token: str | None, verifier: Verifier) -> None:
    """Set the app's `OWNER` and `OWNER_CHECK`. Raises `ConfigError` for an invalid token."""
    if not token:
        raise ConfigError("OWNER_TOKEN: must be set (flask token issue makes one)")
    check = OwnerCheck(token, verifier)
    OWNER_CHECK.set(app, check)
    OWNER.set(app, _caller(token, check))


class OwnerCheck:
    """The check of the owner's token, which succeeds once."""

    def __init__(self, token: str, verifier: Verifier) -> None:
        self._token, self._verifier = token, verifier
        self._is_verified = False

    def require(self) -> None:
        """Raise `Unavailable` if the token could not be verified yet."""
        if self._is_verified:
            return
        try:
            self.claims()
        except Unauthorized as error:
            log.error("owner token refused", why=str(error))
            raise Unavailable(REFUSED) from None

    def claims(self) -> Claims:
        """Verify the token. Raises `Unauthorized`, or `Unavailable` without the provider's keys."""
        claims = self._verifier.verify(self._token)
        measures.OWNER_TOKEN_END.set(claims.expires)
        self._is_verified = True
        return claims


def _caller(token: str, check: OwnerCheck) -> Caller:
    try:
        claims = check.claims()
    except Unauthorized:
        reason = "must be a valid, unexpired token that fits the AUTH_… settings"
        fault = tokens.times_fault(token)
        detail = f"; {fault}" if fault else ""
        raise ConfigError(f"OWNER_TOKEN: {reason} (flask token issue makes one){detail}") from None
    except Unavailable:
        return _unverified_caller(token)
    if claims.permit:
        raise ConfigError("OWNER_TOKEN: must be a token without limits (flask token issue)")
    return Caller(claims.subject, claims.role, claims.issued)


def _unverified_caller(token: str) -> Caller:
    """Read the owner's token without its signature, to start while the provider is down."""
    _, claims = tokens.peek(token)
    subject, role = claims.get("sub"), tokens.claimed_role(claims)
    if not isinstance(subject, str) or not 0 < len(subject) <= tokens.SUBJECT_LIMIT:
        raise ConfigError("OWNER_TOKEN: must have a subject")
    return Caller(subject, str(role), tokens.issue_time(claims))
