"""Read a model's answer: from its bytes, at the pace of the stream, to its events."""

from collections.abc import Iterator
from functools import partial
from typing import Protocol

from service.generation.pace import PacedReader
from service.outbound.arrivals import Arrivals, TakePiece
from service.outbound.retry import retry_after
from service.outbound.stream import ByteStream, UpstreamError
from service.providers.answer_limit import AnswerRoom
from service.providers.events import Event, ProviderError
from service.providers.provider import Decoder
from service.providers.sse import EventReader
from service.providers.stream import decode
from service.providers.texts import TextReader


class TakeTexts(Protocol):
    """Takes texts in the event loop, while the reader of the events waits for the next event."""

    @property
    def is_ready(self) -> bool:
        """Whether it will take the next text."""

    def __call__(self, texts: list[str]) -> bool:
        """Take the texts; returns whether they were taken."""


def read_answer(
    stream: ByteStream, decoder: Decoder, take: TakeTexts | None
) -> Iterator[Event | Arrivals]:
    """Yield the events of an answer with status 200. Raises `ProviderError`."""
    pieces, wait = _Pieces(stream, decoder, take), retry_after(stream.headers)
    stream.drop_headers()
    try:
        for event in decode(pieces.read, decoder, pieces.reader, pieces.park):
            if not isinstance(event, Arrivals):
                pieces.room.take(event)
            yield event
    except ProviderError as error:
        if error.fault != "slow":
            error.retry_after = wait
            raise
        yield from _end_of_silence(decoder, error)
    else:
        stream.finish()


class _Pieces:
    """The pieces of an answer as they arrive.

    While the reader waits for the next piece, texts go to `take` instead.
    """

    __slots__ = ("_pace", "_stream", "_take", "_texts", "reader", "room")

    def __init__(self, stream: ByteStream, decoder: Decoder, take: TakeTexts | None) -> None:
        self.reader, self.room = EventReader(), AnswerRoom()
        self._texts = TextReader(self.reader, decoder)
        self._stream, self._take = stream, take
        self._pace = PacedReader(partial(_read, stream))

    def read(self) -> bytes:
        # `_offer` is passed each time: if the pace kept it, both would be a reference cycle that
        # keeps the whole turn in memory.
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


def _read(stream: ByteStream, take: TakePiece | None = None) -> bytes:
    """Read the next bytes; empty at the end.

    A broken connection counts as the end. The wire decides whether the answer may end there.
    """
    try:
        return stream.read(take)
    except UpstreamError as error:
        if error.reason != "cut":
            raise
        return b""


def _end_of_silence(decoder: Decoder, slow: ProviderError) -> Iterator[Event]:
    """Yield the last events of a host that leaves the connection open and sends nothing more.

    Its answer may be complete. Raises `slow` if it is not.
    """
    try:
        yield from decoder.end()
    except ProviderError:
        raise slow from None
