"""Call a model over HTTP: send the prompt, and yield the events of the answer.

Source for limits and retries: docs/contract.md, sections 5.18 and 5.19.
"""

import random
import time
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import structlog
from gevent import sleep

from service.generation.deadline import Deadline
from service.generation.model_span import trace
from service.generation.reading import TakeTexts, read_answer
from service.generation.round_trip import RoundTrip
from service.observing import spans
from service.observing.measures import count_tokens, time_of_model
from service.outbound.arrivals import Arrivals
from service.outbound.retry import retry_after
from service.outbound.stream import ByteStream, UpstreamError, read_all
from service.outbound.upstream import Outbound, Upstream
from service.providers.events import (
    OPERATOR_FAULTS,
    PASSING_FAULTS,
    VISIBLE,
    CallFragment,
    CallStarted,
    Event,
    Fault,
    PromptCounted,
    ProviderError,
    StepFinished,
    TextStarted,
    Usage,
)
from service.providers.names import NameTable
from service.providers.provider import Kind, Model, Wire

REFUSAL_LIMIT = 1 << 20  # bytes of an error body that are read
RETRIES = 2
LONGEST_PAUSE = 30.0  # seconds; a host that asks for a longer pause counts as down
WAITING_SHARE = 0.75  # a pause may take this part of the time left to the first content
UPSTREAM_FAULTS: dict[str, Fault] = {
    "unreachable": "down",
    "unanswered": "down",
    "timeout": "slow",
}


@dataclass(frozen=True)
class TimeLimits:
    """Limits in seconds: to the first content, between two events, and for the whole step."""

    first: float
    idle: float = 30.0
    step: float = 180.0


log = structlog.get_logger("model")

# Reasoning models of B and C send nothing for a long time.
LIMITS: dict[Kind, TimeLimits] = {
    "A": TimeLimits(30.0),
    "B": TimeLimits(90.0),
    "C": TimeLimits(90.0),
}


def stream_events(
    upstream: Upstream, trip: RoundTrip[object], deadline: Deadline, take: TakeTexts | None = None
) -> Iterator[Event | Arrivals]:
    """Yield the events of the model's answer, up to the terminal one, and fill in `trip`.

    While the reader of the events waits for the next one, texts may go to `take` instead. While all
    texts do, the reader need not wait: it gets an `Arrivals`, and asks for the next event when this
    calls it.
    Raises `ProviderError`, which contains no text of the provider. A provider that is busy or down
    is asked up to twice more, as long as it has sent no visible event. The usage in `trip` is also
    valid when the reader of the events was interrupted.
    """
    events = _events(upstream, trip, deadline, take)
    return trace(trip, events) if spans.are_recorded() else events


def _events(
    upstream: Upstream, trip: RoundTrip[object], deadline: Deadline, take: TakeTexts | None
) -> Generator[Event | Arrivals]:
    """Yield the events of the first try that shows something, or of the last one."""
    limits, began = LIMITS[trip.model.provider.kind], time.monotonic()
    deadline.begin(limits.first, limits.step)
    try:
        for attempt in range(RETRIES + 1):
            try:
                yield from _try(upstream, trip, deadline, take, began)
                return
            except ProviderError as error:
                trip.accepted &= error.fault == "slow"  # our own fault, not the provider's
                _log_for_operator(trip.model, error)
                if error.fault not in PASSING_FAULTS or trip.is_visible or attempt == RETRIES:
                    raise
                pause = _pause(attempt, error.retry_after, deadline.seconds_left)
                if pause is None:
                    raise
            sleep(pause)
    finally:
        deadline.end()
        if trip.accepted:
            _count(trip.model, trip.usage)


def _try(
    upstream: Upstream,
    trip: RoundTrip[object],
    deadline: Deadline,
    take: TakeTexts | None,
    began: float,
) -> Iterator[Event | Arrivals]:
    """Yield the events of one request, fill in `trip`, and postpone the deadline for each."""
    limits, wire = LIMITS[trip.model.provider.kind], trip.model.provider.wire
    timed = take and _Timed(take, deadline, limits)
    opening, names = _open(upstream, trip)
    try:
        with opening as stream:
            trip.accepted = stream.status == 200
            for event in (
                read_answer(stream, wire.decoder(names), timed)
                if trip.accepted
                else [_refusal(stream, wire, names)]
            ):
                if isinstance(event, VISIBLE):
                    if not trip.is_visible:
                        trip.is_visible = True
                        time_of_model(trip.model.id).observe(time.monotonic() - began)
                elif isinstance(event, PromptCounted):
                    trip.counted = event
                    continue
                elif isinstance(event, StepFinished):
                    trip.reported = event.usage
                _note_call(trip, event)
                if not isinstance(event, TextStarted):  # which shows no content yet
                    deadline.progress(limits.idle)
                yield event
    except UpstreamError as error:
        raise ProviderError(UPSTREAM_FAULTS.get(error.reason, "cut")) from None


def _note_call(trip: RoundTrip[object], event: Event | Arrivals) -> None:
    match event:
        case CallStarted(_, text) | CallFragment(_, text):
            trip.calls.append(text)


def _count(model: Model, used: Usage) -> None:
    parts = {"cached": used.cache_read, "cache_write": used.cache_write}
    count_tokens(model.id, input=used.input, output=used.output, **parts)


def _log_for_operator(model: Model, error: ProviderError) -> None:
    """Log a fault that only the operator can correct, such as a bad key or an unpaid account."""
    if error.fault in OPERATOR_FAULTS:
        names = {"provider": model.provider.kind, "model": model.upstream_name}
        log.error("the provider needs its operator", fault=error.fault, **names)


def _pause(attempt: int, retry_after: float | None, left: float) -> float | None:
    """Return the seconds before the next try: as the host asks, or longer each time, with jitter.

    None if the host asks for too much of the remaining seconds, `left`.
    """
    if retry_after is None:
        return random.uniform(0.5, 1.0) * 2.0**attempt  # noqa: S311 - it only spreads the tries
    if retry_after > min(LONGEST_PAUSE, WAITING_SHARE * left):
        return None
    return retry_after + random.uniform(0, 0.25)  # noqa: S311


class _Timed:
    """Takes texts, and postpones the deadline for each."""

    __slots__ = ("_deadline", "_limits", "_take")

    def __init__(self, take: TakeTexts, deadline: Deadline, limits: TimeLimits) -> None:
        self._take, self._deadline, self._limits = take, deadline, limits

    @property
    def is_ready(self) -> bool:
        return self._take.is_ready

    def __call__(self, texts: list[str]) -> bool:
        is_taken = self._take(texts)
        if is_taken:
            self._deadline.progress(self._limits.idle)
        return is_taken


def _open(
    upstream: Upstream, trip: RoundTrip[object]
) -> tuple[AbstractContextManager[ByteStream], NameTable]:
    """Open the request. It is not kept: its body would take kilobytes during the answer."""
    provider = trip.model.provider
    request = provider.wire.request(provider, trip.model.upstream_name, trip.prompt)
    outbound = Outbound(
        name=f"provider-{provider.kind}",
        method="POST",
        url=provider.base_url + request.path,
        headers=request.headers,
        body=request.body,
        idle=None,  # the deadline limits it
    )
    return upstream.open(outbound), request.names


def _refusal(stream: ByteStream, wire: Wire, names: NameTable) -> Event:
    """Return the event of a status other than 200, if it stands for one.

    Raises `ProviderError`.
    """
    try:
        return wire.refusal(stream.status, _body(stream), names)
    except ProviderError as error:
        error.retry_after = retry_after(stream.headers)
        raise


def _body(stream: ByteStream) -> bytes:
    try:
        return read_all(stream, REFUSAL_LIMIT)
    except UpstreamError:
        return b""  # the status says enough
