"""The rights of users, as each worker keeps them."""

import time

import gevent
import pytest
from sqlalchemy import event, update

from service.auth import erasure, users
from service.auth.models import User
from service.auth.users import Caller, current_role, rights_cache
from service.database.access import write_transaction
from service.extensions import db
from service.web.errors import Unauthorized
from tests.user_erasure import erase


@pytest.mark.parametrize("batch", [2, 500])
def test_the_rights_of_many_users_are_read_together_as_of_each_alone(app, monkeypatch, batch):
    monkeypatch.setattr(users, "REFRESH_BATCH", batch)
    names = ["alice", "bob", "carol", 'd"e\\f', "é 🙂", "{x,y}", "NULL"]
    with app.app_context():
        for name in names:
            users.enrol(name)
        with write_transaction() as session:
            session.execute(update(User).where(User.subject == "bob").values(disabled=True))
            session.execute(update(User).where(User.subject == "carol").values(role="admin"))
            erasure.remember(session, "é 🙂")
        alone = {name: rights_cache.get(name) for name in names}
        rights_cache.clear()
        rights_cache.refresh([*names, "nobody"])
    assert {name: rights_cache.peek(name) for name in names} == alone
    assert len({(one.role, one.disabled, one.erased_at) for one in alone.values()}) == 4
    assert rights_cache.peek("nobody").is_missing


def test_the_age_of_rights_begins_before_their_query(app, monkeypatch):
    """A query may take long, and its answer may be as old as its begin."""
    monkeypatch.setattr(users, "RIGHTS_AGE", 0.2)
    found = User.subject == "alice"

    def wait_long(*_):
        gevent.sleep(0.3)

    with app.app_context():
        users.enrol("alice")
        event.listen(db.engine, "before_cursor_execute", wait_long)
        assert not rights_cache.get("alice").disabled
        event.remove(db.engine, "before_cursor_execute", wait_long)
        with write_transaction() as session:
            session.execute(update(User).where(found).values(disabled=True))
        assert rights_cache.get("alice").disabled


def test_what_began_before_an_erasure_has_no_role_after_the_subject_has_come_back(app):
    """A turn or a socket may go on for longer than its user."""
    old, new = (Caller("alice", "user", time.time() + seconds) for seconds in (-60, 60))
    with app.app_context():
        users.enrol("alice")
    erase(app)
    with app.app_context():
        users.enrol("alice", issued=new.issued)
        assert current_role(new) == "user"
        for ended in (old, Caller("alice", "user")):
            with pytest.raises(Unauthorized, match="issued before its user was erased"):
                current_role(ended)


def test_a_first_call_with_a_newer_token_lets_no_token_in_from_before_the_erasure(app):
    """Both calls have found no row, and the newer one has created it."""
    with app.app_context():
        users.enrol("alice")
    erase(app)
    with app.app_context():
        users.enrol("alice", issued=time.time() + 60)
        with pytest.raises(Unauthorized):
            users.enrol("alice", issued=time.time() - 60)
