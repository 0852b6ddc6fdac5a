"""The console's page and modules: headers, media types, and that every import is served."""

import mimetypes
import re

import pytest

from config import ROOT
from service.console.views import POLICY
from tests.services import on_sqlite

pytestmark = on_sqlite

STATIC = ROOT / "service/console/static"
CALLBACK = ROOT / "service/integrations/templates/oauth.html"
IMPORT = re.compile(r"""^\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]""", re.M)
SINKS = re.compile(r"(inner|outer)HTML|insertAdjacentHTML|document\.write|eval\(|new Function")
IN_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.S | re.M)


def imports(source: str) -> list[str]:
    return IMPORT.findall(IN_COMMENT.sub("", source))


def loaded(page: str) -> list[str]:
    return re.findall(r'(?:src|rel="stylesheet" href)="/console/([^"]+)"', page)


def test_the_page_says_that_it_is_a_sandbox(client):
    page = client.get("/")
    assert (page.status_code, page.content_type) == (200, "text/html; charset=utf-8")
    assert page.headers["X-Sandbox"] == "1"
    assert 'data-sandbox="yes"' in page.text


@pytest.mark.settings(sandbox=0)
def test_the_page_of_a_real_service_does_not(client):
    page = client.get("/")
    assert "X-Sandbox" not in page.headers
    assert 'data-sandbox="no"' in page.text


@pytest.mark.parametrize("path", ["/", "/console/console.js", "/console/console.css"])
def test_every_answer_is_locked_down_and_checked_again(client, path):
    headers = client.get(path, buffered=True).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy == POLICY
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["/", "/console/console.js", "/console/console.css"])
def test_what_has_not_changed_is_not_sent_again(client, path):
    etag = client.get(path, buffered=True).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": etag}, buffered=True)
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Content-Security-Policy"]


def test_every_import_of_every_module_is_served(client):
    page = client.get("/").text
    todo = loaded(page)
    assert set(todo) == {"console.js", "console.css"}
    callback = loaded(CALLBACK.read_text())
    assert set(callback) == {"oauth-callback.js", "oauth.css"}
    preloaded = set(re.findall(r'rel="modulepreload" href="/console/([^"]+)"', page))
    served = set()
    while todo:
        name = todo.pop()
        answer = client.get(f"/console/{name}", buffered=True)
        assert answer.status_code == 200, name
        served.add(name)
        for target in imports(answer.text) if name.endswith(".js") else []:
            assert re.fullmatch(r"\./[a-z-]+\.js", target), f"{name} imports {target}"
            todo += {target[2:]} - served
    assert served | set(callback) == {path.name for path in STATIC.iterdir()}, "nothing loads it"
    assert served == {*preloaded, "console.css"}


def test_media_types_do_not_depend_on_the_machine(client, monkeypatch):
    monkeypatch.setattr(mimetypes, "guess_type", lambda *_, **__: ("text/plain", None))
    script = client.get("/console/console.js", buffered=True)
    assert script.content_type == "text/javascript; charset=utf-8"
    style = client.get("/console/console.css", buffered=True)
    assert style.content_type == "text/css; charset=utf-8"


NOT_THERE = ["nothing.js", "views.py", "..%2fviews.py", "../views.py", ".js", "console.JS"]


@pytest.mark.parametrize("name", NOT_THERE)
def test_nothing_else_is_served(client, name):
    answer = client.get(f"/console/{name}", buffered=True)
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")


def test_modules_stay_small_and_hold_no_markup(client):
    for path in STATIC.glob("*.js"):
        source = path.read_text()
        assert len(source.splitlines()) <= 250, path.name
        assert not SINKS.search(source), path.name
    page = client.get("/").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    assert "http" not in re.sub(r"data:image/svg\+xml[^\"]*", "", page)
    for path in STATIC.glob("*.css"):
        assert "http" not in path.read_text()
