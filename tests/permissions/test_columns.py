"""A column that only some roles may read is hidden from all others, at every door."""

import pytest

from tests.permissions.all_collections import COLLECTIONS
from tests.permissions.doors import Http, Socket, Tools, on_sqlite

pytestmark = on_sqlite

SEES = [("user", False), ("stranger", False), ("editor", True), ("admin", True)]
SEALED = COLLECTIONS["sealed"]


@pytest.fixture
def graded(enter, two):
    """A record of mine with a restricted column, whose grade is 5."""
    seeded = two(SEALED)
    writer = enter(Http, seeded.me, "admin")
    assert writer.update("sealed", seeded.own, {"grade": 5}) == "allowed"
    return seeded


@pytest.mark.parametrize(("role", "sees"), SEES)
def test_every_answer_shows_the_columns_of_the_role(enter, graded, role, sees):
    http, tools = enter(Http, graded.me, role).person, enter(Tools, graded.me, role)
    socket = enter(Socket, graded.me, role)
    path, name = f"/api/records/sealed/{graded.own}", {"collection": "sealed"}
    named = {**name, "recordId": graded.own}
    visible = [
        http.get(path).json,
        http.patch(path, {"title": "by http"}).json,
        tools.call("records.get", **named)[0],
        tools.call("records.update", **named, data={"title": "by tool"})[0],
        socket.ask("update", "sealed", recordId=graded.own, data={"title": "by socket"})["record"],
        *http.get("/api/records/sealed", query_string={"where": OWN % graded.own}).json["records"],
        *tools.call("records.query", **name, where={"recordId": graded.own})[0]["records"],
        *socket.ask("subscribe", "sealed", where={"recordId": graded.own})["records"],
    ]
    http.patch(path, {"title": "heard"})
    visible.append(socket.subscriber.read()["record"])
    expected = {"title", "userId"} | ({"grade"} if sees else set())
    assert [set(record["data"]) for record in visible] == [expected] * 9


OWN = '{"recordId": "%s"}'


@pytest.mark.parametrize(("role", "sees"), SEES)
def test_the_description_has_the_columns_of_the_role(enter, graded, role, sees):
    output, _ = enter(Tools, graded.me, role).call("schema.describe", collection="sealed")
    names = [column["name"] for column in output["columns"]]
    assert names == ["userId", "title"] + (["grade"] if sees else [])


@pytest.mark.parametrize(("role", "sees"), SEES)
def test_nobody_filters_or_sorts_by_a_hidden_column(enter, graded, role, sees):
    http, tools = enter(Http, graded.me, role).person, enter(Tools, graded.me, role)
    socket, where = enter(Socket, graded.me, role), {"or": [{"grade": {"gt": 4}}]}
    absent = http.get("/api/records/sealed", query_string={"where": '{"absent": 5}'}).json
    assert ("grade" in absent["details"]["where.absent"][0]) == sees
    refused = [
        http.get("/api/records/sealed", query_string={"where": '{"grade": 5}'}).status_code == 400,
        http.get("/api/records/sealed", query_string={"sort": "-grade"}).status_code == 400,
        "No such column"
        in (tools.call("records.query", collection="sealed", where=where)[1] or ""),
        "No such column"
        in (tools.call("records.query", collection="sealed", sort="grade")[1] or ""),
        socket.ask("subscribe", "sealed", where=where).get("error") == "invalid_request",
    ]
    assert refused == [not sees] * 5


@pytest.mark.parametrize(("role", "sees"), SEES)
def test_nobody_writes_a_hidden_column(place, enter, graded, role, sees):
    before = place.state(SEALED, graded.me)
    http, tools = enter(Http, graded.me, role).person, enter(Tools, graded.me, role)
    socket, data = enter(Socket, graded.me, role), {"grade": 1}
    named = {"collection": "sealed", "recordId": graded.own, "data": data}
    answers = [
        http.patch(f"/api/records/sealed/{graded.own}", data).status_code == 200,
        tools.call("records.update", **named)[1] is None,
        socket.ask("update", **named)["type"] == "ok",
    ]
    assert answers == [sees] * 3
    assert (place.state(SEALED, graded.me) != before) == sees
