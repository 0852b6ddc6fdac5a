"""The server's rules for connections are those of the browser's `io-graph.js` and `io-state.js`."""

import json
import random
import shutil
import subprocess
from pathlib import Path

from config import ROOT
from service.widgets.canvas_check import find_problems
from service.widgets.template import SLOT_TYPES, Slot, WidgetTemplate
from service.widgets.wiring import Place, connection_id
from tests.depth import depth
from tests.services import require
from tests.widgets.canvases import widget

SCRIPT = "tests/widgets/broken.mjs"
FIELDS = ({"type": "number"}, {"type": "integer"}, {"type": ["string", "null"]}, {})


class Declared(dict):
    """Templates by their handles, as the app keeps them."""

    def __iter__(self):
        return iter(self.values())


def browser_answers(canvases, folder: Path):
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    shutil.copytree(ROOT / "service/browser", folder / "service/browser")
    (folder / "tests/widgets").mkdir(parents=True)
    shutil.copy(ROOT / SCRIPT, folder / SCRIPT)
    (folder / "package.json").write_text('{"type": "module"}')
    asked = {"input": json.dumps(canvases), "cwd": folder, "timeout": 120, "check": True}
    done = subprocess.run([node, SCRIPT], capture_output=True, encoding="utf-8", **asked)
    return json.loads(done.stdout)


def random_slot(draw, number):
    direction = "input" if number % 2 else "output"
    slot = {"id": f"ß{number}", "direction": direction, "title": f"Slot {number}"}
    slot["type"] = draw.choice(["object", "any", *SLOT_TYPES])
    if draw.random() < 0.5:
        names = draw.sample("abc", draw.randint(1, 3))
        fields = {name: draw.choice(FIELDS) for name in names}
        slot["schema"] = {"required": names[:1], "properties": fields}
    if draw.random() < 0.4:
        slot["maxConnections"] = draw.randint(1, 3)
    return slot


def random_connection(draw):
    def place(numbers):
        return {"widgetId": f"w{draw.randint(0, 5)}", "slotId": f"ß{draw.choice(numbers)}"}

    made = {"from": place([0, 0, 2, 2, 1, 4]), "to": place([1, 1, 3, 3, 0, 4])}
    if draw.random() < 0.7:
        made["id"] = f"c{draw.randint(0, 40)}"
    if draw.random() < 0.8:
        made["createdAt"] = f"2026-01-0{draw.randint(1, 9)}"
    return made


def random_canvas(draw):
    widgets = [
        {"id": f"w{at}", "slots": [random_slot(draw, number) for number in range(4)]}
        for at in range(draw.randint(2, 5))
    ]
    return {"widgets": widgets, "connections": [random_connection(draw) for _ in range(60)]}


def server_codes(canvas):
    """The code of each connection that does not work, None for one that does."""
    templates = Declared(
        {
            one["id"]: WidgetTemplate(one["id"], ROOT, "", "", "", slots_of(one))
            for one in canvas["widgets"]
        }
    )
    widgets = [widget(one["id"], one["id"]) for one in canvas["widgets"]]
    io = {"connections": canvas["connections"]}
    found = {one.path: one.code for one in find_problems(widgets, io, templates)}
    return [found.get(f"io.connections.{at}") for at in range(len(canvas["connections"]))]


def slots_of(one):
    keys = ("id", "direction", "type", "title", "schema", "maxConnections")
    return tuple(Slot(*(slot.get(key) for key in keys)) for slot in one["slots"])


def test_server_and_browser_find_the_same_connections_broken(tmp_path):
    draw = random.Random(13)
    canvases = [random_canvas(draw) for _ in range(depth(150))]
    answers = browser_answers(canvases, tmp_path)
    for canvas, answer in zip(canvases, answers, strict=True):
        assert server_codes(canvas) == answer["codes"]
    seen = {code for answer in answers for code in answer["codes"]}
    assert seen == {
        None, "unknown_widget", "unknown_slot", "wrong_direction", "self", "type_mismatch",
        "duplicate", "input_taken", "cycle", "too_many",
    }  # fmt: skip


def test_a_connection_without_an_id_gets_the_same_id_from_server_and_browser(tmp_path):
    names = ["a", 'quote " and \\', "ümlaut", "🗺 map", "tab\t\u2028"]
    slots = [{"id": "o", "direction": "output", "type": "any", "title": ""}]
    slots += [{"id": name, "direction": "input", "type": "any", "title": ""} for name in names]
    ends = [({"widgetId": "🗺", "slotId": "o"}, {"widgetId": "b", "slotId": one}) for one in names]
    canvas = {
        "widgets": [{"id": id, "slots": slots} for id in ("🗺", "b")],
        "connections": [{"from": source, "to": to} for source, to in ends],
    }
    (answer,) = browser_answers([canvas], tmp_path)
    places = [(Place(*source.values()), Place(*to.values())) for source, to in ends]
    assert answer["ids"] == sorted(connection_id(*pair) for pair in places)
