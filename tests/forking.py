"""Start the service by a fork of a process that has imported it, instead of importing it each time.

An import takes two seconds of a processor, and the tests start the service hundreds of times.
`tests/serving` and `tests/journeys` start it as in production.

The process (`python -m tests.forking gunicorn`) reads the names of files from a named pipe, and for
each starts the gunicorn master that the file describes in JSON. The workers of pytest-xdist share
it. `python -m tests.forking MODULE` does the same for a program of the tests, whose `main` each
fork calls.
"""

import atexit
import gc
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
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

from gevent import monkey
from gevent.fileobject import FileObject
from gunicorn.app.wsgiapp import run

from config import ROOT
from serving.gevent_patching import patch_all

SHARED = "TESTS_FORKING"  # the directory of the process that pytest-xdist's workers share
REQUESTS = "requests"  # its named pipe
START_SECONDS = 120
started: list[subprocess.Popen] = []  # they end with this process
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
    """A fork, with as much of the interface of `Popen` as the tests use."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.stdin: Any = None
        self.stdout: Any = None
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
        """Wait for the end, which closes this object's descriptor and pipes too."""
        if self._descriptor is None:
            return
        assert self._has_ended(timeout), f"process {self.pid} has not ended in {timeout} s"
        os.close(self._descriptor)
        self._descriptor = None
        for pipe in filter(None, (self.stdin, self.stdout)):
            pipe.close()

    def _has_ended(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))


def fork(environ: Mapping[str, str], log: Path) -> Forked:
    """Start gunicorn with this environment; `log` receives its output."""
    return _ask("gunicorn", environ, os.devnull, log)


def fork_program(module: str, environ: Mapping[str, str]) -> Forked:
    """Start a program of the tests, whose input and output are lines of text in pipes."""
    read, written = os.pipe(), os.pipe()
    ends = (Path(f"/proc/{os.getpid()}/fd/{end}") for end in (read[0], written[1]))
    made = _ask(module, environ, *ends)
    os.close(read[0])
    os.close(written[1])
    made.stdin, made.stdout = FileObject(read[1], "w"), FileObject(written[0], "r")
    return made


def share() -> None:
    """Start the process that forks gunicorn, for this process and the tests that it starts."""
    os.environ[SHARED] = str(_source("gunicorn"))


def _ask(program: str, environ: Mapping[str, str], *places: Path | str) -> Forked:
    directory = _directory(program)
    read, written = os.pipe()
    answer = f"/proc/{os.getpid()}/fd/{written}"
    request = directory / uuid4().hex
    request.write_text(json.dumps([dict(environ), answer, *map(str, places)]))
    requests = os.open(directory / REQUESTS, os.O_WRONLY | os.O_NONBLOCK)  # fails without a reader
    os.write(requests, f"{request}\n".encode())
    os.close(requests)
    assert select.select([read], [], [], START_SECONDS)[0], f"no {program} has started"
    pid = int(os.read(read, 20))
    os.close(read)
    os.close(written)
    return Forked(pid)


def _directory(program: str) -> Path:
    """The directory of the process that forks this program."""
    shared = os.environ.get(SHARED) if program == "gunicorn" else None
    return Path(shared) if shared else _source(program)


@cache
def _source(program: str) -> Path:
    """Start the process that forks; it ends with this one. Returns its directory."""
    directory = Path(tempfile.mkdtemp(prefix="tests-forking-"))
    environ = {"PATH": os.environ["PATH"]}
    if program == "gunicorn":  # prometheus_client shares metrics if this is set at its import
        environ["PROMETHEUS_MULTIPROC_DIR"] = str(directory)
    os.mkfifo(directory / REQUESTS)
    read = os.open(directory / REQUESTS, os.O_RDONLY | os.O_NONBLOCK)
    os.open(directory / REQUESTS, os.O_WRONLY)  # until the end of this process
    os.set_blocking(read, True)
    command = [sys.executable, "-m", "tests.forking", program, str(directory)]
    started.append(subprocess.Popen(command, cwd=ROOT, env=environ, stdin=read))
    os.close(read)
    return directory


def main(program: str, directory: str) -> None:
    """Fork for each request, until there are none. Remove the directory then."""
    gc.disable()  # it would go through all modules many times while they are imported
    patch_all()  # after gunicorn's import, as in production
    is_service = program == "gunicorn"
    for name in NEEDED if is_service else (program,):
        importlib.import_module(name)
    from sqlalchemy.orm import configure_mappers  # noqa: PLC0415

    configure_mappers()  # otherwise each worker does it, for its first query
    if is_service:
        _make_rules(directory)
    gc.freeze()
    gc.enable()
    monkey.get_original("signal", "signal")(signal.SIGCHLD, _reap)
    for line in sys.stdin:
        request = Path(line.strip())
        environ, answer, *places = json.loads(request.read_text())
        request.unlink()
        given, output = _open(*places)
        # gevent's `fork` would create a hub here, which the forks would inherit.
        pid = monkey.get_original("os", "fork")()
        if not pid:
            _become(environ, given, output)
            _run(run_gunicorn if is_service else sys.modules[program].main)
        os.close(given)
        os.close(output)
        with open(answer, "w") as answered:
            answered.write(str(pid))
    shutil.rmtree(directory)
    _exit(0)


def _make_rules(directory: str) -> None:
    """Make the rules of all addresses. Each worker would take a third of its start for them."""
    import pytest  # noqa: PLC0415
    from gevent import get_hub  # noqa: PLC0415

    from config import load  # noqa: PLC0415
    from service import create_app  # noqa: PLC0415
    from service.sandbox.listener import upstreams  # noqa: PLC0415
    from tests.app_caches import cache_rules  # noqa: PLC0415
    from tests.services import ENVIRONMENT  # noqa: PLC0415

    cache_rules(pytest.MonkeyPatch())
    app = create_app(load({**ENVIRONMENT, "DATABASE_URL": f"sqlite:///{directory}/unused.db"}))
    upstreams(app, app.extensions["proxy"].catalog)
    get_hub().destroy(destroy_loop=True)  # the forks make their own


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while monkey.get_original("os", "waitpid")(-1, os.WNOHANG)[0]:
            pass


def _open(given: str, output: str) -> tuple[int, int]:
    """The input and the output of a fork."""
    return os.open(given, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def _become(environ: dict[str, str], given: int, output: int) -> None:
    """Take what a new process would have."""
    monkey.get_original("signal", "signal")(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(environ)
    sys.path[:0] = filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))
    os.dup2(given, 0)
    os.dup2(output, 1)
    os.close(given)
    os.close(output)


def run_gunicorn() -> None:
    os.dup2(1, 2)
    sys.argv = ["gunicorn", "-c", "gunicorn.conf.py", "wsgi:app"]
    run()


def _run(program: Callable[[], None]) -> NoReturn:
    try:
        program()
    except SystemExit as ended:  # of the program, or of a worker that gunicorn has forked
        _exit(ended.code)
    except BaseException:
        traceback.print_exc()
        _exit(1)
    _exit(0)


def _exit(code: object) -> NoReturn:
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
    main(*sys.argv[1:])
