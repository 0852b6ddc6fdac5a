"""Use a socket without gevent's methods, which wait, and read the kernel's facts about it."""

import select
import socket
import struct
from typing import Any

from gevent.monkey import get_original

READ = 1  # the event loop's flag: watch until a descriptor is readable
CHUNK = b"%x\r\n%b\r\n"  # HTTP's framing of a part of a body; takes its length and the part itself
PEEK = int(socket.MSG_PEEK | socket.MSG_DONTWAIT)  # a plain number: to join two flags takes 2 µs
ACKED_OFFSET = 120  # tcpi_bytes_acked in Linux's struct tcp_info

_poll: Any = get_original("select", "poll")  # gevent's version would let other greenlets run


def plain_socket(sock: Any) -> Any:
    """Return the plain socket, whose methods do not wait. With TLS, its bytes are encrypted.

    Its methods may be called in the event loop, where gevent's methods can't wait.
    """
    return getattr(sock, "_sock", sock)


def send_all(sock: Any, data: bytes) -> None:
    """Send all of `data`, and wait as the socket does. Raises OSError.

    gevent's `sendall` asks the kernel for its buffer's size each time, which took a tenth of the
    time of a streamed token.
    """
    left = memoryview(data)
    while left:
        left = left[sock.send(left) :]


def peek(plain: socket.socket) -> bytes | None:
    """Return the next byte but leave it to be read, or b"" if the connection has ended or failed.

    Return None if nothing has arrived. `plain` is what `plain_socket` returns.
    """
    try:
        return plain.recv(1, PEEK)
    except (BlockingIOError, InterruptedError):
        return None
    except OSError:
        return b""


def peer_has_closed(plain: socket.socket) -> bool:
    """Return whether the peer has stopped sending. Bytes that it sent before may be unread.

    It works for TCP and for Unix sockets. `plain` is what `plain_socket` returns.
    """
    states = _poll()
    try:
        states.register(plain, select.POLLRDHUP)
    except ValueError:  # closed on this side
        return True
    return bool(states.poll(0))


def acknowledged_bytes(sock: socket.socket) -> int | None:
    """Return how many bytes the peer has acknowledged, or None if the kernel does not count."""
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, ACKED_OFFSET + 8)
        count: int = struct.unpack_from("Q", info, ACKED_OFFSET)[0]
    except (OSError, struct.error):
        return None
    return count
