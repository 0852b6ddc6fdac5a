"""Users as admins see and change them."""

import json

import pytest
from sqlalchemy import func, select, update

from service.app_keys import APP_SETTINGS
from service.auth.models import User
from service.database.access import write_transaction
from service.extensions import db
from service.records.models import Outbox
from tests.people import person
from tests.services import flask, on_sqlite, wait_for

USERS = "/api/admin/users"


def subjects(answer) -> list[str]:
    return [user["subject"] for user in answer.json["users"]]


@on_sqlite
def test_users_are_listed_with_their_accounts_newest_first(alice, bob, admin):
    alice.turn(alice.new_chat(), "hello")
    bob.new_chat()
    listed = admin.get(USERS).json["users"]
    assert [user["subject"] for user in listed] == ["admin", "bob", "alice"]
    seen = listed[2]
    assert 0 < seen["balance"] < 1000
    assert seen["lastReplyAt"] > seen["createdAt"]
    assert (seen["role"], seen["disabled"], seen["held"]) == (None, False, 0)
    assert (listed[1]["lastReplyAt"], listed[1]["balance"]) == (None, None)


def test_users_are_read_page_by_page(app, client, admin):
    names = [f"person/{number}" for number in range(5)]
    for name in names:
        person(client, APP_SETTINGS.of(app), name).new_chat()
    admin.get(USERS)
    pages, cursor = [], {}
    while cursor is not None:
        page = admin.get(USERS, query_string={"limit": "2", **cursor})
        pages.append(subjects(page))
        cursor = page.json["nextCursor"] and {"cursor": page.json["nextCursor"]}
    assert pages == [["admin", "person/4"], ["person/3", "person/2"], ["person/1", "person/0"]]


def test_a_search_is_in_any_case_of_any_script(app, alice, admin):
    alice.new_chat()
    with app.app_context(), write_transaction() as session:
        session.execute(update(User).where(User.subject == "alice").values(name="Ärger Émile"))
    for search in ("ärger", "ÄRGER", "émile", "ÉM"):
        assert subjects(admin.get(USERS, query_string={"search": search})) == ["alice"]


def test_a_search_is_part_of_a_name_and_no_pattern(app, client, alice, admin):
    alice.new_chat()
    person(client, APP_SETTINGS.of(app), "b_b").new_chat()
    for search, found in (("LIC", ["alice"]), ("_", ["b_b"]), ("%", []), ("nobody", [])):
        assert subjects(admin.get(USERS, query_string={"search": search})) == found, search


@on_sqlite
def test_a_subject_may_have_slashes(app, client, admin):
    person(client, APP_SETTINGS.of(app), "idp/carol").new_chat()
    assert admin.get(f"{USERS}/idp/carol").json["subject"] == "idp/carol"
    assert admin.get(f"{USERS}/idp/nobody").status_code == 404
    assert admin.patch(f"{USERS}/idp/nobody", {"disabled": True}).status_code == 404
    assert admin.get("/api/admin/credits/idp/carol").status_code == 404, "no account yet"


@on_sqlite
def test_one_user_is_shown_with_numbers_and_no_content(alice, admin):
    chat = alice.new_chat("canary-title")
    alice.turn(chat, "add a task: canary-task")
    shown = admin.get(f"{USERS}/alice")
    assert "canary" not in shown.text
    assert chat not in shown.text
    stored = shown.json["stored"]
    assert stored["records"] == {"ai-chats": 1, "ai-messages": 2, "tasks": 1}
    assert (stored["turns"], stored["media"], stored["grants"]) == (1, 0, [])


@on_sqlite
def test_a_disabled_user_is_refused_until_it_is_enabled_again(alice, admin):
    alice.new_chat()
    assert admin.patch(f"{USERS}/alice", {"disabled": True}).json["disabled"] is True
    wait_for(lambda: alice.get("/api/ai/models").status_code == 401)
    assert admin.patch(f"{USERS}/alice", {"disabled": False}).json["disabled"] is False
    wait_for(lambda: alice.get("/api/ai/models").status_code == 200)


@on_sqlite
@pytest.mark.parametrize(
    "change",
    [{"role": ""}, {"role": "x" * 65}, {"disabled": "yes"}, {"disabled": 1}, {"balance": 5}],
)
def test_a_change_that_says_nothing_valid_is_refused(alice, admin, change):
    alice.new_chat()
    refused = admin.patch(f"{USERS}/alice", change)
    assert (refused.status_code, refused.json["error"]) == (400, "invalid_request")
    assert refused.json["details"]


@on_sqlite
@pytest.mark.parametrize("change", [{}, {"disabled": False}, {"role": "editor", "disabled": False}])
def test_a_change_that_changes_nothing_writes_nothing(app, alice, admin, change):
    alice.new_chat()
    before = admin.patch(f"{USERS}/alice", {"role": "editor"}).json
    [record], position = alice.records("users"), newest_change(app)
    assert admin.patch(f"{USERS}/alice", change).json == before
    assert alice.records("users") == [record]
    assert newest_change(app) == position


def newest_change(app) -> int:
    with app.app_context():
        return db.session.scalar(select(func.max(Outbox.seq)))


def test_what_operators_did_is_listed_newest_first(database_url, capsys, alice, admin):
    alice.new_chat()
    admin.patch(f"{USERS}/alice", {"role": "editor", "disabled": True})
    admin.patch(f"{USERS}/alice", {"role": "editor"})  # changes nothing
    flask(database_url, "users", "disable", "alice", "--undo")
    actions = admin.get("/api/admin/actions").json["actions"]
    told = [(one["admin"], one["action"], one["subject"]) for one in actions]
    assert told == [
        (None, "enable", "alice"),
        ("admin", "disable", "alice"),
        ("admin", "role", "alice"),
    ]
    assert actions[2]["facts"] == {"role": "editor", "before": None}
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    logged = [line for line in lines if line["event"] == "admin acted"]
    assert [line["action"] for line in logged] == ["role", "disable"]
    assert {(line["admin"], line["subject"]) for line in logged} == {("admin", "alice")}


@on_sqlite
def test_an_erased_user_is_a_pseudonym_in_the_audit(database_url, alice, bob, admin):
    alice.new_chat()
    bob.new_chat()
    admin.patch(f"{USERS}/alice", {"role": "admin"})
    wait_for(lambda: alice.get(USERS).status_code == 200)
    alice.post("/api/admin/credits/bob", {"credits": 1, "note": "canary"})
    admin.post("/api/admin/credits/alice", {"credits": 2, "note": "canary of alice"})
    flask(database_url, "users", "erase", "alice", "--yes")
    listed = admin.get("/api/admin/actions")
    assert "alice" not in listed.text
    erased, of_alice, by_alice, role = listed.json["actions"]
    assert erased["subject"] == of_alice["subject"] == role["subject"] == by_alice["admin"]
    assert (erased["action"], of_alice["facts"]) == ("erase", {})
    assert by_alice["facts"] == {"credits": 1.0, "note": "canary"}
