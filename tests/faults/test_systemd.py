"""What the real systemd does with the unit file; test_reload.py reloads under it too."""

import pytest
import requests

from tests.faults.machine import Machine
from tests.services import environment, free_port, wait_for


@pytest.fixture
def machine(tmp_path):
    made = environment("sqlite:////srv/service/instance/service.db", PORT=free_port())
    running = Machine(tmp_path, made)
    yield running
    running.remove()


def test_systemd_starts_what_was_killed_and_stops_in_time(machine):
    machine.start()
    assert answers(machine)
    killed = machine.main
    machine.systemctl("kill", "--signal=SIGKILL", "--kill-whom=all")
    wait_for(lambda: machine.main not in (0, killed) and answers(machine), 30)
    assert machine.state("NRestarts") == "1"
    assert machine.state("OOMPolicy") == "continue"  # as after any death of a worker
    machine.stop()
    assert machine.state("Result") == "success"  # and not "timeout"
    assert machine.main == 0


def test_systemd_tries_until_the_service_can_start(machine):
    """A database that is away when the host boots may come back hours later."""
    flask = machine.tree / ".venv/bin/flask"
    away = flask.rename(flask.with_name("away"))
    assert machine.systemctl("start").returncode != 0
    wait_for(lambda: int(machine.state("NRestarts")) > 6, 30)  # systemd's own limit is 5 in 10 s
    away.rename(flask)
    wait_for(lambda: machine.state("ActiveState") == "active", 30)
    assert answers(machine)


def answers(machine: Machine) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{machine.settings['PORT']}/readyz", timeout=5).ok
    except requests.ConnectionError:
        return False
