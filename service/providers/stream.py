"""Read a provider's response bytes up to its terminal event."""

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
    """Yield the events up to the terminal one. `read()` returns b"" at the end of the stream.

    After a text, `park()` is called. Its result, if there is one, is yielded among the events. Then
    the reader need not ask for the next event before the parked stream continues.
    Raises `ProviderError` if the stream ends early, or does not have the format of the wire.
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
        piece = b""  # frees it while nothing arrives
    for event in reader.close():
        yield from _feed_last(decoder, event)
    if not decoder.finished:
        yield from decoder.end()


def _feed(decoder: Decoder, event: sse.ServerSentEvent) -> Iterator[Event]:
    """Yield a payload's events.

    If the payload makes the decoder fail, it does not have the format of the wire.
    """
    try:
        yield from decoder.feed(event)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError):
        raise ProviderError("garbled") from None


def _feed_last(decoder: Decoder, event: sse.ServerSentEvent) -> Iterator[Event]:
    """Yield the events of a last payload that has no blank line after it.

    If it is incomplete, the stream was cut inside it, and the decoder decides whether the answer
    may end there.
    """
    try:
        yield from _feed(decoder, event)
    except ProviderError as error:
        if error.fault != "garbled":
            raise
