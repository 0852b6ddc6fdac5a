"""Reading a provider's response bytes to its terminal event."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from service.providers import sse
from service.providers.events import Event, ProviderError, TextFragment
from service.providers.provider import Decoder

Parked = TypeVar("Parked")


def decode(
    read: Callable[[], bytes],
    decoder: Decoder,
    reader: sse.EventReader,
    park: Callable[[], Parked | None],
) -> Iterator[Event | Parked]:
    """The events up to the terminal one. `read()` returns b"" at the end of the stream.

    Behind a text, `park()` is asked. What it returns, if anything, is among the events: their
    reader need not ask for the next one before what is parked goes on.

    Raises `ProviderError` when the stream ends early, or does not have the format of the wire.
    """
    is_text = False
    while True:
        if is_text and (parked := park()):
            yield parked
        is_text = False
        piece = read()
        if not piece:
            break
        for event in reader.feed(piece):
            for found in _feed(decoder, event):
                is_text = isinstance(found, TextFragment)
                yield found
            if decoder.finished:
                return
        piece = b""  # not kept while nothing arrives
    for event in reader.close():
        yield from _feed_last(decoder, event)
    if not decoder.finished:
        yield from decoder.end()


def _feed(decoder: Decoder, event: sse.ServerSentEvent) -> Iterator[Event]:
    """A payload that makes the decoder fail does not have the format of the wire."""
    try:
        yield from decoder.feed(event)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError):
        raise ProviderError("garbled") from None


def _feed_last(decoder: Decoder, event: sse.ServerSentEvent) -> Iterator[Event]:
    """The last event, without a blank line behind it. If it is not whole, the stream was cut inside
    it, and the decoder decides whether the answer may end there."""
    try:
        yield from _feed(decoder, event)
    except ProviderError as error:
        if error.fault != "garbled":
            raise
