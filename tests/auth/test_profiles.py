"""The name and the address of a user are those of the newest token."""

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from sqlalchemy import event, select, update
from sqlalchemy.exc import OperationalError

from service.auth import users
from service.auth.models import User
from service.auth.tokens import Claims
from service.extensions import db
from service.records.models import Outbox
from service.upkeep import profiles
from tests.services import SECRET, on_sqlite
from tests.user_erasure import erase

KEY = OctKey.import_key(SECRET)


@pytest.fixture
def told(alice):
    """What alice's row says of her after a call with a token that has these claims."""

    def call(issued: int = 0, **claims):
        now = int(time.time())
        facts = {"sub": "alice", "exp": now + 600, "iat": now + issued, **claims}
        token = jwt.encode({"alg": "HS256"}, facts, KEY)
        [row] = replace(alice, token=token).records("users")
        return row["data"].get("name"), row["data"].get("email")

    return call


@on_sqlite
def test_a_new_user_has_not_been_changed_yet(alice):
    [record] = alice.records("users")
    assert record["createdAt"] == record["updatedAt"]


def set_back(app, seconds):
    """Let the row's last change be so long ago."""
    with app.app_context():
        moment = datetime.fromtimestamp(time.time() - seconds, UTC)
        db.session.execute(update(User).values(updated_at=moment))
        db.session.commit()
    users.rights_cache.clear()


def changes(app):
    with app.app_context():
        of_users = select(Outbox).where(Outbox.collection == "users")
        return db.session.scalars(of_users).all()


def test_a_newer_token_changes_them_and_tells_who_subscribes(told, app):
    assert told(-60) == (None, None)
    assert told(20, name="Alice", email="alice@example.com") == ("Alice", "alice@example.com")
    assert told(30, name="Alice Liddell") == ("Alice Liddell", "alice@example.com")
    assert told(40) == ("Alice Liddell", "alice@example.com")
    assert len(changes(app)) == 2


def test_tokens_with_different_names_do_not_replace_each_others_for_ever(told, app):
    told(-60, name="Alice")
    set_back(app, 55)
    for _ in range(3):
        assert told(-40, name="Alice Liddell")[0] == "Alice Liddell"
        users.rights_cache.clear()  # as in another worker
        assert told(-50, name="Alice")[0] == "Alice Liddell"
    assert len(changes(app)) == 1


def test_a_token_with_a_former_name_locks_nothing_at_each_request(told, app, monkeypatch):
    told(20, name="Alice")
    monkeypatch.setitem(app.extensions, "follow_profile", lambda _: pytest.fail("asked"))
    assert told(-60, name="Alice Pleasance")[0] == "Alice"


def test_a_change_that_another_worker_has_made_is_not_made_again(told, app):
    told(-60, name="Alice")
    now = time.time()
    claims = Claims("alice", "user", now + 600, now + 20, name="Alice Liddell")
    with app.app_context():
        profiles.follow(claims)
        profiles.follow(claims)
    assert len(changes(app)) == 1


def test_a_token_from_before_an_erasure_gives_its_name_to_nobody(told, app):
    told(-60, name="Alice")
    erase(app)
    with app.app_context():
        users.enrol("alice", issued=time.time() + 60)
        now = time.time()
        profiles.follow(Claims("alice", "user", now + 600, now - 50, name="Alice"))
        assert users.find("alice").name is None


def refuse_updates(_connection, _cursor, statement, *_):
    if statement.startswith("UPDATE users"):
        raise OperationalError(statement, {}, Exception("the database takes no writes"))


def test_a_failure_of_the_database_refuses_no_request(told, app):
    told(-60, name="Alice")
    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", refuse_updates)
    try:
        assert told(20, name="Alice Liddell")[0] == "Alice"
    finally:
        event.remove(engine, "before_cursor_execute", refuse_updates)
