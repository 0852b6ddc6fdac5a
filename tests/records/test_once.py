"""`Idempotency-Key` of a create: the same record asked for twice is made once."""

import gevent
import pytest
from sqlalchemy import func, select, update

from service.chat import sweeper
from service.clock import from_now
from service.database import write_transaction
from service.extensions import db
from service.records.models import CreateKey
from tests.services import on_sqlite

NOTES = "/api/records/notes"


def create(person, key, collection=NOTES, **data):
    return person.post(collection, data, headers={"Idempotency-Key": key})


def test_sent_again_it_is_the_same_record_as_it_is_by_then(alice):
    first = create(alice, "k", title="t")
    assert first.status_code == 201
    again = create(alice, "k", title="t")
    assert (again.status_code, again.json) == (201, first.json)
    changed = alice.patch(f"{NOTES}/{first.json['recordId']}", {"text": "more"}).json
    assert create(alice, "k", title="t").json == changed
    assert alice.records("notes") == [changed]


def test_other_data_is_a_conflict(alice):
    create(alice, "k", title="t")
    other = create(alice, "k", title="other")
    assert (other.status_code, other.json["error"]) == (409, "conflict")
    assert len(alice.records("notes")) == 1


def test_a_record_that_was_deleted_since_is_not_found(alice):
    made = create(alice, "k", title="t").json
    alice.delete(f"{NOTES}/{made['recordId']}")
    assert create(alice, "k", title="t").status_code == 404
    assert alice.records("notes") == []


def test_a_key_is_one_users_in_one_collection(alice, bob):
    ids = {
        create(alice, "k", title="t").json["recordId"],
        create(bob, "k", title="t").json["recordId"],
        create(alice, "k", "/api/records/tasks", title="t").json["recordId"],
        create(alice, "K", title="t").json["recordId"],
    }
    assert len(ids) == 4


def test_a_key_that_was_refused_is_free(alice):
    assert create(alice, "k", title=5).status_code == 400
    assert create(alice, "k", title="t").status_code == 201


def test_after_a_day_a_key_is_free_and_swept(app, alice):
    first = create(alice, "k", title="t").json
    with app.app_context(), write_transaction() as session:
        session.execute(update(CreateKey).values(expires_at=from_now(-1)))
    assert create(alice, "k", title="t").json["recordId"] != first["recordId"]
    with app.app_context():
        with write_transaction() as session:
            session.execute(update(CreateKey).values(expires_at=from_now(-1)))
        sweeper.sweep()
        assert db.session.scalar(select(func.count()).select_from(CreateKey)) == 0
        db.session.commit()


def test_sent_many_times_at_once_it_is_made_once(app, alice):
    alice.get(NOTES)
    sent = [gevent.spawn(create, alice, "k", title="t") for _ in range(8)]
    answers = [one.get() for one in sent]
    assert [answer.status_code for answer in answers] == [201] * 8
    assert len({answer.json["recordId"] for answer in answers}) == 1
    assert len(alice.records("notes")) == 1


@on_sqlite
@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "\u00e9"])
def test_a_key_is_visible_ascii(alice, key):
    answer = alice.post(NOTES, {"title": "t"}, headers={"Idempotency-Key": key})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["Idempotency-Key"])
    assert create(alice, "x" * 255, title="t").status_code == 201
