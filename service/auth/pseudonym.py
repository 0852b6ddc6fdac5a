"""Pseudonyms, by which a provider can distinguish users.

A pseudonym is a keyed hash: without our secret nobody can find its subject by trying. Each provider
gets a different one, so that two providers can't match their users.
"""

import hmac

from config import Settings

LENGTH = 32  # hexadecimal digits; OpenAI accepts 64 characters, Anthropic 256


def pseudonym(settings: Settings, subject: str, audience: str) -> str | None:
    """Return the user's pseudonym for `audience`, or None if there is no secret to make it.

    The secret is `AUTH_SECRET`, or the first of `TOKEN_ENCRYPTION_KEYS` if `AUTH_SECRET` is not
    set. The pseudonym changes when the secret changes.
    """
    key = settings.auth_secret.encode() if settings.auth_secret else _sealing_key(settings)
    if not key:
        return None
    message = f"user of {audience}\0{subject}".encode("utf-8", "surrogatepass")
    return hmac.new(key, message, "sha256").hexdigest()[:LENGTH]


def _sealing_key(settings: Settings) -> bytes:
    return settings.token_encryption_keys[0][1] if settings.token_encryption_keys else b""
