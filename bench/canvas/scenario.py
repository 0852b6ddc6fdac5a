"""The `canvas` scenario: 100 widgets with 300 connections in Chromium, and their record."""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from statistics import median
from typing import Any

import requests
from playwright.sync_api import Frame

from bench import figures
from bench.canvas import page as canvas_page
from bench.canvas import relays
from bench.canvas.watched import WATCH, Watched, opened
from bench.databases import Databases
from bench.figures import Figure
from bench.limits import SERVER_CORE, pinned
from bench.scenarios import Scenario
from service.auth.tokens import issue
from tests.browser.page import Console
from tests.services import Service, settings_for

NAME = "canvas"
SIZE = {"width": 1440, "height": 900}
RUNS = 5  # of the chain
BURST = 2_000  # outputs
MOVES = 20  # stored one after the other
PATIENCE = 60_000  # ms


@dataclass(frozen=True)
class CanvasResult:
    """Of the canvas, or of its floor. Milliseconds, unless said otherwise."""

    drag: float  # frames a second
    drag_work: float  # of the page's main thread for one of them
    hub: float
    hub_work: float
    heap: float  # MB of the page's JavaScript objects
    memory: float  # MB of all processes of the browser for each frame of a widget
    painted: float
    greeted: float
    chain: float
    gap: float
    record: float  # bytes
    patch: float
    told: float  # bytes


def _value(name: str) -> Callable[[CanvasResult], float]:
    return lambda result: getattr(result, name)


LABELS = {
    "drag": "frames/s, a widget is dragged over 100 with 300 connections",
    "drag_work": "… main thread ms/frame",
    "hub": "frames/s, a widget with 60 connections is dragged",
    "hub_work": "… main thread ms/frame",
    "heap": "MB of the host's JavaScript, 100 frames",
    "memory": "MB of the whole browser for each frame",
    "painted": "ms until a canvas that is opened is drawn",
    "greeted": "… until all of its frames have said hello",
    "chain": "ms, a value through a chain of 20 widgets",
    "gap": "longest ms without a frame, 2 000 outputs at once",
    "record": "bytes of the record",
    "patch": "ms, a move is stored",
    "told": "bytes that another tab is told of it",
}
FIGURES = tuple(
    Figure(NAME, LABELS[field.name], _value(field.name)) for field in fields(CanvasResult)
)


def rows(count: int, databases: Databases) -> list[tuple[str, ...]]:
    """The rows of the table, from `count` rounds."""
    with Service(databases.make("sqlite"), EXTENSIONS="bench.canvas.relays") as service:
        with pinned(SERVER_CORE):
            service.execute()
        rounds = [_round(service, number) for number in range(count)]
    scenario = Scenario(NAME, relays.WIDGETS, 0, 1, rounds=count, peers=("service",))
    return [figures.row(figure, scenario, rounds) for figure in FIGURES]


def _round(service: Service, number: int) -> dict[str, CanvasResult]:
    subject = f"bench-{number}"
    token = issue(settings_for(service.database_url), subject, "user", 3600)
    measured = {}
    for name, measure in (("service", _measure_canvas), ("bare", _measure_floor)):
        with opened() as browser:  # a new one, whose memory holds nothing of the other's
            context = browser.new_context(viewport=SIZE)
            context.set_default_timeout(PATIENCE)
            context.add_init_script(WATCH)
            console = Console(context.new_page(), service, token, subject)
            measured[name] = measure(Watched(browser, console.sign_in()))
    return measured


def _measure_canvas(watched: Watched) -> CanvasResult:
    console, page = watched.console, watched.page
    stored = console.api("POST", "records/canvases", relays.canvas())
    page.goto(f"{console.service.url}/#/canvas/{stored['recordId']}")
    page.reload()
    seen = watched.seen()
    memory, heap = watched.memory_per_frame(), watched.heap()
    drag, hub = _drag(watched, 5), _drag(watched, relays.HUB)
    first, hub_frame = (watched.frame(f"{_box(at)} iframe") for at in (0, relays.HUB))
    return CanvasResult(
        *drag,
        *hub,
        heap,
        memory,
        seen["painted"],
        seen["greeted"],
        chain=median(_chain(watched, first, run) for run in range(RUNS)),
        gap=_burst(watched, hub_frame, canvas_page.BURST),
        **_stored(watched, stored["recordId"]),
    )


def _box(number: int) -> str:
    return f'article[data-widget-id="{relays.widget_id(number)}"]'


def _drag(watched: Watched, number: int) -> tuple[float, float]:
    """Hold the widget with the mouse, and move it in each frame."""
    page, grip = watched.page, f"{_box(number)} .shape-grip"
    box = page.locator(grip).bounding_box()
    assert box
    page.evaluate(canvas_page.NOTE_POINTER)
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    measured = watched.drag(grip)
    page.mouse.up()
    return measured


def _chain(watched: Watched, first: Frame, run: int) -> float:
    watched.begin(canvas_page.CHAIN, run)
    value = {"hops": relays.CHAIN - 1, "run": run}
    first.evaluate("(value) => relay.setOutput('out', value)", value)
    return watched.end()


def _burst(watched: Watched, sender: Frame, code: str) -> float:
    watched.begin(canvas_page.GAP, BURST)
    sender.evaluate(code, BURST)
    return watched.end()


def _stored(watched: Watched, record_id: str) -> dict[str, float]:
    """What a move costs: as the canvas stores it, seen from another tab."""
    api = watched.console.api
    path = f"records/canvases/{record_id}"
    widgets = api("GET", path)["data"]["widgets"]

    def move(at: int) -> Any:
        widgets[0]["x"] = at
        return {"widgets": widgets}

    return {**_write(watched, path, move), "record": len(watched.console.api_text("GET", path))}


def _write(watched: Watched, path: str, body: Callable[[int], Any]) -> dict[str, float]:
    told: list[int] = []
    watched.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda text: told.append(len(text)))
    )
    watched.page.goto(f"{watched.console.service.url}/#/canvas")
    watched.page.reload()
    watched.page.locator(".canvas-card").first.wait_for()
    began = len(told)
    session = requests.Session()
    url = f"{watched.console.service.url}/api/{path}"
    headers = {"Authorization": f"Bearer {watched.console.token}"}
    times = []
    for at in range(MOVES):
        start = time.perf_counter()
        session.patch(url, json=body(at), headers=headers, timeout=10).raise_for_status()
        times.append((time.perf_counter() - start) * 1000)
    while len(told) < began + MOVES:
        watched.page.wait_for_timeout(50)
    return {"patch": median(times), "told": median(told[began:])}


def _measure_floor(watched: Watched) -> CanvasResult:
    """The same page and the same frames, without a host; the record of an empty canvas."""
    console, page = watched.console, watched.page
    stored = console.api("POST", "records/canvases", {"title": "Empty"})
    path = f"records/canvases/{stored['recordId']}"
    watched.begin(canvas_page.MOUNT, ["/w/relay", relays.WIDGETS])
    watched.end()
    seen = watched.seen()
    memory, heap = watched.memory_per_frame(), watched.heap()
    rate, work = watched.drag("")
    for frame in [frame for frame in page.frames if "/w/relay" in frame.url]:
        frame.evaluate(canvas_page.ECHO)
    chain = median(page.evaluate(canvas_page.BARE_CHAIN, relays.CHAIN) for _ in range(RUNS))
    gap = _burst(watched, watched.frame("iframe"), canvas_page.BARE_BURST)
    record = len(console.api_text("GET", path))
    written = _write(watched, path, lambda at: {"title": f"Empty {at}"})
    return CanvasResult(
        rate, work, rate, work, heap, memory, seen["painted"], seen["greeted"], chain, gap,
        record=record, **written,
    )  # fmt: skip
