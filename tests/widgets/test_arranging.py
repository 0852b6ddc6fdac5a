"""The assistant arranges a canvas: its tools, places for new widgets, and the sandbox's script."""

import json

import pytest

from service.widgets.canvas_shape import MOST_CONNECTIONS, MOST_WIDGETS
from service.widgets.placing import place
from tests.people import text_of
from tests.services import on_sqlite
from tests.widgets.canvases import connection, widget

pytestmark = on_sqlite
WISH = "Show me the weather where my first contact lives"


def new(id, handle="note", **values):
    return {"id": id, "templateHandle": handle, **values}


@pytest.fixture
def placed(app):
    def find(widgets, *connections):
        templates = app.extensions["widget_templates"]
        return place(widgets, {"connections": list(connections)}, templates)

    return find


@pytest.fixture
def call(alice):
    """The output of one tool call of a turn, or the text of its error."""

    def make(name, **input):
        chunks = alice.turn(alice.new_chat(), f"call {name} with {json.dumps(input)}")
        [said] = [one for one in chunks if one["type"].startswith("tool-output-")]
        return said.get("output") or said["errorText"]

    return make


def test_connected_widgets_stand_in_columns_and_have_the_size_of_their_template(placed):
    contacts, weather, note, chart = placed(
        [new("c", "contacts"), new("w", "weather"), new("n"), new("x", "chart")],
        connection("c.home", "w.place"),
        connection("w.days", "x.items"),
    )
    assert (contacts["x"], contacts["y"], contacts["width"]) == (0, 0, 300)
    assert contacts["x"] + contacts["width"] < weather["x"]
    assert weather["x"] + weather["width"] < chart["x"]
    assert note["y"] > max(one["y"] + one["height"] for one in (contacts, weather, chart))


def test_what_has_a_place_keeps_it_and_new_widgets_stand_below(placed):
    old, wide, below = placed([widget("o", x=40, y=500), new("w", width=900), new("b", x=7)])
    assert old == widget("o", x=40, y=500)
    assert (wide["width"], wide["height"]) == (900, 220)
    assert min(wide["y"], below["y"]) > 600


ODD = [None, 7, {}, {"id": ["a"]}, new("a", x=None), new("b", width="wide"), new(7), new("n", [])]
ODD += [new("h", width=10**400), new("l", y=10**400, height=0.5)]
TIES = [None, {"from": 1, "to": 2}, connection("a.x", "a.y"), {"from": {"widgetId": []}, "to": {}}]


def test_malformed_widgets_and_connections_are_left_to_the_check(placed):
    assert len(placed(ODD, *TIES)) == len(ODD)
    ring = [connection("a.x", "b.y"), connection("b.x", "a.y")]
    assert len({(one["x"], one["y"]) for one in placed([new("a"), new("b")], *ring)}) == 2


def test_more_than_a_canvas_has_are_left_to_the_check(placed):
    most = [new(str(number)) for number in range(MOST_WIDGETS)]
    ties = [connection(f"{number}.x", f"{number + 1}.y") for number in range(MOST_CONNECTIONS)]
    assert "x" in placed(most, *ties)[0]
    for widgets, connections in (([*most, new("a")], ties), (most, [*ties, ties[0]])):
        assert placed(widgets, *connections) == widgets


def test_the_templates_are_told_with_sizes_and_slots(call):
    listed = {one["templateHandle"]: one for one in call("canvas.templates")["templates"]}
    slots = {slot["id"]: slot for slot in listed["weather"]["slots"]}
    assert (slots["place"]["direction"], slots["place"]["type"]) == ("input", "object")
    assert slots["place"]["schema"]["required"] == ["name"]
    assert (listed["weather"]["width"], listed["weather"]["height"]) == (320, 260)


WRONG = {
    "“weather” has no slot “town”. The outputs of “contacts” are": "contacts.home > weather.town",
    "The inputs of “weather” are “place”, “city”.": "contacts.home > weather.text",
    "There is no widget “wether”. The widgets are “contacts”": "contacts.home > wether.place",
    "of type string, but “Place” takes object. Use": "contacts.organization > weather.place",
}  # fmt: skip


@pytest.mark.parametrize("said", WRONG)
def test_an_error_says_what_there_is_instead(call, said):
    parts = [new("contacts", "contacts"), new("weather", "weather")]
    made = connection(*WRONG[said].split(" > "))
    answer = call("canvas.check", widgets=parts, io={"connections": [made]})
    assert (answer["ok"], len(answer["problems"])) == (False, 1)
    assert said in answer["problems"][0]["message"]


def test_of_many_problems_the_first_are_named_and_the_others_counted(call):
    answer = call("canvas.check", widgets=[new(str(at), "gone") for at in range(30)])
    assert (len(answer["problems"]), answer["moreProblems"]) == (20, 10)
    assert "only calendar, chart, contacts" in answer["problems"][0]["message"]
    [crowd] = call("canvas.check", widgets=[new(str(at)) for at in range(201)])["problems"]
    assert (crowd["path"], crowd["code"]) == ("widgets", "malformed")


def test_what_the_check_refuses_as_malformed_is_refused_when_it_is_stored(alice, call):
    bad = [new("a", x=0, y=0)]
    assert "widgets.0.width" not in json.dumps(call("canvas.check", widgets=bad))
    refused = call("records.create", collection="canvases", data={"title": "T", "widgets": bad})
    assert "0.width" in refused
    assert alice.records("canvases") == []


def test_a_wish_becomes_widgets_that_are_connected(alice):
    chunks = alice.turn(alice.new_chat(), WISH)
    used = [one["toolName"] for one in chunks if one["type"] == "tool-input-available"]
    assert used == ["canvas.templates", "records.query", "canvas.check", "records.create"]
    assert "“Weather of a contact”" in text_of(chunks)
    [record] = alice.records("canvases")
    handles = [one["templateHandle"] for one in record["data"]["widgets"]]
    assert handles == ["contacts", "weather"]
    [tie] = record["data"]["io"]["connections"]
    assert (tie["from"]["slotId"], tie["to"]["slotId"]) == ("home", "place")


def test_a_wish_is_added_to_the_newest_canvas_and_nothing_of_it_is_lost(alice):
    io = {"version": 1, "connections": [], "widgets": {"a": {"templateHandle": "note"}}}
    data = {"title": "Mine", "widgets": [widget("a", mark=1)], "io": io}
    alice.post("/api/records/canvases", data)
    for _ in range(2):
        alice.turn(alice.new_chat(), WISH)
    [record] = alice.records("canvases")
    assert record["data"]["widgets"][0] == widget("a", mark=1)
    assert len({one["id"] for one in record["data"]["widgets"]}) == 5
    assert record["data"]["io"]["widgets"] == io["widgets"]
    assert len(record["data"]["io"]["connections"]) == 2
