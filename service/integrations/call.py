"""One call of an endpoint: the requests it makes to its vendor, within one deadline."""

import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from gevent import sleep
from gevent.pool import Pool

from service.errors import (
    InvalidRequest,
    NotConfigured,
    ServiceError,
    UpstreamFailed,
    UpstreamTimedOut,
)
from service.integrations.catalog import ApiKey, Reply, Vendor
from service.integrations.faults import (
    GrantRejected,
    failure_of,
    is_refused,
    refusal_of,
    retry_after,
)
from service.integrations.payload import encoded, parsed, plain, query_value
from service.upstream import USER_AGENT, Outbound, Upstream, UpstreamError, read_all

BYTES = 8 << 20  # of one answer
RETRIES = 2
AT_ONCE = 5  # requests of one call
AGAIN = (429, 502, 503, 504)
PASSING = ("unreachable", "unanswered", "cut")
NEVER_SENT = ("unreachable", "not-public")
_NO_PIECES = ("", ".", "..")


class Call:
    """What an endpoint's function may use. Credentials are put in last, and only here."""

    def __init__(
        self,
        upstream: Upstream,
        vendor: Vendor,
        settings: Mapping[str, str],
        seconds: float,
        bearer: str | None = None,
        leave: Callable[[], None] = lambda: None,
    ) -> None:
        """`settings` has the vendors' settings by name, `bearer` is a user's own token.

        `leave` is called before every request that is sent. Raises `NotConfigured`.
        """
        self._upstream, self._vendor, self._settings = upstream, vendor, settings
        self._ends = time.monotonic() + seconds
        self._key = _key(vendor.key, settings)
        self._bearer, self._leave = bearer, leave
        self.has_asked = False  # whether a request was made
        self.is_rejected = False  # whether the vendor did not take the bearer
        self.may_have_acted = False  # whether the vendor may have changed something for us

    def get(
        self,
        path: str,
        query: Mapping[str, Any] | None = None,
        base: str = "",
        with_key: bool = True,
    ) -> Any:
        """The JSON of a GET. `path` is made by `path_of`; `base` names a base URL's setting.

        Without the key, the request is anonymous. Raises `ServiceError`.
        """
        return self._json(self._outbound("GET", path, query, None, base, with_key))

    @property
    def has_key(self) -> bool:
        """Whether requests carry the operator's key."""
        return self._key is not None

    def post(
        self, path: str, body: Any, base: str = "", query: Mapping[str, Any] | None = None
    ) -> Any:
        """The JSON that answers a POST, which is sent once: it may cost, or change something."""
        return self._json(self._outbound("POST", path, query, encoded(body), base))

    def patch(
        self, path: str, body: Any, base: str = "", query: Mapping[str, Any] | None = None
    ) -> Any:
        """The JSON that answers a PATCH, which says what shall be and so may be sent again."""
        return self._json(self._outbound("PATCH", path, query, encoded(body), base))

    def upload(
        self,
        path: str,
        content: bytes,
        content_type: str,
        base: str = "",
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """The JSON that answers a POST of bytes as they are."""
        return self._json(self._outbound("POST", path, query, (content, content_type), base))

    def download(
        self, path: str, query: Mapping[str, Any] | None = None, base: str = ""
    ) -> tuple[bytes, str]:
        """The bytes that answer a GET, and their media type."""
        outbound = self._outbound("GET", path, query, None, base)
        reply = self._accepted(outbound)
        return reply.raw, reply.headers.get("Content-Type", "").partition(";")[0]

    def each(self, ask: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """What `ask` says of every item, in their order, `AT_ONCE` at a time.

        Raises the first item's `ServiceError`.
        """
        self._leave()  # here, where there is an app context
        pool = Pool(AT_ONCE)
        try:
            told = list(pool.imap(lambda item: _caught(ask, item), items))
        finally:
            pool.kill()
        for answer in told:
            if isinstance(answer, ServiceError):
                raise answer
        return told

    def _json(self, outbound: Outbound) -> Any:
        reply = self._accepted(outbound)
        if reply.body is None:
            raise UpstreamFailed(upstreamStatus=reply.status)
        return reply.body

    def _accepted(self, outbound: Outbound) -> Reply:
        """The answer, if it is a 2xx."""
        reply = self._send(outbound)
        self._vendor.look(reply)
        if reply.status == 401 and self._bearer:
            self.is_rejected = True
            raise GrantRejected()
        if not 200 <= reply.status < 300:
            raise refusal_of(self._vendor, reply)
        if not plain(reply.headers):
            raise UpstreamFailed(upstreamStatus=reply.status)
        return reply

    def _send(self, outbound: Outbound) -> Reply:
        for attempt in range(RETRIES + 1):
            last = attempt == RETRIES or outbound.method == "POST"
            try:
                reply = self._once(outbound)
            except UpstreamError as error:
                if last or error.reason not in PASSING:
                    raise failure_of(error) from None
                pause = random.uniform(0.1, 0.3) * 2**attempt  # noqa: S311
            else:
                if last or reply.status not in AGAIN:
                    return reply
                pause = retry_after(reply) or random.uniform(0.2, 0.5) * 2**attempt  # noqa: S311
                if pause >= self._left():
                    return reply
            sleep(min(pause, self._left()))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, outbound: Outbound) -> Reply:
        if self._left() <= 0:
            raise UpstreamTimedOut()
        self._leave()
        before, self.has_asked = self.may_have_acted, True
        self.may_have_acted = before or outbound.method != "GET"
        try:
            with self._upstream.open(replace(outbound, whole=max(self._left(), 0.001))) as stream:
                if is_refused(stream.status):
                    self.may_have_acted = before
                if not plain(stream.headers):
                    return Reply(stream.status, stream.headers, None)
                raw = read_all(stream, BYTES)
                return Reply(stream.status, stream.headers, parsed(raw), raw)
        except UpstreamError as error:
            if error.reason in NEVER_SENT:
                self.may_have_acted = before
            raise

    def _outbound(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        content: tuple[bytes, str] | None,
        base: str,
        with_key: bool = True,
    ) -> Outbound:
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT, **self._vendor.headers}
        asked = {k: query_value(v) for k, v in (query or {}).items() if v is not None}
        payload = None
        if content is not None:
            payload, headers["Content-Type"] = content
        if self._bearer:
            headers["Authorization"] = f"Bearer {self._bearer}"
        if self._key and with_key:
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
    """A path with its pieces quoted: none of them can leave its place. Raises `InvalidRequest`.

    Dots can't be quoted: `%2E` is the same as `.` to whoever normalises a path.
    """
    refused = {name: ["Not allowed here."] for name, piece in pieces.items() if piece in _NO_PIECES}
    if refused:
        raise InvalidRequest(details=refused)
    return template.format(**{name: quote(str(piece), safe="") for name, piece in pieces.items()})


def _caught(ask: Callable[[Any], Any], item: Any) -> Any:
    """What `ask` says, or the `ServiceError` it raises: a greenlet's own would only be printed."""
    try:
        return ask(item)
    except ServiceError as error:
        return error
