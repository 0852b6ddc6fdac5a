"""The disk of temporary files is full, with metrics and pending requests; the database's is not."""

import errno
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from service.observing.metric_files import ReservedDict, reserve
from tests.faults.client import client_of
from tests.services import Service, require, wait_for

ISOLATED = ("unshare", "--map-root-user", "--mount")
KEYS = 3000  # of metrics: more than their first file has room for
MOUNT = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"'
ROUTES = (
    "ai/models",
    "credits",
    "integrations/status",
    "records/notes",
    "ai/search?q=x",
    "nothing",
)


def isolated_with(place: Path) -> tuple[str, ...]:
    """The beginning of a command for which `place` is a small disk."""
    return (*ISOLATED, "bash", "-c", MOUNT, str(place))


@pytest.fixture
def place(tmp_path):
    """A directory that only the service sees as a small disk."""
    require(shutil.which("unshare"), "unshare (util-linux)")
    tried = subprocess.run([*isolated_with(tmp_path), "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"namespaces of mounts can't be created here: {tried.stderr.strip()}")
    return tmp_path


@pytest.fixture
def service(databases, place):
    with Service(databases.make("sqlite"), TMPDIR=place) as running:
        yield running.execute(*isolated_with(place))


def fill(service: Service, place: Path) -> None:
    inside = Path(f"/proc/{service.process.pid}/root{place}/filler")
    with inside.open("ab", buffering=0) as file:
        for size in (1 << 16, 1 << 9, 1):
            with suppress(OSError):
                while file.write(b"x" * size):
                    pass
    assert shutil.disk_usage(inside.parent).free == 0


def test_a_full_disk_kills_no_worker(service, place):
    client = client_of(service)
    first = service.worker
    fill(service, place)
    for route in ROUTES:  # each makes new metrics
        assert client.send("GET", f"/api/{route}").status in (200, 404)
    assert client.ask(client.new_chat(), "Describe ai-chats", "u").chunks[-1]["type"] == "finish"
    metrics = client.send("GET", "/metrics")
    assert metrics.status == 200
    assert service.worker == first


def test_a_worker_starts_while_the_disk_is_full(service, place):
    client = client_of(service)
    killed = service.worker
    fill(service, place)
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{killed}").exists())
    fill(service, place)  # what the killed one has freed
    service.wait()
    started = service.worker
    assert client.ask(client.new_chat(), "count to 3", "u").chunks[-1]["type"] == "finish"
    assert service.worker == started
    metrics = client.send("GET", "/metrics")  # of the workers whose files have room
    metrics.read_whole()
    assert (metrics.status, b"worker_restarts_total" in metrics.body) == (200, True)


def test_metrics_that_outgrow_their_disk_are_kept_in_memory(tmp_path, monkeypatch):
    values = ReservedDict(str(tmp_path / "metrics"))
    values.write_value("first", 1.0, 0.0)
    monkeypatch.setattr("service.observing.metric_files.reserve", lambda *_: False)
    for number in range(KEYS):
        values.write_value(f"key {number}", number, 0.0)
    assert values.read_value("first") == (1.0, 0.0)
    assert values.read_value(f"key {KEYS - 1}") == (KEYS - 1, 0.0)
    assert (tmp_path / "metrics").stat().st_size == 1 << 16
    values.close()


@pytest.mark.parametrize("call", ["open", "posix_fallocate"])
def test_metrics_of_a_full_disk_begin_in_memory(tmp_path, monkeypatch, call):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, refuse)
        values = ReservedDict(str(tmp_path / "metrics"))
    values.write_value("first", 1.0, 0.0)
    assert values.read_value("first") == (1.0, 0.0)
    assert list(tmp_path.iterdir()) == []
    values.close()


def test_a_metric_whose_file_may_not_be_made_fails(tmp_path):
    with pytest.raises(FileNotFoundError):
        ReservedDict(str(tmp_path / "absent" / "metrics"))


def test_a_file_system_that_cannot_reserve_gets_a_sparse_file(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with (tmp_path / "file").open("wb") as file:
        assert reserve(file.fileno(), 4096)
    assert (tmp_path / "file").stat().st_size == 4096
