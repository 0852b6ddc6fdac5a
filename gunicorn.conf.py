"""gunicorn's settings, from ours; and what each worker does when it starts."""

from gevent import monkey

monkey.patch_all()  # before anything else opens a socket or makes a lock

import gc  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

import gunicorn.util  # noqa: E402
from gunicorn.errors import AppImportError  # noqa: E402
from gunicorn.workers.ggevent import GeventWorker  # noqa: E402

from config import ConfigError, load  # noqa: E402

# The master makes the directory in which the workers share their metrics, before they import us.
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="service-metrics-"))

try:
    settings = load()
except ConfigError as error:
    sys.exit(f"Error: {error}")


def write(sock, data, chunked=False) -> None:
    """gunicorn's own, but for `sendall`: gevent's asks the kernel for its buffer's size each time,
    which was a tenth of what a streamed token cost."""
    left = memoryview(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
    while left:
        left = left[sock.send(left) :]


def write_error(sock, status: int, reason: str, _text: str) -> None:
    """What gunicorn refuses before the service sees it, in the form of every other error."""
    code = "invalid_request" if status < 500 else "internal_error"
    body = json.dumps({"error": code, "message": reason})
    head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: application/json\r\n"
    answer = f"{head}Content-Length: {len(body)}\r\n\r\n{body}"
    gunicorn.util.write_nonblock(sock, answer.encode())


gunicorn.util.write = write
gunicorn.util.write_error = write_error


class Worker(GeventWorker):
    """Boots with every setting in place, or says in one line which is not: gunicorn prints the
    text of this error alone, of any other a traceback."""

    def load_wsgi(self) -> None:
        from service import stray

        stray.take_over()
        try:
            super().load_wsgi()
            self.wsgi.extensions.complete()
        except ConfigError as error:
            raise AppImportError(f"Error: {error}") from None


bind = settings.listen
workers = settings.web_concurrency
worker_class = Worker
worker_connections = 5000
keepalive = 5
limit_request_line = 8190  # the most that gunicorn takes; a filter stands in the address
graceful_timeout = settings.graceful_timeout
timeout = 30  # kills only a worker whose event loop is stuck
control_socket_disable = True
accesslog = None  # the service writes one line a request itself


def post_worker_init(worker) -> None:
    # Everything loaded so far stays: without this, a full collection over thousands of streams
    # stops them all for tens of milliseconds.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1_000)
    from service import observe, stall

    for name in settings.unknown:
        observe.log.warning("unknown setting", setting=name)
    stall.StallAlarm().start()
    app = worker.app.callable
    app.extensions["lifecycle"].watch(lambda: worker.alive, graceful_timeout)
    app.extensions["start_sweeping"]()
    sandbox = app.extensions.get("sandbox")
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
