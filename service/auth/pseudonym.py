"""A pseudonym for a user, by which a provider can tell users apart.

It is a keyed hash: without our secret nobody can try subjects until one fits. Each provider gets
another one, so that two of them can't compare.
"""

import hmac

from config import Settings

LENGTH = 32  # hexadecimal digits; OpenAI takes 64 characters, Anthropic 256


def pseudonym(settings: Settings, subject: str, audience: str) -> str | None:
    """The user's pseudonym for `audience`; None without a secret to make it with.

    It stays the same as long as `AUTH_SECRET` does, or the first of `TOKEN_ENCRYPTION_KEYS` where
    an identity provider signs the tokens.
    """
    key = settings.auth_secret.encode() if settings.auth_secret else _sealing_key(settings)
    if not key:
        return None
    named = f"user of {audience}\0{subject}".encode("utf-8", "surrogatepass")
    return hmac.new(key, named, "sha256").hexdigest()[:LENGTH]


def _sealing_key(settings: Settings) -> bytes:
    return settings.token_encryption_keys[0][1] if settings.token_encryption_keys else b""
