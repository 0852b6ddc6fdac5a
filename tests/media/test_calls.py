"""Calls of endpoints that make media: what they answer, what a failed one leaves, the quota."""

import errno
import json
import os
import sqlite3
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.exc import OperationalError

from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling import lease_renewal
from service.integrations.calling.call_media import CallMedia
from service.integrations.declare.reading import Unusable
from service.media.models import MediaItem
from service.media.store import MediaStore, QuotaReached
from service.upkeep import sweeping
from service.web.errors import Unauthorized
from tests.app_database import all_rows_as_text
from tests.integrations.scripted_vendor import Said
from tests.media.press import MIB, PICTURE
from tests.services import on_sqlite, wait_for
from tests.user_erasure import erase

MAKE, ORDER = "/api/integrations/prints-make", "/api/integrations/prints-order"
small_quota = pytest.mark.settings(media_quota=32)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
in_both = pytest.mark.parametrize("place", ["database", "files"], indirect=True)


def picture(raw=PICTURE, **headers):
    return Said(raw, headers={"Content-Type": "image/png", **headers})


def path_of(item) -> str:
    return item["url"].removeprefix("http://127.0.0.1:8000").partition("?")[0]


def fill(store, megabytes: int, user="alice") -> None:
    for _ in range(megabytes // 8):
        store.put(user, b"." * (8 * MIB), "image/png", "", None)


@pytest.fixture
def expire(app):
    """Have every item expire that many seconds from now."""

    def change(seconds: float) -> None:
        with app.app_context():
            db.session.execute(update(MediaItem).values(expires_at=from_now(seconds)))
            db.session.commit()

    return change


def test_a_call_answers_urls_of_what_it_has_made(vendor, alice, client, rows):
    vendor.says(picture(), {"ok": True})
    answer = alice.post(MAKE, {"text": "Hi", "copies": 2, "mediaType": "image/webp"})
    prints = answer.json["data"]["prints"]
    assert [(one["mediaType"], one["bytes"]) for one in prints] == [("image/webp", 14)] * 2
    for item in prints:
        assert client.get(item["url"]).data == PICTURE
    assert alice.get(path_of(prints[1])).headers["Content-Disposition"].endswith("''1.png")
    assert rows() == (2, 2)  # the reservation is gone


@on_sqlite
def test_the_sandbox_makes_media_too(alice):
    made = alice.post(MAKE, {"text": "Hello"}).json["data"]["prints"][0]
    assert (made["mediaType"], made["bytes"]) == ("image/png", len(PICTURE))
    assert alice.get(path_of(made)).data == PICTURE


@on_sqlite
def test_the_stored_answer_of_a_key_names_the_same_media(vendor, alice, rows):
    vendor.says(picture(), {"ok": True})
    key = {"Idempotency-Key": "k-1"}
    first, second = (alice.post(MAKE, {"text": "Hi"}, headers=key).json for _ in range(2))
    assert first == second
    assert rows() == (1, 1)
    assert alice.get(path_of(second["data"]["prints"][0])).data == PICTURE


@on_sqlite
@in_both
def test_a_call_that_fails_leaves_nothing(vendor, alice, rows, settings):
    vendor.says(picture(), Said({}, status=500))
    failed = alice.post(MAKE, {"text": "Hi"}, headers={"Idempotency-Key": "k-1"})
    assert (failed.status_code, failed.json["error"]) == (502, "upstream_provider_error")
    assert rows() == (0, 0)
    assert settings.media_dir is None or list(settings.media_dir.iterdir()) == []
    vendor.says(picture(b"." * (3 * MIB)), {"ok": True})
    too_much = alice.post(MAKE, {"text": "Hi", "copies": 3})
    assert (too_much.status_code, too_much.json["error"]) == (502, "upstream_provider_error")
    assert rows() == (0, 0)


@on_sqlite
def test_media_of_an_answer_that_is_stored_late_are_left(app, vendor, alice, rows, monkeypatch):
    """The database fails at the call's end, and takes the answer when it is back."""
    refused = []

    def refuse(_connection, _cursor, statement, *_more):
        if statement.startswith("UPDATE idempotency_keys SET answer") and len(refused) < 2:
            refused.append(statement)
            raise OperationalError(statement, {}, sqlite3.OperationalError("refused"))

    monkeypatch.setattr(lease_renewal, "RETRY_SECONDS", 0.05)
    vendor.says(picture(), {"ok": True})
    with app.app_context():
        engine = db.engine
    make = partial(alice.post, MAKE, {"text": "Hi"}, headers={"Idempotency-Key": "k-1"})
    event.listen(engine, "before_cursor_execute", refuse)
    try:
        assert make().status_code >= 500
    finally:
        event.remove(engine, "before_cursor_execute", refuse)
    wait_for(lambda: make().status_code == 200)
    assert len(refused) == 2
    assert alice.get(path_of(make().json["data"]["prints"][0])).data == PICTURE


@on_sqlite
@small_quota
def test_a_full_quota_refuses_before_anything_is_held_or_asked(
    vendor, store, alice, bob, rows, expire
):
    vendor.says(picture(), {"ok": True})
    balance = alice.get("/api/credits").json["balance"]
    fill(store, 32)
    full = alice.post(MAKE, {"text": "Hi"})
    assert (full.status_code, full.json["error"]) == (429, "rate_limited")
    assert 86_300 < int(full.headers["Retry-After"]) <= 86_400
    assert (vendor.seen, alice.get("/api/credits").json["balance"]) == ([], balance)
    assert bob.post(MAKE, {"text": "Hi"}).status_code == 200
    expire(30)
    assert alice.post(MAKE, {"text": "Hi"}).headers["Retry-After"] in ("29", "30")
    expire(0)
    assert alice.post(MAKE, {"text": "Hi"}).status_code == 200


@small_quota
def test_calls_at_once_stay_within_the_quota(vendor, store, alice):
    """The room of a call that runs is taken."""
    alice.get("/api/credits")
    fill(store, 24)
    others = []

    def while_it_runs(asked):
        if not others:
            others.append(None)
            others[0] = alice.post(MAKE, {"text": "Hi"})
        return picture(b"." * (8 * MIB))

    vendor.says(while_it_runs, {"ok": True})
    assert alice.post(MAKE, {"text": "Hi"}).status_code == 200
    assert others[0].status_code == 429


@on_sqlite
@small_quota
def test_a_copy_takes_no_room_from_what_a_call_makes(store, alice):
    alice.get("/api/credits")
    fill(store, 24)
    with CallMedia(store, "alice", most=8 * MIB, copies=8 * MIB) as media:
        media.reserve(60)
        assert media.copy(b"." * (8 * MIB), "image/png", "") is None
        assert media.keep(b"." * (8 * MIB), "image/png", "")["bytes"] == 8 * MIB
        with pytest.raises(QuotaReached):
            store.put("alice", b".", "image/png", "", None)


@on_sqlite
def test_a_copy_that_is_too_large_lets_the_call_store_what_it_makes(store, alice, capfd):
    alice.get("/api/credits")
    with CallMedia(store, "alice", most=2 * MIB, copies=MIB) as media:
        assert media.copy(b"." * (2 * MIB), "image/png", "") is None
        assert media.copy(b"." * MIB, "image/png", "")["bytes"] == MIB
        assert media.keep(b"." * (2 * MIB), "image/png", "")["bytes"] == 2 * MIB
        with pytest.raises(Unusable):
            media.keep(b".", "image/png", "")
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    large = [(one["bytes"], one["left"]) for one in lines if one["event"] == "media too large"]
    assert large == [(2 * MIB, MIB), (1, 0)]


@on_sqlite
@pytest.mark.settings(starting_credits=1)
def test_a_refused_hold_gives_the_room_back(vendor, alice, rows):
    assert alice.post(MAKE, {"text": "Hi"}).status_code == 402
    assert (vendor.seen, rows()) == ([], (0, 0))


@small_quota
def test_a_job_waits_at_the_vendor_until_there_is_room(vendor, store, alice, rows, expire):
    done = {"id": "o-1", "state": "done"}
    vendor.says({"id": "o-1", "state": "running"})
    job = alice.post(ORDER, {"text": "Hi"}).json["data"]["jobId"]
    fill(store, 32)
    vendor.says(done, picture(), done, picture())
    assert alice.get(f"/api/integrations/jobs/{job}").status_code == 429
    expire(0)
    result = alice.get(f"/api/integrations/jobs/{job}").json["data"]["result"]
    assert alice.get(path_of(result)).data == PICTURE
    assert alice.get(f"/api/integrations/jobs/{job}").json["data"]["result"] == result
    assert rows()[0] == 4 + 1


def test_of_two_polls_at_once_one_stores_the_result(vendor, alice, rows):
    vendor.says({"id": "o-1", "state": "running"})
    job = alice.post(ORDER, {"text": "Hi"}).json["data"]["jobId"]
    results = []

    def second_poll(asked):
        if asked.path.endswith("/print"):
            if not results:
                results.append(None)
                results[0] = alice.get(f"/api/integrations/jobs/{job}").json["data"]
            return picture()
        return Said({"id": "o-1", "state": "done"})

    vendor.says(second_poll)
    first = alice.get(f"/api/integrations/jobs/{job}").json["data"]
    assert first == results[0]
    assert alice.get(path_of(first["result"])).data == PICTURE
    assert rows() == (1, 1)


@in_both
def test_the_sweeper_deletes_what_has_expired(app, settings, store, alice, rows, expire):
    alice.get("/api/credits")
    fill(store, 16)
    path = path_of(store.put("alice", PICTURE, "image/png", "", None))
    expire(-1)
    with app.app_context():
        assert alice.get(path).status_code == alice.post(f"{path}/link").status_code == 404
        assert sweeping.sweep().media == 0  # a reader may be under way
        expire(-601)
        assert sweeping.sweep().media == 3
    assert rows() == (0, 0)
    assert settings.media_dir is None or list(settings.media_dir.iterdir()) == []


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_the_sweeper_deletes_files_without_an_item(app, settings, store, alice):
    alice.get("/api/credits")
    path = path_of(store.put("alice", PICTURE, "image/png", "", None))
    mine = settings.media_dir / path.rpartition("/")[2]
    old, partial, new, other = (
        settings.media_dir / name
        for name in (f"media_{'0' * 32}", f"media_{'1' * 32}.part", f"media_{'2' * 32}", "theirs")
    )
    for file in (old, partial, new, other):
        file.write_bytes(b"")
    for file in (mine, old, partial, other):
        os.utime(file, (0, 0))
    with app.app_context():
        sweeping.sweep()
    assert set(settings.media_dir.iterdir()) == {mine, new, other}


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_a_file_that_cannot_be_removed_keeps_no_other(app, settings, store, alice, rows, expire):
    alice.get("/api/credits")
    paths = [path_of(store.put("alice", PICTURE, "image/png", "", None)) for _ in range(20)]
    files = sorted(settings.media_dir / path.rpartition("/")[2] for path in paths)
    for file in files[:9]:  # more than a batch
        file.unlink()
        file.mkdir()  # which is no file, so not even root can unlink it
    expire(-601)
    with app.app_context():
        assert sweeping.sweep().media == 11
        assert rows() == (9, 0)
        for file in files[:9]:
            file.rmdir()
        assert sweeping.sweep().media == 9
    assert rows() == (0, 0)


@on_sqlite
@in_both
def test_an_erased_user_leaves_no_media(app, settings, store, alice, bob, rows):
    for person in (alice, bob):
        person.get("/api/credits")
        store.put(person.subject, PICTURE, "image/png", "mine.png", None)
    store.reserve("alice", MIB, 60)
    with app.app_context():
        erased = app.test_cli_runner().invoke(args=["users", "erase", "alice", "--yes"])
    assert erased.exit_code == 0, erased.output
    assert rows() == (1, 0 if settings.media_dir else 1)
    assert settings.media_dir is None or len(list(settings.media_dir.iterdir())) == 1


@on_sqlite
def test_an_erased_users_links_end_before_the_sweep(app, client, store, alice):
    alice.get("/api/credits")
    item = store.put("alice", PICTURE, "image/png", "canary.png", None)
    assert client.get(item["url"]).status_code == 200
    erase(app)
    assert client.get(item["url"]).status_code == 401
    assert "canary" not in all_rows_as_text(app)


@on_postgresql
def test_an_erasure_that_runs_is_not_waited_for(app, store, alice, rows):
    """It holds some of the items, and may wait for others: that would be a deadlock."""
    alice.get("/api/credits")
    fill(store, 16)
    with app.app_context(), db.engine.connect() as erasure:
        media_ids = db.session.scalars(select(MediaItem.media_id)).all()
        first = MediaItem.media_id == media_ids[0]
        erasure.execute(update(MediaItem).where(first).values(user_id=None))
        assert store.remove(media_ids) == 1
        assert sweeping.sweep().media == 0
        erasure.commit()
        assert sweeping.sweep().media == 1
    assert rows() == (0, 0)


KEY, UNKNOWN = {"Idempotency-Key": "k-1"}, {"error": "conflict", "outcome": "unknown"}


@pytest.mark.parametrize(
    ("headers", "status", "told"),
    [({}, 401, {"error": "unauthorized"}), (KEY, 409, UNKNOWN)],
    ids=["without a key", "with a key"],
)
def test_media_of_a_user_who_was_erased_meanwhile_are_not_stored(
    app, vendor, alice, rows, headers, status, told
):
    """With a key, a 401 says that nothing was done; the vendor has done its work here."""

    def erase(asked):
        erased = app.test_cli_runner().invoke(args=["users", "erase", "alice", "--yes"])
        assert erased.exit_code == 0, erased.output
        return picture()

    vendor.says(erase, {"ok": True})
    answer = alice.post(MAKE, {"text": "Hi"}, headers=headers)
    assert (answer.status_code, {name: answer.json[name] for name in told}) == (status, told)
    assert rows() == (0, 0)


@on_sqlite
@in_both
@pytest.mark.parametrize("is_swept", [False, True])
def test_a_user_who_is_erased_while_an_item_is_written_leaves_none(
    app, settings, store, alice, rows, monkeypatch, is_swept
):
    """The item's row may be there without a user, or be gone."""
    alice.get("/api/credits")
    write = store._write

    def write_later(media_id, content):
        with app.app_context():
            erase(app)
            if is_swept:
                sweeping.sweep()
        write(media_id, content)

    monkeypatch.setattr(store, "_write", write_later)
    with pytest.raises(Unauthorized):
        store.put("alice", PICTURE, "image/png", "", None)
    assert rows() == (0, 0)
    assert settings.media_dir is None or list(settings.media_dir.iterdir()) == []


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_files_are_for_the_service_alone(settings, store, alice):
    alice.get("/api/credits")
    path = path_of(store.put("alice", PICTURE, "image/png", "", None))
    file = settings.media_dir / path.rpartition("/")[2]
    assert [oct(one.stat().st_mode & 0o777) for one in (settings.media_dir, file)] == [
        "0o700",
        "0o600",
    ]


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_files_are_not_found_by_a_service_without_their_directory(app, store, alice, monkeypatch):
    alice.get("/api/credits")
    path = path_of(store.put("alice", PICTURE, "image/png", "", None))
    assert alice.get(path).status_code == 200
    monkeypatch.setitem(app.extensions, "media", MediaStore(app, None, MIB, ""))
    assert alice.get(path).status_code == 404


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_a_disk_that_is_away_is_an_outage(settings, vendor, alice, rows):
    settings.media_dir.rmdir()
    vendor.says(picture(), {"ok": True})
    failed = alice.post(MAKE, {"text": "Hi"})
    assert (failed.status_code, failed.json["error"]) == (503, "unavailable")
    assert rows() == (0, 0)


@on_sqlite
def test_a_full_database_is_an_outage_for_each_of_several_items(app, vendor, alice, rows):
    """A greenlet that failed would be logged as a defect, and would fail the test."""

    def refuse(_connection, _cursor, statement, *_more):
        if statement.startswith("INSERT INTO media_pieces"):
            full = sqlite3.OperationalError("database or disk is full")
            full.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise OperationalError(statement, {}, full)

    vendor.says(picture(), {"ok": True})
    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", refuse)
    try:
        failed = alice.post(MAKE, {"text": "Hi", "copies": 3})
    finally:
        event.remove(engine, "before_cursor_execute", refuse)
    assert (failed.status_code, failed.json["error"]) == (503, "unavailable")
    assert rows() == (0, 0)


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_a_full_disk_leaves_no_file(settings, vendor, alice, rows, monkeypatch):
    def fail(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    vendor.says(picture(), {"ok": True})
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        assert alice.post(MAKE, {"text": "Hi"}).status_code == 503
    assert (rows(), list(settings.media_dir.iterdir())) == ((0, 0), [])


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_a_file_is_on_the_disk_before_its_call_is_answered(settings, vendor, alice, monkeypatch):
    """First its content, under another name, then its name in the directory."""
    synced, sync = [], os.fsync

    def note(descriptor):
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        if settings.media_dir in (path, path.parent):
            entries = [one.suffix for one in settings.media_dir.iterdir()]
            synced.append((path.name if path == settings.media_dir else path.suffix, entries))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    vendor.says(picture(), {"ok": True})
    assert alice.post(MAKE, {"text": "Hi"}).status_code == 200
    assert synced == [(".part", [".part"]), (settings.media_dir.name, [""])]


@on_sqlite
@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_a_directory_that_is_away_ends_no_sweep(app, settings, capfd):
    settings.media_dir.rmdir()
    with app.app_context():
        assert sweeping.sweep().media == 0
    assert '"event": "media not deleted"' in capfd.readouterr().err
