"""Canvases are records whose shape is checked at every door."""

import json

import pytest

from service.database.access import write_transaction
from service.records.models import Record
from service.times import now
from tests.people import types
from tests.services import on_sqlite
from tests.widgets.canvases import connection, widget

CANVASES = "/api/records/canvases"
WIRED = {"version": 1, "connections": [connection("a.text", "b.fill", id="c_1", enabled=True)]}


def refusals(person, **data):
    """What is said about each column of a canvas that is refused."""
    answer = person.post(CANVASES, {"title": "Plan", **data})
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    return answer.json["details"]


def test_a_canvas_keeps_its_widgets_and_connections(alice, bob):
    data = {"title": "Plan", "widgets": [widget("a"), widget("b")], "io": WIRED}
    made = alice.post(CANVASES, data)
    assert made.status_code == 201
    path = f"{CANVASES}/{made.json['recordId']}"
    assert alice.get(path).json["data"] == {"userId": "alice", **data}
    moved = alice.patch(path, {"widgets": [widget("a", x=-12.5)]})
    assert moved.json["data"]["widgets"][0]["x"] == -12.5
    assert bob.get(path).status_code == 404


@on_sqlite
def test_unknown_keys_templates_and_broken_connections_are_kept(alice):
    stray = connection("gone.text", "b.nothing", note="kept")
    data = {
        "title": "Plan",
        "widgets": [widget("b", "no-such-template", colour="red", settings={"deep": [1]})],
        "io": {"version": 1, "connections": [stray, stray], "zoom": 2, "widgets": {"b": {}}},
    }
    made = alice.post(CANVASES, data)
    assert made.status_code == 201
    assert made.json["data"] == {"userId": "alice", **data}


MALFORMED = {
    "0: Invalid input type.": {"widgets": ["a"]},
    "0.id: Missing": {"widgets": [{**widget("a"), "id": None}]},
    "0.id: Length must be": {"widgets": [widget("")]},
    "1.id: Must not be another": {"widgets": [widget("a"), widget("a")]},
    "0.templateHandle: Length": {"widgets": [widget("a", "x" * 129)]},
    "0.x: Not a valid number": {"widgets": [widget("a", x="12")]},
    "0.y: Must be": {"widgets": [widget("a", y=1_000_001)]},
    "0.width: Must be greater": {"widgets": [widget("a", width=0)]},
    "0.settings: Must have at most 65536": {"widgets": [widget("a", settings={"a": "x" * 65_536})]},
    "Longer than maximum length 200": {"widgets": [widget(str(n)) for n in range(201)]},
    "version: Must be equal": {"io": {"version": 2}},
    "widgets.a.value.values: Must have at most 65536": {
        "io": {"widgets": {"a": {"values": {"text": {"value": "x" * 65_536}}}}}
    },
    "widgets.a.value.values.text.value: Not a valid mapping": {
        "io": {"widgets": {"a": {"values": {"text": "Hello"}}}}
    },
    "connections: Not a valid list": {"io": {"connections": {}}},
    "connections.0.from.slotId: Missing": {"io": {"connections": [{"from": {"widgetId": "a"}}]}},
    "connections.0.to: Missing": {"io": {"connections": [{}]}},
    "connections.0.enabled: Not": {
        "io": {"connections": [connection("a.text", "b.fill", enabled=1)]}
    },
    "connections: Longer than maximum length 500": {
        "io": {"connections": [connection("a.text", "b.fill")] * 501}
    },
    "widgets: Not a valid mapping": {"io": {"widgets": []}},
}


@on_sqlite
def test_a_malformed_canvas_is_refused_with_the_place(alice):
    for said, malformed in MALFORMED.items():
        data = json.loads(json.dumps(malformed))
        if said == "0.id: Missing":
            del data["widgets"][0]["id"]
        [(column, texts)] = refusals(alice, **data).items()
        assert column == next(iter(data)), said
        assert any(text.startswith(said) for text in texts), (said, texts)


@on_sqlite
def test_the_largest_canvas_is_stored(alice):
    widgets = [widget(str(number), settings={"text": "x" * 2000}) for number in range(200)]
    pairs = [connection(f"{n % 200}.text", f"{n // 3}.fill", id=f"c_{n}") for n in range(500)]
    made = alice.post(
        CANVASES, {"title": "x" * 200, "widgets": widgets, "io": {"connections": pairs}}
    )
    assert made.status_code == 201, made.json


@on_sqlite
@pytest.mark.parametrize("part", ["widgets", "connections", "notes"])
def test_too_many_parts_are_refused_without_a_look_at_each(alice, part):
    many = [{}] * 501
    io = {
        "connections": {"connections": many},
        "notes": {"widgets": {f"w{n}": 1 for n in range(501)}},
    }
    [texts] = refusals(alice, **({"io": io[part]} if part in io else {"widgets": many})).values()
    assert [text.rpartition(": ")[2] for text in texts] in (
        ["Longer than maximum length 200."],
        ["Longer than maximum length 500."],
    )


@on_sqlite
def test_an_update_is_checked_as_a_create(alice):
    path = f"{CANVASES}/{alice.post(CANVASES, {'title': 'Plan'}).json['recordId']}"
    refused = alice.patch(path, {"widgets": [widget("a", x=None)]})
    assert refused.json["details"] == {"widgets": ["0.x: Field may not be null."]}
    assert alice.patch(path, {"io": None, "widgets": []}).status_code == 200


@on_sqlite
def test_a_malformed_canvas_of_the_assistant_is_refused(alice):
    wrong = json.dumps({"collection": "canvases", "data": {"title": "t", "widgets": [1]}})
    chunks = alice.turn(alice.new_chat(), f"call records.create with {wrong}")
    assert "tool-output-error" in types(chunks)
    assert alice.records("canvases") == []


def test_a_row_of_an_earlier_version_stays_readable_and_can_be_updated(app, alice):
    alice.get(CANVASES)  # makes her row
    data = {"name": "Old", "state": {"shapes": [1]}}
    place = {"collection": "canvases", "owner": "alice", "record_id": "rec-old"}
    with app.app_context(), write_transaction() as session:
        session.add(Record(**place, data=data, created_at=now(), updated_at=now()))
    [found] = alice.records("canvases", where={"name": "Old"})
    assert found["data"] == {"userId": "alice", **data}
    changed = alice.patch(f"{CANVASES}/rec-old", {"title": "New", "widgets": [widget("a")]})
    assert changed.json["data"]["name"] == "Old"
    assert changed.json["data"]["title"] == "New"


@on_sqlite
def test_nobody_writes_the_columns_of_the_earlier_version(alice):
    assert refusals(alice, name="x", state={}) == {
        "name": ["This column is read-only."],
        "state": ["This column is read-only."],
    }
