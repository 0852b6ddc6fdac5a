"""gunicorn's settings, made from the service's settings, and hooks of its master and workers."""

from gevent import config as gevent_config

from serving.gevent_patching import patch_all

# The record of where each greenlet was spawned helps only in a debugger, and takes 1 KB each.
gevent_config.track_greenlet_tree = False
patch_all()  # before anything else opens a socket or creates a lock

import gc  # noqa: E402

# During the imports, the garbage collector would scan all modules many times without any use.
gc.disable()

import os  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

from config import ConfigError, load  # noqa: E402
from config_values import names  # noqa: E402
from serving import metrics_directory  # noqa: E402

# Before anything imports prometheus_client.
if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_directory.make())
directory = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])

try:
    settings = load()
except ConfigError as error:
    sys.exit(f"Error: {error}")

# Imported here, so that workers inherit the modules. A worker that replaces a dead one during an
# installation then has the code of this release, not a part of the next.
from prometheus_client.multiprocess import mark_process_dead  # noqa: E402

from service import import_deferred  # noqa: E402
from service.auth.tokens import issue  # noqa: E402
from service.database.access import engine_options  # noqa: E402
from service.database.revisions import revisions  # noqa: E402
from service.declarations import declarations  # noqa: E402
from service.observing import measures, stall  # noqa: E402
from service.observing.logs import log  # noqa: E402
from service.observing.request_log import REQUEST_ID  # noqa: E402
from service.sandbox.boot import prepare  # noqa: E402
from service.upkeep import sweeping  # noqa: E402
from serving import descriptors, handover, logs, patches, pending, refusals  # noqa: E402
from serving.worker import Worker  # noqa: E402

try:
    declared = declarations(settings)
    settings = declared.settings
    effective = prepare(settings)  # with the sandbox's own secrets
    engine_options(effective.database_url, effective.database_pool_size)  # loads the driver
    import_deferred(effective)
except ConfigError as error:
    sys.exit(f"Error: {error}")

SIGN_IN_SECONDS = 8 * 3600

bind = names(settings.listen)
workers = settings.web_concurrency
worker_class = Worker
worker_connections = 5000
keepalive = 5
# A proxy on this host may pass on a client's header SCRIPT_NAME. gunicorn would remove that prefix
# from an address that the proxy has allowed, and a client could reach addresses that it hides.
forwarder_headers = ""
limit_request_line = refusals.LINE_BYTES
graceful_timeout = settings.graceful_timeout
timeout = 30  # kills only a worker whose event loop is stuck
control_socket_disable = True
accesslog = None  # the service itself logs each request
logger_class = logs.JsonLogger

revisions()
handover.install(os.environ)
handover.check_inherited(os.environ, settings.listen)
patches.install(settings.request_head_seconds, settings.request_body_seconds, keepalive)
report = handover.Report(os.environ)

# Imported modules are never freed, so the collector ignores them, here and in the workers.
gc.freeze()
gc.enable()


def on_starting(server) -> None:
    warning = descriptors.raise_limit(worker_connections)
    if warning:
        server.log.warning(warning)


def post_worker_init(worker) -> None:
    worker.limit_unread(settings.response_seconds)
    # The collector ignores the objects loaded so far: to scan them would stop all streams for tens
    # of milliseconds. Few later objects need the collector (tests/test_garbage.py), but they must
    # not wait for hours: memory would grow, and freed memory between them could not be used. Python
    # scans all objects only when a quarter of them is new, however many streams there are.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    for name in settings.unknown:
        log.warning("unknown setting", setting=name)
    for name in declared.empty_modules:
        log.warning("extension declares nothing", module=name)
    if workers > 1 and effective.database_url.startswith("sqlite"):
        # The limits of a user are counted in memory then, and writers wait for other processes.
        log.warning("SQLite serves one worker", setting="WEB_CONCURRENCY", workers=workers)
    stall.StallAlarm().start()
    app = worker.app.callable
    app.extensions["lifecycle"].watch(lambda: worker.alive, graceful_timeout, handover.delay)
    sweeping.start(app)
    measures.STARTED.labels(str(worker.pid)).set_to_current_time()
    app.extensions["sampler"].start()
    app.extensions["socket_spread"].start(directory)
    sandbox = app.extensions.get("sandbox")
    if sandbox:
        sandbox.start()
    worker.pending = pending.Pending(directory, worker_connections, REQUEST_ID)
    report.booted()
    if sandbox and worker.age == workers:  # the last of the first workers: its text stays last
        print(sign_in_text(), flush=True)


def sign_in_text() -> str:
    """Return a text with a sign-in token, as the sandbox has no account to sign in with.

    The link has the token in its fragment, which browsers send to no server.
    """
    token = issue(effective, "alice", "user", SIGN_IN_SECONDS)
    until = time.strftime("%H:%M", time.localtime(time.time() + SIGN_IN_SECONDS))
    return (
        f"\n  Sandbox at {settings.own_url}/   (every upstream is a stand-in)"
        f"\n  Sign-in token, until {until}:\n\n{token}\n"
        f"\n  Or open this link, which signs in:\n\n{settings.own_url}/#token={token}\n"
    )


def pre_request(worker, request) -> None:
    worker.pending.begin(request)


def post_request(worker, request, _environ, response) -> None:
    if not getattr(response, "is_parked", False):  # None if it could not be made
        worker.pending.end(request)


def when_ready(server) -> None:
    report.workers(server.num_workers)


def child_exit(server, worker) -> None:
    mark_process_dead(worker.pid)
    for facts in pending.take_unanswered(directory, worker.pid):
        server.log.error("request lost with its worker", extra={"facts": facts})
