"""Loaded by pytest before any other plugin: they import ssl, which must be patched first."""

import gc
from _queue import Empty, SimpleQueue  # of threads, whatever gevent makes of the queue module
from contextlib import suppress

from serving.gevent_patching import patch_all

patch_all()
# Nearly all that is imported and collected stays: the collector would take a sixth of that time.
gc.disable()  # until the tests begin (tests/once.py)


def pytest_plugin_registered(plugin):
    """Give a worker of pytest-xdist a queue and events that work beside gevent.

    Tests are put into it by a thread that execnet has started before anything was patched, and
    taken out by the main thread. Its own queue is made after that: the main thread would wait in
    gevent's loop, which knows of no such thread and says that it would wait for ever. `--dist
    worksteal` needs more of a queue than this one can.
    """
    if type(plugin).__name__ == "WorkerInteractor":
        plugin.torun = SimpleQueue()
        gateway = plugin.channel.gateway
        gateway.execmodel.Event = ThreadEvent
        ready, native = gateway._execpool._primary_thread_task_ready, ThreadEvent()
        native.set()  # as it is while tests run
        ready.set, ready.clear, ready.wait = native.set, native.clear, native.wait


class ThreadEvent:
    """An event of threads for execnet, whatever gevent makes of the threading module.

    When the tests are over, a worker's main thread waits for the thread mentioned above.
    """

    def __init__(self):
        self._told = SimpleQueue()

    def set(self):
        self._told.put(True)

    def clear(self):
        while not self._told.empty():
            self._told.get()

    def is_set(self):
        return not self._told.empty()

    def wait(self, timeout=None):
        with suppress(Empty):
            self._told.put(self._told.get(timeout=timeout))
        return self.is_set()
