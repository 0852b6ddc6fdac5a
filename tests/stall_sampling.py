"""A program whose greenlets end all the time while they are sampled for stalls.

Nearly each new object begins a collection, and one in the thread that samples lets the greenlets
run. It prints the number of samples, and of collections in that thread.
"""

from gevent import monkey

monkey.patch_all()

import gc  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

import gevent  # noqa: E402
from gevent.monkey import get_original  # noqa: E402

from service.observing import stall  # noqa: E402

SAMPLES = 1000  # at least
SECONDS = 60  # in which even a busy machine takes so many
DEPTH = 60  # calls of a greenlet
sleep, thread_id = get_original("time", "sleep"), get_original("_thread", "get_ident")


class CountedAlarm(stall.StallAlarm):
    """Samples as often as it can, and logs nothing."""

    samples = 0

    def _look(self, pause: float) -> float:
        self.samples += 1
        super()._look(pause)
        return 1e-6

    def _log(self, *_: object) -> None:
        pass

    def _count(self, *_: object) -> None:
        pass


def main() -> None:
    watched, collections = thread_id(), 0

    def let_others_run(*_: object) -> None:
        nonlocal collections
        if thread_id() != watched:
            collections += 1
            sleep(0.001)

    gc.callbacks.append(let_others_run)
    gc.set_threshold(3, 1000, 1000)
    sys.setswitchinterval(1e-5)
    alarm = CountedAlarm()
    alarm.start()
    end = time.monotonic() + SECONDS
    while alarm.samples < SAMPLES and time.monotonic() < end:
        gevent.spawn(work, DEPTH).join()
    alarm.stop()
    sleep(0.1)
    print(alarm.samples, collections)


def work(calls: int) -> None:
    if calls:
        work(calls - 1)
    else:
        for _ in range(20_000):
            pass


if __name__ == "__main__":
    main()
