"""gunicorn's settings, from ours; and what each worker does when it starts."""

from gevent import monkey

monkey.patch_all()  # before anything else opens a socket or makes a lock

import os  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

from config import ConfigError, load  # noqa: E402

# The master makes the directory in which the workers share their metrics, before they import us.
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="service-metrics-"))

try:
    settings = load()
except ConfigError as error:
    sys.exit(str(error))

bind = settings.listen
workers = settings.web_concurrency
worker_class = "gevent"
worker_connections = 5000
keepalive = 5
graceful_timeout = 30
timeout = 30  # kills only a worker whose event loop is stuck
control_socket_disable = True
accesslog = None  # the service writes one line a request itself


def post_worker_init(worker) -> None:
    sandbox = worker.app.callable.extensions.get("sandbox")
    if sandbox:
        sandbox.start()


def when_ready(server) -> None:
    """In the sandbox, say how to get in: there is no account to sign in with."""
    if not settings.sandbox:
        return
    from service.auth.tokens import issue
    from service.sandbox.boot import prepare

    token = issue(prepare(settings), "alice", "user", 8 * 3600)
    until = time.strftime("%H:%M", time.localtime(time.time() + 8 * 3600))
    print(f"\n  Sandbox at {settings.own_url}/   (every upstream is a stand-in)")
    print(f"  Sign-in token, until {until}:\n\n{token}\n", flush=True)


def child_exit(server, worker) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)
