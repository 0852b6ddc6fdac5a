"""The files that browsers load, as they are served: headers, media types, and nothing else."""

import mimetypes
import os
import re
import shutil

import pytest

from service.browser import files, versions
from tests.services import on_sqlite

pytestmark = on_sqlite

KEPT = "max-age=31536000, immutable"


@pytest.mark.parametrize("name", ["console/console.js", "console/console.css", "shared/errors.js"])
def test_a_file_is_served_unchanged_and_revalidated(client, name):
    headers = client.get(f"/browser/{name}", buffered=True).headers
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-cache"
    again = client.get(f"/browser/{name}", headers={"If-None-Match": headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.fixture
def own_copy(tmp_path, monkeypatch):
    """The files in a folder where they may be changed."""
    copy = shutil.copytree(files.ROOT, tmp_path / "browser")
    for module in (files, versions):
        monkeypatch.setattr(module, "ROOT", copy)
    return copy


def address_on_page(client, name):
    return re.search(rf"/browser/\w+/{name}", client.get("/").text)[0]


def cached(client, address):
    return client.get(address, buffered=True).headers["Cache-Control"]


def test_a_file_is_kept_under_the_version_that_the_page_names(client):
    module, style = (
        client.get(address_on_page(client, name), buffered=True)
        for name in ("console/console.js", "console/console.css")
    )
    assert module.headers["Cache-Control"] == style.headers["Cache-Control"] == KEPT
    plain = client.get("/browser/console/console.js", buffered=True)
    assert module.data == plain.data
    assert module.headers["Content-Security-Policy"] == plain.headers["Content-Security-Policy"]


def test_a_file_of_another_version_is_checked_again(client):
    """In a tab that is older than the service, or newer while a release is being rolled out."""
    answer = client.get("/browser/0123456789abcdef/console/console.js", buffered=True)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")
    assert client.get("/browser/0123456789abcdef/console/nothing.js").status_code == 404


def test_a_changed_file_gives_all_of_them_another_version(client, own_copy):
    before = address_on_page(client, "console/console.js")
    changed = own_copy / "shared/errors.js"
    changed.write_text(f"{changed.read_text()}// more\n")
    after = address_on_page(client, "console/console.js")
    assert before != after
    assert (cached(client, before), cached(client, after)) == ("no-cache", KEPT)
    other = before.replace("console/console.js", "shared/errors.js")
    assert cached(client, other) == "no-cache"


def test_a_changed_file_is_not_kept_under_the_version_before(client, own_copy):
    """Nobody has loaded the page since."""
    address = address_on_page(client, "console/console.js")
    assert cached(client, address) == KEPT
    changed = own_copy / "console/console.js"
    changed.write_text(f"{changed.read_text()}// more\n")
    assert cached(client, address) == "no-cache"


def test_the_version_is_of_what_files_hold_and_not_of_when_they_were_written(client, own_copy):
    """Or hosts with the same release would have different ones."""
    before = address_on_page(client, "console/console.js")
    os.utime(own_copy / "console/console.js", ns=(1, 1))
    assert address_on_page(client, "console/console.js") == before
    assert cached(client, before) == KEPT
    (own_copy / "admin/admin-view.js").rename(own_copy / "admin/renamed.js")
    assert address_on_page(client, "console/console.js") != before


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
