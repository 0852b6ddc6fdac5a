"""The WSGI entry: `gunicorn -c gunicorn.conf.py wsgi:app`."""

from gevent import monkey

monkey.patch_all()  # before anything else opens a socket or makes a lock

from service import create_app  # noqa: E402

app = create_app()
