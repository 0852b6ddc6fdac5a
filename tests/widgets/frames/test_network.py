"""What the headers of a canvas page let its document reach: measured with listeners."""

import socket
import threading
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from service.widgets import policy
from service.widgets.template import WidgetTemplate
from tests.browser.tabs import PATIENCE

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>'

# Asks a STUN server and a TURN server for its addresses, as one who wants to send something out.
CALL = """async ([udp, tcp]) => {
  const turn = { urls: `turn:127.0.0.1:${tcp}?transport=tcp`, username: 'x', credential: 'x' };
  const iceServers = [{ urls: `stun:127.0.0.1:${udp}` }, turn];
  const call = (globalThis.call = new RTCPeerConnection({ iceServers }));
  call.createDataChannel('x');
  await call.setLocalDescription(await call.createOffer());
  await new Promise((resolve) => setTimeout(resolve, 700));
}"""
LOAD = """(address) => new Promise((resolve) => {
  const picture = new Image();
  picture.onload = () => resolve(true);
  picture.onerror = () => resolve(false);
  picture.src = address;
})"""


class Site:
    """A server on a port of its own: a page at `/`, with `headers`, and pictures elsewhere."""

    def __init__(self) -> None:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = self.path == "/"
                self.send_response(200)
                self.send_header("Content-Type", "text/html" if page else "image/svg+xml")
                for name, value in site.headers.items() if page else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(b"<title>A page</title>" if page else PICTURE)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.headers: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def sites():
    with closing(Site()) as own, closing(Site()) as other:
        yield own, other


@pytest.fixture
def page(browser):
    opened = browser.new_page()
    yield opened
    opened.close()


def reached(page, seconds: float) -> set[str]:
    """The listeners to which a call from the page sends something within so many seconds."""
    with closing(socket.socket(type=socket.SOCK_DGRAM)) as udp, closing(socket.socket()) as tcp:
        for listener in (udp, tcp):
            listener.bind(("127.0.0.1", 0))
            listener.settimeout(seconds)
        tcp.listen()
        page.evaluate(CALL, [udp.getsockname()[1], tcp.getsockname()[1]])
        found = set()
        with suppress(TimeoutError):
            found.add("udp" if udp.recvfrom(100) else "")
        with suppress(TimeoutError):
            tcp.accept()[0].close()
            found.add("tcp")
        return found


def test_webrtc_sends_nothing_from_a_canvas_page(page, sites):
    own, _ = sites
    page.goto(own.url)
    assert reached(page, PATIENCE / 1000) == {"udp", "tcp"}  # without the headers
    own.headers = policy.canvas_page(WidgetTemplate("map", Path(), "Map", "", ""), own.url)
    page.goto(own.url)
    assert reached(page, 0.2) == set()


def test_pictures_load_from_the_sources_of_the_manifest_alone(page, sites):
    own, other = sites
    images = (f"{other.url}/thumbs/", f"{other.url}/one.svg")
    template = WidgetTemplate("map", Path(), "Map", "", "", images=images)
    own.headers = policy.canvas_page(template, own.url)
    page.goto(own.url)
    loads = {
        path: page.evaluate(LOAD, f"{other.url}{path}")
        for path in ("/thumbs/a/b.svg", "/thumbs/a.svg?size=2", "/one.svg", "/two.svg")
    }
    assert list(loads.values()) == [True, True, True, False]
    assert page.evaluate(LOAD, f"{own.url}/api/media/a.svg")
