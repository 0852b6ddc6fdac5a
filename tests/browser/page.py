"""The console as a person uses it. Errors in the page are collected."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Locator, Page, expect

from tests.browser.tabs import PATIENCE
from tests.browser.watched_page import WatchedPage
from tests.services import Service

expect.set_options(timeout=PATIENCE)

# A reply that is running until it is stopped: "1 2 3", and then nothing for ten minutes. The page
# would be painted with each word of a long reply.
UNENDING = "/fail silent count to 5000"
# The style sheets say nothing but colours for dark, so no other rule can find more there.
COLOURS = ["color-contrast", "link-in-text-block"]
# axe reads the colours of all that lies under a text again for each text: ten thousands of times
# some twenty colours, which takes a fifth of a scan.
REMEMBER_COLOURS = """;(() => {
  const { prototype } = axe.commons.color.Color;
  const { parseString } = prototype;
  const known = new Map();
  prototype.parseString = function (text) {
    if (known.has(text)) return Object.assign(this, known.get(text));
    parseString.call(this, text);
    const { r, g, b, alpha } = this;
    known.set(text, { r, g, b, alpha });
    return this;
  };
})()"""
AXE = Axe().axe_script + REMEMBER_COLOURS
# A background that fades is one frame behind when the scheme changes: the dark text is still on the
# light ground then. What moves forever, or with a scrolled list, stays.
SETTLE = """() => document.getAnimations()
  .filter(({ timeline, effect }) => timeline === document.timeline && effect.getComputedTiming().endTime < Infinity)
  .forEach((animation) => animation.finish())"""  # noqa: E501


@dataclass
class Console(WatchedPage):
    """A page of the console, and the same person's access to the API behind it."""

    service: Service
    token: str
    subject: str

    # What a person does

    def open(self, path: str = "/") -> "Console":
        self.page.goto(self.service.url + path)
        return self

    def sign_in(self) -> "Console":
        """By a link, which takes less than the form. Only a service with its sandbox takes one."""
        self.open(f"/#token={self.token}")
        expect(self.composer).to_be_visible()
        return self

    def fill_in(self) -> "Console":
        """Sign in by the form."""
        self.page.get_by_label("Sign-in token").fill(self.token)
        self.button("Sign in").click()
        expect(self.composer).to_be_visible()
        return self

    def open_chat(self, title: str) -> None:
        self.page.locator(".chat-link", has_text=title).click()
        expect(self.page.get_by_role("heading", name=title)).to_be_visible()

    def send(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")

    def ask(self, text: str) -> None:
        """Send, and wait for the whole answer."""
        answers = self.answers.count()
        self.send(text)
        expect(self.answers).to_have_count(answers + 1)
        self.is_idle()

    def show_view(self, name: str) -> None:
        """By the menu, which is behind a button where the page is narrow."""
        button = self.page.get_by_role("button", name="Views")
        if button.is_visible():
            button.click()
        self.page.get_by_role("navigation", name="Views").get_by_text(name).click()

    def show_account(self) -> None:
        self.page.get_by_role("button", name="Account of").click()

    def sign_out(self) -> None:
        self.show_account()
        self.button("Sign out").click()

    def is_idle(self) -> None:
        expect(self.button("Send")).to_be_visible()

    # What a person sees

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def composer(self) -> Locator:
        return self.page.get_by_label("Message", exact=True)

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log")

    @property
    def answers(self) -> Locator:
        return self.log.locator(".message.assistant")

    @property
    def problem(self) -> Locator:
        return self.page.locator(".composer [role=alert]")

    @property
    def chats(self) -> Locator:
        return self.page.locator(".chats li")

    def choose(self, title: str, action: str) -> None:
        """Choose in the menu of a chat."""
        self.page.get_by_role("link", name=title).hover()
        self.button(f"Options of {title}").click()
        self.page.get_by_role("menuitem", name=action).click()

    def table(self, name: str) -> Locator:
        return self.page.get_by_role("table", name=name)

    def violations(self, page: Page | None = None) -> list[str]:
        """What axe finds, one line each: by all rules in light, by those for colours in dark."""
        page = page or self.page
        # Frames in a sandbox hear nothing from the page that holds them: tests run axe inside them.
        # Without `assets` axe would copy all style sheets, for a rule that is off by default.
        return found_by_axe([page], page, iframes=False, preload={"assets": ["media"]})

    def width(self) -> int:
        return self.page.evaluate("document.documentElement.scrollWidth")

    # Without the page

    def api(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self.api_text(method, path, body))

    def api_text(self, method: str, path: str, body: Any = None) -> str:
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"{self.service.url}/api/{path}"
        patience = PATIENCE / 1000
        answer = requests.request(method, url, json=body, headers=headers, timeout=patience)
        assert answer.ok, answer.text
        return answer.text

    def new_chat(self, title: str) -> str:
        return self.api("POST", "ai/chats", {"title": title})["chat"]["recordId"]


Opened = Callable[..., Console]


def found_by_axe(places: Sequence[Page | Frame], page: Page, **options: Any) -> list[str]:
    """What axe finds in a page or in frames of it, in light by all rules, in dark by `COLOURS`."""
    found = [line for place in places for line in scan(place, **options)]
    page.emulate_media(color_scheme="dark")
    found += [line for place in places for line in scan(place, runOnly=COLOURS, **options)]
    page.emulate_media(color_scheme="light")
    return found


def scan(place: Page | Frame, **options: Any) -> list[str]:
    if place.evaluate("typeof axe") == "undefined":  # it is long: once for each load of a page
        place.evaluate(AXE)
    place.evaluate(SETTLE)
    run = "(options) => axe.run({ resultTypes: ['violations'], ...options })"
    violations = place.evaluate(run, options)["violations"]
    return [f"{v['id']}: {[n['target'] for n in v['nodes']]}" for v in violations]
