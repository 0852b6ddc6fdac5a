"""Pages that tests use one after another: the first load of a new one costs more than most tests.

A page comes back as good as new: on another page of the service, without storage, cookies, routes,
other windows, and without the errors of the test before. What can't be taken back from a page (an
init script, its history) needs a page of its own. What can't be taken back from a browser context
(its cache, its storage, its clock) needs a context of its own, which costs twice as much. A route
of a WebSocket stays as well, so tests that route one have contexts that no other test uses. The
route that was made last counts.

The console stays loaded from one test to the next if the first test has changed nothing but what
signing out ends. The next person signs in there, as people do who share a browser. Each view has a
test that reloads it, so it is also shown without what other views have loaded.
"""

from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.browser.interception import Interception

PATIENCE = 20_000  # ms until a test gives up; a busy machine takes long, and waiting costs nothing
LOOK: dict[str, Any] = {"locale": "en-GB", "timezone_id": "UTC"}
SIZE = {"width": 1280, "height": 800}
MEDIA: dict[str, Any] = {
    "color_scheme": "light",
    "reduced_motion": "no-preference",
    "forced_colors": "none",
}
BLANK = "about:blank"  # where a new page is
NEUTRAL = "/livez"  # a page of the service that does nothing

# Presses "Sign out" in the console, whatever lies over it, and ends the requests under way, so that
# none of them logs an error later. Returns whether the page is then as it was loaded: without a
# dialog, an attribute, a variable or a replaced function of a test.
SIGN_OUT = r"""(url) => {
  if (location.origin !== url || location.pathname !== '/') return false;
  const buttons = [...document.querySelectorAll('.account-menu button')];
  buttons.find((button) => button.textContent === 'Sign out')?.click();
  window.stop();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
  const isBuiltIn = (value) => typeof value === 'function' && /\[native code\]/.test(Function.prototype.toString.call(value));
  const added = Object.entries(Object.getOwnPropertyDescriptors(window))
    .filter(([name, of]) => name !== 'axe' && of.enumerable && 'value' in of && !isBuiltIn(of.value));
  const root = document.documentElement;
  return document.querySelector('#app > .sign-in') !== null
    && document.body.childElementCount === 2
    && root.getAttributeNames().every((name) => name === 'lang' || /^data-(sandbox|sign-in|session)$/.test(name))
    && added.length === 0
    && Object.getOwnPropertyNames(navigator).length === 0
    && visualViewport.scale === 1;
}"""  # noqa: E501


class Tabs:
    """Every page that is open, and those of them that no test uses."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.idle: dict[str, list[Page]] = {}
        self.kinds: dict[Page, str] = {}
        self.parked: dict[Page, Page] = {}

    def take(
        self,
        own: bool = False,
        alone: bool = False,
        fresh: bool = False,
        sockets: bool = False,
        **options: Any,
    ) -> Page:
        """A page with these options of a browser context.

        With `own` it isn't used again, but its browser may have files of the service in its cache.
        With `alone` the context isn't used again either. With `fresh` no console has stayed loaded.
        With `sockets` the test routes the page's WebSocket.
        """
        size = options.pop("viewport", SIZE)
        media = {name: options.pop(name, usual) for name, usual in MEDIA.items()}
        kind = repr((sockets, sorted(options.items())))
        idle = [] if alone else self.idle.setdefault(kind, [])
        page = idle.pop() if idle else self._new(size, options)
        if fresh or own or sockets:
            self._leave(page)
        if own:
            page = self._beside(page)
        if not alone:
            self.kinds[page] = kind
        page.set_viewport_size(size)
        page.emulate_media(**media)
        return page

    def _new(self, size: dict[str, int], options: dict[str, Any]) -> Page:
        context = self.browser.new_context(viewport=size, **{**LOOK, **options})
        context.set_default_timeout(PATIENCE)
        return new_page(context)

    def _beside(self, page: Page) -> Page:
        """A new page in the context of this one, which waits until the new one is given back."""
        made = new_page(page.context)
        self.parked[made] = page
        return made

    def give_back(self, page: Page, url: str, keep: bool = False) -> None:
        """Clean the page for another test, or close it where that is not possible.

        With `keep` the console stays loaded, if it is as good as new.
        """
        kind = self.kinds.pop(page, None)
        if kind is None:
            page.context.close()
            return
        page = self.parked.pop(page, page)
        try:
            clean(page.context, page, url, keep)
        except Error:
            page.context.close()
        else:
            self.idle[kind].append(page)

    def _leave(self, page: Page) -> None:
        """Let no console stay loaded. Its service may have ended."""
        if page.url != BLANK and not page.url.endswith(NEUTRAL):
            with suppress(Error):
                leave(page, page.url)


def new_page(context: BrowserContext) -> Page:
    page = context.new_page()
    Interception(page).install()
    return page


def clean(context: BrowserContext, page: Page, url: str, keep: bool) -> None:
    for other in context.pages:
        if other is not page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    if not (keep and page.evaluate(SIGN_OUT, url)):
        leave(page, url)
    page.mouse.move(0, 0)
    context.clear_cookies()


def leave(page: Page, url: str) -> None:
    page.goto(urljoin(url, NEUTRAL))
    page.evaluate("sessionStorage.clear()")
