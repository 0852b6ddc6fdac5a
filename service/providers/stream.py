"""A provider's response bytes, read to its terminal event."""

from collections.abc import Callable, Iterator

from service.providers import sse
from service.providers.events import Event, ProviderError
from service.providers.provider import Decoder


def decode(read: Callable[[], bytes], decoder: Decoder) -> Iterator[Event]:
    """Events from `read()`, which gives b"" at the end, up to the terminal one.

    Raises `ProviderError` when the stream ends before it, or is not what the wire promises.
    """
    reader = sse.Reader()
    while piece := read():
        for event in reader.feed(piece):
            yield from _checked(decoder, event)
            if decoder.finished:
                return
    for event in reader.close():
        yield from _last(decoder, event)
    if not decoder.finished:
        yield from decoder.end()


def _checked(decoder: Decoder, event: sse.ServerSentEvent) -> Iterator[Event]:
    """A payload that breaks the decoder is not what the wire promises, whatever it broke."""
    try:
        yield from decoder.feed(event)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError):
        raise ProviderError("garbled") from None


def _last(decoder: Decoder, event: sse.ServerSentEvent) -> Iterator[Event]:
    """The unterminated last event: if it is not whole, the stream was cut inside it, and the
    decoder says whether it may end there."""
    try:
        yield from _checked(decoder, event)
    except ProviderError as error:
        if error.fault != "garbled":
            raise
