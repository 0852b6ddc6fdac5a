"""Requests to a vendor: credentials, retries, redirects, and their effects."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode, urljoin

from gevent import sleep

from service.integrations.declare.faults import failure_of, is_refused, not_found, retry_after
from service.integrations.declare.path import base_of
from service.integrations.declare.payload import parse, plain, query_value
from service.integrations.declare.reading import Unusable, unusable
from service.integrations.declare.request import Outgoing
from service.integrations.declare.vendor import Reply, Vendor
from service.outbound.stream import UpstreamError, read_all
from service.outbound.upstream import Outbound, Upstream
from service.release import USER_AGENT
from service.web.errors import UpstreamFailed, UpstreamTimedOut

RETRIES = 2
LONGEST_WAIT = 5  # seconds; a caller decides about a longer pause, which the answer names
REDIRECTS = 5  # of an address that a caller has named
RETRIED_STATUSES = (429, 502, 503, 504)
REDIRECT_STATUSES = (301, 302, 303, 307, 308)
RETRIED_REASONS = ("unreachable", "unanswered", "cut")
NEVER_SENT = ("unreachable", "not-public")
ACCEPTS = {"json": "application/json", "text": "text/*, */*", "bytes": "*/*", "reply": "*/*"}


class CallsStopped(UpstreamFailed):
    """The breaker of an integration is open. `has_asked` is whether a vendor was asked before."""

    message = "This integration has failed repeatedly. Calls are stopped for up to half a minute."
    has_asked = False


@dataclass
class Effects:
    """The effects of a call's requests so far.

    `last_integration` is the integration whose vendor was asked last. `has_gone_on` means that this
    vendor has answered, and the call has continued with its model, with an address that its caller
    names, or with a vendor whose breaker is open. `is_refused` means that a vendor has refused or
    failed, and `is_rejected` that it has rejected the user's token. `acts` counts the requests that
    may have changed something for the caller, of which several may run at the same time. `status`
    is the status of the newest answer.
    """

    last_integration: str | None = None
    status: int | None = None
    has_gone_on: bool = False
    is_refused: bool = False
    is_rejected: bool = False
    acts: int = 0

    @property
    def may_have_acted(self) -> bool:
        return self.acts > 0


@contextmanager
def telling_status(effects: Effects) -> Iterator[None]:
    """Add the status of an unusable answer to its error, which the answer's reader can't know."""
    try:
        yield
    except Unusable as error:
        error.facts["upstreamStatus"] = effects.status
        raise


class Sender:
    """Sends one call's requests to one vendor."""

    def __init__(
        self,
        upstream: Upstream,
        vendor: Vendor,
        settings: Mapping[str, str],
        ends: float,
        bearer: str | None,
        leave: Callable[[], None],
        admit: Callable[[str], None],
        effects: Effects,
    ) -> None:
        """`ends` is the call's deadline, in monotonic time."""
        self._upstream, self._vendor, self._settings = upstream, vendor, settings
        self._ends, self._bearer, self._leave = ends, bearer, leave
        self._admit, self._effects = admit, effects

    def send(self, outgoing: Outgoing) -> Reply:
        """Return the vendor's reply with any status. Raises `ServiceError`."""
        return self._follow(outgoing) if outgoing.url else self._send(outgoing)

    def _follow(self, outgoing: Outgoing) -> Reply:
        """Follow redirects, each with the same guard, and return the last reply."""
        for _ in range(REDIRECTS):
            reply = self._send(outgoing)
            if reply.status not in REDIRECT_STATUSES:
                return reply
            target = _target(outgoing.url, reply.headers.get("Location", ""))
            if not target.startswith(("http://", "https://")):
                break
            outgoing = replace(outgoing, url=target)
        raise not_found()

    def _send(self, outgoing: Outgoing) -> Reply:
        for attempt in range(RETRIES + 1):
            last = attempt == RETRIES or not outgoing.repeatable
            try:
                reply = self._send_once(outgoing)
            except UpstreamError as error:
                if last or error.reason not in RETRIED_REASONS:
                    raise failure_of(error) from None
                pause = random.uniform(0.1, 0.3) * 2**attempt  # noqa: S311
            else:
                if last or reply.status not in RETRIED_STATUSES:
                    return reply
                pause = retry_after(reply) or random.uniform(0.2, 0.5) * 2**attempt  # noqa: S311
                if pause > LONGEST_WAIT or pause >= self._left():
                    return reply
            sleep(min(pause, self._left()))
        raise AssertionError("the last attempt returns or raises")

    def _send_once(self, outgoing: Outgoing) -> Reply:
        if self._left() <= 0:
            raise UpstreamTimedOut()
        if not outgoing.url:  # first, because a refused request is not sent
            self._ask_breaker()
        self._leave()
        self._effects.has_gone_on = bool(outgoing.url)
        if not outgoing.url:
            self._effects.last_integration = self._vendor.integration
        is_act = outgoing.method != "GET"
        self._effects.acts += is_act
        try:
            with self._upstream.open(self._outbound(outgoing)) as stream:
                self._effects.status = stream.status
                if is_refused(stream.status):
                    self._effects.acts -= is_act
                raw = read_all(stream, outgoing.limit) if plain(stream.headers) else b""
        except UpstreamError as error:
            if error.reason in NEVER_SENT:
                self._effects.acts -= is_act
            raise
        # `parse` lets others run during a large answer, which does not make the answer late.
        return Reply(stream.status, stream.headers, parse(raw), raw)

    def _ask_breaker(self) -> None:
        try:
            self._admit(self._vendor.integration)
        except CallsStopped as error:
            error.has_asked = self._effects.last_integration is not None
            self._effects.has_gone_on = True  # this is no failure of the vendor asked before
            raise

    def _outbound(self, outgoing: Outgoing) -> Outbound:
        headers: dict[str, Any] = {"Accept": ACCEPTS[outgoing.returns], "User-Agent": USER_AGENT}
        query = {k: query_value(v) for k, v in outgoing.query.items() if v is not None}
        url = outgoing.url
        if not url:
            base = self._vendor.base(outgoing.base, self._settings)
            url = base_of(base, outgoing.base_pieces) + outgoing.path
            headers |= {**self._vendor.headers, **outgoing.headers}
            self._put_credentials(outgoing, headers, query)
        payload = None
        if outgoing.content is not None:
            payload, headers["Content-Type"] = outgoing.content
        return Outbound(
            name=self._vendor.name,
            method=outgoing.method,
            url=url + _query_of(query),
            headers=headers,
            body=payload,
            connect=10,
            idle=None,
            whole=max(self._left(), 0.001),
            guarded=bool(outgoing.url),
        )

    def _put_credentials(
        self, outgoing: Outgoing, headers: dict[str, Any], query: dict[str, Any]
    ) -> None:
        if not outgoing.has_key:
            return
        credential = outgoing.credential or self._vendor.credential
        credential.put(self._settings, headers, query)
        if self._bearer:
            headers["Authorization"] = f"Bearer {self._bearer}"

    def _left(self) -> float:
        """Seconds until the deadline."""
        return self._ends - time.monotonic()


def _query_of(values: Mapping[str, Any]) -> str:
    """Return the query of a URL, or "" without values.

    Raises `Unusable` for an unpaired surrogate, which vendors can send but callers can't.
    """
    try:
        return f"?{urlencode(values, doseq=True)}" if values else ""
    except UnicodeEncodeError:
        raise unusable("query") from None


def _target(url: str, location: str) -> str:
    """Return the target of a redirect, or "" if its address can't be parsed."""
    try:
        return urljoin(url, location)
    except ValueError:
        return ""
