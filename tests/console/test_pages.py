"""The console's page: its headers, and what it loads."""

import re

import pytest

from service.browser import files
from service.console.views import POLICY
from tests.services import on_sqlite

pytestmark = on_sqlite


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


def test_the_page_is_locked_down_and_checked_again(client):
    headers = client.get("/", buffered=True).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy == {**POLICY, "frame-src": "http://localhost/w/"}
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-cache"


def test_a_page_that_has_not_changed_is_not_sent_again(client):
    etag = client.get("/").headers["ETag"]
    again = client.get("/", headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Content-Security-Policy"]


def test_any_version_of_a_page_is_the_one_that_there_is(client):
    """Source: RFC 9110, section 13.1.1."""
    page, any_version = client.get("/"), {"If-Match": "*"}
    assert client.get("/", headers=any_version).status_code == 200
    both = {**any_version, "If-None-Match": page.headers["ETag"]}
    assert client.get("/", headers=both).status_code == 304
    assert client.get("/", headers={"If-Match": page.headers["ETag"]}).status_code == 200
    assert client.get("/", headers={"If-Match": '"of-before"'}).status_code == 412


def test_every_module_of_the_console_is_preloaded(client):
    page = client.get("/").text
    preloaded = re.findall(r'rel="modulepreload" href="/browser/\w+/([^"]+)"', page)
    assert preloaded == files.modules_of("console/console.js")
    assert {"chat/conversation-pane.js", "shared/errors.js"} < set(preloaded)
    assert "shared/oauth-callback.js" not in preloaded
    assert "page/lazy-view.js" in preloaded
    assert "integrations/explorer-view.js" not in preloaded, "loaded when it is first shown"


def test_what_messages_need_is_preloaded_behind_the_rest(client):
    page = client.get("/").text
    low = r'rel="modulepreload" fetchpriority="low" href="/browser/\w+/([^"]+)"'
    preloaded = re.findall(low, page)
    needed = {
        *files.modules_of("chat/message-controls.js"),
        *files.modules_of("shared/markdown-region.js"),
    }
    assert set(preloaded) == needed - {*files.modules_of("console/console.js")}
    assert {"shared/markdown-tables.js", "chat/reply-footer.js"} < set(preloaded)


def test_the_page_holds_no_script_and_no_style_and_names_no_other_host(client):
    page = client.get("/").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    assert "http" not in re.sub(r"data:image/svg\+xml[^\"]*", "", page)
