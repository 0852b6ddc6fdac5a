"""The files that browsers load, as they are served: headers, media types, and nothing else."""

import mimetypes

import pytest

from tests.services import on_sqlite

pytestmark = on_sqlite


@pytest.mark.parametrize("name", ["console/console.js", "console/console.css", "shared/errors.js"])
def test_a_file_is_nothing_but_itself_and_checked_again(client, name):
    headers = client.get(f"/browser/{name}", buffered=True).headers
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-cache"
    again = client.get(f"/browser/{name}", headers={"If-None-Match": headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_widgets_may_load_what_is_shared_and_nothing_of_the_console(client):
    shared = client.get("/browser/shared/errors.js", buffered=True).headers
    assert shared["Access-Control-Allow-Origin"] == "*"
    assert shared["Cross-Origin-Resource-Policy"] == "cross-origin"
    own = client.get("/browser/console/console.js", buffered=True).headers
    assert "Access-Control-Allow-Origin" not in own
    assert own["Cross-Origin-Resource-Policy"] == "same-origin"


def test_files_are_compressed_for_those_that_take_it(client):
    plain = client.get("/browser/console/console.css", buffered=True)
    zipped = client.get(
        "/browser/console/console.css", headers={"Accept-Encoding": "gzip"}, buffered=True
    )
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert zipped.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert len(zipped.data) < len(plain.data) / 2


def test_every_worker_compresses_a_file_to_the_same_bytes(client):
    """Or each would have an ETag of its own, and take that of another for an old version."""
    zipped = client.get(
        "/browser/console/console.css", headers={"Accept-Encoding": "gzip"}, buffered=True
    )
    assert zipped.data[4:8] == bytes(4)  # where the time of compression may stand (RFC 1952)


def test_media_types_do_not_depend_on_the_machine(client, monkeypatch):
    monkeypatch.setattr(mimetypes, "guess_type", lambda *_, **__: ("text/plain", None))
    script = client.get("/browser/console/console.js", buffered=True)
    assert script.content_type == "text/javascript; charset=utf-8"
    style = client.get("/browser/console/console.css", buffered=True)
    assert style.content_type == "text/css; charset=utf-8"


NOT_THERE = [
    "console/nothing.js", "console/..%2fviews.py", "../views.py", "views.py", "console/.js",
    "console/console.JS", "__pycache__/views.js", "../browser/files.py", "shared/", "console",
    f"shared/{'a' * 300}.js",
]  # fmt: skip


@pytest.mark.parametrize("name", NOT_THERE, ids=lambda name: name[:30])
def test_nothing_else_is_served(client, name):
    answer = client.get(f"/browser/{name}", buffered=True)
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")
