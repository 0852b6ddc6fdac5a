"""gunicorn's settings, from ours; and what each worker does when it starts."""

from gevent import monkey

monkey.patch_all()  # before anything else opens a socket or makes a lock

import gc  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

from config import ConfigError, load  # noqa: E402
from serving import metrics_directory  # noqa: E402

# Before anything imports prometheus_client.
if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_directory.make())
directory = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])

try:
    settings = load()
except ConfigError as error:
    sys.exit(f"Error: {error}")

# The workers inherit the service's modules. So a worker that replaces a dead one while the tree is
# being exchanged starts with the code of this release, not with half of the next.
from prometheus_client.multiprocess import mark_process_dead  # noqa: E402

from service import observe, stall  # noqa: E402
from service.auth.tokens import issue  # noqa: E402
from service.observe import REQUEST_ID  # noqa: E402
from service.operations import revisions  # noqa: E402
from service.sandbox.boot import prepare  # noqa: E402
from serving import descriptors, handover, logs, pending  # noqa: E402
from serving import worker as worker_module  # noqa: E402

try:
    prepared = prepare(settings)  # with the sandbox's own secrets
except ConfigError as error:
    sys.exit(f"Error: {error}")

bind = settings.listen
workers = settings.web_concurrency
worker_class = worker_module.Worker
worker_connections = 5000
keepalive = 5
limit_request_line = 8190  # the most that gunicorn takes; a filter stands in the address
graceful_timeout = settings.graceful_timeout
timeout = 30  # kills only a worker whose event loop is stuck
control_socket_disable = True
accesslog = None  # the service writes one line a request itself
logger_class = logs.JsonLogger

revisions()
handover.install(os.environ)
handover.check_inherited(os.environ, bind)
worker_module.install(settings.request_head_seconds, settings.request_body_seconds, keepalive)
report = handover.Report(os.environ)


def on_starting(server) -> None:
    complaint = descriptors.raise_limit(worker_connections)
    if complaint:
        server.log.warning(complaint)


def post_worker_init(worker) -> None:
    # Everything loaded so far stays: without this, a full collection over thousands of streams
    # stops them all for tens of milliseconds.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1_000)
    for name in settings.unknown:
        observe.log.warning("unknown setting", setting=name)
    stall.StallAlarm().start()
    app = worker.app.callable
    app.extensions["lifecycle"].watch(lambda: worker.alive, graceful_timeout, handover.delay)
    app.extensions["start_sweeping"]()
    sandbox = app.extensions.get("sandbox")
    if sandbox:
        sandbox.start()
    worker.pending = pending.Pending(directory, worker_connections, REQUEST_ID)
    report.booted()


def pre_request(worker, request) -> None:
    worker.pending.begin(request)


def post_request(worker, request, _environ, _response) -> None:
    worker.pending.end(request)


def when_ready(server) -> None:
    """In the sandbox, say how to get in: there is no account to sign in with."""
    report.workers(server.num_workers)
    if not settings.sandbox:
        return
    token = issue(prepared, "alice", "user", 8 * 3600)
    until = time.strftime("%H:%M", time.localtime(time.time() + 8 * 3600))
    print(f"\n  Sandbox at {settings.own_url}/   (every upstream is a stand-in)")
    print(f"  Sign-in token, until {until}:\n\n{token}\n", flush=True)


def child_exit(server, worker) -> None:
    mark_process_dead(worker.pid)
    for facts in pending.left_by(directory, worker.pid):
        server.log.error("request lost with its worker", extra={"facts": facts})
