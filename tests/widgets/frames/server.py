"""A small server of widgets and of a page with their host. It notes each call of an endpoint."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from service.browser import files
from tests.browser.tabs import NEUTRAL

PAGES = Path(__file__).parent / "pages"
SHEETS = ("/browser/shared/look.css", "/browser/widgets/approval.css")
NEEDED = {
    "requiresOAuth": True,
    "provider": "cloudsuite",
    "scopes": ["https://scopes.invalid/contacts"],
    "authUrl": "https://consent.invalid/ask?state=1",
}

HOST_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "frame-src {origin}/w/; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
WIDGET_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src {origin}/browser/ {origin}/w/; "
    "style-src {origin}/browser/ {origin}/w/; img-src data:; connect-src 'none'; "
    "form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
ANYWHERE = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}

# A module doesn't change while the tests run, and each page of a host has forty of them.
KEPT = {"Cache-Control": "max-age=86400"}


@dataclass(frozen=True)
class Call:
    """A request to an endpoint, as it arrived."""

    endpoint: str
    body: str
    approval: str
    origin: str


@dataclass
class WidgetServer:
    """Runs in a thread. `answers` has the data of an endpoint's answer, or a whole envelope."""

    calls: list[Call] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def forget(self) -> None:
        self.calls.clear()
        self.answers.clear()
        self.flags.clear()
        self.deleted.clear()

    def page(self, path: str) -> tuple[str, str, dict[str, str]] | None:
        """Text, media type and headers of a path; None if there is nothing."""
        folder, _, name = path.strip("/").partition("/")
        if path == NEUTRAL:
            return "ok", "text/plain", {}
        if path == "/api/integrations/status":
            return json.dumps({"cloudsuite": self.flags}), "application/json", {}
        if folder == "browser":
            return self._module(*name.split("/"))
        if folder == "files" or name.endswith(".js"):
            return (PAGES / path.rpartition("/")[2]).read_text(), "text/javascript", ANYWHERE
        if folder == "w" and (PAGES / f"{name}.js").exists():
            return _html(f"{self.url}/w/{name}.js"), "text/html", self._policy(WIDGET_POLICY)
        if folder == "consent":
            return _html("/files/consent.js"), "text/html", self._policy(HOST_POLICY)
        if folder == "host":
            return _html("/files/host.js", SHEETS), "text/html", self._policy(HOST_POLICY)
        return None

    def _module(self, folder: str, name: str) -> tuple[str, str, dict[str, str]] | None:
        path = files.find(folder, name)
        return path and (path.read_text(), files.MEDIA_TYPES[path.suffix], ANYWHERE | KEPT)

    def _policy(self, template: str) -> dict[str, str]:
        return {"Content-Security-Policy": template.format(origin=self.url)}


def _html(script: str, sheets: tuple[str, ...] = ()) -> str:
    links = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    icon = '<link rel="icon" href="data:,">'
    head = f'<meta charset="utf-8"><title>A page</title>{icon}{links}'
    code = f'<script type="module" src="{script}"></script>'
    body = '<main id="root"><h1>A page</h1><button type="button" id="opener">Here</button></main>'
    return f'<!doctype html><html lang="en"><head>{head}{code}</head><body>{body}</body></html>'


def _handler(server: WidgetServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            found = server.page(self.path.partition("?")[0])
            text, media_type, headers = found or ("", "text/plain", {})
            self._send(200 if found else 404, text, f"{media_type}; charset=utf-8", headers)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            endpoint = self.path.removeprefix("/api/integrations/")
            approval, origin = (self.headers.get(name, "") for name in ("X-Approval", "Origin"))
            server.calls.append(Call(endpoint, body, approval, origin))
            answer = server.answers.get(endpoint, {"endpoint": endpoint})
            envelope = answer if "success" in answer else {"success": True, "data": answer}
            self._send(200, json.dumps(envelope), "application/json", {})

        def do_DELETE(self) -> None:
            server.deleted.append(self.path)
            self._send(200, '{"success": true, "data": {}}', "application/json", {})

        def _send(self, status: int, text: str, media_type: str, headers: dict[str, str]) -> None:
            content = text.encode()
            self.send_response(status)
            for name, value in {"Cache-Control": "no-store", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing: the tests say what they need."""

    return Handler
