"""Erasing a user, and reading what the assistant has changed."""

import time

import gevent
import pytest
from gevent.event import Event
from joserfc import jwt
from joserfc.jwk import OctKey
from sqlalchemy import select, update

from service.auth import users
from service.auth.models import User
from service.auth.users import rights_cache
from service.chat.models import Chat, JournalEntry, Message
from service.database.access import write_transaction
from service.extensions import db
from service.integrations.models import Consent, Grant
from service.records.models import Outbox
from service.times import now
from service.upkeep import rights, sweeping
from tests.app_database import all_rows_as_text, lock_waits, rows_by_table
from tests.chat.turns import NOTES, begin_turn, call_tool, is_idle
from tests.faults.database_rows import app_of
from tests.people import chunks_of, text_of, types
from tests.services import SECRET, command, flask, on_sqlite, settings_for, wait_for
from tests.user_erasure import erase


def forget_owners(app) -> None:
    """The journal as the release before migration 0008 writes it."""
    with app.app_context(), write_transaction() as session:
        session.execute(update(JournalEntry).values(owner=None))


CALLS = {
    "search-images": {"query": "canary"},
    "profnet-search-profiles": {"query": "canary"},
    "generate-video": {"prompt": "canary", "imageUrl": "https://example.com/a.png", "wait": 0},
}


def test_an_erased_user_leaves_only_numbers_under_a_pseudonym(app, alice, bob):
    chat = alice.new_chat("alice's canary-title")
    alice.turn(chat, "add a task: canary-task", userMessageId="own-id")
    alice.turn(chat, "delete the task canary-task")
    turn = alice.records("ai-turns")[-1]["recordId"]
    assert alice.post(f"/api/ai/turns/{turn}/undo").status_code == 200
    key = {"Idempotency-Key": "canary-key"}
    made = alice.post("/api/records/notes", {"title": "canary-note"}, headers=key)
    assert made.status_code == 201
    for path, body in CALLS.items():
        call = alice.limited(credits=20).post(f"/api/integrations/{path}", body, headers=key)
        assert call.status_code == 200, call.json
    with app.app_context():
        assert rights.set_role("alice", "user")
    bob.turn(bob.new_chat(), "add a task: bob-task")
    spent = alice.get("/api/credits").json["balance"]
    assert "canary" in all_rows_as_text(app)
    assert "alice" in all_rows_as_text(app)
    assert erase(app, "alice")
    left = all_rows_as_text(app)
    assert "canary" not in left
    assert "alice" not in left
    assert "own-id" not in repr(rows_by_table(app)["turns"])
    assert "bob-task" in left
    assert "erased-" in left
    assert spent < 1000
    assert alice.get("/api/credits").status_code == 401
    assert not erase(app, "nobody")


@on_sqlite
def test_records_of_collections_that_are_not_declared_are_erased_too(database_url, app, alice, bob):
    for person in (alice, bob):
        person.post("/api/records/notes", {"title": f"{person.subject}-canary"})
    undeclared = settings_for(database_url, sandbox=0).environ  # the notes are the sandbox's
    output = command(undeclared, "users", "erase", "alice", "--yes").output
    assert "deleted records: 1 notes" in output
    left = all_rows_as_text(app)
    assert "alice" not in left
    assert "bob-canary" in left


def test_an_erasure_keeps_the_changes_of_others_with_the_subject_as_id(app, alice, bob):
    bob.turn(bob.new_chat(), "hello", userMessageId="alice")
    alice.post("/api/records/notes", {"title": "canary-note"})
    of_bob = select(Outbox.action).where(Outbox.record_id == "alice", Outbox.owner == "bob")
    with app.app_context():
        before = db.session.scalars(of_bob).all()
        assert len(before) == 1
        db.session.commit()
        erase(app, "alice")
        assert db.session.scalars(of_bob).all() == before
        db.session.commit()


def test_an_erasure_takes_no_statement_for_each_record(app, alice, bob, statements):
    """Its transaction holds up the changes of all users, or on SQLite their writes."""
    counts = []
    for person, notes in ((alice, 2), (bob, 20)):
        made = [person.post("/api/records/notes", {"title": str(n)}).json for n in range(notes)]
        statements.clear()
        erase(app, person.subject)
        counts.append(len(statements))
        with app.app_context():
            removed = select(Outbox.record_id).where(Outbox.action == "removed")
            latest = db.session.scalars(removed.order_by(Outbox.seq.desc()).limit(notes)).all()
        assert latest == [one["recordId"] for one in reversed(made)]
    assert counts[0] == counts[1]


@on_sqlite
def test_an_erased_persons_older_tokens_are_over(app, client, alice):
    alice.new_chat()
    erase(app, "alice")
    for token in (alice.token, token_of("alice", iat=None), token_of("alice", iat=-3600)):
        refused = as_bearer(client, token)
        assert refused.status_code == 401
        assert "issued before its user was erased" in refused.json["message"]
    with app.app_context():
        assert users.all_users() == []


@on_sqlite
def test_an_erased_user_who_returns_is_a_new_user_without_starting_credits(app, client, alice):
    alice.new_chat("before")
    assert alice.get("/api/credits").json["balance"] == 1000
    erase(app, "alice")
    token = token_of("alice", iat=2)
    assert as_bearer(client, token, "/api/records/ai-chats").json["records"] == []
    balance = as_bearer(client, token).json
    assert (balance["balance"], balance["entries"]) == (0, [])
    older = as_bearer(client, alice.token)
    assert older.status_code == 401
    assert "issued before its user was erased" in older.json["message"]
    alice.token = token
    assert alice.ask(alice.new_chat(), "hello").json["error"] == "insufficient_credits"
    erase(app, "alice")
    assert as_bearer(client, token_of("alice", iat=4)).json["balance"] == 0


def test_an_erase_and_a_turn_that_stores_its_rows_do_not_lock_each_other_out(app, alice):
    chat, locked = alice.new_chat(), Event()

    def store():
        with app.app_context(), write_transaction() as session:
            session.execute(select(Chat.seq).filter_by(record_id=chat).with_for_update())
            locked.set()
            gevent.sleep(0.5)
            session.add(
                Message(record_id="m", chat_id=chat, user_id="alice", role="user", content="c")
            )

    storing = gevent.spawn(store)
    assert locked.wait(15)
    assert gevent.spawn(erase, app, "alice").get(timeout=30)
    storing.get(timeout=30)
    assert "alice" not in all_rows_as_text(app)


def test_an_erase_from_another_process_ends_the_turns_that_run(app, alice):
    chat = alice.new_chat()
    _, stream, read = begin_turn(alice, chat)
    erase(app, "alice")
    assert "alice" not in all_rows_as_text(app)
    wait_for(is_idle(app))  # unread, the turn waits until it is ended
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "abort"
    assert len(text_of(chunks)) < len(" ".join(map(str, range(3000)))) / 2
    wait_for(lambda: "claims" not in rows_by_table(app))
    assert "alice" not in all_rows_as_text(app)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_turn_that_is_asked_for_during_an_erase_makes_no_account(app, alice):
    """The first turn makes the account; here the erase has not got as far as that of consents."""
    chat, asked = alice.new_chat(), []
    with app.app_context(), write_transaction() as session:
        session.add(consent_of("alice"))
    with app.app_context(), write_transaction() as session:
        session.execute(select(Consent).with_for_update())
        erasing = gevent.spawn(erase, app, "alice")
        wait_for(lambda: lock_waits() == 1)
        asking = gevent.spawn(lambda: asked.append(alice.ask(chat, "hello")))
        wait_for(lambda: asking.ready() or lock_waits() == 2)
    assert erasing.get(timeout=30)
    asking.get(timeout=30)
    assert [answer.status_code for answer in asked] == [401]
    assert "alice" not in all_rows_as_text(app)


WRITES = [
    ("POST", "/api/ai/chats", {}),
    ("POST", "/api/records/notes", {"title": "canary"}),
    ("GET", "/api/credits", None),
    ("POST", "/api/integrations/current-weather", {"city": "Berlin"}),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITES, ids=lambda w: str(w))
def test_an_erased_user_in_the_cache_of_a_worker_leaves_nothing_behind(
    app, alice, method, path, body
):
    """For two seconds it takes a user's rights as it has read them."""
    for _ in range(2):  # the first makes the row
        alice.get("/api/ai/models")
    known = rights_cache.peek("alice")
    assert known
    erase(app, "alice")
    rights_cache._rights["alice"] = known, float("inf")
    answer = alice.request(method, path, json=body)
    assert answer.status_code in (200, 401), answer.json
    assert answer.status_code == 401 or "weather" in path
    rights_cache.clear()
    assert "alice" not in all_rows_as_text(app)


def test_the_command_erases_without_an_oauth_client_and_says_what_is_left(databases):
    url = databases.make("sqlite")
    with app_of(url, sandbox="0") as app, write_transaction() as session:
        session.add(User(subject="alice"))
        session.add(grant_of("alice"))
    said = flask(url, "users", "erase", "alice", "--yes", SANDBOX="0")
    assert "cloudsuite" in said
    assert "CLOUDSUITE_CLIENT_ID" in said
    with app_of(url, sandbox="0") as app:
        left = all_rows_as_text(app)
    assert "alice" not in left


def grant_of(subject):
    return Grant(
        user_id=subject, integration="cloudsuite", scopes=[], access_token="t:x", expires_at=now()
    )


def consent_of(subject):
    hashes = {"state_hash": "s", "browser_hash": "b"}
    return Consent(user_id=subject, integration="cloudsuite", asked=[], expires_at=now(), **hashes)


def token_of(subject, iat):
    """Issued `iat` seconds from now; not saying when, if that is None."""
    moment = int(time.time())
    claims = {"sub": subject, "exp": moment + 600} | ({} if iat is None else {"iat": moment + iat})
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET))


def as_bearer(client, token, path="/api/credits"):
    return client.get(path, headers={"Authorization": f"Bearer {token}"})


@on_sqlite
@pytest.mark.parametrize("release", ["this", "the one before 0008"])
def test_an_erased_user_leaves_nothing_in_somebody_elses_journal(app, alice, admin, release):
    note = alice.post("/api/records/notes", {"title": "canary-note"}).json["recordId"]
    call_tool(
        admin, admin.new_chat(), "records.update", **NOTES, recordId=note, data={"title": "t"}
    )
    if release != "this":
        forget_owners(app)
    (entry,) = admin.get("/api/ai/journal").json["entries"]
    assert entry["before"]["data"]["title"] == "canary-note"
    erase(app, "alice")
    left = rows_by_table(app)
    assert "canary" not in repr(left)
    del left["messages"], left["outbox"]  # an answer in the admin's own chat says whose note it was
    assert "alice" not in repr(left)
    (entry,) = admin.get("/api/ai/journal").json["entries"]
    assert (entry["outcome"], entry["before"]) == ("updated", None)


@on_sqlite
def test_the_journal_shows_only_what_its_reader_may_read_now(app, alice, admin):
    hers = alice.post("/api/records/notes", {"title": "hers"}).json["recordId"]
    own = admin.post("/api/records/notes", {"title": "own"}).json["recordId"]
    chat = admin.new_chat()
    for note in (hers, own):
        call_tool(admin, chat, "records.update", **NOTES, recordId=note, data={"title": "t"})
    with app.app_context():
        rights.set_role("admin", "user")
    rights_cache.clear()
    entries = admin.get("/api/ai/journal").json["entries"]
    shown = [entry["before"] for entry in entries]
    assert (shown[0]["data"]["title"], shown[1]) == ("own", None)
    assert [entry["changes"] for entry in entries] == [{"title": "t"}, None]


def test_an_entry_of_an_earlier_release_learns_whose_record_it_tells_of(app, alice, admin):
    notes = [alice.post("/api/records/notes", {"title": t}).json["recordId"] for t in "ab"]
    chat = admin.new_chat()
    call_tool(admin, chat, "records.update", **NOTES, recordId=notes[0], data={"title": "c"})
    call_tool(admin, chat, "records.delete", **NOTES, recordId=notes[1])
    call_tool(admin, chat, "records.create", **NOTES, data={"title": "own"})
    forget_owners(app)
    with app.app_context():
        sweeping.sweep()
        owners = db.session.scalars(select(JournalEntry.owner).order_by(JournalEntry.seq)).all()
        db.session.commit()
    assert owners == ["alice", "alice", "admin"]


@on_sqlite
def test_an_entry_without_an_owner_shows_nobody_elses_record(app, alice, admin):
    note = alice.post("/api/records/notes", {"title": "hers"}).json["recordId"]
    call_tool(
        admin, admin.new_chat(), "records.update", **NOTES, recordId=note, data={"title": "t"}
    )
    forget_owners(app)
    with app.app_context():
        rights.set_role("admin", "user")
    rights_cache.clear()
    (entry,) = admin.get("/api/ai/journal").json["entries"]
    assert entry["before"] is None


@on_sqlite
def test_the_text_of_a_deleted_chat_goes_from_entries_without_an_owner(app, alice):
    chat = alice.new_chat("canary-title")
    call_tool(alice, alice.new_chat(), "records.update", collection="ai-chats", recordId=chat,
           data={"title": "other"})  # fmt: skip
    forget_owners(app)
    assert "canary-title" in all_rows_as_text(app)
    alice.delete(f"/api/ai/chats/{chat}")
    assert "canary-title" not in all_rows_as_text(app)


def of_turn(person, entry):
    return person.get(f"/api/ai/journal?turnId={entry['turnId']}").json["entries"]


def test_the_journal_tells_its_owner_what_the_assistant_changed(alice, bob):
    chat = alice.new_chat()
    assert "added" in text_of(alice.turn(chat, "add two tasks: buy milk, sell milk"))
    alice.turn(chat, "mark buy milk as done")
    alice.turn(chat, "delete the task sell milk")
    page = alice.get("/api/ai/journal?limit=3").json
    told = [(entry["tool"], entry["outcome"]) for entry in page["entries"]]
    assert told == [
        ("records.delete", "removed"),
        ("records.update", "updated"),
        ("records.create", "added"),
    ]
    assert page["entries"][0]["before"]["data"]["title"] == "sell milk"
    assert [entry["changes"] for entry in page["entries"][:2]] == [None, {"done": True}]
    assert page["entries"][2]["changes"]["title"] == "sell milk"
    assert of_turn(alice, page["entries"][1]) == page["entries"][1:2]
    assert of_turn(bob, page["entries"][1]) == []
    rest = alice.get(f"/api/ai/journal?cursor={page['nextCursor']}").json
    assert (len(rest["entries"]), rest["nextCursor"]) == (1, None)
    assert bob.get("/api/ai/journal").json == {"entries": [], "nextCursor": None}
    alice.post(f"/api/ai/turns/{page['entries'][0]['turnId']}/undo")
    entries = alice.get("/api/ai/journal").json["entries"]
    assert [entry["undone"] for entry in entries] == [True, False, False, False]


@on_sqlite
def test_the_sandbox_assistant_keeps_tasks(alice):
    chat = alice.new_chat()
    alice.turn(chat, "Add three tasks: write, read and sleep")
    assert [r["data"]["title"] for r in alice.records("tasks")] == ["write", "read", "sleep"]
    alice.turn(chat, "mark the task sleep as done")
    assert [r["data"].get("done") for r in alice.records("tasks")] == [None, None, True]
    assert "“write”, “read”, “sleep”" in text_of(alice.turn(chat, "list my tasks"))
    alice.turn(chat, "please add three tasks")
    assert len(alice.records("tasks")) == 6
