"""The public keys of an identity provider, fetched from its JWKS URL and rotated with it."""

import json
import time

from gevent.lock import BoundedSemaphore
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from service.errors import Unavailable
from service.upstream import Outbound, Upstream, UpstreamError

REFETCH_AFTER = 60.0  # seconds between fetches, so that made-up key ids cannot flood the provider
DOCUMENT_LIMIT = 1 << 20


class KeySource:
    """Caches a key set; fetches it again when a token names a key that is not in it."""

    def __init__(self, url: str, upstream: Upstream) -> None:
        headers = {"Accept": "application/json"}
        self._request = Outbound("identity", "GET", url, headers, idle=5, whole=10)
        self._upstream = upstream
        self._keys: KeySet | None = None
        self._fetched = float("-inf")
        self._fetching = BoundedSemaphore(1)

    def holding(self, kid: object) -> KeySet:
        """The key set, fetched anew if `kid` is unknown. Raises `Unavailable` without any keys."""
        if not self._holds(kid):
            with self._fetching:
                if not self._holds(kid) and time.monotonic() - self._fetched >= REFETCH_AFTER:
                    self._fetch()
        if self._keys is None:
            raise Unavailable("The identity provider's keys can't be fetched right now.")
        return self._keys

    def _holds(self, kid: object) -> bool:
        return self._keys is not None and any(key.kid == kid for key in self._keys)

    def _fetch(self) -> None:
        self._fetched = time.monotonic()
        try:
            status, body = self._upstream.fetch(self._request, DOCUMENT_LIMIT)
            if status == 200:
                self._keys = KeySet.import_key_set(json.loads(body))
        except (UpstreamError, JoseError, ValueError, TypeError, KeyError, RecursionError):
            return  # the keys we have go on serving
