"""The processes of a service: their logs, directories and limits."""

import errno
import fcntl
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
import requests

from config import ROOT
from serving import metrics_directory
from serving.descriptors import raise_limit
from tests.faults.client import client_of
from tests.services import Service, free_port, require, wait_for


@pytest.fixture
def here(databases, tmp_path, monkeypatch):
    """A service that uses the test's temporary directory."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Service(databases.make("sqlite"), TMPDIR=tmp_path) as running:
        yield running.start()


@pytest.fixture(scope="module")
def executed(databases, tmp_path_factory):
    """A service that is started as in production, which takes seconds, with few open files.

    Its temporary directory is `executed.temporary`. The last test that asks for it stops it.
    """
    require(shutil.which("prlimit"), "prlimit (util-linux)")
    place = tmp_path_factory.mktemp("executed")
    settings = {"TMPDIR": place, "PROMETHEUS_MULTIPROC_DIR": ""}
    with Service(databases.make("sqlite"), **settings) as running:
        running.temporary = place
        yield running.execute("prlimit", "--nofile=1024:1024")


def lines(service) -> list[dict]:
    """Return the lines of the log without those that `make run` prints for a person."""
    text = service.log.read_text()
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def not_json(service) -> list[str]:
    printed = ("  Sandbox at", "  Sign-in token", "ey", "  Or open this link", "http:")
    text = service.log.read_text().splitlines()
    return [line for line in text if line and not line.startswith(("{", *printed))]


def test_a_limit_that_is_too_low_is_logged_at_the_start(executed):
    (line,) = [line for line in lines(executed) if "open files" in line["event"]]
    assert (line["level"], "1024" in line["event"]) == ("warning", True)


def test_an_empty_name_of_the_metrics_directory_is_as_good_as_none(executed):
    """Its files would lie where gunicorn was started."""
    assert len(list(executed.temporary.glob("service-metrics-*"))) == 1


def test_gunicorn_logs_json(executed):
    client = client_of(executed)
    client.send("GET", "/healthz bad").read_until(b"400")
    executed.stop()
    assert not not_json(executed)
    events = [line["event"] for line in lines(executed) if line.get("logger") == "gunicorn.error"]
    assert any(event.startswith("Booting worker") for event in events)
    assert any(event.startswith("Invalid request") for event in events)
    assert all(line["timestamp"] and line["level"] for line in lines(executed))


def test_the_query_of_a_callback_is_not_logged(here):
    client = client_of(here)
    address = "/api/integrations/oauth/cloudsuite/callback?code=c4n4ry&state=c4n4ry"
    client.send("GET", address).read_until(b"\r\n\r\n")
    client.send("GET", f"{address} bad").read_until(b"400")
    client.send("POST", address).read_until(b"\r\n\r\n")
    here.stop()
    assert "c4n4ry" not in here.log.read_text()


def test_each_request_of_a_killed_worker_is_logged(here):
    client = client_of(here)
    chats = [client.new_chat() for _ in range(3)]
    turns = [client.ask(chat, "count to 5000", chat) for chat in chats]
    for turn in turns:
        turn.read_until(b"text-delta", 2)
    killed = here.worker
    here.kill_worker(signal.SIGKILL)
    wait_for(lambda: len(lost(here)) == 3)
    assert {(line["worker"], line["path"]) for line in lost(here)} == {(killed, "/api/ai/chat")}
    for turn in turns:
        request_id = turn.raw.lower().split(b"x-request-id: ")[1].split(b"\r\n")[0].decode()
        assert request_id in {line["request_id"] for line in lost(here)}


def lost(service) -> list[dict]:
    return [line for line in lines(service) if line["event"] == "request lost with its worker"]


def test_a_worker_that_ends_normally_logs_no_lost_request(here):
    client = client_of(here)
    client.ask(client.new_chat(), "hello", "u").read_whole()
    here.stop()
    assert not lost(here)


def test_a_request_keeps_the_id_that_it_came_with(here):
    client = client_of(here)
    chat = client.new_chat()
    body = b'{"chatId":"%s","userMessageId":"u","content":"count to 5000"}' % chat.encode()
    turn = client.send("GET", "/healthz")
    turn.read_until(b"ok")
    turn.sock.sendall(
        b"POST /api/ai/chat HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine-1\r\nAuthorization: Bearer "
        + client.token.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )  # fmt: skip
    turn.read_until(b"text-delta", 2)
    here.kill_worker(signal.SIGKILL)
    wait_for(lambda: [line["request_id"] for line in lost(here)] == ["mine-1"])


def test_each_response_has_the_date_of_its_second(here):
    for _ in range(2):
        began = int(time.time())
        answer = requests.get(f"{here.url}/healthz", timeout=10)
        sent = parsedate_to_datetime(answer.headers["Date"]).timestamp()
        assert began <= sent <= time.time()
        time.sleep(1.1)


def test_a_service_may_listen_at_several_addresses(databases, monkeypatch):
    port = free_port()
    monkeypatch.setattr("tests.services.free_port", lambda: port)
    bind = f"127.0.0.1:{port}, 127.0.0.2:{port}"
    with Service(databases.make("sqlite"), BIND=bind) as running:
        running.start()
        for host in ("127.0.0.1", "127.0.0.2"):
            assert requests.get(f"http://{host}:{port}/healthz", timeout=10).ok


def test_a_hangup_changes_nothing(here):
    """gunicorn would start workers with new code and the old settings."""
    worker = here.worker
    here.process.send_signal(signal.SIGHUP)
    wait_for(lambda: any(line["event"].startswith("SIGHUP is ignored") for line in lines(here)))
    here.wait()
    assert here.worker == worker


def test_the_metrics_directory_is_removed_at_the_end(here, tmp_path):
    assert len(list(tmp_path.glob("service-metrics-*"))) == 1
    here.stop()
    assert not list(tmp_path.glob("service-metrics-*"))


def test_a_command_leaves_no_metrics_where_it_is_run(tmp_path):
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "flask", "--app", ROOT / "wsgi.py", "keys", "new"]
    subprocess.run(command, cwd=tmp_path, env=environ, check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []


def test_the_directory_of_a_killed_service_is_removed_at_the_next_start(here, tmp_path):
    (left,) = tmp_path.glob("service-metrics-*")
    worker = here.worker
    here.stop(signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{worker}").exists())
    assert left.exists()
    here.start()
    (now,) = tmp_path.glob("service-metrics-*")
    assert now != left


def test_a_directory_in_use_is_never_removed(here, tmp_path):
    (used,) = tmp_path.glob("service-metrics-*")
    made = metrics_directory.make()
    assert used.exists()
    metrics_directory._remove(made, os.getpid())


def test_a_directory_in_use_is_locked_against_the_cleaning_of_old_files(here, tmp_path):
    (used,) = tmp_path.glob("service-metrics-*")
    descriptor = os.open(used, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)


def test_a_file_system_without_locks_of_directories_will_do(tmp_path, monkeypatch):
    """NFS wants a descriptor that may write, which a directory has not."""

    def lock(descriptor, _):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        locked.append(descriptor)

    locked = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(metrics_directory.fcntl, "flock", lock)
    made = metrics_directory.make()
    assert len(locked) == 1
    metrics_directory._remove(made, os.getpid())
    os.close(*locked)


def test_a_directory_is_in_use_before_its_lock_can_be_seen(tmp_path, monkeypatch):
    """Another service that starts at the same moment looks for unused ones."""
    flock, found = fcntl.flock, []

    def look_first(descriptor, how):
        if how == fcntl.LOCK_EX:
            found.extend(metrics_directory._unused())
        flock(descriptor, how)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(metrics_directory.fcntl, "flock", look_first)
    made = metrics_directory.make()
    assert (found, list(metrics_directory._unused())) == ([], [])
    metrics_directory._remove(made, os.getpid())


def test_the_limit_of_open_files_is_raised_or_warned_about():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, before[1]))
        raise_limit(50)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert str(before[1]) in raise_limit(before[1])
