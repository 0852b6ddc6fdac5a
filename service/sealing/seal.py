"""Secrets at rest: sealed with AES-GCM and bound to the place they are kept in.

`TOKEN_ENCRYPTION_KEYS` lists keys by id; the first seals, all open, so that keys can be rotated.
Moved to another row or column, a sealed text does not open.
"""

import base64
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from config import ConfigError

NONCE = 12  # bytes
ENCODING = ("utf-8", "surrogatepass")  # JSON may have half a character in an escape


class Unsealable(Exception):
    """Not sealed by a key we have, or not for this place."""


class Sealer:
    def __init__(self, keys: Sequence[tuple[str, bytes]]) -> None:
        """`keys` are id and 32 bytes each. Raises `ConfigError` when there are none."""
        if not keys:
            raise ConfigError("TOKEN_ENCRYPTION_KEYS: must be set (flask keys new makes one)")
        self._ciphers = {name: AESGCM(key) for name, key in keys}
        self._first = keys[0][0]

    def seal(self, text: str, place: str) -> str:
        """`id:base64`; `place` names row and column, such as `grant:alice:mail:access_token`."""
        nonce = os.urandom(NONCE)
        sealed = self._ciphers[self._first].encrypt(
            nonce, text.encode(*ENCODING), _bound(self._first, place)
        )
        return f"{self._first}:{base64.b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, place: str) -> str:
        """Raises `Unsealable`."""
        name, _, encoded = sealed.partition(":")
        cipher = self._ciphers.get(name)
        if cipher is None:
            raise Unsealable(f"sealed with the key {name!r}, which is not in TOKEN_ENCRYPTION_KEYS")
        try:
            raw = base64.b64decode(encoded, validate=True)
            opened = cipher.decrypt(raw[:NONCE], raw[NONCE:], _bound(name, place))
            return opened.decode(*ENCODING)
        except (InvalidTag, ValueError):
            raise Unsealable("not sealed for this place") from None

    def is_old(self, sealed: str) -> bool:
        """Whether it was sealed with another key than the one that seals now."""
        return not sealed.startswith(self.prefix)

    @property
    def prefix(self) -> str:
        """How a text begins that was sealed with the key that seals now."""
        return f"{self._first}:"


def _bound(name: str, place: str) -> bytes:
    return f"{name}\0{place}".encode()
