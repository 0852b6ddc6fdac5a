"""A plugin that applies gevent's patches. Pytest loads it first, because others import ssl."""

import gc
from _queue import SimpleQueue  # of threads, whatever gevent makes of the queue module

from serving.gevent_patching import patch_all

patch_all()
# Nearly all objects of imports and of the collection stay in memory. The garbage collector would
# take a sixth of that time.
gc.disable()  # until the tests begin (tests/app_caches.py)


def pytest_plugin_registered(plugin):
    """Give a worker of pytest-xdist a queue that works beside gevent.

    A thread that execnet has started before the patches puts tests into the queue, and the main
    thread takes them out. xdist's own queue is made after the patches: the main thread would wait
    in gevent's loop, which does not know that thread and raises `LoopExit`. `--dist worksteal`
    needs a queue with more methods.
    """
    if type(plugin).__name__ == "WorkerInteractor":
        plugin.torun = SimpleQueue()
