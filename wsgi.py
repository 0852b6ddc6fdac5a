"""The WSGI entry: `gunicorn -c gunicorn.conf.py wsgi:app`."""

from serving.gevent_patching import patch_all

patch_all()  # before anything else opens a socket or makes a lock

import atexit  # noqa: E402
import gc  # noqa: E402
import logging  # noqa: E402

gc.disable()  # it would go through all modules many times while they are imported, for nothing

from service import assemble  # noqa: E402


def end_logging() -> None:
    """Close the log's handlers and forget them. Python does so too, but later: their lock is
    gevent's, whose modules are gone by then, and an exception would be printed."""
    logging.shutdown()
    logging._handlerList.clear()  # type: ignore[attr-defined]


# Commands start from here too. A worker completes it before it takes requests (serving/worker.py).
app = assemble()

# What is imported stays: the collector leaves it alone, also at the exit. A short command would
# spend a third of its time on it.
atexit.register(end_logging)
gc.freeze()
gc.enable()
