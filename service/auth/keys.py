"""The public keys of an identity provider, fetched from its JWKS URL."""

import json
import time
from typing import Any

import structlog
from gevent.lock import BoundedSemaphore
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet

from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound, Upstream
from service.web.errors import Unavailable

REFETCH_AFTER = 60.0  # seconds between fetches, so that invented key ids cause few requests
KEPT_FOR = 300.0  # seconds, so that the withdrawal of a key takes effect
DOCUMENT_LIMIT = 1 << 20
UNREADABLE = (JoseError, ValueError, TypeError, KeyError, RecursionError)

log = structlog.get_logger("keys")


class KeySource:
    """Caches a key set, and fetches it again when a token names a key that is not in it.

    A set that is five minutes old is fetched again too. While the provider can't be reached, the
    last set stays valid.
    """

    def __init__(self, url: str, upstream: Upstream) -> None:
        headers = {"Accept": "application/json"}
        self._request = Outbound("identity", "GET", url, headers, idle=5, whole=10)
        self._upstream = upstream
        self._keys: KeySet | None = None
        self._fetched_at = float("-inf")
        self._fetch_lock = BoundedSemaphore(1)

    def key_set(self, kid: object) -> KeySet:
        """Return the key set, after a new fetch if `kid` is not in it or the set is old.

        Raises `Unavailable` if no key set could be fetched so far.
        """
        if not self._has(kid):
            with self._fetch_lock:
                if not self._has(kid) and self._age() >= REFETCH_AFTER:
                    self._fetch()
        elif self._age() >= KEPT_FOR and not self._fetch_lock.locked():
            with self._fetch_lock:  # other requests do not wait for this one
                self._fetch()
        if self._keys is None:
            raise Unavailable("The identity provider's keys can't be fetched right now.")
        return self._keys

    def _age(self) -> float:
        """Return the seconds since the last fetch, even if it failed."""
        return time.monotonic() - self._fetched_at

    def _has(self, kid: object) -> bool:
        return self._keys is not None and any(key.kid == kid for key in self._keys)

    def _fetch(self) -> None:
        self._fetched_at = time.monotonic()
        try:
            status, body = self._upstream.fetch(self._request, DOCUMENT_LIMIT)
            if status == 200:
                self._keys = _usable(json.loads(body)["keys"])
                return
            reason = str(status)
        except (UpstreamError, *UNREADABLE) as error:
            reason = type(error).__name__
        log.warning("keys not fetched", why=reason)  # the keys of the last fetch are kept


def _usable(entries: list[Any]) -> KeySet:
    """Import the keys of a set. Raises ValueError if it has keys, but none is usable.

    A set may have keys of unknown kinds, or incomplete ones, beside good ones.
    Source: RFC 7517, section 5.
    """
    keys: list[Key] = []
    for entry in entries:
        try:
            keys += KeySet.import_key_set({"keys": [entry]}).keys
        except UNREADABLE as error:
            log.warning("key skipped", why=type(error).__name__)
    if entries and not keys:
        raise ValueError("no usable key")
    return KeySet(keys)
