"""The assistant's tool `canvas.check` names what is wrong with a canvas."""

import json

import pytest

from service.widgets.canvas_check import find_problems
from service.widgets.settings import wrong_value
from service.widgets.template import Slot, WidgetTemplate
from service.widgets.templates import WidgetTemplates, built_in
from service.widgets.wiring import type_mismatch
from tests.services import on_sqlite
from tests.widgets.canvases import connection, widget

PLACE = {"properties": {"lat": {"type": "number"}, "lon": {"type": "integer"}}}
SLOTS = (
    Slot("out", "output", "string", "Out"),
    Slot("in", "input", "string", "In"),
    Slot("many", "input", "any", "Many", max_connections=3),
    Slot("number", "input", "number", "Number"),
    Slot("single", "output", "string", "Single", max_connections=1),
)


@pytest.fixture
def problems(app):
    """Finds the problems of widgets and connections, as `{path: code}`."""
    app.extensions["widget_templates"]._by_handle["part"] = WidgetTemplate(
        "part", None, "Part", "P", "A part.", SLOTS
    )

    def find(widgets, *connections):
        templates = app.extensions["widget_templates"]
        found = find_problems(widgets, {"connections": list(connections)}, templates)
        return {problem.path: problem.code for problem in found}

    return find


PARTS = [widget(id, "part") for id in "abc"]
# Of two, the second is older.
BROKEN = {
    "unknown_widget": ["a.out > z.in"],
    "unknown_slot": ["a.out > b.nothing"],
    "wrong_direction": ["a.in > b.in"],
    "self": ["a.out > a.in"],
    "type_mismatch": ["a.out > b.number"],
    "duplicate": ["a.out > b.in", "a.out > b.in"],
    "input_taken": ["b.out > c.in", "a.out > c.in"],
    "cycle": ["b.out > a.in", "a.out > b.in"],
    "too_many": ["a.single > b.in", "a.single > c.in"],
}


@on_sqlite
@pytest.mark.parametrize("code", BROKEN)
def test_a_connection_that_does_not_work_is_named_the_newer_of_two(problems, code):
    ends = [pair.split(" > ") for pair in BROKEN[code]]
    made = [connection(*pair, createdAt=f"{9 - at}") for at, pair in enumerate(ends)]
    assert problems(PARTS, *made) == {"io.connections.0": code}
    assert problems(PARTS, *made[1:]) == {}


@on_sqlite
def test_a_sound_canvas_has_no_problems(problems):
    assert problems([], *[]) == {}
    fan_in = [connection(f"{id}.out", "c.many") for id in "ab"]
    assert problems(PARTS, *fan_in, connection("a.out", "b.in")) == {}


@on_sqlite
def test_a_circle_over_many_widgets_is_found(problems):
    parts = [widget(str(number), "part") for number in range(50)]
    ring = [connection(f"{n}.out", f"{(n + 1) % 50}.in", createdAt=f"{n:03}") for n in range(50)]
    assert problems(parts, *ring) == {"io.connections.49": "cycle"}


@on_sqlite
def test_a_template_that_is_gone_is_named_with_those_that_there_are(app, problems):
    templates = app.extensions["widget_templates"]
    [found] = find_problems([widget("a", "gone")], {}, templates)
    assert (found.path, found.code) == ("widgets.0.templateHandle", "unknown_template")
    assert "“gone”" in found.message
    assert "note" in found.message


@on_sqlite
def test_a_malformed_canvas_is_told_alone(problems):
    found = problems([widget("a", x=None), widget("b", "gone")], {"from": 1})
    assert set(found.values()) == {"malformed"}
    assert {"widgets.0.x", "io.connections.0.from", "io.connections.0.to"} == set(found)


NEEDS = {"required": ["lat"], "properties": {"lat": {"type": "number"}}}
FITS = [
    (PLACE, NEEDS, None),
    (None, NEEDS, None),
    (PLACE, None, None),
    ({"properties": {"lat": {"type": "integer"}}}, NEEDS, None),
    ({"properties": {"lat": {}}}, NEEDS, None),
    ({"properties": {"lon": {"type": "number"}}}, NEEDS, "needs “lat”, which"),
    ({"properties": {"lat": {"type": "string"}}}, NEEDS, "needs “lat” as number, which"),
    ({"properties": {"lat": {"type": ["number", "null"]}}}, NEEDS, "needs “lat” as number"),
]


@pytest.mark.parametrize(("given", "taken", "said"), FITS)
def test_schemas_fit_if_what_is_required_is_given(given, taken, said):
    output = Slot("o", "output", "object", "Out", schema=given)
    mismatch = type_mismatch(output, Slot("i", "input", "object", "In", schema=taken))
    assert mismatch is None if said is None else said in mismatch


@on_sqlite
def test_the_assistant_checks_a_canvas_and_stores_nothing(alice):
    canvas = {
        "widgets": [widget("a"), widget("b")],
        "io": {"connections": [connection("a.text", "z.fill")]},
    }
    chunks = alice.turn(alice.new_chat(), f"call canvas.check with {json.dumps(canvas)}")
    [output] = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
    assert output["ok"] is False
    [problem] = output["problems"]
    assert (problem["path"], problem["code"]) == ("io.connections.0", "unknown_widget")
    assert alice.records("canvases") == []


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"units": "imperial"}, []),
        ({"units": "kelvin"}, ["units"]),
        ({"units": None, "colour": "red"}, ["units", "colour"]),
    ],
)
def test_a_setting_that_the_template_does_not_have_is_named(settings, wrong):
    templates = WidgetTemplates(built_in())
    found = find_problems([widget("a", "weather", settings=settings)], {}, templates)
    assert {problem.code for problem in found} <= {"wrong_setting"}
    assert [problem.path for problem in found] == [f"widgets.0.settings.{name}" for name in wrong]


@pytest.mark.parametrize(
    ("value", "limits", "said"),
    [
        (True, {"type": "integer"}, "type integer"),
        (1, {"type": "integer", "minimum": 2}, "at least 2"),
        (3.5, {"type": "number", "maximum": 3}, "at most 3"),
        ("abc", {"type": "string", "maxLength": 2}, "at most 2 characters"),
        (1, {"type": "boolean"}, "type boolean"),
    ],
)
def test_a_value_outside_its_limits_is_refused_in_words(value, limits, said):
    assert said in wrong_value(limits, value)
