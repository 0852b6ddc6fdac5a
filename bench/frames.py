"""The board's messages on a WebSocket, as far as the figures need them.

The text of a write is its number and the microsecond of its request; see `wire`.
"""

import json
import re
import struct

TEXT = re.compile(rb'"text":\s?"(\d{6}) (\d{16}) ')
PADDING = "x" * 200
RECORD_ID = "rec_0000000000000000000000000000"
UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
CURSOR = "WyIwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMSIsIjAxMjM0NTY3IiwwLDEwMDAwXQ"


def text(number: int, requested: int) -> str:
    return f"{number:06} {requested:016} {PADDING}"


def change(body: bytes) -> bytes:
    """A change message for the body of a write, as long as those of the service."""
    times = {"createdAt": "2026-01-01T00:00:00.000000Z", "updatedAt": "2026-01-01T00:00:00.000000Z"}
    record = {"recordId": RECORD_ID, "data": {"userId": "bench-0", **json.loads(body)}, **times}
    message = {"type": "change", "id": "s", "action": "updated", "record": record, "cursor": CURSOR}
    return frame(json.dumps(message, separators=(",", ":")).encode())


def frame(body: bytes) -> bytes:
    """A server's text frame of fewer than 64 KB."""
    size = len(body)
    return (bytes((0x81, size)) if size < 126 else struct.pack("!BBH", 0x81, 126, size)) + body


def masked(body: bytes) -> bytes:
    """A client's text frame; a mask of zeros leaves the body unchanged."""
    head = frame(body)
    head = head[: len(head) - len(body)]
    return head[:1] + bytes((head[1] | 0x80,)) + head[2:] + bytes(4) + body


def split(data: bytes) -> tuple[list[bytes], bytes]:
    """The payloads of the complete frames, and the remaining bytes."""
    bodies, start = [], 0
    while len(data) >= start + 4:
        size, begin = data[start + 1], start + 2
        if size == 126:
            size, begin = struct.unpack_from("!H", data, begin)[0], begin + 2
        if len(data) < begin + size:
            break
        bodies.append(data[begin : begin + size])
        start = begin + size
    return bodies, data[start:]
