"""A plugin that applies gevent's patches. Pytest loads it first, because others import ssl."""

import gc
from _queue import Empty, SimpleQueue  # of threads, whatever gevent makes of the queue module

from serving.gevent_patching import patch_all

patch_all()
# Nearly all objects of imports and of the collection stay in memory. The garbage collector would
# take a sixth of that time.
gc.disable()  # until the tests begin (tests/app_caches.py)


class ThreadEvent:
    """An event of threads, whatever gevent makes of `threading.Event`."""

    def __init__(self):
        self._events = SimpleQueue()

    def is_set(self):
        return not self._events.empty()

    def set(self):
        self._events.put(None)

    def clear(self):
        while self.is_set():
            self._events.get()

    def wait(self, timeout=None):
        try:
            self._events.get(timeout=timeout)
        except Empty:
            return False
        self.set()
        return True


def pytest_plugin_registered(plugin):
    """Give a worker of pytest-xdist a queue and events that work beside gevent.

    A thread that execnet has started before the patches puts tests into the queue, and the main
    thread takes them out. xdist's own queue is made after the patches: the main thread would wait
    in gevent's loop, which does not know that thread and raises `LoopExit`. After the tests, the
    main thread waits for that thread in the same way: for an event from before the patches, whose
    next wait would use gevent's locks, and for another one. `--dist worksteal` needs a queue with
    more methods.
    """
    if type(plugin).__name__ == "WorkerInteractor":
        plugin.torun = SimpleQueue()
        gateway = plugin.channel.gateway
        gateway.execmodel.Event = ThreadEvent
        work_or_end = gateway._execpool._primary_thread_task_ready
        work_or_end.__class__ = ThreadEvent
        work_or_end.__init__()
        work_or_end.set()  # this run of the tests is the work
