"""Send spans to the collector, in the background and in batches.

Nothing waits for the collector. Spans are dropped and counted if there is no room for them, or if
their batch fails.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping

import structlog
from gevent.event import Event

from service.observing import attribution
from service.observing.measures import SPANS_DROPPED
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound, Upstream
from service.supervised import LastingGreenlets

BATCH = 512  # spans
WAITING_BYTES = 4 << 20  # bytes of spans that wait
PAUSE_SECONDS = 2.0  # between two batches, unless one is full
LAST_PAUSE_SECONDS = 0.1  # instead of PAUSE_SECONDS while the worker ends
EXPORT_SECONDS = 5.0  # for one export
QUIET_SECONDS = 60.0  # between two log lines about a collector that fails
ANSWER_LIMIT = 65_536  # bytes of the collector's answer that are read

log = structlog.get_logger("tracing")


class Exporter:
    """The spans of one process that wait to be sent. Its greenlet starts with the first one."""

    def __init__(
        self,
        upstream: Upstream,
        url: str,
        headers: Mapping[str, str],
        encode: Callable[[Iterable[bytes]], bytes],
    ) -> None:
        self._upstream, self._url, self._encode = upstream, url, encode
        self._headers = {"Content-Type": "application/json", **headers}
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._sender: LastingGreenlets | None = None
        self._wake = Event()
        self._is_sending = self._is_ending = False
        self._logged_at = -QUIET_SECONDS  # when a failure was last logged, on the monotonic clock

    def add(self, span: bytes) -> None:
        if self._size + len(span) > WAITING_BYTES:
            SPANS_DROPPED.inc()
            return
        self._waiting.append(span)
        self._size += len(span)
        if self._sender is None:  # not earlier, because workers are forked
            self._sender = LastingGreenlets("tracing")
            self._sender.spawn(self._run)
        if len(self._waiting) >= BATCH:
            self._wake.set()

    def end(self, _grace: float = 0) -> None:
        """Send with short pauses from now on, because the worker ends."""
        self._is_ending = True
        self._wake.set()

    @property
    def is_empty(self) -> bool:
        return not self._waiting and not self._is_sending

    def _run(self) -> None:
        attribution.begin()  # without the facts of the work that ended the first span
        while True:
            self._wake.wait(LAST_PAUSE_SECONDS if self._is_ending else PAUSE_SECONDS)
            self._wake.clear()
            while self._waiting:
                self._send(self._take())

    def _take(self) -> list[bytes]:
        spans = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        self._size -= sum(map(len, spans))
        return spans

    def _send(self, spans: list[bytes]) -> None:
        self._is_sending = True
        try:
            outcome = self._post(self._encode(spans))
        finally:
            self._is_sending = False
        if not outcome.startswith("2"):
            SPANS_DROPPED.inc(len(spans))
            self._log_failure(outcome, len(spans))
            if self._is_ending:  # each further batch could take as long, and the grace time ends
                SPANS_DROPPED.inc(len(self._waiting))
                self._waiting.clear()
                self._size = 0

    def _post(self, body: bytes) -> str:
        """Send a batch. Return the collector's status, or the reason why there is none."""
        outbound = Outbound(
            "collector", "POST", self._url, self._headers, body,
            connect=EXPORT_SECONDS, idle=EXPORT_SECONDS, whole=EXPORT_SECONDS, is_logged=False,
        )  # fmt: skip
        try:
            return str(self._upstream.fetch(outbound, ANSWER_LIMIT)[0])
        except UpstreamError as error:
            return error.reason

    def _log_failure(self, outcome: str, count: int) -> None:
        now = time.monotonic()
        if now - self._logged_at >= QUIET_SECONDS:
            self._logged_at = now
            log.warning("spans dropped", outcome=outcome, count=count)
