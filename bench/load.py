"""A load generator: opens streams, reads them all and reports figures.

`python -m bench.load`, a `StreamJob` as JSON on standard input, a `StreamResult` as JSON on
standard output: one thread, epoll. It also reads the server's usage, because only the reader
knows which tokens had arrived when: over the whole run and over the plateau. The plateau begins
with the first token of the last stream to open and ends when the first stream has received 95 %
of its tokens.
"""

import gc
import json
import select
import socket
import sys
import time
from array import array
from dataclasses import asdict, dataclass, field

from bench import accounts, limits, wire
from bench.reply import StreamedReply

PLATEAU_END = 0.95  # of a stream's tokens
SETTLE = 0.05  # seconds, for the server's work after the last byte


@dataclass(frozen=True)
class StreamJob:
    """`starts` are seconds from the beginning; with `parallel`, so many are open at a time."""

    port: int
    requests: list[str]
    tokens: list[int]  # of each stream
    interval: float  # seconds between the tokens of a stream
    watch: int  # the process whose tree is measured
    beside: list[int]  # those that work for it, measured together
    deadline: float  # seconds
    starts: list[float] = field(default_factory=list)
    parallel: int = 0


@dataclass
class StreamResult:
    """CPU in ns, times in µs, memory in KB.

    `late` counts streams with a token delayed by over one interval on the plateau; without a
    plateau, all streams.
    """

    streams: int = 0
    tokens: int = 0
    incomplete: int = 0
    late: int = 0
    cpu: int = 0
    beside_cpu: int = 0
    plateau_cpu: int = 0
    plateau_tokens: int = 0
    growth: int = 0
    first: list[int] = field(default_factory=list)  # sorted
    transits: list[int] = field(default_factory=list)  # p50, p99, longest, on the plateau
    faults: list[str] = field(default_factory=list)


class StreamLoad:
    def __init__(self, job: StreamJob) -> None:
        self.job = job
        self.epoll = select.epoll()
        self.replies: dict[int, StreamedReply] = {}
        self.done: list[StreamedReply] = []
        self.transits = array("q")
        self.opened = self.speaking = 0
        self.result = StreamResult(streams=len(job.requests), late=len(job.requests))
        self.marks: list[tuple[accounts.Usage, int]] = []  # plateau: usage, tokens

    def run(self) -> StreamResult:
        before, beside = accounts.usage(self.job.watch), self._beside()
        self.began = time.monotonic()
        end = self.began + self.job.deadline
        while len(self.done) < len(self.job.requests) and time.monotonic() < end:
            self._open_due()
            for fd, events in self.epoll.poll(self._wait()):
                self._ready(self.replies[fd], events)
        time.sleep(SETTLE)
        after = accounts.usage(self.job.watch)
        self._sum_up(before, after)
        pairs = zip(self._beside(), beside, strict=True)
        self.result.beside_cpu = sum(later.cpu_since(earlier) for later, earlier in pairs)
        return self.result

    def _beside(self) -> list[accounts.Usage]:
        return [accounts.usage(pid) for pid in self.job.beside]

    def _wait(self) -> float:
        if self.opened < len(self.job.starts):
            return max(0.0, self.began + self.job.starts[self.opened] - time.monotonic())
        return 0.5

    def _open_due(self) -> None:
        while self.opened < len(self.job.requests):
            if self.job.parallel:
                if len(self.replies) >= self.job.parallel:
                    return
            elif self.began + self.job.starts[self.opened] > time.monotonic():
                return
            self._open()

    def _open(self) -> None:
        sock = socket.socket()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = self.job.requests[self.opened]
        reply = StreamedReply(sock, request, self.job.tokens[self.opened], wire.micros())
        sock.connect_ex(("127.0.0.1", self.job.port))
        self.replies[sock.fileno()] = reply
        self.epoll.register(sock, select.EPOLLOUT)
        self.opened += 1

    def _ready(self, reply: StreamedReply, events: int) -> None:
        try:
            if events & select.EPOLLOUT:
                reply.sock.send(reply.request)
                self.epoll.modify(reply.sock, select.EPOLLIN)
                return
            data = reply.sock.recv(1 << 18)
        except OSError as error:
            reply.fault = reply.fault or repr(error)
            data = b""
        self._read(reply, data)

    def _read(self, reply: StreamedReply, data: bytes) -> None:
        first = reply.first
        if data:
            reply.feed(data, wire.micros(), self.transits)
        if reply.first != first:
            self.speaking += 1
            if self.speaking == len(self.job.requests):
                self._begin_plateau()
        if len(self.marks) == 1 and reply.count >= PLATEAU_END * reply.tokens:
            self._end_plateau()
        if reply.ended or not data:
            self._close(reply)

    def _close(self, reply: StreamedReply) -> None:
        reply.close()
        del self.replies[reply.sock.fileno()]
        reply.sock.close()
        self.done.append(reply)

    def _begin_plateau(self) -> None:
        self._mark()
        for reply in self.replies.values():
            reply.longest = 0

    def _end_plateau(self) -> None:
        self._mark()
        late = [r for r in self.replies.values() if r.longest > self.job.interval * 1e6]
        self.result.late = len(late)

    def _mark(self) -> None:
        self.marks.append((accounts.usage(self.job.watch), len(self.transits)))

    def _sum_up(self, before: accounts.Usage, after: accounts.Usage) -> None:
        result, span = self.result, slice(None)
        every = [*self.done, *self.replies.values()]
        result.cpu = after.cpu_since(before)
        result.tokens = len(self.transits)
        if len(self.marks) == 2:
            (usage, first), (later, last) = self.marks
            span = slice(first, last)
            result.plateau_cpu = later.cpu_since(usage)
            result.plateau_tokens = last - first
            result.growth = later.anonymous - before.anonymous
        result.incomplete = sum(reply.count < reply.tokens for reply in every)
        result.first = sorted(reply.first - reply.began for reply in every if reply.first)
        result.transits = _spread(self.transits[span])
        faults = [reply.fault for reply in every if reply.fault]
        result.faults = [f"{len(faults)} streams", *faults[:3]] if faults else []


def _spread(values: array) -> list[int]:
    ordered = sorted(values) or [0]
    return [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]


if __name__ == "__main__":
    limits.raise_descriptors()
    gc.disable()  # nothing here makes cycles, and a pause would count as the server's
    json.dump(asdict(StreamLoad(StreamJob(**json.load(sys.stdin))).run()), sys.stdout)
