"""Secrets that are only compared, so that a hash of each is stored.

They are random and long. A hash of a password would need salt and time.
"""

import hashlib


def hash_secret(secret: str) -> str:
    """64 hexadecimal digits. What a client sends may have half a character."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
