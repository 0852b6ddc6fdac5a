"""A scripted upstream: a real local server that answers what a test tells it to."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from gevent.pool import Pool
from gevent.pywsgi import WSGIServer


@dataclass
class Seen:
    """A request that the upstream got."""

    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    """What to answer: `body` is a string, bytes, or an iterable of bytes sent piece by piece."""

    body: str | bytes | Iterable[bytes] = b""
    status: str = "200 OK"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})


class ScriptedUpstream:
    """Answers requests in order from `answers`; the last one answers all that follow."""

    def __init__(self) -> None:
        self.answers: list[Answer | Callable[[Seen], Answer]] = []
        self.seen: list[Seen] = []
        place = ("127.0.0.1", 0)
        # Of a pool, whose greenlets end with the server: one that waits would fail a later test.
        self._server = WSGIServer(place, self._serve, log=None, error_log=None, spawn=Pool())
        self._server.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.stop(timeout=0)

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        headers = {
            k[5:].replace("_", "-").lower(): v for k, v in environ.items() if k.startswith("HTTP_")
        }
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        seen = Seen(environ["PATH_INFO"], headers, body, environ["REQUEST_METHOD"])
        self.seen.append(seen)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(seen)
        start_response(answer.status, list(answer.headers.items()))
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        return [body] if isinstance(body, bytes) else body
