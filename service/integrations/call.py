"""One call of an endpoint: the requests it makes to its vendor, within one deadline."""

import json
import random
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import gevent

from service.errors import NotConfigured, UpstreamFailed, UpstreamTimedOut
from service.integrations.catalog import ApiKey, Reply, Vendor
from service.integrations.faults import GrantRejected, failure_of, refusal_of, retry_after
from service.upstream import Outbound, Upstream, UpstreamError

BYTES = 8 << 20  # of one answer
RETRIES = 2
AGAIN = (429, 502, 503, 504)
USER_AGENT = "integration-proxy/1"


class Call:
    """What an endpoint's function may use. Credentials are put in last, and only here."""

    def __init__(
        self,
        upstream: Upstream,
        vendor: Vendor,
        settings: Mapping[str, str],
        seconds: float,
        repeatable: bool = False,
        bearer: str | None = None,
    ) -> None:
        """`settings` has the vendors' settings by name, `bearer` is a user's own token.

        Raises `NotConfigured`.
        """
        self._upstream, self._vendor, self._settings = upstream, vendor, settings
        self._ends = time.monotonic() + seconds
        self._repeatable = repeatable
        self._key = _key(vendor.key, settings)
        self._bearer = bearer

    def get(self, path: str, query: Mapping[str, Any] | None = None, base: str = "") -> Any:
        """The JSON of a GET. `path` is made by `path_of`; `base` names a base URL's setting.

        Raises `ServiceError`.
        """
        return self._json("GET", path, query, None, base, repeatable=True)

    def post(self, path: str, body: Any, base: str = "") -> Any:
        """The JSON that answers a POST; sent once unless the endpoint says it is repeatable."""
        return self._json("POST", path, None, body, base, self._repeatable)

    def _json(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: Any,
        base: str,
        repeatable: bool,
    ) -> Any:
        outbound = self._outbound(method, path, query, body, base)
        reply = self._send(outbound, repeatable)
        if reply.status == 401 and self._bearer:
            raise GrantRejected()
        if not 200 <= reply.status < 300:
            raise refusal_of(self._vendor, reply)
        if reply.body is None:
            raise UpstreamFailed(upstreamStatus=reply.status)
        return reply.body

    def _send(self, outbound: Outbound, repeatable: bool) -> Reply:
        for attempt in range(RETRIES + 1):
            last = attempt == RETRIES or not repeatable
            try:
                reply = self._once(outbound)
            except UpstreamError as error:
                if last or error.reason not in ("unreachable", "cut"):
                    raise failure_of(error) from None
                pause = random.uniform(0.1, 0.3) * 2**attempt  # noqa: S311
            else:
                if last or reply.status not in AGAIN:
                    return reply
                pause = retry_after(reply) or random.uniform(0.2, 0.5) * 2**attempt  # noqa: S311
                if pause >= self._left():
                    return reply
            gevent.sleep(min(pause, self._left()))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, outbound: Outbound) -> Reply:
        left = self._left()
        if left <= 0:
            raise UpstreamTimedOut()
        limit = gevent.Timeout(left)
        try:
            with limit, self._upstream.open(outbound) as stream:
                whole = bytearray()
                while piece := stream.read():
                    whole += piece
                    if len(whole) > BYTES:
                        raise UpstreamError("too-large")
                return Reply(stream.status, stream.headers, _parsed(bytes(whole)))
        except gevent.Timeout as expired:
            if expired is not limit:
                raise
            raise UpstreamTimedOut() from None

    def _outbound(
        self, method: str, path: str, query: Mapping[str, Any] | None, body: Any, base: str
    ) -> Outbound:
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT, **self._vendor.headers}
        asked = {k: v for k, v in (query or {}).items() if v is not None}
        payload = None
        if body is not None:
            payload = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        if self._bearer:
            headers["Authorization"] = f"Bearer {self._bearer}"
        if self._key:
            place, _, name = self._key[0].place.partition(":")
            (headers if place == "header" else asked)[name] = self._key[1]
        url = self._base(base) + path + (f"?{urlencode(asked, doseq=True)}" if asked else "")
        return Outbound(self._vendor.name, method, url, headers, payload, connect=10, idle=None)

    def _base(self, setting: str) -> str:
        name = setting or next(iter(self._vendor.base_urls))
        given = self._settings.get(name)
        if given:
            return given
        if self._key and name in self._vendor.with_key:
            return self._vendor.with_key[name]
        return self._vendor.base_urls[name]

    def _left(self) -> float:
        return self._ends - time.monotonic()


def _key(key: ApiKey | None, settings: Mapping[str, str]) -> tuple[ApiKey, str] | None:
    value = settings.get(key.setting) if key else None
    if key and value:
        return key, key.form.format(key=value)
    if key and key.required:
        raise NotConfigured(key.setting)
    return None


def path_of(template: str, **pieces: Any) -> str:
    """A path with its pieces quoted: none of them can leave its place."""
    return template.format(**{name: quote(str(piece), safe="") for name, piece in pieces.items()})


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
