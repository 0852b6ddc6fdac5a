"""Standard error can't be written: the log's disk is full, or its reader has ended."""

import io
import json
import logging
import os
import sys
from contextlib import suppress

import pytest
import structlog
from gunicorn.config import Config

from service.observing.logs import log_info
from service.observing.measures import LINES_LOST
from serving.logs import JsonLogger
from tests.faults.client import client_of
from tests.services import Service, wait_for

FULL = ("bash", "-c", 'exec "$@" 2>/dev/full', "bash")
UNREAD = ("bash", "-c", 'exec "$@" 2> >(exec true)', "bash")


@pytest.fixture(scope="module", params=[FULL, UNREAD], ids=["full", "unread"])
def service(request, databases):
    with Service(databases.make("sqlite")) as running:
        yield running.execute(*request.param)


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


def lost() -> float:
    return next(sample.value for sample in LINES_LOST.collect()[0].samples)


@pytest.fixture
def redirect(monkeypatch):
    """Let a descriptor be standard error, in the form that Python opens that in."""
    opened = []

    def redirecting(descriptor: int) -> None:
        raw = io.FileIO(descriptor, "w")
        stream = io.TextIOWrapper(io.BufferedWriter(raw), line_buffering=True)
        opened.append((raw, stream))
        monkeypatch.setattr(sys, "stderr", stream)

    yield redirecting
    for raw, stream in opened:
        raw.close()
        with suppress(OSError, ValueError):
            stream.close()


def test_a_lost_line_is_counted_once_and_does_not_come_later(redirect, tmp_path):
    before = lost()
    disk = os.open("/dev/full", os.O_WRONLY)
    redirect(disk)
    log_info("first")
    structlog.get_logger("any").warning("second")
    assert lost() - before == 2
    room = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(room, disk)
    log_info("third")
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["third"]
    os.close(room)


@pytest.mark.parametrize("size", [100, 9000], ids=["short", "longer than a pipe takes at once"])
def test_a_line_that_is_cut_spoils_no_other(redirect, size):
    """A pipe whose other users have made it non-blocking, and whose reader is slow."""
    before, number = lost(), 0
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    redirect(writer)
    while lost() == before:
        log_info("written", number=number, text="x" * size)
        number += 1
    read = os.read(reader, 1 << 20)
    log_info("written", number=number, text="")
    *lines, rest = (read + os.read(reader, 1 << 20)).split(b"\n")
    assert rest == b""
    *first, last = [line for line in lines if line.endswith(b"}")]
    assert [json.loads(line)["number"] for line in first] == list(range(number - 1))
    assert json.loads(last)["number"] == number
    assert len(lines) - len(first) - 1 <= 1, "one line is cut, or lost as a whole"
    os.close(reader)


@pytest.fixture
def master_log(monkeypatch):
    """Makes gunicorn's own log."""
    monkeypatch.setattr(logging, "raiseExceptions", logging.raiseExceptions)
    made = logging.getLogger("gunicorn.error")
    before = made.handlers[:]
    yield lambda: JsonLogger(Config())
    made.handlers[:] = before


def test_a_line_of_gunicorn_is_lost_as_a_whole(redirect, master_log, tmp_path):
    disk = os.open("/dev/full", os.O_WRONLY)
    redirect(disk)
    log, before = master_log(), lost()
    log.error("first")
    assert lost() - before == 1
    room = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(room, disk)
    log.error("second")
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert json.loads(line)["event"] == "second"
    os.close(room)


def test_nothing_fails_without_standard_error(monkeypatch):
    before = lost()
    monkeypatch.setattr(sys, "stderr", None)
    log_info("lost")
    structlog.get_logger("any").warning("lost too")
    assert lost() - before == 2
