"""The server's side of the WebSocket protocol (RFC 6455), without I/O.

wsproto does the handshake and parses frames. This module builds the frames of our messages itself,
which is ten times faster.
"""

import base64
import struct
from collections.abc import Iterable, Iterator

from h11 import LocalProtocolError
from wsproto.connection import ConnectionState, ConnectionType
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
FINAL, TEXT, CONTINUATION = 0x80, 0x1, 0x0  # in a frame's first byte
TEXT_ONLY, NOT_UTF8, TOO_BIG = 1003, 1007, 1009  # close codes
HANDSHAKE_HEADERS = ("host", "connection", "upgrade")

Piece = bytes | bytearray
Headers = Iterable[tuple[str, str]]


class Closed(Exception):
    """The connection is closed. `code` is the close code, 1006 if there was no close frame."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


def frame(text: bytes) -> bytes:
    """Return a text message as one frame. `text` must be UTF-8."""
    return _build_frame(FINAL | TEXT, text)


def fragments(pieces: Iterable[Piece]) -> Iterator[bytes]:
    """Yield a text message as one frame for each piece. There must be at least one piece.

    Only control frames may be sent between these frames (RFC 6455, section 5.4).
    """
    rest = iter(pieces)
    piece, opcode = next(rest), TEXT
    for next_piece in rest:
        yield _build_frame(opcode, piece)
        piece, opcode = next_piece, CONTINUATION
    yield _build_frame(FINAL | opcode, piece)


def _build_frame(first: int, payload: Piece) -> bytes:
    """Return a frame. `first` is its first byte: the opcode and whether the message ends."""
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65_536:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload


def _begin(headers: Headers) -> tuple[H11Handshake, list[str]]:
    """Return the handshake that a client has begun, and the subprotocols that it offers."""
    # Only these headers matter, and h11 might refuse others.
    pairs = ((name.lower(), value) for name, value in headers)
    needed = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in pairs
        if name in HANDSHAKE_HEADERS or name.startswith("sec-websocket-")
    ]
    handshake = H11Handshake(ConnectionType.SERVER)
    try:
        handshake.initiate_upgrade_connection(needed, "/")
    except (ProtocolError, LocalProtocolError) as error:  # LocalProtocolError without `Host`
        raise ValueError(str(error)) from None
    if len(base64.b64decode(dict(needed)[b"sec-websocket-key"], validate=True)) != 16:
        raise ValueError("Sec-WebSocket-Key must be 16 bytes in base64")
    (request,) = handshake.events()
    assert isinstance(request, Request)
    return handshake, request.subprotocols


class Protocol:
    """The state of a connection. `answer` is the 101 response, to be written first.

    It accepts no extensions. The answer has `request_id` as a header. Raises `ValueError` for an
    invalid handshake, or for a subprotocol that the client did not offer.
    """

    def __init__(
        self, headers: Headers, subprotocol: str | None, request_id: str | None = None
    ) -> None:
        handshake, protocols = _begin(headers)
        if subprotocol is not None and subprotocol not in protocols:
            raise ValueError(f"{subprotocol} was not offered")
        own = [(b"X-Request-Id", request_id.encode())] if request_id else []
        accepted = AcceptConnection(subprotocol=subprotocol, extra_headers=own)
        self.answer = handshake.send(accepted)
        assert handshake.connection
        self._connection = handshake.connection
        self._pieces: list[str] = []
        self._size = 0  # bytes of the pieces
        self._count = 0  # events since `take_count`

    def feed(self, data: bytes) -> None:
        self._connection.receive_data(data)

    def take_count(self) -> int:
        """Return how many frames, or parts of them, were parsed since the last call."""
        count, self._count = self._count, 0
        return count

    def next(self) -> str | bytes | CloseConnection | None:
        """Return a text message, the bytes of a pong to send, or how to close the connection.

        Returns None if more bytes are needed.
        """
        for event in self._connection.events():
            self._count += 1
            result: str | bytes | CloseConnection | None = None
            match event:
                case TextMessage():
                    result = self._add_piece(event)
                case BytesMessage():
                    result = CloseConnection(TEXT_ONLY, "text messages only")
                case Ping():
                    result = bytes(self._connection.send(event.response()))
                case CloseConnection() if event.code == NOT_UTF8 and self._is_open:
                    # wsproto's own frame has a reason text from Python.
                    result = CloseConnection(NOT_UTF8, "text must be UTF-8")
                case CloseConnection():  # from the peer, or from wsproto for invalid bytes
                    result = event
            if result is not None:
                return result
        return None

    @property
    def _is_open(self) -> bool:
        """Whether neither side has sent a close frame."""
        return self._connection.state is ConnectionState.OPEN

    def ping(self) -> bytes:
        return bytes(self._connection.send(Ping()))

    def close_frame(self, code: int, reason: str) -> bytes:
        """Return the close frame, with at most 123 bytes of `reason`. No frame may follow it."""
        return bytes(self._connection.send(CloseConnection(code, reason)))

    def _add_piece(self, piece: TextMessage) -> str | CloseConnection | None:
        if piece.data:  # empty fragments must not take memory
            self._pieces.append(piece.data)
            self._size += len(piece.data.encode())
        if self._size > MESSAGE_LIMIT:
            return CloseConnection(TOO_BIG, f"more than {MESSAGE_LIMIT} bytes")
        if not piece.message_finished:
            return None
        text = "".join(self._pieces)
        self._pieces, self._size = [], 0
        return text
