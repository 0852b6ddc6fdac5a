"""A load generator for changes: subscribes many sockets, writes by HTTP, reads the deliveries.

`python -m bench.listen`, a `ChangeJob` as JSON on standard input, a list of `DeliveryResult` as
JSON on standard output: one thread, epoll. It writes without subscribers first, to subtract the
cost of the writes from that of the deliveries.
"""

import gc
import json
import select
import socket
import sys
import time
from array import array
from dataclasses import asdict, dataclass, field

from bench import accounts, frames, limits, wire

WRITERS = 4  # at once, in a burst
DEADLINE = 30.0  # seconds for one series of writes
SETTLE = 0.1


@dataclass(frozen=True)
class ChangeJob:
    """`upgrades` and `write` are whole HTTP heads; `counts` of subscribers rise."""

    port: int
    upgrades: list[str]
    write: str
    counts: list[int]
    rate: float  # writes a second
    writes: int  # at that rate, then as many as fast as they are answered
    watch: int


@dataclass
class DeliveryResult:
    """CPU in ns over all deliveries, without that of the writes; transits in µs: p50, p99."""

    subscribers: int
    paced_cpu: int = 0
    paced_deliveries: int = 0
    burst_cpu: int = 0
    burst_deliveries: int = 0
    burst_seconds: float = 0.0
    transits: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class BoardSubscriber:
    def __init__(self, port: int, upgrade: str) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.rest = b""
        self.received = array("q")  # numbers of the writes
        subscribe = b'{"op":"subscribe","id":"s","collection":"board"}'
        self.sock.sendall(upgrade.encode())
        head = self._read_until(b"\r\n\r\n")
        if b" 101 " not in head:
            raise RuntimeError(head[:300])
        self.sock.sendall(frames.masked(subscribe))
        while not frames.split(self.rest)[0]:
            self.rest += self.sock.recv(1 << 16)
        self.rest = b""

    def _read_until(self, end: bytes) -> bytes:
        data = b""
        while end not in data:
            data += self.sock.recv(1 << 16)
        head, _, self.rest = data.partition(end)
        return head

    def read(self, now: int, transits: array) -> None:
        bodies, self.rest = frames.split(self.rest + self.sock.recv(1 << 18))
        for number, requested in (frames.TEXT.search(body).groups() for body in bodies):
            self.received.append(int(number))
            transits.append(now - int(requested))


class BoardWriter:
    """A connection for writes, one at a time."""

    def __init__(self, job: ChangeJob) -> None:
        self.sock = socket.create_connection(("127.0.0.1", job.port), timeout=20)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = job.write
        self._answer = b""
        self.busy = False

    def write(self, number: int) -> None:
        self.busy = True
        body = json.dumps({"text": frames.text(number, wire.micros())})
        self.sock.sendall(f"{self._head}Content-Length: {len(body)}\r\n\r\n{body}".encode())

    def read(self) -> bytes:
        """The answer if it is wrong, else nothing."""
        data = self.sock.recv(1 << 16)
        self._answer += data
        if data and not wire.head_and_body(self._answer):
            return b""
        answer, self._answer, self.busy = self._answer, b"", False
        return b"" if answer.startswith(b"HTTP/1.1 200 ") else answer or b"closed"


class DeliveryLoad:
    def __init__(self, job: ChangeJob) -> None:
        self.job = job
        self.epoll = select.epoll()
        self.subscribers: dict[int, BoardSubscriber] = {}
        self.writers: dict[int, BoardWriter] = {}
        self.transits = array("q")
        self.faults: list[str] = []

    def run(self) -> list[DeliveryResult]:
        self._connect_writers()
        self._writes(0)  # to warm up
        writes_only = [self._measure_writes(rate)[0] for rate in (self.job.rate, 0)]
        return [self._deliveries(count, *writes_only) for count in self.job.counts]

    def _deliveries(self, count: int, *writes_only: int) -> DeliveryResult:
        while len(self.subscribers) < count:
            one = BoardSubscriber(self.job.port, self.job.upgrades[len(self.subscribers)])
            self.subscribers[one.sock.fileno()] = one
            self.epoll.register(one.sock, select.EPOLLIN)
        self._connect_writers()
        result = DeliveryResult(count)
        cpu, result.paced_deliveries, _ = self._measure_writes(self.job.rate)
        result.paced_cpu = cpu - writes_only[0]
        result.transits = _spread(self.transits)
        cpu, result.burst_deliveries, result.burst_seconds = self._measure_writes(0)
        result.burst_cpu = cpu - writes_only[1]
        result.faults, self.faults = self.faults[:3], []
        return result

    def _connect_writers(self) -> None:
        """Open new connections: idle ones are closed after some seconds."""
        for writer in self.writers.values():
            self.epoll.unregister(writer.sock)
            writer.sock.close()
        writers = [BoardWriter(self.job) for _ in range(WRITERS)]
        self.writers = {writer.sock.fileno(): writer for writer in writers}
        for fd in self.writers:
            self.epoll.register(fd, select.EPOLLIN)

    def _measure_writes(self, rate: float) -> tuple[int, int, float]:
        """CPU, deliveries, and seconds until the last of them."""
        self.transits = array("q")
        before, began = accounts.usage(self.job.watch), time.monotonic()
        self._writes(rate)
        seconds = time.monotonic() - began
        time.sleep(SETTLE)
        return accounts.usage(self.job.watch).cpu_since(before), len(self.transits), seconds

    def _writes(self, rate: float) -> None:
        """Write at `rate` (0: without pause) until all are answered and delivered to everybody."""
        count = self.job.writes
        for subscriber in self.subscribers.values():
            subscriber.received = array("q")
        began, index = time.monotonic(), 0
        expected = count * len(self.subscribers)
        while index < count or self._busy() or len(self.transits) < expected:
            now = time.monotonic() - began
            if now > DEADLINE or self.faults:
                break
            free = [writer for writer in self.writers.values() if not writer.busy]
            while index < count and free and index <= now * (rate or 1e9):
                free.pop().write(index)
                index += 1
            due = index / rate - now if rate and index < count else 0.5
            self._read(max(0.0, due))
        whole = list(range(count))
        wrong = sum(sorted(one.received) != whole for one in self.subscribers.values())
        if wrong:
            self.faults.append(f"{wrong} subscribers did not receive each change once")

    def _busy(self) -> bool:
        return any(writer.busy for writer in self.writers.values())

    def _read(self, seconds: float) -> None:
        for fd, _ in self.epoll.poll(seconds):
            if fd in self.writers:
                if fault := self.writers[fd].read():
                    self.faults.append(fault[:300].decode("latin-1"))
            else:
                self.subscribers[fd].read(wire.micros(), self.transits)


def _spread(values: array) -> list[int]:
    ordered = sorted(values) or [0]
    return [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]]


if __name__ == "__main__":
    limits.raise_descriptors()
    gc.disable()  # nothing here makes cycles, and a pause would count as the server's
    result = DeliveryLoad(ChangeJob(**json.load(sys.stdin))).run()
    json.dump([asdict(one) for one in result], sys.stdout)
