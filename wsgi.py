"""The WSGI entry: `gunicorn -c gunicorn.conf.py wsgi:app`."""

from serving.gevent_patching import patch_all

patch_all()  # before anything else opens a socket or makes a lock

import atexit  # noqa: E402
import gc  # noqa: E402
import logging  # noqa: E402

gc.disable()  # it would scan all modules many times during the imports without any use

from service import assemble  # noqa: E402


def end_logging() -> None:
    """Close the log's handlers and forget them.

    Python does the same later. Their lock is gevent's, whose modules are unloaded by then, so that
    an exception would be printed.
    """
    logging.shutdown()
    logging._handlerList.clear()  # type: ignore[attr-defined]


# Commands start here too. A worker completes the app before it takes requests (serving/worker.py).
app = assemble()

# Imported modules are never freed, so the collector ignores them, also at the exit. A short command
# would otherwise spend a third of its time on them.
atexit.register(end_logging)
gc.freeze()
gc.enable()
