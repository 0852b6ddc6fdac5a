"""A canvas of the console, as a person uses it."""

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import FrameLocator, Locator, expect

from tests.browser.page import Console

GAP = 96  # between widgets, for their slots


def reference(widget_id: str, slot_id: str) -> dict[str, str]:
    return {"widgetId": widget_id, "slotId": slot_id}


class Canvas:
    """An open canvas."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.page = console.page

    def create(self) -> "Canvas":
        self.page.get_by_role("link", name="Canvases", exact=True).click()
        self.console.button("New canvas").click()
        expect(self.console.button("Add widget")).to_be_enabled()
        return self

    def add(self, *names: str) -> "Canvas":
        for name in names:
            self.choose(name)
        self.console.button("Show all").click()
        return self

    def put(self, *names: str, lines: Sequence[tuple[str, str]] = ()) -> "Canvas":
        """Open a new canvas that is stored with these widgets, which takes less than `add`.

        `lines` are connections, such as `("note.text", "mail.text")`.
        """
        ends = [[end.split(".") for end in line] for line in lines]
        drawn = [
            {"id": f"c_{at}", "from": reference(*start), "to": reference(*end)}
            for at, (start, end) in enumerate(ends)
        ]
        io = {"version": 1, "connections": drawn, "widgets": {}}
        values = {"title": "Canvas 1", "widgets": self.row(*names), "io": io}
        record = self.console.api("POST", "records/canvases", values)
        self.page.evaluate("(id) => { location.hash = `#/canvas/${id}`; }", record["recordId"])
        expect(self.boxes).to_have_count(len(names))
        expect(self.rows).to_have_count(len(lines))
        return self

    def row(self, *names: str) -> list[dict[str, Any]]:
        """Widgets to store, in a row from the left, whose ids are their templates' handles."""
        listed = self.console.api("GET", "widgets/templates")["templates"]
        templates = {one["name"]: one for one in listed}
        widgets: list[dict[str, Any]] = []
        for name in names:
            right = max((one["x"] + one["width"] for one in widgets), default=-GAP)
            place = {"x": right + GAP, "y": 0, **templates[name]["size"]}
            handle = templates[name]["handle"]
            widgets.append({"id": handle, "templateHandle": handle, **place})
        return widgets

    def choose(self, name: str) -> None:
        """Add a widget, and stay where the view moves to."""
        before = self.boxes.count()
        self.console.button("Add widget").click()
        self.page.get_by_label("Search the widgets").fill(name)
        card = self.page.locator(".gallery-card:visible")
        card.filter(has=self.page.get_by_text(name, exact=True)).click()
        expect(self.boxes).to_have_count(before + 1)

    @property
    def boxes(self) -> Locator:
        return self.page.locator("article.shape")

    @property
    def lines(self) -> Locator:
        return self.page.locator(".canvas-lines .line")

    @property
    def rows(self) -> Locator:
        return self.page.locator(".connection-row")

    def frame(self, name: str) -> FrameLocator:
        """The page of a widget."""
        return self.page.frame_locator(f"iframe[title^='{name}']")

    def slot(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    @property
    def chosen(self) -> Locator:
        return self.page.locator("article.shape.chosen")

    def grip(self, name: str) -> Locator:
        """The title bar of a widget."""
        return self.page.get_by_role("group", name=name)

    def drag(self, grip: Locator, dx: float, dy: float, drop: bool = True) -> None:
        box = grip.bounding_box()
        assert box
        self.drag_from(box["x"] + 20, box["y"] + 10, dx, dy, drop)

    def drag_from(self, x: float, y: float, dx: float, dy: float, drop: bool = True) -> None:
        """A drag of the mouse, in pixels of the screen. Without `drop` the button stays down."""
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx, y + dy, steps=6)
        if drop:
            mouse.up()

    def connect(self, source: str, target: str) -> None:
        self.slot(source).press("Enter")
        self.slot(target).press("Enter")

    def saved(self) -> None:
        expect(self.page.locator(".canvas-phase")).to_have_text("Saved")

    def store(self, values: dict[str, Any]) -> None:
        """What another tab would store."""
        record = self.console.api("GET", "records/canvases")["records"][0]
        self.console.api("PATCH", f"records/canvases/{record['recordId']}", values)

    def stored(self) -> dict[str, Any]:
        self.saved()
        return self.console.api("GET", "records/canvases")["records"][0]["data"]
