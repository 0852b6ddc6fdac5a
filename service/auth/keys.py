"""The public keys of an identity provider, which are fetched from its JWKS URL."""

import json
import time

from gevent.lock import BoundedSemaphore
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from service.outbound.upstream import Outbound, Upstream, UpstreamError
from service.web.errors import Unavailable

REFETCH_AFTER = 60.0  # seconds between fetches, so that invented key ids cannot flood the provider
DOCUMENT_LIMIT = 1 << 20


class KeySource:
    """Cache a key set, and fetch it again when a token names a key that is not in it."""

    def __init__(self, url: str, upstream: Upstream) -> None:
        headers = {"Accept": "application/json"}
        self._request = Outbound("identity", "GET", url, headers, idle=5, whole=10)
        self._upstream = upstream
        self._keys: KeySet | None = None
        self._fetched_at = float("-inf")
        self._fetch_lock = BoundedSemaphore(1)

    def key_set(self, kid: object) -> KeySet:
        """Return the key set, after a new fetch if `kid` is not in it.

        Raises `Unavailable` if no key set could be fetched so far.
        """
        if not self._has(kid):
            with self._fetch_lock:
                if not self._has(kid) and time.monotonic() - self._fetched_at >= REFETCH_AFTER:
                    self._fetch()
        if self._keys is None:
            raise Unavailable("The identity provider's keys can't be fetched right now.")
        return self._keys

    def _has(self, kid: object) -> bool:
        return self._keys is not None and any(key.kid == kid for key in self._keys)

    def _fetch(self) -> None:
        self._fetched_at = time.monotonic()
        try:
            status, body = self._upstream.fetch(self._request, DOCUMENT_LIMIT)
            if status == 200:
                self._keys = KeySet.import_key_set(json.loads(body))
        except (UpstreamError, JoseError, ValueError, TypeError, KeyError, RecursionError):
            return  # keep the keys of the last fetch
