"""Arrange a canvas as the sandbox's assistant, with the tools that a model would call.

The assistant looks up templates and the newest canvas, has the new widgets checked and placed, and
stores them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from service.sandbox.task_commands import Call

Results = tuple[tuple[str, str], ...]

WEATHER = re.compile(r"\bshow me the weather\b.*\bcontacts?\b", re.I | re.S)
TITLE = "Weather of a contact"
DONE = (
    "I have put Contacts and Weather on the canvas “{}”, and connected the place of one to the "
    "other. Show your contacts there and choose the first one: the weather follows."
)


def first_calls(text: str) -> Iterator[Call]:
    if WEATHER.search(text):
        yield "canvas.templates", {}
        yield "records.query", {"collection": "canvases", "sort": "-updatedAt", "limit": 1}


def follow_up(text: str, results: Results) -> Iterator[Call]:
    """Yield the check of the new state, or after it the write of the checked widgets."""
    if not WEATHER.search(text):
        return
    answers = _answers(results)
    canvas = _newest(answers.get("records.query"))
    match results[-1][0]:
        case "records.query" | "canvas.templates" if canvas is not None:
            yield "canvas.check", _state(canvas)
        case "canvas.check" if canvas is not None and answers["canvas.check"].get("ok"):
            yield _write(canvas, answers["canvas.check"]["widgets"])


def sentence(text: str, results: Results) -> str | None:
    """Return the answer when the canvas is stored, or could not be stored; else None."""
    if not WEATHER.search(text):
        return None
    answers = _answers(results)
    stored = answers.get("records.update") or answers.get("records.create")
    if stored and "data" in stored:
        return DONE.format(stored["data"].get("title") or stored["data"].get("name"))
    problems = answers.get("canvas.check", {}).get("problems", ())
    reasons = [problem["message"] for problem in problems] or [results[-1][1]]
    return "I could not arrange the canvas: " + " ".join(reasons)


def _answers(results: Results) -> dict[str, Any]:
    """Return the last answer of each tool. An error has no keys."""
    answers = {}
    for name, result in results:
        try:
            answer = json.loads(result)
        except ValueError:
            answer = {}
        answers[name] = answer if isinstance(answer, dict) else {}
    return answers


def _newest(page: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the newest canvas, `{}` if there is none, or None if they could not be read."""
    if not page or "records" not in page:
        return None
    return next(iter(page["records"]), {})


def _state(canvas: dict[str, Any]) -> dict[str, Any]:
    """Return the canvas's widgets and connections, with the new widgets, without places."""
    data = canvas.get("data", {})
    widgets, io = data.get("widgets") or [], data.get("io") or {}
    contacts, weather = (_free_id(handle, widgets) for handle in ("contacts", "weather"))
    connection = {
        "id": f"{contacts}-to-{weather}",
        "from": {"widgetId": contacts, "slotId": "home"},
        "to": {"widgetId": weather, "slotId": "place"},
    }
    new = [
        {"id": contacts, "templateHandle": "contacts"},
        {"id": weather, "templateHandle": "weather"},
    ]
    connections = [*io.get("connections", ()), connection]
    return {
        "widgets": [*widgets, *new],
        "io": {"version": 1, **io, "connections": connections},
    }


def _free_id(handle: str, widgets: list[dict[str, Any]]) -> str:
    taken = {widget["id"] for widget in widgets}
    number = next(n for n in range(1, len(taken) + 2) if f"{handle}-{n}" not in taken)
    return f"{handle}-{number}"


def _write(canvas: dict[str, Any], widgets: list[Any]) -> Call:
    data = {"widgets": widgets, "io": _state(canvas)["io"]}
    if canvas:
        target = {"collection": "canvases", "recordId": canvas["recordId"]}
        return "records.update", {**target, "data": data}
    return "records.create", {"collection": "canvases", "data": {"title": TITLE, **data}}
