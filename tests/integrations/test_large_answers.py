"""Large answers of vendors are read in pieces: other requests of the worker go on meanwhile."""

import json

import gevent
import pytest
from google.transit.gtfs_realtime_pb2 import FeedMessage

from service.integrations.declare import payload
from service.integrations.declare.payload import parse
from service.integrations.declare.shape import Each, Readable, Shape
from service.integrations.vendors.mta.arrivals import trains
from service.integrations.vendors.mta.stations import Stop
from tests.services import on_sqlite

POINTS = [{"t": 1700000000 + n, "p": n / 7} for n in range(30_000)]  # a megabyte
LARGE = json.dumps(POINTS).encode()


@pytest.fixture
def turns_of_others():
    """How often another greenlet has run."""
    turns = []

    def run():
        while True:
            turns.append(1)
            gevent.sleep(0)

    other = gevent.spawn(run)
    gevent.sleep(0)
    turns.clear()
    yield turns
    other.kill()


@pytest.mark.parametrize(
    "value",
    [
        POINTS,
        {"prices": [[point["t"], point["p"]] for point in POINTS]},
        {"times": [point["t"] for point in POINTS]},
        {"a": [{"b": POINTS}]},
    ],
    ids=["objects", "fractions", "whole numbers", "deep"],
)
def test_others_run_while_a_large_answer_is_parsed(turns_of_others, value):
    assert parse(json.dumps(value).encode()) == value
    assert len(turns_of_others) > 10


@pytest.mark.parametrize("kind", [Each, Readable])
def test_others_run_while_our_values_are_read_from_a_long_list(turns_of_others, kind):
    read = Shape(points=kind("", Shape(at="t"))).read([{"t": "x"}] * 5000, {})
    assert len(read["points"]) == 5000
    assert len(turns_of_others) > 10


def test_others_run_while_trains_are_looked_for_among_those_of_a_whole_line(turns_of_others):
    feed = FeedMessage()
    for number in range(600):
        trip = feed.entity.add(id=str(number)).trip_update
        for stop in range(20):
            trip.stop_time_update.add(stop_id=f"A{stop:02}N").arrival.time = 1_795_350_000
    turns_of_others.clear()
    here = Stop("A02", "59 St", "A", "1")
    assert len(list(trains(feed, [here], [here]))) == 600
    assert len(turns_of_others) > 5


@pytest.mark.parametrize("end", [b"", b",NaN]", b",1e999]", b"]]", b',"\xff"]', b"," + b"[" * 9999])
def test_a_large_answer_that_is_none_is_refused_as_a_small_one(end):
    assert parse(LARGE[:-1] + end) is None
    assert parse(b"[1" + end) is None


def test_large_numbers_and_texts_are_exact():
    odd = {"n": 2**80, "m": -0.0, "s": "\ud800\u0000é", "f": 0.1 + 0.2, "points": POINTS}
    assert json.dumps(parse(json.dumps(odd).encode())) == json.dumps(odd)


def test_the_time_of_a_call_may_end_while_its_answer_is_parsed():
    with gevent.Timeout(0, False):
        parse(LARGE)
        pytest.fail("nobody was let in")
    assert parse(LARGE) == POINTS


@on_sqlite
def test_a_large_answer_is_complete(ask, vendor):
    vendor.says({"history": POINTS})
    data = ask("predmarket-price-history", {"tokenId": "7"}).json["data"]
    assert len(data["points"]) == len(POINTS)


class BusyWorker:
    """Others run for longer than the call may take."""

    def __init__(self):
        self._is_new = True

    def spend(self, _):
        if self._is_new:
            self._is_new = False
            gevent.sleep(1.2)


@on_sqlite
def test_an_answer_that_is_there_is_not_late_because_others_run(ask, vendor, within, monkeypatch):
    monkeypatch.setattr(payload, "_parsing", BusyWorker())
    vendor.says({"history": POINTS})
    within(1)
    assert ask("predmarket-price-history", {"tokenId": "7"}).status_code == 200
