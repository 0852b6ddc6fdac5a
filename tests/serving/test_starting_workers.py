"""A worker that can't be started just now is no reason to end the others."""

import errno
import logging
import os
import tempfile
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.errors import AppImportError, HaltServer
from gunicorn.workers.ggevent import GeventWorker
from gunicorn.workers.workertmp import WorkerTmp

from config import ConfigError
from service.observing.measures import RESTARTS
from serving import worker
from serving.patches import halting_once, persistent


class Master(Arbiter):
    """gunicorn's master, without what starts it."""

    def __init__(self) -> None:
        self.log, self.cfg, self.pid, self.timeout = logging.getLogger("master"), Config(), 1, 30
        self.WORKERS, self.app, self.worker_age, self._num_workers = {}, None, 0, 1
        self._stats = {"workers_spawned": 0}
        self._last_logged_active_worker_count = None
        self.worker_class = lambda age, *_: SimpleNamespace(age=age)

    spawn_worker = persistent(Arbiter.spawn_worker)
    reap_workers = halting_once(Arbiter.reap_workers)


@pytest.mark.parametrize("error", [errno.EAGAIN, errno.ENOMEM])
def test_a_master_without_room_for_a_worker_tries_again(monkeypatch, caplog, error):
    answers = [OSError(error, os.strerror(error)), 4711]
    monkeypatch.setattr(os, "fork", Mock(side_effect=answers))
    master = Master()
    master.manage_workers()
    assert (master.WORKERS, master.worker_age) == ({}, 0)
    (line,) = caplog.records
    assert (line.message, line.facts) == ("worker not started", {"error": os.strerror(error)})
    master.manage_workers()
    assert (list(master.WORKERS), master.worker_age) == ([4711], 1)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.ENFILE, errno.EMFILE])
def test_a_master_without_room_for_the_file_of_a_worker_tries_again(monkeypatch, error):
    made = [OSError(error, os.strerror(error)), (os.memfd_create("worker"), "none")]
    monkeypatch.setattr(tempfile, "mkstemp", Mock(side_effect=made))
    monkeypatch.setattr(os, "fork", lambda: 4711)
    master, mask = Master(), os.umask(0o027)
    master.worker_class = lambda age, *_: SimpleNamespace(age=age, tmp=WorkerTmp(master.cfg))
    try:
        master.manage_workers()
        assert (master.WORKERS, master.worker_age) == ({}, 0)
        master.manage_workers()
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(mask)
    master.WORKERS[4711].tmp.close()


def test_only_a_worker_that_was_started_counts_as_one(monkeypatch):
    """An alert pages somebody for three that were started in place of ended ones."""
    answers = [4711, BlockingIOError(errno.EAGAIN, "no"), BlockingIOError(errno.EAGAIN, "no"), 4712]
    monkeypatch.setattr(os, "fork", Mock(side_effect=answers))
    master, before = Master(), RESTARTS._value.get()
    for restarts in (0, 0, 0, 1):
        master.manage_workers()
        assert RESTARTS._value.get() - before == restarts
        master.WORKERS.clear()  # it has died


def test_another_failure_to_start_a_worker_ends_the_master(monkeypatch):
    monkeypatch.setattr(os, "fork", Mock(side_effect=PermissionError(errno.EPERM, "no")))
    with pytest.raises(PermissionError):
        Master().manage_workers()


def test_only_the_first_worker_that_cannot_boot_is_an_error_of_the_master(monkeypatch):
    """The master waits for the others while it halts. A second error would be a traceback."""
    master, status = Master(), Arbiter.APP_LOAD_ERROR << 8
    master.WORKERS = {4711: Mock(), 4712: Mock()}
    master.reexec_pid = master.dirty_arbiter_pid = 0
    monkeypatch.setattr(os, "waitpid", Mock(side_effect=[(4711, status), (4712, status)]))
    master.LISTENERS = [Mock()]
    with pytest.raises(HaltServer):
        master.reap_workers()
    master.LISTENERS = []  # as at the beginning of a halt
    master.reap_workers()
    assert master.WORKERS == {}


@pytest.fixture
def boot(monkeypatch):
    """Boots the worker of a number, where gunicorn's own part ends with an error."""
    slept = []
    monkeypatch.setattr(worker, "_sleep", slept.append)

    def boot(age, error):
        monkeypatch.setattr(GeventWorker, "init_process", Mock(side_effect=error))
        one = worker.Worker(age, os.getppid(), [], None, 30, Config(), logging.getLogger("worker"))
        try:
            one.init_process()
        finally:
            one.tmp.close()

    boot.slept = slept
    return boot


@pytest.mark.parametrize("error", [errno.ENFILE, errno.EMFILE, errno.ENOSPC])
def test_a_worker_without_room_to_boot_ends_alone(boot, caplog, error):
    """With gunicorn's own exit status the master would end with all other workers."""
    with pytest.raises(SystemExit) as ended:
        boot(2, OSError(error, os.strerror(error)))
    assert ended.value.code not in (Arbiter.WORKER_BOOT_ERROR, Arbiter.APP_LOAD_ERROR)
    assert (caplog.records[-1].message, boot.slept) == ("worker not started", [1.0])


def test_the_want_of_room_may_be_behind_a_setting_that_is_in_a_file(boot):
    error = AppImportError("Error: AUTH_SECRET_FILE: Too many open files")
    error.__context__ = ConfigError("AUTH_SECRET_FILE: Too many open files")
    error.__context__.__context__ = OSError(errno.EMFILE, "Too many open files")
    with pytest.raises(SystemExit):
        boot(2, error)


def no_longer_good() -> AppImportError:
    error = AppImportError("Error: OWNER_TOKEN: it ended")
    error.__context__ = ConfigError("OWNER_TOKEN: it ended")
    return error


def test_a_setting_that_is_no_longer_good_does_not_end_the_workers_that_run(boot, caplog):
    """The owner's token has ended since, or the host's clock was set back before its beginning."""
    with pytest.raises(SystemExit):
        boot(2, no_longer_good())
    assert caplog.records[-1].facts == {"error": "OWNER_TOKEN: it ended"}


@pytest.mark.parametrize(
    ("age", "error"),
    [
        (1, OSError(errno.EMFILE, "Too many open files")),  # who starts the service learns of it
        (1, no_longer_good()),
        (2, PermissionError(errno.EACCES, "no")),
        (2, AppImportError("Error: PORT: must be a number")),
    ],
)
def test_any_other_failure_to_boot_is_gunicorns(boot, age, error):
    with pytest.raises(type(error)):
        boot(age, error)
    assert boot.slept == []
