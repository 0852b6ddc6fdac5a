"""Fingers on a page."""

from playwright.sync_api import Page

Point = tuple[float, float]


class Touch:
    """Fingers, each at a point of the page in CSS pixels."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)

    def down(self, *points: Point) -> None:
        """All the fingers that are down now; the last is the new one."""
        self._send("touchStart", points)

    def move(self, *points: Point) -> None:
        self._send("touchMove", points)

    def lift(self, *left: Point) -> None:
        """All fingers but those that are left."""
        self._send("touchEnd", left)

    def drag(self, start: Point, end: Point, steps: int = 4) -> None:
        self.down(start)
        for step in range(1, steps + 1):
            self.move(between(start, end, step / steps))
        self.lift()

    def _send(self, kind: str, points: tuple[Point, ...]) -> None:
        touches = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


def between(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
