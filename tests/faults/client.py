"""A client on a raw socket, which can close it in each possible way."""

import json
import socket
import struct
from typing import Any, ClassVar

from service.auth.tokens import issue
from tests.people import chunks_of
from tests.services import Service, settings_for


class Client:
    """A user of a running service, with a connection for each turn."""

    def __init__(self, port: int, token: str, host: str = "127.0.0.1") -> None:
        self.host, self.port = host, port
        self.token = token

    def send(self, method: str, path: str, body: Any = None, head: str = "") -> "Exchange":
        payload = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n{head}\r\n"
        )
        sock = socket.create_connection((self.host, self.port), timeout=60)
        sock.sendall(head.encode() + payload)
        return Exchange(sock)

    def json(self, method: str, path: str, body: Any = None) -> Any:
        exchange = self.send(method, path, body)
        exchange.read_whole()
        return json.loads(exchange.body)

    def new_chat(self) -> str:
        return self.json("POST", "/api/ai/chats", {})["chat"]["recordId"]

    def ask(self, chat: str, content: str, message: str, **more: Any) -> "Exchange":
        question = {"chatId": chat, "userMessageId": message, "content": content, **more}
        return self.send("POST", "/api/ai/chat", question)

    def watch(self, chat: str, after: str = "") -> "Exchange":
        """Read the running turn of a chat, behind the event of this id."""
        head = f"Last-Event-ID: {after}\r\n" if after else ""
        return self.send("GET", f"/api/ai/chat/{chat}/stream", head=head)

    def rows(self, chat: str) -> list[dict[str, Any]]:
        where = json.dumps({"chatId": chat}).replace('"', "%22").replace(" ", "")
        page = self.json("GET", f"/api/records/ai-messages?limit=200&where={where}")
        return page["records"]

    def credits(self) -> dict[str, Any]:
        return self.json("GET", "/api/credits")


class Exchange:
    """A request and the part of its response that has arrived."""

    opened: ClassVar[list["Exchange"]] = []  # the fixture closes them after each test

    def __init__(self, sock: socket.socket) -> None:
        self.opened.append(self)
        self.sock = sock
        self.raw = b""

    @property
    def status(self) -> int:
        self.read_until(b"\r\n\r\n")
        return int(self.raw.split(b" ", 2)[1])

    @property
    def body(self) -> bytes:
        """The body so far, without its chunked framing."""
        head, _, rest = self.raw.partition(b"\r\n\r\n")
        if b"chunked" not in head.lower():
            return rest
        whole = b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            whole += rest[: int(size or b"0", 16)]
            rest = rest[int(size or b"0", 16) + 2 :]
        return whole

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """Read the stream to its end and return its chunks."""
        if not self.raw.endswith(b"\r\n0\r\n\r\n"):
            self.read_whole()
        return chunks_of(self.body)

    def read_until(self, marker: bytes, times: int = 1) -> None:
        while self.raw.count(marker) < times:
            piece = self.sock.recv(65536)
            if not piece:
                raise EOFError(self.raw[-300:])
            self.raw += piece

    def waiting(self) -> bytes:
        """Return the bytes that have arrived without removing them from the socket."""
        try:
            return self.sock.recv(1 << 20, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""

    def read_whole(self) -> None:
        """Read to the end of the body, then close."""
        self.read_until(b"\r\n\r\n")
        head, _, rest = self.raw.partition(b"\r\n\r\n")
        if b"chunked" in head.lower():
            while not self.raw.endswith(b"\r\n0\r\n\r\n"):
                self._more()
        else:
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            while len(self.raw.partition(b"\r\n\r\n")[2]) < length:
                self._more()
        self.sock.close()

    def leave(self, how: str = "FIN") -> None:
        if how == "RST":
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def _more(self) -> None:
        piece = self.sock.recv(65536)
        if not piece:
            raise EOFError(self.raw[-300:])
        self.raw += piece


def client_of(service: Service, subject: str = "alice") -> Client:
    settings = settings_for(service.database_url)
    return Client(service.port, issue(settings, subject, "user", 3600), service.host)
