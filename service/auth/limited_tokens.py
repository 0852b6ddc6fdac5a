"""Limited tokens: JWTs that this service makes for a user's own use, with a permit in them.

They are signed with separate keys. So a program that has `AUTH_SECRET` but does not know permits
can't accept one as a full token: another service, or a worker of the previous release.
Source: docs/decisions/0019; RFC 8725, section 3.11.
"""

import hmac
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from config import Settings
from service.auth.permits import Permit
from service.web.errors import NotConfigured, Unauthorized

TYPE = "limited+jwt"
PURPOSE = b"limited tokens"


def keys(settings: Settings) -> list[OctKey]:
    """Return the keys that verify limited tokens; the first one signs.

    They are derived from `AUTH_SECRET`, or from `TOKEN_ENCRYPTION_KEYS` if `AUTH_SECRET` is not
    set.
    """
    secrets = [settings.auth_secret.encode()] if settings.auth_secret else []
    secrets = secrets or [key for _, key in settings.token_encryption_keys]
    return [OctKey.import_key(hmac.digest(secret, PURPOSE, "sha256")) for secret in secrets]


def issue(settings: Settings, claims: dict[str, Any], permit: Permit) -> str:
    """Return a token with these claims and a permit. Raises `NotConfigured` without a key."""
    signing = keys(settings)
    if not signing:
        raise NotConfigured("AUTH_SECRET")
    header = {"alg": "HS256", "typ": TYPE}
    return jwt.encode(header, {**claims, **permit.claims()}, signing[0])


def decode(verifying: list[OctKey], token: str) -> dict[str, Any]:
    """Return the claims of a token that this service has signed. Raises `Unauthorized`."""
    for key in verifying:
        try:
            return jwt.decode(token, key, algorithms=["HS256"]).claims
        except JoseError:
            continue
    raise Unauthorized()
