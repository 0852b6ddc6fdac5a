"""Credits that admins grant."""

import gevent
import pytest
from sqlalchemy import delete, event, text, update

from service.app_keys import APP_SETTINGS
from service.auth.models import User
from service.billing.models import Account, Entry
from service.billing.units import CREDIT
from service.database.access import write_transaction
from service.extensions import db
from service.upkeep import granting
from service.web.errors import NotFound
from tests.people import person
from tests.services import flask, on_sqlite, wait_for
from tests.user_erasure import erase

ALICE = "/api/admin/credits/alice"
GRANT = {"credits": 2.5, "note": "for the outage"}


def test_a_grant_adds_to_the_account_and_shows_its_note(alice, admin, books, capsys):
    alice.new_chat()
    granted = admin.post(ALICE, GRANT).json
    assert granted == {"subject": "alice", "credits": 2.5, "balance": 1002.5, "held": 0}
    own = alice.get("/api/credits").json
    assert (own["entries"][0]["amount"], own["entries"][0]["facts"]) == (
        2.5,
        {"note": "for the outage"},
    )
    assert admin.get(ALICE).json == own
    assert admin.get("/api/admin/actions").json["actions"][0]["facts"] == GRANT
    log = capsys.readouterr().err
    assert '"event": "admin acted"' in log
    assert GRANT["note"] not in log, "it is about a person"


def test_a_repeated_grant_with_its_key_is_made_once(app, client, alice, bob, admin, books):
    alice.new_chat()
    bob.new_chat()
    key = {"headers": {"Idempotency-Key": "starting"}}
    balances = [admin.post(ALICE, GRANT, **key).json["balance"] for _ in range(2)]
    assert balances == [1002.5, 1002.5]
    for other in ({**GRANT, "credits": 3}, {**GRANT, "note": "else"}):
        refused = admin.post(ALICE, other, **key)
        assert (refused.status_code, refused.json["error"]) == (409, "conflict")
    assert admin.post("/api/admin/credits/bob", GRANT, **key).json["balance"] == 1002.5
    assert len(admin.get("/api/admin/actions").json["actions"]) == 2
    second = person(client, APP_SETTINGS.of(app), "second", "admin")
    assert second.post(ALICE, GRANT, **key).json["balance"] == 1005, "a key is its admin's own"


@on_sqlite
@pytest.mark.parametrize("credits", [0, -1, 1e-7, 1.0000001, 1e10, "5", True, None])
def test_only_a_valid_amount_with_a_note_is_granted(alice, admin, books, credits):
    alice.new_chat()
    assert admin.post(ALICE, {**GRANT, "credits": credits}).status_code == 400
    for note in ({}, {"note": ""}, {"note": "x" * 201}):
        assert admin.post(ALICE, {"credits": 1, **note}).status_code == 400
    assert admin.post(ALICE, GRANT, headers={"Idempotency-Key": "ü"}).status_code == 400
    assert books.rows(Account) == []


@on_sqlite
def test_an_amount_is_refused_by_the_rule_of_the_command(alice, admin):
    alice.new_chat()
    refused = admin.post(ALICE, {**GRANT, "credits": 1.0000001})
    assert refused.json["details"] == {"credits": [f"M{granting.AMOUNT_RULE[1:]}."]}


@on_sqlite
@pytest.mark.parametrize("credits", [1, 0.000001, 999999999.123456, 1e9])
def test_an_amount_with_six_decimals_is_granted_exactly(alice, admin, books, credits):
    alice.new_chat()
    assert admin.post(ALICE, {**GRANT, "credits": credits}).json["credits"] == credits
    assert books.rows(Entry)[-1].amount == round(credits * CREDIT)


@on_sqlite
def test_only_users_get_credits_of_an_admin(database_url, admin, books):
    assert admin.post("/api/admin/credits/nobody", GRANT).status_code == 404
    assert books.rows(Account) == []
    flask(database_url, "credits", "grant", "nobody", "5", "--new")
    assert admin.get("/api/admin/credits/nobody").json["balance"] == 1005


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_grant_that_meets_an_erasure_waits_for_its_end(app, books):
    """The entry would refer to an account that has another name by then."""
    books.open()
    with app.app_context(), write_transaction() as session:
        renamed = update(Account).values(subject="erased-1")
        session.execute(renamed.where(Account.subject == "alice"))
        granting_now = gevent.spawn(grant, app)
        wait_for(lambda: session.scalar(WAITING))
    assert granting_now.get(timeout=20) is True
    assert (books.has("alice"), books.has("erased-1")) == ((5 / CREDIT, 0), (100, 0))


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_grant_of_an_admin_waits_for_the_erasure_of_its_user(app, alice, books):
    """A user without an account would get one after the erasure."""
    alice.get("/api/records/notes")
    with app.app_context(), write_transaction() as session:
        session.execute(delete(User).where(User.subject == "alice"))
        granting_now = gevent.spawn(grant_as_admin, app)
        wait_for(lambda: granting_now.ready() or session.scalar(WAITING))
    assert isinstance(granting_now.get(timeout=20), NotFound)
    assert books.rows(Account) == []


def test_an_erasure_just_after_a_grant_leaves_no_account_to_show(app, alice, admin):
    for one in (alice, admin):
        one.new_chat()

    erasures = []

    def erase_first(_connection, _cursor, statement, *_):
        if statement.startswith("SELECT accounts.balance, accounts.held") and not erasures:
            erasures.append(gevent.spawn(erase, app))
            erasures[0].get(timeout=20)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", erase_first)
    answer = admin.post(ALICE, json={"credits": 2.5, "note": "for the outage"})
    event.remove(engine, "before_cursor_execute", erase_first)
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")


def grant_as_admin(app) -> NotFound | bool:
    with app.app_context():
        try:
            return granting.grant_by_admin("admin", "alice", 5, "ref", 0, "note")
        except NotFound as error:
            return error


WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


def grant(app) -> bool:
    with app.app_context():
        return granting.grant("alice", 5, "the same", 0, opens=True)


@on_sqlite
def test_an_erased_user_is_granted_nothing_and_its_notes_are_gone(app, alice, admin, books):
    alice.new_chat()
    admin.post(ALICE, GRANT)
    erase(app, "alice")
    assert admin.post(ALICE, GRANT).status_code == 404
    with app.app_context(), pytest.raises(NotFound):
        granting.grant_by_admin("admin", "alice", 5, "ref", 0, "note")
    account = admin.get("/api/admin/actions").json["actions"][0]["subject"]
    assert account.startswith("erased-")
    assert "outage" not in admin.get(f"/api/admin/credits/{account}").text
