"""What the soak asks of the service: turns, calls, and changes that subscribers get.

Each is one function that does it once and raises if the answer is wrong.
"""

import http.client
import itertools
import json
import selectors
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from bench import frames, lookup, wire
from bench.listen import BoardSubscriber
from bench.people import DAY, People, Question
from config import load
from service.auth.tokens import issue
from tests.services import ENVIRONMENT

TOKENS, RATE = 40, 20.0  # of a turn, so that it takes two seconds
USERS = 200
SUBSCRIBERS = 50
SOCKETS_OF_ONE = 10
BOARD = "/api/records/board"
ANSWERED = (200, 201)


class Client:
    """Asks one service; each thread has a connection of its own, which is kept alive."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._local = threading.local()
        self._numbers = itertools.count()
        self._tokens = [issue(load(ENVIRONMENT), f"soak-{n}", "user", DAY) for n in range(USERS)]
        self._record = json.loads(self._ask("POST", BOARD, self._tokens[0], _change(0)))["recordId"]

    def turn(self) -> None:
        """A turn in a new chat."""
        token = self._tokens[next(self._numbers) % USERS]
        chat = json.loads(self._ask("POST", "/api/ai/chats", token, "{}"))["chat"]["recordId"]
        question = Question(wire.question(TOKENS, RATE))
        body = People.request("", chat, question).partition("\r\n\r\n")[2]
        answer = self._ask("POST", "/api/ai/chat", token, body)
        self._connection().close()  # or each thread would keep one
        if answer.count(b'"text-delta"') == 0 or not answer.endswith(b"data: [DONE]\n\n"):
            raise ValueError(answer[-300:])
        if b'"type":"error"' in answer:
            raise ValueError(answer[-300:])

    def call(self) -> None:
        number = next(self._numbers)
        path, token = lookup.path(lookup.SERVICE, number), self._tokens[number % USERS]
        if lookup.name(number).encode() not in self._ask("GET", path, token):
            raise ValueError("another call's answer")

    def change(self) -> None:
        number = next(self._numbers)
        self._ask("PATCH", f"{BOARD}/{self._record}", self._tokens[0], _change(number))

    def subscribers(self) -> list[BoardSubscriber]:
        users = [self._tokens[n // SOCKETS_OF_ONE] for n in range(SUBSCRIBERS)]
        return [BoardSubscriber(self._port, _upgrade(token)) for token in users]

    def _ask(self, method: str, path: str, token: str, body: str = "") -> bytes:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, body or None, headers)
                response = connection.getresponse()
                answer = response.read()
                break
            except (ConnectionError, http.client.BadStatusLine):
                connection.close()
                if attempt == 2:  # an idle connection may end just when it is used
                    raise
        if response.status not in ANSWERED:
            raise ValueError(f"{path}: {response.status} {answer[:300]!r}")
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
            self._local.connection = connection
        return self._local.connection


class Listening:
    """Reads what the subscribers get, in a thread of its own."""

    def __init__(self, subscribers: list[BoardSubscriber]) -> None:
        self._selector = selectors.DefaultSelector()
        for one in subscribers:
            self._selector.register(one.sock, selectors.EVENT_READ, one)
        self.messages = 0
        self.endings: list[str] = []  # of sockets: the time, and what came last
        self._last: dict[BoardSubscriber, bytes] = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while self._selector.get_map():
            for key, _ in self._selector.select():
                self._read(key.data)

    def _read(self, one: BoardSubscriber) -> None:
        try:
            data = one.sock.recv(1 << 18)
        except OSError:
            data = b""
        bodies, one.rest = frames.split(one.rest + data)
        self.messages += sum(b'"change"' in body for body in bodies)
        if bodies:
            self._last[one] = bodies[-1]
        if not data:
            self.endings.append(f"{_clock()} {self._last.get(one, b'')[-200:]!r}")
            self._selector.unregister(one.sock)


class Pace:
    """Does something at a fixed rate, each time in a thread of its own, until it is stopped."""

    def __init__(self, name: str, action: Callable[[], None], rate: float, at_once: int) -> None:
        """`rate` is per second."""
        self.name, self._action, self._rate = name, action, rate
        self.done = 0
        self.faults: list[str] = []
        self._pool = ThreadPoolExecutor(at_once)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._pool.shutdown(cancel_futures=True)  # what it could not keep up with

    def _run(self) -> None:
        began = time.monotonic()
        for number in itertools.count():
            if self._stopped.wait(max(0.0, began + number / self._rate - time.monotonic())):
                return
            self._pool.submit(self._once)

    def _once(self) -> None:
        try:
            self._action()
            self.done += 1
        except Exception as error:
            self.faults.append(f"{_clock()} {error!r}"[:500])


def _clock() -> str:
    return time.strftime("%H:%M:%S")


def _change(number: int) -> str:
    return json.dumps({"text": frames.text(number % 1_000_000, wire.micros())})


def _upgrade(token: str) -> str:
    lines = [
        "GET /api/records/socket HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}",
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: records.v1",
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""])
