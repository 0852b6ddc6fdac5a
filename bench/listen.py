"""A load generator for changes: subscribes many sockets, writes through HTTP, reads what comes.

`python -m bench.listen`, a `Job` as JSON on standard input, a list of `Heard` as JSON on standard
output: one thread, epoll. It writes without subscribers first, since what a write costs by itself
is no part of what its delivery costs.
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
DEADLINE = 30.0  # seconds for one kind of writes
SETTLE = 0.1


@dataclass(frozen=True)
class Job:
    """`upgrades` and `write` are whole HTTP heads; `counts` of subscribers rise."""

    port: int
    upgrades: list[str]
    write: str
    counts: list[int]
    rate: float  # writes a second
    writes: int  # at that pace, and then as many as fast as they are answered
    watch: int


@dataclass
class Heard:
    """CPU in ns over all deliveries, that of the writes taken off; transits in µs: p50, p99."""

    subscribers: int
    paced_cpu: int = 0
    paced_deliveries: int = 0
    burst_cpu: int = 0
    burst_deliveries: int = 0
    burst_seconds: float = 0.0
    transits: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Subscriber:
    def __init__(self, port: int, upgrade: str) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.rest = b""
        self.seen = array("q")  # numbers of the writes
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
        for number, asked in (frames.TEXT.search(body).groups() for body in bodies):
            self.seen.append(int(number))
            transits.append(now - int(asked))


class Writer:
    """A connection for writes, of which one at a time is under way."""

    def __init__(self, job: Job) -> None:
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
        """What is wrong with the answer, if anything."""
        data = self.sock.recv(1 << 16)
        self._answer += data
        if data and not wire.head_and_body(self._answer):
            return b""
        answer, self._answer, self.busy = self._answer, b"", False
        return b"" if answer.startswith(b"HTTP/1.1 200 ") else answer or b"closed"


class Listening:
    def __init__(self, job: Job) -> None:
        self.job = job
        self.epoll = select.epoll()
        self.subscribers: dict[int, Subscriber] = {}
        self.writers: dict[int, Writer] = {}
        self.transits = array("q")
        self.faults: list[str] = []

    def run(self) -> list[Heard]:
        self._connect_writers()
        self._writes(0)  # to warm up
        alone = [self._measured(rate)[0] for rate in (self.job.rate, 0)]
        return [self._heard(count, *alone) for count in self.job.counts]

    def _heard(self, count: int, *alone: int) -> Heard:
        while len(self.subscribers) < count:
            one = Subscriber(self.job.port, self.job.upgrades[len(self.subscribers)])
            self.subscribers[one.sock.fileno()] = one
            self.epoll.register(one.sock, select.EPOLLIN)
        self._connect_writers()
        heard = Heard(count)
        cpu, heard.paced_deliveries, _ = self._measured(self.job.rate)
        heard.paced_cpu = cpu - alone[0]
        heard.transits = _spread(self.transits)
        cpu, heard.burst_deliveries, heard.burst_seconds = self._measured(0)
        heard.burst_cpu = cpu - alone[1]
        heard.faults, self.faults = self.faults[:3], []
        return heard

    def _connect_writers(self) -> None:
        """Anew, for connections without requests are closed after some seconds."""
        for writer in self.writers.values():
            self.epoll.unregister(writer.sock)
            writer.sock.close()
        made = [Writer(self.job) for _ in range(WRITERS)]
        self.writers = {writer.sock.fileno(): writer for writer in made}
        for fd in self.writers:
            self.epoll.register(fd, select.EPOLLIN)

    def _measured(self, rate: float) -> tuple[int, int, float]:
        """CPU, deliveries, and seconds until the last of them."""
        self.transits = array("q")
        before, began = accounts.usage(self.job.watch), time.monotonic()
        self._writes(rate)
        took = time.monotonic() - began
        time.sleep(SETTLE)
        return accounts.usage(self.job.watch).cpu_since(before), len(self.transits), took

    def _writes(self, rate: float) -> None:
        """At `rate`, or 0; until all have been answered and told to everybody, each once."""
        count = self.job.writes
        for subscriber in self.subscribers.values():
            subscriber.seen = array("q")
        began, asked = time.monotonic(), 0
        expected = count * len(self.subscribers)
        while asked < count or self._busy() or len(self.transits) < expected:
            now = time.monotonic() - began
            if now > DEADLINE or self.faults:
                break
            free = [writer for writer in self.writers.values() if not writer.busy]
            while asked < count and free and asked <= now * (rate or 1e9):
                free.pop().write(asked)
                asked += 1
            due = asked / rate - now if rate and asked < count else 0.5
            self._read(max(0.0, due))
        whole = list(range(count))
        wrong = sum(sorted(one.seen) != whole for one in self.subscribers.values())
        if wrong:
            self.faults.append(f"{wrong} subscribers did not hear each change once")

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
    gc.disable()  # nothing here makes cycles, and a pause would be taken for the server's
    heard = Listening(Job(**json.load(sys.stdin))).run()
    json.dump([asdict(one) for one in heard], sys.stdout)
