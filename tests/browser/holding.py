"""Requests that a test holds back."""

from playwright.sync_api import Page, Route

from tests.services import wait_for


def first_of(held: list[Route], page: Page) -> Route:
    """The first one, once the browser has made it, and Playwright has called the route.

    `expect_request` does not wait for the route, and a button that rests has not sent yet.
    """
    wait_for(lambda: held or page.wait_for_timeout(10))
    return held[0]
