"""WebSocket's protocol as a server speaks it (RFC 6455), without any I/O.

wsproto does the handshake and reads the frames. Frames of our own texts are made here: that is ten
times cheaper, and one frame can go to many connections.
"""

import base64
import struct
from collections.abc import Iterable, Iterator

from wsproto.connection import ConnectionType
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Request,
    TextMessage,
)
from wsproto.handshake import H11Handshake
from wsproto.utilities import ProtocolError

MESSAGE_LIMIT = 65_536  # bytes, over all fragments
FINAL, TEXT, CONTINUATION = 0x80, 0x1, 0x0  # of a frame's first byte
TEXT_ONLY, TOO_BIG = 1003, 1009
COUNTED = ("host", "connection", "upgrade")

Piece = bytes | bytearray
Headers = Iterable[tuple[str, str]]


class Closed(Exception):
    """The connection is over; `code` is the close code, 1006 where nobody said goodbye."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


def frame(text: bytes) -> bytes:
    """A whole text message as one frame; `text` must be UTF-8."""
    return _framed(FINAL | TEXT, text)


def fragments(pieces: Iterable[Piece]) -> Iterator[bytes]:
    """One text message as a frame for each piece, of which there is at least one.

    Until the last one has gone out, only control frames may come between (RFC 6455, 5.4).
    """
    rest = iter(pieces)
    piece, opcode = next(rest), TEXT
    for following in rest:
        yield _framed(opcode, piece)
        piece, opcode = following, CONTINUATION
    yield _framed(FINAL | opcode, piece)


def _framed(first: int, payload: Piece) -> bytes:
    """A frame. `first` is its first byte: the opcode, and whether the message ends here."""
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65_536:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload


def offered(headers: Headers) -> list[str]:
    """The subprotocols a client offers. Raises `ValueError` for an invalid handshake."""
    return _begin(headers)[1]


def _begin(headers: Headers) -> tuple[H11Handshake, list[str]]:
    # The other headers don't matter here, and may hold what h11 refuses.
    lowered = ((name.lower(), value) for name, value in headers)
    needed = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in lowered
        if name in COUNTED or name.startswith("sec-websocket-")
    ]
    handshake = H11Handshake(ConnectionType.SERVER)
    try:
        handshake.initiate_upgrade_connection(needed, "/")
    except ProtocolError as error:
        raise ValueError(str(error)) from None
    if len(base64.b64decode(dict(needed)[b"sec-websocket-key"], validate=True)) != 16:
        raise ValueError("Sec-WebSocket-Key must be 16 bytes in base64")
    (request,) = handshake.events()
    assert isinstance(request, Request)
    return handshake, request.subprotocols


class Protocol:
    """One connection's state; `answer` is the 101 to write first. No extension is agreed to.

    Raises `ValueError` for an invalid handshake or a subprotocol that was not offered.
    """

    def __init__(self, headers: Headers, subprotocol: str | None) -> None:
        handshake, protocols = _begin(headers)
        if subprotocol is not None and subprotocol not in protocols:
            raise ValueError(f"{subprotocol} was not offered")
        self.answer = handshake.send(AcceptConnection(subprotocol=subprotocol))
        assert handshake.connection
        self._connection = handshake.connection
        self._pieces: list[str] = []
        self._size = 0  # bytes of the pieces

    def feed(self, data: bytes) -> None:
        self._connection.receive_data(data)

    def next(self) -> str | bytes | CloseConnection | None:
        """A text message; a pong to send; how to close; None when more bytes are needed."""
        for event in self._connection.events():
            found: str | bytes | CloseConnection | None = None
            match event:
                case TextMessage():
                    found = self._gather(event)
                case BytesMessage():
                    found = CloseConnection(TEXT_ONLY, "text messages only")
                case Ping():
                    found = bytes(self._connection.send(event.response()))
                case CloseConnection():  # the peer's, or wsproto's verdict on its bytes
                    found = event
            if found is not None:
                return found
        return None

    def ping(self) -> bytes:
        return bytes(self._connection.send(Ping()))

    def goodbye(self, code: int, reason: str) -> bytes:
        """The close frame; `reason` is cut at 123 bytes. Nothing can be asked for after it."""
        return bytes(self._connection.send(CloseConnection(code, reason)))

    def _gather(self, piece: TextMessage) -> str | CloseConnection | None:
        if piece.data:  # an endless row of empty fragments takes no memory
            self._pieces.append(piece.data)
            self._size += len(piece.data.encode())
        if self._size > MESSAGE_LIMIT:
            return CloseConnection(TOO_BIG, f"more than {MESSAGE_LIMIT} bytes")
        if not piece.message_finished:
            return None
        text = "".join(self._pieces)
        self._pieces, self._size = [], 0
        return text
