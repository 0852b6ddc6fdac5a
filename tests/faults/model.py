"""A model on raw sockets, which sees its connections close and ends only when told to.

What it does is in the user's text: `words=8 rate=100` says so many words at so many a second, each
`size=1` times as long; `silent` says three words and then nothing; `gate` says all but its end,
until `open()`.
"""

import json
import re
import time
from collections import defaultdict

import gevent
from gevent.event import Event
from gevent.server import StreamServer

from tests.model_streams import anthropic_events


class RawModel:
    def __init__(self, host: str = "127.0.0.1") -> None:
        self.closed: dict[str, float] = {}  # user's text: when its connection was seen to close
        self.calls: dict[str, int] = defaultdict(int)
        self.said: dict[str, int] = defaultdict(int)  # words, by user's text
        self.gates: dict[str, Event] = defaultdict(Event)
        self._server = StreamServer((host, 0), self._serve)
        self._server.start()
        self.port = self._server.server_port
        self.url = f"http://{host}:{self.port}"

    def stop(self) -> None:
        self._server.stop(timeout=0)

    def open(self, text: str) -> None:
        self.gates[text].set()

    def _serve(self, sock, _address) -> None:
        text = ""
        with sock, sock.makefile("rb") as reader:
            try:
                while text := self._read(reader):
                    self.calls[text] += 1
                    if not self._answer(sock, text):
                        break
            except OSError:
                self.closed[text or ""] = time.monotonic()

    def _read(self, reader) -> str | None:
        length = 0
        if not reader.readline():
            return None
        while (line := reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        messages = json.loads(reader.read(length))["messages"]
        texts = [part["text"] for part in messages[-1]["content"] if "text" in part]
        said = [text for text in texts if not text.startswith("[Added by the app")]
        return said[-1] if said else "tool result"

    def _answer(self, sock, text: str) -> bool:
        """Answer, and return whether the connection may serve another request."""
        words, rate = number_in(text, "words", 3), number_in(text, "rate", 1000)
        size = number_in(text, "size", 1)
        events = anthropic_events(" ".join(str(n) * size for n in range(words)))
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n")  # fmt: skip
        head, deltas, tail = events[:2], events[2:-3], events[-3:]
        self._send(sock, *head)
        for delta in deltas:
            self._send(sock, delta)
            self.said[text] += 1
            gevent.sleep(1 / rate)
        if "silent" in text:
            sock.recv(1)
            self.closed[text] = time.monotonic()
            return False
        if "gate" in text:
            self.gates[text].wait(60)
        self._send(sock, *tail)
        sock.sendall(b"0\r\n\r\n")
        return True

    def _send(self, sock, *events) -> None:
        body = b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)
        sock.sendall(b"%x\r\n%s\r\n" % (len(body), body))


def number_in(text: str, name: str, default: int) -> int:
    match = re.search(rf"{name}=(\d+)", text)
    return int(match[1]) if match else default
