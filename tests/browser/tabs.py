"""Pages that tests use one after another: the first load of a new one costs more than most tests.

A page comes back as good as new: on another page of the service, without storage, cookies, routes,
other windows, and without the errors of the test before. What can't be taken back (an init script,
a route of a WebSocket, the cache) needs a page of its own.
"""

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page

PATIENCE = 20_000  # ms until a test gives up; a busy machine takes long, and waiting costs nothing
LOOK: dict[str, Any] = {"locale": "en-GB", "timezone_id": "UTC"}
SIZE = {"width": 1280, "height": 800}
MEDIA: dict[str, Any] = {"color_scheme": "light", "reduced_motion": "no-preference"}
NEUTRAL = "/livez"  # a page of the service that does nothing


class Tabs:
    """Every page that is open, and those of them that no test uses."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.idle: dict[str, list[Page]] = {}
        self.kinds: dict[Page, str] = {}

    def take(self, own: bool = False, **options: Any) -> Page:
        """A page with these options of a browser context; with `own` it isn't used again."""
        size = options.pop("viewport", SIZE)
        media = {name: options.pop(name, usual) for name, usual in MEDIA.items()}
        kind = repr(sorted(options.items()))
        idle = [] if own else self.idle.setdefault(kind, [])
        page = idle.pop() if idle else self._new(size, options)
        if not own:
            self.kinds[page] = kind
        page.set_viewport_size(size)
        page.emulate_media(**media)
        return page

    def _new(self, size: dict[str, int], options: dict[str, Any]) -> Page:
        context = self.browser.new_context(**LOOK, viewport=size, **options)
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    def give_back(self, page: Page, url: str) -> None:
        """Clean the page for another test, or close it where that is not possible."""
        kind = self.kinds.pop(page, None)
        if kind is None:
            page.context.close()
            return
        try:
            clean(page.context, page, url)
        except Error:
            page.context.close()
        else:
            self.idle[kind].append(page)


def clean(context: BrowserContext, page: Page, url: str) -> None:
    for other in context.pages:
        if other is not page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.goto(url + NEUTRAL)
    page.evaluate("sessionStorage.clear()")
    page.mouse.move(0, 0)
    context.clear_cookies()
