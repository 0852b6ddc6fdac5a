"""Bearer tokens: JWTs signed with our secret (HS256) or by an identity provider (JWKS).

The configuration decides the algorithm, never the token. Limited tokens have separate keys.
Source: docs/contract.md, section 3; RFC 7519, RFC 8725.
"""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import (
    BadSignatureError,
    ClaimError,
    InvalidClaimError,
    InvalidKeyIdError,
    JoseError,
    UnsupportedAlgorithmError,
)
from joserfc.jwk import OctKey

from config import Settings
from service.app_keys import AppKey
from service.auth import limited_tokens, permits
from service.auth.keys import KeySource
from service.auth.permits import Permit
from service.storable import is_storable
from service.times import now
from service.web.errors import Unauthorized

LEEWAY = 60
SIGNED_BY_PROVIDER = ("RS256", "ES256", "EdDSA", "Ed25519")
SUBJECT_LIMIT = 255
VERIFIER = AppKey["Verifier"]("verifier")
CACHE_SIZE = 10_000
CACHE_CHARACTERS = 16 << 20  # of all cached tokens; limited tokens with endpoints are long
CACHE_SECONDS = 300  # at most, so that the withdrawal of a key takes effect
LATEST_EXPIRY = 253_370_764_800.0  # the year 9999; the milliseconds of some issuers exceed any date
# JSON with thousands of nested levels raises RecursionError.
UNREADABLE = (JoseError, ValueError, TypeError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Claims:
    """The claims of a verified token.

    `expires` and `issued` are Unix times in seconds; `issued` is None if the token lacks it.
    `permit` is None unless the token is a limited one.
    """

    subject: str
    role: str
    expires: float
    issued: float | None = None
    email: str | None = None
    name: str | None = None
    permit: Permit | None = None


class Verifier:
    """Verifies tokens by our secret or by the keys of an identity provider.

    If both are configured, the claim `iss` decides between them.
    """

    def __init__(self, settings: Settings, keys: KeySource | None) -> None:
        self._secret = OctKey.import_key(settings.auth_secret) if settings.auth_secret else None
        self._limited_keys = limited_tokens.keys(settings)
        self._keys = keys
        self._issuer = settings.auth_issuer
        self._registry = _registry(settings)
        self._verified: dict[str, tuple[Claims | None, float]] = {}
        self._characters = 0

    def verify(self, token: str) -> Claims:
        """Return the claims of a valid token. Raises `Unauthorized` for any other.

        Verified tokens are cached, because checking a signature takes as long as a whole request.
        """
        claims, until = self._verified.get(token, (None, 0.0))
        if claims and time.monotonic() < until and time.time() < claims.expires:
            return claims
        claims = self._verify(token)
        self._keep(token, claims)
        return claims

    def _keep(self, token: str, claims: Claims) -> None:
        if len(self._verified) >= CACHE_SIZE or self._characters >= CACHE_CHARACTERS:
            self._verified.clear()
            self._characters = 0
        self._characters += 0 if token in self._verified else len(token)
        self._verified[token] = (claims, time.monotonic() + CACHE_SECONDS)

    def _verify(self, token: str) -> Claims:
        try:
            is_limited = peek(token)[0].get("typ") == limited_tokens.TYPE
            if is_limited:
                claims = limited_tokens.decode(self._limited_keys, token)
            else:
                claims = self._decode(token)
            self._registry.validate(claims)
            return _read(claims, permits.read(claims) if is_limited else None)
        # Anybody can send a token, so every error that its bytes cause means an invalid token.
        except UNREADABLE as error:
            raise Unauthorized(_refusal(token, error)) from None

    def _decode(self, token: str) -> dict[str, Any]:
        header, claims = peek(token)
        if self._keys and (not self._secret or claims.get("iss") is not None):
            if claims.get("iss") != self._issuer and self._issuer:
                raise InvalidClaimError("iss")
            keys = self._keys.key_set(header.get("kid"))
            return jwt.decode(token, keys, algorithms=SIGNED_BY_PROVIDER).claims
        if not self._secret:
            raise Unauthorized()
        return jwt.decode(token, self._secret, algorithms=["HS256"]).claims


def peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the claims of a token without verifying it."""
    signature = jws.extract_compact(token.encode())
    return dict(signature.protected), dict(json.loads(signature.payload))


def times_fault(token: str) -> str:
    """Return what is wrong with a token's times, in words, or "".

    The cause may be this host's clock.
    """
    try:
        _, claims = peek(token)
        end = datetime.fromtimestamp(claims["exp"], UTC)
        begin = datetime.fromtimestamp(claims.get("iat", 0), UTC)
    except (*UNREADABLE, LookupError, OSError):
        return ""
    moment, leeway = now(), timedelta(seconds=LEEWAY)
    if end <= moment - leeway:
        return f"it ended at {end:%Y-%m-%dT%H:%MZ}"
    if begin > moment + leeway:
        return f"it was issued at {begin:%Y-%m-%dT%H:%MZ}, and this host's clock is behind that"
    return ""


def _refusal(token: str, error: Exception) -> str | None:
    """Return what is wrong with a token, in words for its issuer; None if it can't be read."""
    fault = times_fault(token)
    if not fault and isinstance(error, BadSignatureError | InvalidKeyIdError):
        fault = "it is not signed by a key that is known here"
    elif not fault and isinstance(error, UnsupportedAlgorithmError):
        fault = "its `alg` is not taken here"
    elif not fault and isinstance(error, ClaimError):
        fault = error.description[:1].lower() + error.description[1:]
    return f"The bearer token is not valid: {fault}." if fault else None


def issue(settings: Settings, subject: str, role: str, lifetime: int) -> str:
    """Issue a token signed with `AUTH_SECRET`. `lifetime` is in seconds.

    Raises ValueError if the secret is not set or the subject is empty or too long.
    """
    if not settings.auth_secret:
        raise ValueError("AUTH_SECRET is not set")
    if not 0 < len(subject) <= SUBJECT_LIMIT:
        raise ValueError(f"a subject has 1 to {SUBJECT_LIMIT} characters")
    now = int(time.time())
    claims: dict[str, Any] = {"sub": subject, "role": role, "iat": now, "exp": now + lifetime}
    claims |= _issuer_claims(settings)
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(settings.auth_secret))


def issue_limited(
    settings: Settings, subject: str, role: str, issued: float | None, permit: Permit
) -> str:
    """Issue a limited token, which is valid until its permit expires.

    `issued` is the issue time of the token that requests it. So an event that revokes that token,
    such as an erasure, revokes this one too. Raises `NotConfigured`.
    """
    claims: dict[str, Any] = {"sub": subject, "role": role, "exp": permit.expires}
    if issued is not None:
        claims["iat"] = issued
    return limited_tokens.issue(settings, claims | _issuer_claims(settings), permit)


def _issuer_claims(settings: Settings) -> dict[str, Any]:
    """Return the claims about the issuer and the audience of our tokens."""
    claims = {}
    if settings.auth_audience:
        claims["aud"] = settings.auth_audience
    if settings.auth_issuer and not settings.auth_jwks_url:
        claims["iss"] = settings.auth_issuer
    return claims


def _registry(settings: Settings) -> jwt.JWTClaimsRegistry:
    options: dict[str, Any] = {"sub": {"essential": True}, "exp": {"essential": True}}
    if settings.auth_audience:
        options["aud"] = {"essential": True, "value": settings.auth_audience}
    if settings.auth_issuer and not settings.auth_jwks_url:
        options["iss"] = {"essential": True, "value": settings.auth_issuer}
    return jwt.JWTClaimsRegistry(leeway=LEEWAY, **options)


def _read(claims: dict[str, Any], permit: Permit | None) -> Claims:
    subject, role = claims["sub"], claimed_role(claims)
    for name, text in (("sub", subject), ("role", role)):
        if not isinstance(text, str) or not is_storable(text):
            raise InvalidClaimError(name)
    if not 0 < len(subject) <= SUBJECT_LIMIT:
        raise InvalidClaimError("sub")
    return Claims(
        subject,
        role,
        expires=min(float(claims["exp"]), LATEST_EXPIRY),
        issued=issue_time(claims),
        email=_text(claims, "email", 320),
        name=_text(claims, "name", 200),
        permit=permit,
    )


def claimed_role(claims: dict[str, Any]) -> Any:
    """Return the role of unchecked claims. Backends write null for a user without a role."""
    role = claims.get("role")
    return "user" if role is None else role


def issue_time(claims: dict[str, Any]) -> float | None:
    """Return when a token was issued, in Unix time, or None if it has no such claim."""
    value = claims.get("iat")
    return float(value) if isinstance(value, int | float) else None


def _text(claims: dict[str, Any], name: str, limit: int) -> str | None:
    value = claims.get(name)
    usable = isinstance(value, str) and 0 < len(value) <= limit and is_storable(value)
    return value if usable else None
