"""The pages of widgets in Chromium: what their headers let a widget do, and what not."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas_page import FRAME, violations_in
from tests.browser.page import Console

# What a widget tries; each is answered with its result or the name of the error.
TRIES = """async () => {
  const tried = async (act) => { try { return String(await act()); } catch (e) { return e.name; } };
  return {
    origin: window.origin,
    storage: await tried(() => localStorage.length),
    cookie: await tried(() => document.cookie),
    api: await tried(() => fetch('/api/widgets/templates')),
    popup: await tried(() => window.open('/')),
    html: await tried(() => { document.body.innerHTML = '<p>'; }),
  };
}"""


@pytest.fixture
def page(opened) -> Console:
    return opened()


def test_the_address_of_a_canvas_page_has_no_rights_in_a_tab(page):
    page.open("/w/note")
    page.may_say("Content Security Policy|TrustedHTML|sandboxed")
    assert page.page.evaluate(TRIES) == {
        "origin": "null",
        "storage": "SecurityError",
        "cookie": "SecurityError",
        "api": "TypeError",
        "popup": "null",
        "html": "TypeError",
    }


def test_a_frame_of_the_console_has_a_widget_without_webrtc_and_shows_nothing_else(page):
    page.open("/")
    page.page.evaluate(FRAME, "/w/note")
    frame = page.page.frame_locator("iframe").locator("body")
    expect(frame.locator("textarea")).to_be_visible()
    assert page.page.frames[-1].evaluate("window.origin") == "null"
    assert frame.evaluate("() => [typeof RTCPeerConnection, typeof webkitRTCPeerConnection]") == [
        "undefined",
        "undefined",
    ]
    nested = "document.body.appendChild(document.createElement('iframe')).contentWindow"
    steal = f"return {nested}.RTCPeerConnection"
    tried = f"() => {{ try {{ {steal}; }} catch (error) {{ return error.name; }} }}"
    assert frame.evaluate(tried) == "SecurityError", "from a frame of its own"
    page.may_say("frame-src|Framing")
    with page.page.expect_console_message(lambda said: "Framing" in said.text):
        page.page.evaluate("path => { document.querySelector('iframe').src = path; }", "/livez")
    assert not any("/livez" in one.url for one in page.page.frames)


def test_the_address_of_a_canvas_page_leads_elsewhere_in_a_tab(page):
    page.open("/w/weather")
    expect(page.page.get_by_role("heading", name="Weather")).to_be_visible()
    assert violations_in([page.page.main_frame], page.page) == []
    page.page.get_by_role("link", name="a page of its own").click()
    expect(page.page.get_by_label("City")).to_be_visible()
    assert page.page.evaluate("window.origin") == page.service.url


def test_a_page_of_its_own_has_the_services_origin(page):
    page.open("/app/note")
    expect(page.page.locator("#widget > :not(noscript)").first).to_be_visible()
    page.may_say("401|TrustedHTML|Content Security Policy")
    tried = page.page.evaluate(TRIES)
    assert tried["origin"] == page.service.url
    assert tried["api"] == "[object Response]"
    assert tried["html"] == "TypeError"
