"""A scripted vendor: a local server that sends exactly the bytes that a test gives it."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from email.parser import BytesParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gevent.server import StreamServer


@dataclass
class Asked:
    """A request that the vendor got; `target` as it stood in the request line."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


@dataclass
class Said:
    """An answer: `body` is a JSON value, bytes, or an iterable of bytes sent piece by piece.

    A `length` other than the body's cuts the connection where the body ends.
    """

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None

    def pieces(self) -> Iterable[bytes]:
        body = self.body
        if not isinstance(body, bytes) and not hasattr(body, "__next__"):
            body = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Connection": "close", **self.headers}
        length = len(body) if isinstance(body, bytes) and self.length is None else self.length
        if length is not None:
            headers["Content-Length"] = str(length)
        lines = [f"HTTP/1.1 {self.status} -", *(f"{k}: {v}" for k, v in headers.items())]
        yield ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        yield from [body] if isinstance(body, bytes) else body


class ScriptedVendor:
    """Answers requests in order from `answers`; the last one answers all that follow."""

    def __init__(self) -> None:
        self.answers: list[Said | Callable[[Asked], Said]] = [Said()]
        self.seen: list[Asked] = []
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def says(self, *answers: Any) -> None:
        self.answers = [a if isinstance(a, Said) or callable(a) else Said(a) for a in answers]

    def stop(self) -> None:
        self._server.stop(timeout=0)

    def _serve(self, connection: Any, address: Any) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as stream:
            line = stream.readline().decode("latin-1").split()
            if not line:
                return
            head = b"".join(iter(stream.readline, b"\r\n"))
            headers = {k.lower(): v for k, v in BytesParser().parsebytes(head).items()}
            body = stream.read(int(headers.get("content-length", 0)))
            asked = Asked(line[0], line[1], headers, body)
            self.seen.append(asked)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            for piece in (answer if isinstance(answer, Said) else answer(asked)).pieces():
                connection.sendall(piece)
