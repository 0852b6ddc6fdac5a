"""Reading a model's answer: its bytes as they arrive, at the pace of the stream, to its events."""

from collections.abc import Iterator
from functools import partial
from typing import Protocol

from service.generation.pace import PacedReader
from service.outbound.arrivals import Arrivals, Take
from service.outbound.retry import retry_after
from service.outbound.upstream import ByteStream, UpstreamError
from service.providers.answer_limit import AnswerRoom
from service.providers.events import Event, ProviderError
from service.providers.provider import Decoder
from service.providers.sse import EventReader
from service.providers.stream import decode
from service.providers.texts import TextReader


class TakeTexts(Protocol):
    """Takes texts in the event loop, past the reader of the events, which has got one before."""

    @property
    def is_ready(self) -> bool:
        """Whether it is going to take the next text."""

    def __call__(self, texts: list[str]) -> bool:
        """Whether it has taken them."""


def read_answer(
    stream: ByteStream, decoder: Decoder, take: TakeTexts | None
) -> Iterator[Event | Arrivals]:
    """The events of an answer with status 200. Raises `ProviderError`."""
    pieces = _Pieces(stream, decoder, take)
    try:
        for event in decode(pieces.read, decoder, pieces.reader, pieces.park):
            if not isinstance(event, Arrivals):
                pieces.room.take(event)
            yield event
    except ProviderError as error:
        if error.fault != "slow":
            error.retry_after = retry_after(stream.headers)
            raise
        yield from _end_of_silence(decoder, error)
    else:
        stream.finish()


class _Pieces:
    """The pieces of an answer as they arrive. Texts go to `take` instead, while somebody waits for
    the next piece."""

    __slots__ = ("_pace", "_stream", "_take", "_texts", "reader", "room")

    def __init__(self, stream: ByteStream, decoder: Decoder, take: TakeTexts | None) -> None:
        self.reader, self.room = EventReader(), AnswerRoom()
        self._texts = TextReader(self.reader, decoder)
        self._stream, self._take = stream, take
        self._pace = PacedReader(partial(_read, stream))

    def read(self) -> bytes:
        # `_offer` goes along each time: if the pace kept it, both would be a cycle that keeps the
        # whole turn.
        return self._pace.read(self._offer) if self._take else self._pace.read()

    def park(self) -> Arrivals | None:
        may_park = self._take and self._take.is_ready and self._pace.park()
        return self._stream.park(self._offer) if may_park else None

    def _offer(self, piece: bytes) -> bool:
        return self._pace.offer(piece, self._take_texts)

    def _take_texts(self, piece: bytes) -> bool:
        texts = self._texts.texts(piece)
        if not (texts and self._take and self.room.has(texts) and self._take(texts)):
            return False  # without room, `read_answer` refuses the piece
        self.room.spend(texts)
        return True


def _read(stream: ByteStream, take: Take | None = None) -> bytes:
    """A broken connection counts as the end; the wire decides whether the answer may end there."""
    try:
        return stream.read(take)
    except UpstreamError as error:
        if error.reason != "cut":
            raise
        return b""


def _end_of_silence(decoder: Decoder, slow: ProviderError) -> Iterator[Event]:
    """A host that sends no more but leaves the connection open: its answer may be whole."""
    try:
        yield from decoder.end()
    except ProviderError:
        raise slow from None
