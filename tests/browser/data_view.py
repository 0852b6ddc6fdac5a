"""The data view of the console, as a person opens it."""

from playwright.sync_api import expect


def show(console, path="tasks"):
    """Open a collection, or one of its records, in the data view."""
    console.page.goto(f"{console.service.url}/#/data/{path}")
    expect(console.page.get_by_role("grid")).to_be_visible()
    return console.page


def panel(page):
    return page.get_by_role("region", name="Record")
