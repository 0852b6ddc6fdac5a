"""`systemctl reload` brings new code and settings and refuses no connection.

Two tests are about the other things that the real systemd does with the unit file.
"""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest
import requests

from config import ROOT
from tests.faults.machine import Machine
from tests.faults.probes import Probes, change, client_of
from tests.faults.running_units import Running
from tests.faults.unit import Unit
from tests.services import free_port, wait_for

SETTING = "    sandbox: bool = setting(switch, False)\n"
FEW = (0.3, 1.0, 0.5)  # pauses of probes where no connection could be refused
PATIENCE = 60  # seconds for some probes and turns, which a busy machine may need


FILES = ("config_settings.py", "gunicorn.conf.py", "service/web/operations.py")  # of a release


@pytest.fixture(scope="module")
def running(databases, tmp_path_factory):
    made = Running(databases, tmp_path_factory)
    yield made
    made.stop()


@pytest.fixture
def unit(request, running):
    """A start takes seconds of a processor: a test goes on with the unit of another one that has
    passed. The last tests here are those after which it runs another release."""
    kind, failed = getattr(request, "param", "stand-in"), request.session.testsfailed
    kind = running.best() if kind == "best" else kind
    unit = running.get(kind)
    settings = dict(unit.settings)
    texts = {name: (unit.tree / name).read_text() for name in FILES}
    yield unit
    if request.session.testsfailed > failed or not unit.runs(unit.main):
        running.end(kind)
        return
    unit.settings = settings
    for name, text in texts.items():
        (unit.tree / name).write_text(text)


def release(unit: Unit | Machine) -> None:
    """Install a release with a new answer and a new setting, which gunicorn.conf.py reads too."""
    change(
        unit, "config_settings.py", SETTING, f"{SETTING}    greeting: str | None = setting(text)\n"
    )
    change(unit, "gunicorn.conf.py", "bind = ", "settings.greeting.upper()\nbind = ")
    new = '{"status": current_app.extensions["app_settings"].greeting}'
    change(unit, "service/web/operations.py", '{"status": "ok"}\n', f"{new}\n")


@contextmanager
def fault(unit: Unit | Machine, kind: str):
    """Something that a release does not start with, which is mended at the end."""
    settings, views = dict(unit.settings), unit.tree / "service/web/operations.py"
    code = views.read_text()
    if kind == "import":
        name = "service/web/operations.py"
        line = "from service.database import {}\n"
        change(unit, name, line.format("probe"), line.format("nothing"))
    else:  # only a worker takes the owner's token
        unit.settings["OWNER_TOKEN"] = "no token"
    yield
    unit.settings = settings
    views.write_text(code)


@pytest.mark.parametrize("unit", ["systemd"], indirect=True)
def test_systemd_starts_what_was_killed_and_tries_until_it_can_start(unit):
    """A database that is away when the host boots may come back hours later."""
    flask = unit.tree / ".venv/bin/flask"
    away = flask.rename(flask.with_name("away"))
    killed = unit.main
    unit.systemctl("kill", "--signal=SIGKILL", "--kill-whom=all")
    wait_for(lambda: int(unit.state("NRestarts")) > 6, PATIENCE)  # systemd's own limit is 5 in 10 s
    assert unit.systemctl("start").returncode != 0
    away.rename(flask)
    wait_for(lambda: unit.state("ActiveState") == "active", PATIENCE)
    assert unit.main not in (0, killed)
    wait_for(lambda: answers(unit), 30)
    assert unit.state("OOMPolicy") == "continue"  # as after any death of a worker


def answers(machine: Machine) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{machine.settings['PORT']}/readyz", timeout=5).ok
    except requests.RequestException:  # also one that is answered too late
        return False


@pytest.mark.parametrize("unit", ["best"], indirect=True)
def test_a_release_that_does_not_start_leaves_the_running_one_unchanged(unit):
    old = unit.main
    with Probes(unit).going(FEW) as probes:
        for kind in ("import", "boot"):  # as a wrong setting, the first fails before its start
            with fault(unit, kind):
                turns = probes.turns
                assert not unit.reload(), kind
                assert unit.main == old
                assert unit.runs(old)
                wait_for(lambda turns=turns: probes.turns > turns + 2, PATIENCE)
    assert not probes.failed, probes.failed
    assert "Error: the new service did not start" in unit.journal


def test_a_worker_that_dies_during_an_installation_restarts_with_the_old_code(unit):
    wait_for(lambda: Probes(unit).new_status() == "ok", 30)  # the master is ready before a worker
    release(unit)
    worker = next(pid for pid in unit.processes() if unit.parent_of(pid) == unit.main)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: not unit.runs(worker))
    wait_for(lambda: Probes(unit).new_status() == "ok", 30)


@pytest.mark.parametrize("unit", ["best"], indirect=True)
def test_a_reload_brings_code_and_settings_and_refuses_no_connection(unit):
    old, client = unit.main, client_of(unit)
    running = client.ask(client.new_chat(), "words=150 rate=10", "u")
    running.read_until(b"text-delta", 2)
    release(unit)
    unit.settings["GREETING"] = "good morning"
    with Probes(unit).going() as probes:
        wait_for(lambda: probes.turns > 2 and "ok" in probes.seen, PATIENCE)
        assert unit.reload(), unit.journal
        assert unit.main != old
        wait_for(lambda: not unit.runs(old), 40)
        before = len(probes.seen)
        wait_for(lambda: len(probes.seen) > before + 5, PATIENCE)
    print(f"{len(probes.seen)} probes and {probes.turns} turns")
    assert not probes.failed, probes.failed
    assert set(probes.seen[before:]) == {"good morning"}
    assert running.chunks[-1]["type"] == "finish"


@pytest.mark.parametrize("unit", ["systemd"], indirect=True)
def test_systemd_stops_the_service_in_time(unit):
    unit.stop()
    assert unit.state("Result") == "success"  # and not "timeout"
    assert unit.main == 0


def test_a_second_reload_applies_a_new_address_and_a_stop_ends_all_processes(unit):
    first, before, after = unit.main, unit.settings["PORT"], str(free_port())
    assert unit.reload(migrate=False), unit.journal
    second = unit.main
    unit.settings["PORT"] = after
    assert unit.reload(migrate=False), unit.journal
    assert len({first, second, unit.main}) == 3
    wait_for(lambda: requests.get(f"http://127.0.0.1:{after}/readyz", timeout=10).ok)
    wait_for(lambda: not unit.runs(first) and not unit.runs(second), 40)
    with socket.socket() as sock:
        assert sock.connect_ex(("127.0.0.1", int(before))) != 0
    unit.stop()
    assert not unit.processes()


def test_a_master_that_cannot_hand_over_is_not_signalled(tmp_path):
    """A master of a release before this kind of reload must be restarted once."""
    sleeping = subprocess.Popen(["sleep", "60"])  # SIGUSR2 would end it
    result = subprocess.run(
        [sys.executable, "-m", "serving.reload", str(sleeping.pid), "true"],
        cwd=ROOT, env={"RUNTIME_DIRECTORY": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    alive = sleeping.poll() is None
    sleeping.kill()
    sleeping.wait()
    assert (alive, result.returncode) == (True, 1)
    assert "restart it once" in result.stderr
