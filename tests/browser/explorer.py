"""The endpoint explorer, as a person uses it."""

from playwright.sync_api import Locator, expect

from tests.browser.page import Console


class Explorer:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.page = console.page

    def show(self) -> "Explorer":
        self.console.show_view("Explorer")
        expect(self.links.first).to_be_visible()
        return self

    def open(self, name: str) -> "Explorer":
        self.page.evaluate("(name) => (location.hash = `#/explorer/${name}`)", name)
        expect(self.title).to_have_text(name)
        return self

    def fill(self, **values: str) -> "Explorer":
        for name, value in values.items():
            self.field(name).fill(value)
        return self

    def send(self) -> None:
        self.console.button("Send").click()

    @property
    def title(self) -> Locator:
        return self.page.locator(".endpoint-title")

    @property
    def links(self) -> Locator:
        return self.page.locator(".endpoint-link")

    @property
    def answer(self) -> Locator:
        return self.page.get_by_role("region", name="Answer", exact=True)

    @property
    def json(self) -> Locator:
        return self.answer.get_by_role("region", name="Answer as JSON")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def field(self, name: str) -> Locator:
        return self.page.get_by_label(name, exact=True)
