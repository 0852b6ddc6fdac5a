"""A load generator for calls: several at once as fast as they are answered, then at a fixed rate.

The calls that are made as fast as possible are made twice. A service that keeps answers asks its
upstream only the first time.

`python -m bench.ask`, a `CallJob` as JSON on standard input, a `CallResult` as JSON on standard
output: one thread, epoll, connections that are kept alive like those of a reverse proxy.
"""

import gc
import json
import select
import socket
import sys
import time
from array import array
from collections import deque
from dataclasses import asdict, dataclass, field

from bench import accounts, limits, lookup, wire

WARM_UP = 64  # calls that are not measured, made twice
DEADLINE = 30.0  # seconds for one series of calls
SETTLE = 0.05  # seconds, for the server's work after the last byte


@dataclass(frozen=True)
class CallJob:
    """`calls` with `parallel` at a time, the same again, then `paced` others at `rate`/s.

    The connections are the same. Numbers begin at `first`; a peer gets each in one job only.
    """

    first: int
    port: int
    path: str  # with `{name}`
    tokens: list[str]
    calls: int
    parallel: int
    rate: float
    paced: int
    watch: int


@dataclass
class CallResult:
    """CPU in ns over all `calls`, and over all when they are made again; `latencies` in µs from the
    due time of each, sorted."""

    calls: int
    cpu: int = 0
    again_cpu: int = 0
    latencies: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class CallConnection:
    """One call at a time."""

    def __init__(self, port: int, path: str, token: str) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.due = self._number = 0
        self._path = path
        self._lines = f"HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
        self._answer = b""

    def ask(self, number: int, due: int) -> None:
        """Send call `number`; `due` in µs of the shared clock."""
        self.due, self._number, self._answer = due, number, b""
        self.sock.sendall(f"GET {lookup.path(self._path, number)} {self._lines}".encode())

    def read(self) -> bool:
        """Whether the answer is complete. Raises `ValueError` if it is wrong."""
        data = self.sock.recv(1 << 16)
        self._answer += data
        if data and not wire.head_and_body(self._answer):
            return False
        is_ok = self._answer.startswith(b"HTTP/1.1 200 ")
        if not is_ok or self._answer.count(lookup.name(self._number).encode()) != lookup.PLACES:
            raise ValueError((self._answer or b"closed")[:300].decode("latin-1"))
        return True


class CallLoad:
    def __init__(self, job: CallJob) -> None:
        self.job = job
        self.epoll = select.epoll()
        # The longest idle first, so that none stays idle for long.
        self.free: deque[CallConnection] = deque()
        self.busy: dict[int, CallConnection] = {}
        self.latencies = array("q")
        self.result = CallResult(job.calls)

    def run(self) -> CallResult:
        for number in range(self.job.parallel):
            token = self.job.tokens[number % len(self.job.tokens)]
            connection = CallConnection(self.job.port, self.job.path, token)
            self.epoll.register(connection.sock, select.EPOLLIN)
            self.free.append(connection)
        try:
            self._measure()
        except (ValueError, OSError) as error:
            self.result.faults.append(repr(error))
        return self.result

    def _measure(self) -> None:
        first, calls = self.job.first, self.job.calls
        warm, paced = first + calls, first + calls + WARM_UP
        for _ in range(2):
            self._calls(warm, WARM_UP, 0)
        self.result.cpu = self._cpu_of_calls(first)
        self.result.again_cpu = self._cpu_of_calls(first)
        self._calls(paced, self.job.paced, self.job.rate)
        self.result.latencies = sorted(self.latencies)

    def _cpu_of_calls(self, first: int) -> int:
        before = accounts.usage(self.job.watch)
        self._calls(first, self.job.calls, 0)
        time.sleep(SETTLE)
        return accounts.usage(self.job.watch).cpu_since(before)

    def _calls(self, first: int, count: int, rate: float) -> None:
        """Make the calls from number `first` at `rate`, or as fast as they are answered if 0."""
        self.latencies = array("q")
        began, index = wire.micros(), 0
        step = 1e6 / rate if rate else 0.0
        while len(self.latencies) < count:
            now = wire.micros()
            if now - began > DEADLINE * 1e6:
                raise ValueError(f"{count - len(self.latencies)} calls were not answered in time")
            while index < count and self.free and began + index * step <= now:
                self._ask(first + index, int(began + index * step) if rate else now)
                index += 1
            waits = rate and index < count and self.free
            self._read((began + index * step - now) / 1e6 if waits else 0.5)

    def _ask(self, number: int, due: int) -> None:
        connection = self.free.popleft()
        self.busy[connection.sock.fileno()] = connection
        connection.ask(number, due)

    def _read(self, seconds: float) -> None:
        # select takes microseconds, epoll only milliseconds, which would be in the latencies.
        select.select([self.epoll.fileno()], [], [], max(0.0, seconds))
        for fd, _ in self.epoll.poll(0):
            if fd not in self.busy:
                raise ValueError("a connection was closed between two calls")
            if self.busy[fd].read():
                connection = self.busy.pop(fd)
                self.latencies.append(wire.micros() - connection.due)
                self.free.append(connection)


if __name__ == "__main__":
    limits.raise_descriptors()
    gc.disable()  # nothing here makes cycles, and a pause would count as the server's
    json.dump(asdict(CallLoad(CallJob(**json.load(sys.stdin))).run()), sys.stdout)
