"""Standard error can't be written: the log's disk is full, or its reader has ended."""

import pytest

from tests.faults.conftest import client_of
from tests.services import Service, wait_for

FULL = ("bash", "-c", 'exec "$@" 2>/dev/full', "bash")
UNREAD = ("bash", "-c", 'exec "$@" 2> >(exec true)', "bash")


@pytest.fixture(params=[FULL, UNREAD], ids=["full", "unread"])
def service(request, databases):
    running = Service(databases.make("sqlite"))
    try:
        yield running.execute(*request.param)
    finally:
        running.remove()


def test_no_turn_and_no_call_fails_for_a_log_that_cannot_be_written(service):
    client = client_of(service)
    chat = client.new_chat()
    said = {"count to 9": "finish", "Describe nothing": "finish", "hi /fail error-midway": "error"}
    for text, ending in said.items():
        assert client.ask(chat, text, text).chunks[-1]["type"] == ending
    assert len(client.rows(chat)) == 4
    wait_for(lambda: client.credits()["held"] == 0)
    answer = client.json("POST", "/api/integrations/current-weather", {"city": "Berlin"})
    assert answer["success"] is True
    lost = client.send("GET", "/metrics")
    lost.read_whole()
    assert b"log_lines_lost_total 0" not in lost.body


@pytest.mark.parametrize("service", [FULL], indirect=True)
def test_a_worker_starts_without_a_log(service):
    client = client_of(service)
    service.kill_worker(9)
    assert client.ask(client.new_chat(), "count to 3", "u").chunks[-1]["type"] == "finish"
