"""The server and the canvas agree on which connections work."""

import json
import random
import shutil
import subprocess

from config import ROOT
from service.widgets.canvas_check import find_problems
from service.widgets.template import Slot, WidgetTemplate
from service.widgets.templates import WidgetTemplates
from tests.depth import depth
from tests.services import require
from tests.widgets.canvases import connection, widget

SCHEMA = {"required": ["lat"], "properties": {"lat": {"type": "number"}}}
SLOTS = (
    Slot("text", "output", "string", "Text"),
    Slot("one", "output", "any", "One", max_connections=1),
    Slot("place", "output", "object", "Place", schema={"properties": {"lat": {"type": "integer"}}}),
    Slot("name", "output", "object", "Name", schema={"properties": {"name": {}}}),
    Slot("open", "output", "object", "Open", schema={"properties": {"lat": True, "b": False}}),
    Slot("shut", "output", "object", "Shut", schema={"properties": {"lat": False}}),
    Slot("in", "input", "string", "In"),
    Slot("many", "input", "any", "Many", max_connections=3),
    Slot("at", "input", "object", "At", schema=SCHEMA),
    Slot("near", "input", "object", "Near", schema={**SCHEMA, "properties": {"lat": True}}),
)
JUDGE = """
import { readFileSync } from 'node:fs';
import { importIo } from './io-state.js';
const { slots, canvases } = JSON.parse(readFileSync(0));
console.log(JSON.stringify(canvases.map(({ widgets, io }) => {
  const { broken } = importIo(io, widgets.map(({ id }) => ({ id, slots })));
  const at = (entry) => io.connections.findIndex((one) => one.n === entry.n);
  return broken.map(({ entry, reason }) => [at(entry), reason]);
})));
"""


def canvas(chance):
    """Five widgets, and connections between any of their slots, some of which are not there."""
    ends = [f"{id}.{slot}" for id in "abcdez" for slot in [*(one.id for one in SLOTS), "none"]]
    pairs = [
        connection(*chance.choices(ends, k=2), n=n, createdAt=chance.choice("12"))
        for n in range(40)
    ]
    named = [{**pair, "id": f"c_{chance.randrange(60)}"} for pair in pairs[:10]]
    return {
        "widgets": [widget(id, "part") for id in "abcde"],
        "io": {"connections": [*named, *pairs[10:]]},
    }


def judged(canvases, tmp_path):
    """What io-state.js finds broken: pairs of an index and a reason, for each canvas."""
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    shutil.copytree(ROOT / "service/browser/widgets", tmp_path, dirs_exist_ok=True)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "judge.mjs").write_text(JUDGE)
    slots = [
        {"id": one.id, "direction": one.direction, "type": one.type, "title": one.title}
        | ({"schema": one.schema} if one.schema else {})
        | ({"maxConnections": one.max_connections} if one.max_connections else {})
        for one in SLOTS
    ]
    given = json.dumps({"slots": slots, "canvases": canvases})
    done = subprocess.run(
        [node, "judge.mjs"], cwd=tmp_path, input=given, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_canvas_and_the_tool_find_the_same_connections_broken(tmp_path):
    templates = WidgetTemplates([])
    templates._by_handle["part"] = WidgetTemplate("part", tmp_path, "Part", "P", "A part.", SLOTS)
    chance = random.Random(13)
    canvases = [canvas(chance) for _ in range(depth(100))]
    reasons = set()
    for one, broken in zip(canvases, judged(canvases, tmp_path), strict=True):
        found = find_problems(one["widgets"], one["io"], templates)
        ours = [(int(each.path.rpartition(".")[2]), each.code) for each in found]
        assert ours == [(at, reason) for at, reason in broken]
        reasons |= {reason for _, reason in broken}
    assert len(reasons) == 9, reasons
