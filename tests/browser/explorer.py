"""The endpoint explorer, as a person uses it."""

import re
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, expect

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

    def choose(self, name: str, file: FilePayload | Path) -> None:
        """Press the button that chooses a file for a parameter, and choose this file."""
        with self.page.expect_file_chooser() as opened:
            self.page.get_by_role("button", name=f"for {name}").click()
        opened.value.set_files(file)

    def part(self, name: str) -> Locator:
        """The part of the form for a parameter."""
        label = self.page.locator("label", has_text=re.compile(f"^{name}$"))
        return self.page.locator(".form-field", has=label)

    @property
    def code(self) -> Locator:
        return self.page.get_by_role("region", name="Code", exact=True)
