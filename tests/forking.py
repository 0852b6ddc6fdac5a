"""Start the service by a fork of a process that has imported it, instead of importing it each time.

An import takes two seconds of a processor, and the tests start the service hundreds of times.
`tests/serving` and `tests/journeys` start it as in production.

The process (`python -m tests.forking`) reads requests as lines of JSON, and answers each with the
process id of a new gunicorn master.
"""

import atexit
import importlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from gevent import monkey
from gunicorn.app.wsgiapp import run

from config import ROOT

# What a master and its workers would each import after the fork, in a tenth of a second.
NEEDED = (
    "service",
    "service.database.postgresql",
    "service.observing.stall",
    "service.sandbox.stand_ins",
    "serving.descriptors",
    "serving.handover",
    "serving.logs",
    "serving.metrics_directory",
    "serving.patches",
    "serving.pending",
    "serving.worker",
    "encodings.idna",
    "gevent.resolver.thread",
)


class Forked:
    """A gunicorn master, with as much of the interface of `Popen` as the tests use."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor: int | None = None
        with suppress(ProcessLookupError):  # it has ended already
            self._descriptor = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Return None while the process runs, and then 0, whatever its status was."""
        return None if self._descriptor is not None and not self._has_ended(0) else 0

    def send_signal(self, how: int) -> None:
        if self._descriptor is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, how)

    def wait(self, timeout: float) -> None:
        """Wait for the end, which closes this object's descriptor too."""
        if self._descriptor is None:
            return
        assert self._has_ended(timeout), f"process {self.pid} has not ended in {timeout} s"
        os.close(self._descriptor)
        self._descriptor = None

    def _has_ended(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))


def fork(environ: Mapping[str, str], log: Path) -> Forked:
    """Start gunicorn with this environment; `log` receives its output."""
    source = _source()
    source.stdin.write(json.dumps([dict(environ), str(log)]).encode() + b"\n")
    source.stdin.flush()
    return Forked(int(source.stdout.readline()))


@cache
def _source() -> subprocess.Popen:
    """Start the process that forks; it ends with this one."""
    # prometheus_client shares metrics if this is set when it is imported.
    metrics = tempfile.mkdtemp(prefix="tests-metrics-")
    environ = {"PATH": os.environ["PATH"], "PROMETHEUS_MULTIPROC_DIR": metrics}
    command = [sys.executable, "-m", "tests.forking"]
    made = subprocess.Popen(
        command, cwd=ROOT, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def end() -> None:
        made.communicate()
        shutil.rmtree(metrics)

    atexit.register(end)
    return made


def main() -> None:
    """Fork for each request, until there are none."""
    monkey.patch_all()  # after gunicorn's import, as in production
    for name in NEEDED:
        importlib.import_module(name)
    from sqlalchemy.orm import configure_mappers  # noqa: PLC0415

    configure_mappers()  # otherwise each worker does it, for its first query
    monkey.get_original("signal", "signal")(signal.SIGCHLD, _reap)
    for line in sys.stdin:
        environ, log = json.loads(line)
        # gevent's `fork` would create a hub here, which the masters would inherit.
        pid = monkey.get_original("os", "fork")()
        if not pid:
            _become_gunicorn(environ, log)
        print(pid, flush=True)


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while monkey.get_original("os", "waitpid")(-1, os.WNOHANG)[0]:
            pass


def _become_gunicorn(environ: dict[str, str], log: str) -> None:
    monkey.get_original("signal", "signal")(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(environ)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["gunicorn", "-c", "gunicorn.conf.py", "wsgi:app"]
    try:
        run()
    except SystemExit as ended:  # of the master, or of a worker that it has forked
        _exit(ended.code)


def _exit(code: object) -> None:
    """End as the interpreter does, but free no object: all the memory that is shared with the
    process that forks would be copied for that, in a tenth of a second."""
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    main()
