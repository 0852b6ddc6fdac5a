"""Hash secrets that are only compared, so that only their hashes are stored.

The secrets are random and long. A password would need a salt and a slow hash.
"""

import hashlib


def hash_secret(secret: str) -> str:
    """Return 64 hexadecimal digits. A client's text may have unpaired surrogates."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
