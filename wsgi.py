"""The WSGI entry: `gunicorn -c gunicorn.conf.py wsgi:app`."""

from gevent import monkey

monkey.patch_all()  # before anything else opens a socket or makes a lock

import gc  # noqa: E402

gc.disable()  # it would go through all modules many times while they are imported, for nothing

from service import assemble  # noqa: E402

# Commands start from here too. gunicorn.conf.py completes it before a worker takes requests.
app = assemble()

gc.enable()
