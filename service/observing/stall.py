"""The stall alarm, which finds code that blocks a worker's event loop for 50 ms or more.

A thread of the operating system samples the event loop 25 times a second, which costs nothing per
token. If the loop is not waiting for events, its iteration and the running greenlet show whether it
is still doing the same work. Long work is sampled more often: the place of the code, its facts, and
its CPU time. Time in which the worker was stopped or had no CPU does not count. See
docs/decisions/0015.
"""

import gc
import os
import sys
import threading
import time
from types import FrameType

from gevent import get_hub
from gevent.hub import Hub
from gevent.monkey import get_original
from prometheus_client import Gauge

from service.observing import attribution
from service.observing.logs import FRAMES, write_line
from service.observing.processes import Histogram
from service.observing.stall_times import Sample, Stall

STALL_SECONDS = 0.05
PERIOD_SECONDS = 0.04  # between two samples of a loop that waits for events
# The least time between two samples of a stall; usually a tenth of its length
STALL_PERIOD_SECONDS = 0.005
LATE_SECONDS = 0.02  # a busy machine does not explain a sample that is later than this
WARN_AFTER = (1.0, 10.0)  # seconds of a stall; after 30 s gunicorn kills the worker

STALLS = Histogram(
    "worker_stall_seconds",
    "How long one greenlet kept the event loop from all others, where it was 50 ms or more.",
    ["route", "kind"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
LONGEST = Gauge(
    "worker_longest_stall_seconds",
    "The longest stall of a worker since the service started.",
    multiprocess_mode="max",
)

_sleep = get_original("time", "sleep")
_start_thread = get_original("_thread", "start_new_thread")
_thread_id = get_original("_thread", "get_ident")


class StallAlarm:
    """Watch the event loop of the thread that creates the alarm."""

    def __init__(self) -> None:
        self._loop = get_hub().loop
        self._thread = _thread_id()
        self._clock = time.pthread_getcpuclockid(self._thread)
        self._queue = _open(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._longest = 0.0
        self._stall: Stall | None = None
        self._previous = self._read_clocks()
        self._stopped = False

    def start(self) -> None:
        _start_thread(self._watch, ())

    def stop(self) -> None:
        self._stopped = True

    def _watch(self) -> None:
        pause = PERIOD_SECONDS
        while not self._stopped:
            _sleep(pause)
            pause = self._sample(pause)

    def _sample(self, pause: float) -> float:
        """Take a sample, `pause` seconds after the last one. Return the pause before the next one.

        Garbage collection is off meanwhile. Making the object of a frame may start a collection,
        during which the watched thread may run and leave the frame. Python 3.11 then crashes.
        """
        collects = gc.isenabled()
        gc.disable()
        try:
            return self._look(pause)
        finally:
            if collects:
                gc.enable()

    def _look(self, pause: float) -> float:
        now = self._read_clocks()
        frame = sys._current_frames().get(self._thread)
        if frame is None or frame.f_code is Hub.run.__code__:
            self._end()
            pause = PERIOD_SECONDS
        else:
            pause = self._follow(frame, now, pause)
        self._previous = now
        return pause

    def _follow(self, frame: FrameType, now: Sample, pause: float) -> float:
        stall = self._current(frame, now)
        queued = self._read_queue(now) - stall.first_queued
        if now is not stall.first:
            stall.stopped += self._seconds_stopped(now, pause, queued - stall.queued)
        stall.last, stall.queued = now, queued
        if stall.wall < STALL_SECONDS:
            return max(STALL_SECONDS - stall.wall, STALL_PERIOD_SECONDS)
        if not stall.place:
            stall.place, stall.facts = _place(frame), attribution.facts_of_running_greenlet()
        if stall.warned < len(WARN_AFTER) and stall.seconds >= WARN_AFTER[stall.warned]:
            stall.warned += 1
            self._log("stalling", stall)
        return max(STALL_PERIOD_SECONDS, stall.wall / 10)

    def _current(self, frame: FrameType, now: Sample) -> Stall:
        """Return the current stall, or a new one, which usually ends before the next sample."""
        root, iteration = _root(frame), self._loop.iteration
        stall = self._stall
        if stall is None or stall.root is not root or stall.iteration != iteration:
            self._end()
            # The stall began after the last sample, at which other work was running.
            began = max(now.at - max(0.0, time.time() - self._loop.now()), self._previous.at)
            queued = self._read_queue(now)
            stall = Stall(self._previous, began, iteration, root, now, now, queued)
            self._stall = stall
        return stall

    def _seconds_stopped(self, now: Sample, pause: float, queued: float) -> float:
        """Return for how long the whole process was stopped.

        Then this thread is late, and the watched thread has not used the time. C code that holds
        the interpreter's lock makes this thread late as well.
        """
        late = now.at - self._previous.at - pause
        if late < LATE_SECONDS:
            return 0.0
        return max(0.0, late - (now.cpu - self._previous.cpu) - queued)

    def _end(self) -> None:
        stall, self._stall = self._stall, None
        if stall is None or not stall.place:
            return
        # The kernel counts a wait for a CPU when it is over, which may be after the last sample.
        stall.queued = self._read_queue(self._read_clocks()) - stall.first_queued
        if stall.seconds < STALL_SECONDS:
            return
        self._log("stalled", stall)
        self._loop.run_callback_threadsafe(self._count, stall)

    def _log(self, event: str, stall: Stall) -> None:
        """Log from this thread, because the watched one may be blocked for ever."""
        times = {"ms": round(stall.seconds * 1000), "cpu_ms": round(stall.cpu * 1000)}
        write_line("warning", event, **stall.facts, **times, kind=stall.kind, at=stall.place)

    def _count(self, stall: Stall) -> None:
        """Count in the thread of the loop, because the locks of the metrics are gevent's."""
        route = stall.facts.get("route", "background")
        STALLS.labels(route, stall.kind).observe(stall.seconds)
        self._longest = max(self._longest, stall.seconds)
        LONGEST.set(self._longest)

    def _read_clocks(self) -> Sample:
        return Sample(time.monotonic(), time.clock_gettime(self._clock))

    def _read_queue(self, now: Sample) -> float:
        """Return for how many seconds the thread was ready without a CPU.

        If the kernel does not count them, return all time without a CPU, so that no wait counts.
        """
        if self._queue is None:
            return now.at - now.cpu
        return int(os.pread(self._queue, 64, 0).split()[1]) / 1e9


def _root(frame: FrameType) -> FrameType:
    """Return the outermost frame, in which the greenlet began."""
    while frame.f_back:
        frame = frame.f_back
    return frame


def _place(frame: FrameType | None) -> list[str]:
    """Return files, lines and functions of the stack, innermost last, without values."""
    place: list[str] = []
    while frame and len(place) < FRAMES:
        code = frame.f_code
        place.append(f"{code.co_filename}:{frame.f_lineno} {code.co_name}")
        frame = frame.f_back
    return place[::-1]


def _open(path: str) -> int | None:
    """Open Linux's statistics of a thread: nanoseconds on a CPU, and ready without one."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
