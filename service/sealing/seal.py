"""Seal stored secrets with AES-GCM, bound to the place where they are stored.

`TOKEN_ENCRYPTION_KEYS` lists keys by id. The first key seals, and all keys open, so that keys can
be rotated. A sealed text that is moved to another row or column can't be opened.
"""

import base64
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from config import ConfigError

NONCE = 12  # bytes
ENCODING = ("utf-8", "surrogatepass")  # JSON escapes may have unpaired surrogates


class Unsealable(Exception):
    """The text was not sealed with a known key, or not for this place."""


class Sealer:
    def __init__(self, keys: Sequence[tuple[str, bytes]]) -> None:
        """`keys` are pairs of an id and 32 bytes. Raises `ConfigError` if there are none."""
        if not keys:
            raise ConfigError("TOKEN_ENCRYPTION_KEYS: must be set (flask keys new makes one)")
        self._ciphers = {name: AESGCM(key) for name, key in keys}
        self._first = keys[0][0]

    def seal(self, text: str, place: str) -> str:
        """Return `id:base64`. `place` names the row, as `grant:alice:mail:access_token`."""
        nonce = os.urandom(NONCE)
        sealed = self._ciphers[self._first].encrypt(
            nonce, text.encode(*ENCODING), _bound(self._first, place)
        )
        return f"{self._first}:{base64.b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, place: str) -> str:
        """Return the sealed text. Raises `Unsealable`."""
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
        """Return whether a text was sealed with another key than the first one."""
        return not sealed.startswith(self.prefix)

    @property
    def prefix(self) -> str:
        """The beginning of texts that are sealed with the first key."""
        return f"{self._first}:"


def _bound(name: str, place: str) -> bytes:
    return f"{name}\0{place}".encode()
