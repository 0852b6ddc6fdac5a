"""A server that sends without end, and filling a socket until it takes no more."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SERVER = """
import socket, sys
first, rest = (bytes.fromhex(text) for text in sys.argv[1:])
with socket.create_server(("127.0.0.1", 0)) as listener:
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            try:
                connection.sendall(first)
                while True:
                    connection.sendall(rest * (65536 // len(rest)))
            except OSError:
                pass
"""


@contextmanager
def flooding(first: bytes, rest: bytes) -> Iterator[str]:
    """The address of a server that answers with `first`, and then with `rest` again and again."""
    command = [sys.executable, "-c", SERVER, first.hex(), rest.hex()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/"
        finally:
            process.kill()


def fill(sock: socket.socket) -> int:
    """Send until the connection takes no more; returns how many bytes it has taken."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    sock.setblocking(False)
    sent = 0
    with suppress(BlockingIOError):
        while True:
            sent += sock.send(b"x" * 4096)
    return sent
