"""What endpoints have made is served to its owner, and to whoever has a fresh link."""

import errno
import os
from datetime import UTC, datetime
from urllib.parse import parse_qsl

import gevent
import pytest
from gevent import get_hub
from gevent.monkey import get_original

from service.extensions import db
from service.media import directory, links
from service.media.store import PIECE
from tests.services import on_sqlite

ThreadEvent = get_original("threading", "Event")  # gevent's own is not for threads
LARGE = bytes(range(256)) * (2 * PIECE // 256) + b"the end"
NO_DATE = "Sun, 29 Nov 99999999999 22:00:00 GMT"
in_both = pytest.mark.parametrize("place", ["database", "files"], indirect=True)


@pytest.fixture
def kept(store, alice):
    """alice has an item; returns its address, without and with a signature."""
    alice.get("/api/credits")

    def keep(content=LARGE, media_type="image/png", name="") -> tuple[str, str]:
        item = store.put("alice", content, media_type, name, None)
        link = item["url"].removeprefix("http://127.0.0.1:8000")
        return link.partition("?")[0], link

    return keep


@on_sqlite
@in_both
def test_an_item_is_for_its_owner_and_for_who_has_the_link(kept, alice, bob, client):
    path, link = kept()
    assert alice.get(path).data == client.get(link).data == bob.get(link).data == LARGE
    assert bob.get(path).status_code == bob.post(f"{path}/link").status_code == 404
    absent = alice.get(f"/api/media/media_{'0' * 32}")
    assert (absent.status_code, absent.data) == (404, bob.get(path).data)
    for refused in (client.get(path), client.get(f"/api/media/nothing?{link.partition('?')[2]}")):
        assert refused.status_code == 401
        assert refused.headers["WWW-Authenticate"] == "Bearer"


@on_sqlite
def test_a_link_ends_after_ten_minutes_and_its_address_works_with_a_token(
    kept, alice, client, monkeypatch
):
    monkeypatch.setattr(links, "LINK_SECONDS", 0)
    path, link = kept()
    assert client.get(link).status_code == 401
    assert alice.get(link).data == LARGE
    monkeypatch.undo()
    fresh = alice.post(f"{path}/link").json
    assert client.get(fresh["url"]).data == LARGE
    seconds = datetime.fromisoformat(fresh["expiresAt"]) - datetime.now(UTC)
    assert 595 < seconds.total_seconds() <= 600
    assert client.post(f"{path}/link").status_code == 401


ALTERED = (
    lambda query: query | {"signature": query["signature"][:-1] + "é"},
    lambda query: query | {"signature": query["signature"][:-1]},
    lambda query: query | {"expires": str(int(query["expires"]) + 1)},
    lambda query: query | {"expires": "9" * 13},
    lambda query: query | {"expires": f"+{query['expires']}"},
    lambda query: {"signature": query["signature"]},
    lambda query: {"expires": query["expires"]},
)


@on_sqlite
def test_an_altered_link_is_no_link(kept, client):
    path, link = kept()
    query = dict(parse_qsl(link.partition("?")[2]))
    assert client.get(path, query_string=query).status_code == 200
    for change in ALTERED:
        refused = client.get(path, query_string=change(query))
        assert (refused.status_code, refused.json["error"]) == (401, "unauthorized")
    other, _ = kept(b"another item of hers")
    assert client.get(other, query_string=query).status_code == 401


@on_sqlite
@in_both
def test_a_range_is_answered_as_a_player_asks_for_it(kept, alice):
    path, _ = kept()
    for first, last in ((0, 0), (PIECE - 3, PIECE + 3), (5, len(LARGE) + 9), (PIECE, PIECE)):
        part = alice.get(path, headers={"Range": f"bytes={first}-{last}"})
        end = min(last, len(LARGE) - 1)
        assert (part.status_code, part.data) == (206, LARGE[first : end + 1])
        assert part.headers["Content-Range"] == f"bytes {first}-{end}/{len(LARGE)}"
    assert alice.get(path, headers={"Range": "bytes=-7"}).data == b"the end"
    whole = alice.request("HEAD", path)
    assert (whole.headers["Content-Length"], whole.data) == (str(len(LARGE)), b"")
    assert alice.get(path, headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304
    descriptors = len(os.listdir("/proc/self/fd"))
    beyond = alice.get(path, headers={"Range": f"bytes={len(LARGE)}-"})
    assert (beyond.status_code, beyond.json["error"]) == (416, "invalid_request")
    alice.request("HEAD", path)
    alice.get(path, headers={"If-None-Match": whole.headers["ETag"]})
    assert len(os.listdir("/proc/self/fd")) == descriptors


@on_sqlite
def test_the_last_bytes_are_all_there_are_if_more_are_asked_for(kept, alice):
    path, _ = kept(b"short")
    for asked, part in (
        ("-5", b"short"),
        ("-6", b"short"),
        (f"-{'9' * 5000}", b"short"),
        ("-02", b"rt"),
    ):
        answer = alice.get(path, headers={"Range": f"bytes={asked}"})
        assert (answer.status_code, answer.data) == (206, part)
        assert answer.headers["Content-Range"] == f"bytes {5 - len(part)}-4/5"
    none = alice.get(path, headers={"Range": "bytes=-0"})
    assert (none.status_code, none.headers["Content-Range"]) == (416, "bytes */5")
    whole = alice.get(path, headers={"Range": "bytes=-0", "If-Range": '"another"'})
    assert (whole.status_code, whole.data) == (200, b"short")


@on_sqlite
@in_both
def test_conditions_come_before_ranges(kept, alice):
    path, _ = kept()
    etag, part = alice.get(path).headers["ETag"], {"Range": "bytes=0-1"}
    assert alice.get(path, headers={"If-None-Match": etag, **part}).status_code == 304
    assert alice.get(path, headers={"If-None-Match": '"x"', **part}).data == LARGE[:2]
    for wanted in (etag, "*"):
        assert alice.get(path, headers={"If-Match": wanted}).data == LARGE
        assert alice.get(path, headers={"If-Match": wanted, **part}).data == LARGE[:2]
    other = alice.get(path, headers={"If-Match": '"x"', **part})
    assert (other.status_code, other.json["error"]) == (412, "invalid_request")
    beyond = alice.get(path, headers={"Range": f"bytes={len(LARGE)}-"})
    assert beyond.headers["Content-Range"] == f"bytes */{len(LARGE)}"
    assert alice.request("HEAD", path, headers=part).status_code == 200


@on_sqlite
@in_both
def test_a_range_that_is_not_understood_is_ignored(kept, alice):
    path, _ = kept()
    for asked in ("items=0-5", "bytes=abc", "bytes=5-2", "bytes=0-1,3-4"):
        whole = alice.get(path, headers={"Range": asked})
        assert (whole.status_code, whole.data) == (200, LARGE), asked


@on_sqlite
def test_a_range_of_another_version_is_ignored(kept, alice):
    path, _ = kept(b"short")
    etag, part = alice.get(path).headers["ETag"], {"Range": "bytes=0-1"}
    assert alice.get(path, headers={**part, "If-Range": etag}).data == b"sh"
    for other in ('"x"', f"W/{etag}", "Sun, 29 Nov 2026 22:00:00 GMT", NO_DATE):
        whole = alice.get(path, headers={**part, "If-Range": other})
        assert (whole.status_code, whole.data) == (200, b"short"), other


@on_sqlite
def test_a_date_that_does_not_exist_is_ignored(kept, alice, client):
    path, _ = kept(b"short")
    assert alice.get(path, headers={"If-Modified-Since": NO_DATE}).data == b"short"
    assert client.get("/", headers={"If-Modified-Since": NO_DATE}).status_code == 200


SERVED = {
    "image/png": ("image/png", "inline"),
    "Audio/MPEG; rate=44100": ("audio/mpeg", "inline"),
    "video/mp4": ("video/mp4", "inline"),
    "image/svg+xml": ("image/svg+xml", "attachment"),
    "text/html; charset=utf-8": ("text/html", "attachment"),
    "application/pdf": ("application/pdf", "attachment"),
    "image/png\r\nX: y": ("application/octet-stream", "attachment"),
    "image/" + "x" * 100: ("application/octet-stream", "attachment"),  # longer than its column
    "": ("application/octet-stream", "attachment"),
}


@on_sqlite
def test_no_item_can_run_a_script(kept, alice):
    for declared, (sent, how) in SERVED.items():
        path, _ = kept(b"<script>alert(1)</script>", declared, 'a/"ü\r\n.png')
        headers = alice.get(path).headers
        assert headers["Content-Type"] == sent
        assert headers["Content-Disposition"] == f"{how}; filename*=UTF-8''a_%22%C3%BC__.png"
        assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none';")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "private, max-age=600, immutable"
        assert "Authorization" in headers["Vary"]


@on_sqlite
@in_both
def test_a_slow_reader_holds_no_connection(app, kept, alice):
    path, _ = kept()
    response = alice.get(path, buffered=False)
    pieces = response.iter_encoded()
    received = next(pieces)
    with app.app_context():
        assert db.engine.pool.checkedout() == 0
    assert received + b"".join(pieces) == LARGE
    response.close()


@on_sqlite
@in_both
def test_an_item_that_is_gone_is_not_served_as_a_whole_one(kept, alice, store):
    """In files, a reader that has begun reads on; the database has nothing left for it."""
    path, _ = kept()
    response = alice.get(path, buffered=False)
    pieces = response.iter_encoded()
    first = next(pieces)
    store.remove([path.rpartition("/")[2]])
    try:
        assert first + b"".join(pieces) == LARGE
    except ConnectionResetError:
        assert len(first) == PIECE
    response.close()
    assert alice.get(path).status_code == 404


@pytest.mark.parametrize("place", ["files"], indirect=True)
@on_sqlite
def test_a_file_that_opens_slowly_holds_up_no_other_request(kept, alice, settings):
    """As on a network's disk: nobody opens a FIFO before its other end is opened."""
    path, _ = kept()
    file = settings.media_dir / path.rpartition("/")[2]
    file.unlink()
    os.mkfifo(file)
    answered = ThreadEvent()
    other_end = get_hub().threadpool.spawn(open_after, answered, file)
    waiting = gevent.spawn(alice.request, "HEAD", path)
    gevent.sleep(0.1)
    assert alice.get("/api/credits").status_code == 200
    answered.set()
    assert waiting.get(timeout=10).status_code == 200
    assert other_end.get(), "the other request has waited"


def open_after(answered, file):
    in_time = answered.wait(5)
    os.close(os.open(file, os.O_WRONLY))
    return in_time


@pytest.mark.parametrize("place", ["files"], indirect=True)
@on_sqlite
def test_a_lost_file_is_absent(kept, alice, settings):
    path, link = kept()
    (settings.media_dir / path.rpartition("/")[2]).unlink()
    assert alice.get(path).status_code == alice.get(link).status_code == 404


@pytest.mark.parametrize("place", ["files"], indirect=True)
@on_sqlite
def test_a_file_that_can_not_be_opened_is_an_outage(kept, alice, monkeypatch, capfd):
    """As on a network's disk that is away, or without free descriptors."""
    path, link = kept()

    def fail(*_arguments):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as away:
        away.setattr(directory.os, "open", fail)
        answers = alice.get(path), alice.get(link), alice.get(path, headers={"Range": "bytes=0-1"})
    assert [(one.status_code, one.json["error"]) for one in answers] == [(503, "unavailable")] * 3
    assert '"event": "media not read"' in capfd.readouterr().err
    assert alice.get(path).data == LARGE


@on_sqlite
def test_a_signature_is_in_no_log(kept, client, capfd):
    _, link = kept()
    client.get(link, buffered=True)
    signature = link.rpartition("=")[2]
    logged = capfd.readouterr().err
    assert "/api/media/<media_id>" in logged
    assert signature not in logged
