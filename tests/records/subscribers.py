"""A subscriber on a real socket: an independent WebSocket client."""

import json
import socket
from typing import Any

import websocket

from service.auth.tokens import issue
from tests.services import Service, settings_for


class Subscriber:
    """A connection to `/api/records/socket`, by a new socket or the socket `through`."""

    def __init__(self, service: Service, subject: str, **options: Any) -> None:
        role, seconds = options.pop("role", "user"), options.pop("seconds", 3600)
        token = options.pop("token", None) or token_of(service, subject, role, seconds)
        slow = options.pop("slow", False)
        sock = options.pop("through", None) or connection(service.port, slow)
        try:
            self.socket = websocket.create_connection(
                f"ws://127.0.0.1:{service.port}/api/records/socket",
                socket=sock,
                subprotocols=["records.v1", f"bearer.{token}"],
                suppress_origin=True,
                skip_utf8_validation=True,  # byte by byte; `recv` decodes strictly anyway
                **options,
            )
        except websocket.WebSocketException:
            sock.close()
            raise
        self.cursor: str | None = None

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def read(self) -> dict[str, Any]:
        """Return the next message and keep its cursor."""
        text = self.socket.recv()
        assert text, f"closed: {self.socket.connected}"
        message = json.loads(text)
        self.cursor = message.get("cursor", self.cursor)
        return message

    def ask(self, **message: Any) -> dict[str, Any]:
        self.send(**message)
        return self.read()

    def subscribe(self, collection: str, id: str = "s", **more: Any) -> list[dict[str, Any]]:
        """Subscribe and return the records of the snapshot."""
        snapshot = self.ask(op="subscribe", id=id, collection=collection, **more)
        assert snapshot["type"] == "snapshot", snapshot
        return snapshot["records"]

    def changes(self, count: int) -> list[tuple[str, dict[str, Any]]]:
        """Return the next changes: action and record."""
        messages = [self.read() for _ in range(count)]
        assert {message["type"] for message in messages} <= {"change"}, messages
        return [(message["action"], message["record"]) for message in messages]

    def close_code(self) -> int:
        """Read until the server closes, and return its close code."""
        while True:
            opcode, data = self.socket.recv_data()
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return int.from_bytes(data[:2], "big")

    def close(self) -> None:
        self.socket.close(timeout=1)
        self.socket.shutdown()  # `close` leaves it open if the server has closed first


def begins(listener: Subscriber, seconds: float) -> bool:
    """Whether a message begins within that time."""
    listener.socket.settimeout(seconds)
    try:
        listener.socket.sock.recv(1, socket.MSG_PEEK)
        return True
    except TimeoutError:
        return False
    finally:
        listener.socket.settimeout(20)


def connection(port: int, slow: bool) -> socket.socket:
    """Open a TCP connection. A `slow` one has a small receive buffer."""
    sock = socket.socket()
    sock.settimeout(20)
    if slow:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", port))
    return sock


def token_of(service: Service, subject: str, role: str = "user", seconds: int = 3600) -> str:
    return issue(settings_for(service.database_url), subject, role, seconds)
