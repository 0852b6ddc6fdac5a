"""Loaded by pytest before any other plugin: they import ssl, which must be patched first."""

import gc
from _queue import SimpleQueue  # of threads, whatever gevent makes of the queue module

from serving.gevent_patching import patch_all

patch_all()
# Nearly all that is imported and collected stays: the collector would take a sixth of that time.
gc.disable()  # until the tests begin (tests/app_caches.py)


def pytest_plugin_registered(plugin):
    """Give a worker of pytest-xdist a queue that works beside gevent.

    Tests are put into it by a thread that execnet has started before anything was patched, and
    taken out by the main thread. Its own queue is made after that: the main thread would wait in
    gevent's loop, which knows of no such thread and says that it would wait for ever. `--dist
    worksteal` needs more of a queue than this one can.
    """
    if type(plugin).__name__ == "WorkerInteractor":
        plugin.torun = SimpleQueue()
