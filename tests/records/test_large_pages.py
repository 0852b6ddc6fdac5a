"""Pages of large records are complete and bounded, and other greenlets run meanwhile."""

import json

import gevent
import pytest

from service.chat.models import JournalEntry
from service.database.access import write_transaction
from service.extensions import db
from service.limits import page_turns
from service.records.models import Record
from service.records.store import PAGE_BYTES
from service.times import now
from tests.limits.page_queue import (
    all_pages_of_a_worker,
    as_many_pages_as_allowed,
    is_queued,
)
from tests.records.greenlet_turns import count_greenlet_turns
from tests.services import on_sqlite, wait_for

LARGE = {"numbers": [number / 3 for number in range(15_000)]}  # 280 KB, and slow to write
CANVASES = "/api/records/canvases"


def envelope(number):
    data = {"userId": "alice", "name": "é", "state": LARGE}
    return {"recordId": f"r-{number}", "data": data, "createdAt": "", "updatedAt": ""}


PLACE = {"collection": "canvases", "owner": "alice"}


@pytest.fixture
def canvases(app, alice):
    """Twelve canvases."""
    alice.get(CANVASES)  # makes her row
    moment = {"created_at": now(), "updated_at": now()}
    data = {"name": "é", "state": LARGE}
    with app.app_context(), write_transaction() as session:
        for number in range(12):
            session.add(Record(**PLACE, record_id=f"r-{number}", data=data, **moment))


@pytest.fixture
def journal(app, alice):
    """Entries for more than one page. To write them takes longer than most tests."""
    alice.get(CANVASES)  # makes her row
    turn = {"turn_id": "t", "chat_id": "c", "user_id": "alice", "tool": "records.update"}
    with app.app_context(), write_transaction() as session:
        for number in range(40):
            values = {"record_id": f"r-{number}", "outcome": "updated", "before": envelope(number)}
            session.add(JournalEntry(**turn, **PLACE, **values, after=envelope(number)))


@on_sqlite
@pytest.mark.parametrize(
    ("stored", "path"),
    [
        ("canvases", CANVASES),
        ("canvases", f"{CANVASES}?limit=200"),
        ("journal", "/api/ai/journal"),
    ],
)
def test_other_greenlets_run_after_each_record_is_read_and_written(request, alice, stored, path):
    request.getfixturevalue(stored)
    with count_greenlet_turns() as turn_log:
        page = alice.get(path)
    [items] = (value for value in page.json.values() if isinstance(value, list))
    assert len(items) >= 12
    assert len(turn_log) >= 2 * len(items)


@on_sqlite
def test_the_answer_is_the_same_as_one_encoded_at_once(alice, canvases):
    page = alice.get(CANVASES)
    whole = json.dumps(page.json, ensure_ascii=False, separators=(",", ":"))
    assert page.data == whole.encode() + b"\n"
    assert [record["data"]["state"] for record in page.json["records"]] == [LARGE] * 12


@on_sqlite
def test_pages_of_the_journal_are_bounded_and_complete(alice, journal):
    ids, cursor = [], ""
    while cursor is not None:
        page = alice.get(f"/api/ai/journal?limit=40{cursor and f'&cursor={cursor}'}")
        assert len(page.data) < PAGE_BYTES + 1000
        ids += [entry["recordId"] for entry in page.json["entries"]]
        cursor = page.json["nextCursor"]
    assert ids == [f"r-{number}" for number in reversed(range(40))]


@on_sqlite
@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": [], "b": [1], "c": [1, 2], "d": {"e": [1, {"f": [2, 3]}]}},
        {"\ud800": [1, 2], "ü": ["\ud800", "ü"]},
        [1, 2],
        {1: [1, 2], None: 3},
        {"a": ["]", "["], "b": [[], [[]]]},
    ],
)
def test_any_answer_is_the_same_as_one_encoded_at_once(app, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\ud800" in text:
        text = json.dumps(value, separators=(",", ":"))
    assert app.json.dumps(value, separators=(",", ":")) == text


@on_sqlite
def test_one_user_leaves_connections_and_memory_for_others(app, alice, bob, canvases, monkeypatch):
    monkeypatch.setattr(page_turns, "WAIT_SECONDS", 60)
    with as_many_pages_as_allowed("alice"):
        waiting = gevent.spawn(alice.get, CANVASES)
        assert bob.get(CANVASES).status_code == 200
        wait_for(lambda: is_queued("alice"))
        with app.app_context():
            assert (waiting.ready(), db.engine.pool.checkedout()) == (False, 0)
    assert waiting.get(timeout=20).status_code == 200


def test_the_pages_of_all_users_leave_connections_for_other_requests(app, alice, canvases):
    with app.app_context():
        pages, connections = page_turns.of_all().counter, db.engine.pool.size()
    assert 1 <= pages < connections
    with all_pages_of_a_worker(app) as turns:
        waiting = gevent.spawn(alice.get, CANVASES)
        wait_for(lambda: turns.linkcount() > 0)
        chat = alice.new_chat()
        assert alice.get(f"/api/records/ai-chats/{chat}").status_code == 200
        assert not waiting.ready()
    assert waiting.get(timeout=20).status_code == 200


@on_sqlite
def test_nobody_waits_for_long_for_the_pages_of_others(app, alice, monkeypatch):
    monkeypatch.setattr(page_turns, "WAIT_SECONDS", 0.05)
    with all_pages_of_a_worker(app):
        refused = alice.get(CANVASES)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    assert alice.get(CANVASES).status_code == 200


@on_sqlite
@pytest.mark.parametrize(
    "path", [CANVASES, "/api/ai/journal", "/api/ai/search?q=words", "/api/credits/spend"]
)
def test_nobody_waits_for_long_for_the_other_pages_of_a_user(alice, monkeypatch, path):
    """They may wait for a database that is away."""
    monkeypatch.setattr(page_turns, "WAIT_SECONDS", 0.05)
    with as_many_pages_as_allowed("alice"):
        refused = alice.get(path)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
