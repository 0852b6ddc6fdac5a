"""One model round trip: the prompt out over HTTP, the events of the answer back.

Source for limits and retries: contract section 5, "Upstream".
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import structlog
from gevent import sleep

from service.chat.pace import Pace
from service.chat.running import Deadline
from service.chat.tally import Receipt
from service.providers.events import (
    OPERATORS,
    CallStarted,
    Event,
    Fault,
    PromptCounted,
    ProviderError,
    StepFinished,
    Text,
)
from service.providers.names import NameTable
from service.providers.prompt import Prompt
from service.providers.provider import Decoder, Kind, Model, Wire
from service.providers.stream import decode
from service.upstream import ByteStream, Outbound, Upstream, UpstreamError, read_all, retry_after

REFUSAL_LIMIT = 1 << 20  # bytes of an error body that are looked at
RETRIES = 2
LONGEST_PAUSE = 10.0  # seconds; a host that wants more patience than that is down for this turn
UPSTREAM_FAULTS: dict[str, Fault] = {
    "unreachable": "busy",
    "unanswered": "busy",
    "timeout": "slow",
}


@dataclass(frozen=True)
class Limits:
    """Seconds: to the first content, between two events, for the whole step."""

    first: float
    idle: float = 30.0
    step: float = 180.0


log = structlog.get_logger("turn")

# Reasoning models of B and C are silent for long.
LIMITS: dict[Kind, Limits] = {"A": Limits(30.0), "B": Limits(90.0), "C": Limits(90.0)}


def ask(
    upstream: Upstream,
    model: Model,
    prompt: Prompt,
    deadline: Deadline,
    receipt: Receipt,
    limits: Limits | None = None,
) -> Iterator[Event]:
    """Events up to the terminal one. Raises `ProviderError`, which bears nothing of its text.

    A busy provider is asked up to twice more, as long as nothing has been shown. The receipt is
    good whenever this ends, also where its reader is interrupted.
    """
    limits = limits or LIMITS[model.provider.kind]
    deadline.begin(limits.first, limits.step)
    try:
        for attempt in range(RETRIES + 1):
            shown = False
            try:
                for event in _ask_once(upstream, model, prompt, receipt):
                    if isinstance(event, PromptCounted):
                        receipt.counted = event
                        continue
                    if isinstance(event, StepFinished):
                        receipt.usage = event.usage
                    deadline.progress(limits.idle)
                    shown = shown or isinstance(event, Text | CallStarted)
                    yield event
                return
            except ProviderError as error:
                receipt.accepted &= error.fault == "slow"  # which is our word, not the provider's
                _tell_operator(model, error)
                if error.fault != "busy" or shown or attempt == RETRIES:
                    raise
                pause = _pause(attempt, error.retry_after)
            sleep(pause)
    finally:
        deadline.end()


def _tell_operator(model: Model, error: ProviderError) -> None:
    """Log a fault that only the operator can mend: a key, an account, a model that is gone."""
    if error.fault in OPERATORS:
        names = {"provider": model.provider.kind, "model": model.upstream_name}
        log.error("the provider needs its operator", fault=error.fault, **names)


def _pause(attempt: int, retry_after: float | None) -> float:
    """Seconds before the next try: what the host asks for, else longer each time, with jitter."""
    if retry_after is None:
        return random.uniform(0.5, 1.0) * 2**attempt  # noqa: S311 - only spreads the tries
    if retry_after > LONGEST_PAUSE:
        raise ProviderError("busy", retry_after)
    return retry_after + random.uniform(0, 0.25)  # noqa: S311


def _ask_once(
    upstream: Upstream, model: Model, prompt: Prompt, receipt: Receipt
) -> Iterator[Event]:
    provider = model.provider
    request = provider.wire.request(provider, model.upstream_name, prompt)
    outbound = Outbound(
        name=f"provider-{provider.kind}",
        method="POST",
        url=provider.base_url + request.path,
        headers=request.headers,
        body=request.body,
        idle=None,  # the turn's deadline bounds it
    )
    try:
        with upstream.open(outbound) as stream:
            receipt.accepted = stream.status == 200
            yield from _events(stream, provider.wire, request.names)
    except UpstreamError as error:
        raise ProviderError(UPSTREAM_FAULTS.get(error.reason, "cut")) from None


def _events(stream: ByteStream, wire: Wire, names: NameTable) -> Iterator[Event]:
    try:
        if stream.status != 200:
            yield wire.refusal(stream.status, _body(stream), names)
        else:
            yield from _answer(stream, wire.decoder(names))
    except ProviderError as error:
        error.retry_after = retry_after(stream.headers)
        raise


def _answer(stream: ByteStream, decoder: Decoder) -> Iterator[Event]:
    try:
        yield from decode(Pace(partial(_read, stream)).read, decoder)
    except ProviderError as error:
        if error.fault != "slow":
            raise
        yield from _silent_end(decoder, error)
    else:
        stream.finish()


def _read(stream: ByteStream) -> bytes:
    """A connection that breaks is an end: the wire says whether the answer may end there."""
    try:
        return stream.read()
    except UpstreamError as error:
        if error.reason != "cut":
            raise
        return b""


def _silent_end(decoder: Decoder, slow: ProviderError) -> Iterator[Event]:
    """So is a host that says no more, but leaves the connection open."""
    try:
        yield from decoder.end()
    except ProviderError:
        raise slow from None


def _body(stream: ByteStream) -> bytes:
    try:
        return read_all(stream, REFUSAL_LIMIT)
    except UpstreamError:
        return b""  # the status says enough
