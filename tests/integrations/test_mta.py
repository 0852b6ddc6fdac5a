"""Arrivals and alerts of New York's subway, over the MTA's feeds."""

import pytest
from google.transit.gtfs_realtime_pb2 import FeedMessage

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

BEGAN = 1_795_350_000
STATIONS = [
    {"gtfs_stop_id": stop, "stop_name": name, "daytime_routes": routes, "complex_id": station}
    for stop, name, routes, station in (
        ("127", "Times Sq-42 St", "1 2 3", "611"),
        ("R16", "Times Sq-42 St", "N Q R W", "611"),
        ("626", "86 St", "4 5 6", "397"),
        ("121", "86 St", "1 2", "306"),
        ("A02", "Inwood-207 St", "A", "143"),
        ("", "Nowhere", "A", "999"),
    )
]


def feed(*trips):
    """Each trip is a route and its stops, as `(stop, seconds from the feed's time)`."""
    message = FeedMessage()
    message.header.gtfs_realtime_version, message.header.timestamp = "1.0", BEGAN
    for number, (route, *stops) in enumerate(trips):
        update = message.entity.add(id=str(number)).trip_update
        update.trip.trip_id, update.trip.route_id = f"trip-{number}", route
        for stop, seconds in stops:
            update.stop_time_update.add(stop_id=stop).arrival.time = BEGAN + seconds
    return message


@pytest.fixture
def subway(vendor):
    """The feeds by the end of their names; another one is empty."""
    feeds = {}

    def answer(asked):
        if asked.path.startswith("/resource/"):
            return Said(STATIONS)
        name = asked.path.partition("%2F")[2]
        raw = feeds.get(name, feed())
        return Said(raw if isinstance(raw, bytes) else raw.SerializeToString())

    vendor.says(answer)
    return feeds


@pytest.fixture
def at(ask):
    return lambda stop, **more: ask("transit-subway-arrivals", {"stop": stop, **more})


def asked_feeds(vendor):
    return sorted(one.target.rpartition("/")[2] for one in vendor.seen[1:])


def test_trains_are_told_in_the_order_of_their_arrival(subway, at, vendor):
    subway["gtfs"] = feed(
        ("1", ("127S", 300), ("142S", 900)), ("7X", ("127N", 60)), ("2", ("127N", -5)),
        ("3", ("101N", 30)),
    )  # fmt: skip
    data = at("127").json["data"]
    told = [(one["route"], one["direction"], one["minutes"]) for one in data["arrivals"]]
    assert told == [("7X", "north", 1), ("1", "south", 5)]
    assert data["arrivals"][1]["time"] == "2026-11-22T12:25:00.000000Z"
    assert data["feedTimestamp"] == "2026-11-22T12:20:00.000000Z"
    assert asked_feeds(vendor) == ["nyct%2Fgtfs"]


def test_a_station_may_have_several_stops_and_be_served_by_all_lettered_lines(subway, at, vendor):
    subway["gtfs-ace"] = feed(("E", ("R16N", 90)))
    data = at("times square, 42 street").json["data"]
    assert data["stop"] == {"id": "127", "name": "Times Sq-42 St", "ids": ["127", "R16"]}
    assert [one["stopId"] for one in data["arrivals"]] == ["R16N"]
    assert len(asked_feeds(vendor)) == 8


def test_a_late_feed_is_told_and_delays_no_train_of_another(subway, at):
    late = feed(("1", ("127N", 60)))
    late.header.timestamp = BEGAN - 600
    subway["gtfs"], subway["gtfs-ace"] = late, feed(("E", ("R16N", 120)))
    data = at("times square, 42 street").json["data"]
    assert [(one["route"], one["minutes"]) for one in data["arrivals"]] == [("1", 11), ("E", 2)]
    assert data["feedTimestamp"] == "2026-11-22T12:10:00.000000Z"


def test_a_route_and_a_direction_choose(subway, at, vendor):
    subway["gtfs"] = feed(("7X", ("127N", 60)), ("7", ("127S", 90)), ("1", ("127N", 60)))
    for stop, more in (("127n", {"route": "7"}), ("127", {"route": "7", "direction": "north"})):
        routes = [one["route"] for one in at(stop, **more).json["data"]["arrivals"]]
        assert routes == ["7X"]
    assert len(asked_feeds(vendor)[1:]) == 2, "one feed for each call"


def test_a_name_of_several_stations_is_refused_with_their_ids(subway, at):
    answer = at("86")
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    assert "626 (4 5 6), 121 (1 2)" in answer.json["details"]["stop"][0]
    assert at("86 St", route="6").json["data"]["stop"]["id"] == "626"
    assert at("Atlantis").status_code == at("999").status_code == 404


def test_an_id_needs_no_list_of_stations(at, vendor):
    trains = feed(("1", ("127N", 60), ("101N", 900))).SerializeToString()
    vendor.says(lambda asked: Said(trains) if "%2F" in asked.path else Said({}, status=429))
    data = at("127").json["data"]
    assert data["stop"] == {"id": "127", "name": "127", "ids": ["127"]}
    assert [(one["route"], one["headsign"]) for one in data["arrivals"]] == [("1", None)]
    assert at("Times Square").status_code == 429


def test_trips_and_stops_that_are_dropped_are_left_out(subway, at):
    dropped = feed(("1", ("127N", 60)), ("2", ("127N", 90)), ("3", ("127N", 120)))
    dropped.entity[0].trip_update.trip.schedule_relationship = 3  # CANCELED
    dropped.entity[1].trip_update.stop_time_update[0].schedule_relationship = 1  # SKIPPED
    subway["gtfs"] = dropped
    assert [one["route"] for one in at("127").json["data"]["arrivals"]] == ["3"]


def test_a_stop_without_an_id_is_no_mistake_of_ours(subway, at):
    subway["gtfs-ace"] = feed(("A", ("", 60)))
    [arrival] = at("Nowhere").json["data"]["arrivals"]
    assert (arrival["route"], arrival["direction"]) == ("A", None)


@pytest.mark.parametrize("raw", [b"", b"<html>busy</html>", b"\x0a\x04\x0a\x021"])
def test_a_feed_that_cannot_be_decoded_is_the_upstreams_failure(subway, at, raw):
    subway["gtfs"] = raw
    answer = at("127")
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")


def alert(name, route, updated, **period):
    return {"id": name, "alert": {
        "informed_entity": [{"route_id": route}], "active_period": [period] if period else [],
        "transit_realtime.mercury_alert": {"updated_at": updated},
    }}  # fmt: skip


def test_alerts_are_told_while_they_hold_the_newest_first(ask, vendor):
    vendor.says({"entity": [
        alert("always", "7", 1), alert("now", "7X", 2, start=1), alert("other", "A", 5),
        alert("over", "7", 3, start=1, end=2), alert("later", "7", 4, start=4_000_000_000),
    ]})  # fmt: skip

    def told(**body):
        return [one["id"] for one in ask("transit-subway-alerts", body).json["data"]["alerts"]]

    assert told(route="7") == ["now", "always"]
    assert told(route="7", activeOnly=False) == ["later", "over", "now", "always"]
    assert told(limit=1) == ["other"]
    assert vendor.seen[0].target == "/Dataservice/mtagtfsfeeds/camsys%2Fsubway-alerts.json"
