"""The `Idempotency-Key` of a create: a repeated request creates no second record."""

import gevent
import pytest
from sqlalchemy import func, select, update

from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.records.models import CreateKey
from service.upkeep import sweeping
from tests.services import on_sqlite

NOTES = "/api/records/notes"


def create(person, key, collection=NOTES, **data):
    return person.post(collection, data, headers={"Idempotency-Key": key})


@on_sqlite
def test_a_repetition_returns_the_record_as_it_is_now(alice):
    first = create(alice, "k", title="t")
    assert first.status_code == 201
    again = create(alice, "k", title="t")
    assert (again.status_code, again.json) == (201, first.json)
    changed = alice.patch(f"{NOTES}/{first.json['recordId']}", {"text": "more"}).json
    assert create(alice, "k", title="t").json == changed
    assert alice.records("notes") == [changed]


@on_sqlite
def test_other_data_is_a_conflict(alice):
    create(alice, "k", title="t")
    other = create(alice, "k", title="other")
    assert (other.status_code, other.json["error"]) == (409, "conflict")
    assert len(alice.records("notes")) == 1


@on_sqlite
def test_a_repetition_after_a_delete_is_not_found(alice):
    record = create(alice, "k", title="t").json
    alice.delete(f"{NOTES}/{record['recordId']}")
    assert create(alice, "k", title="t").status_code == 404
    assert alice.records("notes") == []


@on_sqlite
def test_a_key_belongs_to_a_user_and_a_collection(alice, bob):
    ids = {
        create(alice, "k", title="t").json["recordId"],
        create(bob, "k", title="t").json["recordId"],
        create(alice, "k", "/api/records/tasks", title="t").json["recordId"],
        create(alice, "K", title="t").json["recordId"],
    }
    assert len(ids) == 4


@on_sqlite
def test_a_refused_create_does_not_use_its_key(alice):
    assert create(alice, "k", title=5).status_code == 400
    assert create(alice, "k", title="t").status_code == 201


def test_an_expired_key_is_unused_and_swept(app, alice):
    first = create(alice, "k", title="t").json
    with app.app_context(), write_transaction() as session:
        session.execute(update(CreateKey).values(expires_at=from_now(-1)))
    assert create(alice, "k", title="t").json["recordId"] != first["recordId"]
    with app.app_context():
        with write_transaction() as session:
            session.execute(update(CreateKey).values(expires_at=from_now(-1)))
        sweeping.sweep()
        assert db.session.scalar(select(func.count()).select_from(CreateKey)) == 0
        db.session.commit()


def test_parallel_repetitions_create_one_record(app, alice):
    alice.get(NOTES)
    greenlets = [gevent.spawn(create, alice, "k", title="t") for _ in range(8)]
    answers = [one.get() for one in greenlets]
    assert [answer.status_code for answer in answers] == [201] * 8
    assert len({answer.json["recordId"] for answer in answers}) == 1
    assert len(alice.records("notes")) == 1


@on_sqlite
@pytest.mark.parametrize("key", ["", "a\tb", "x" * 256, "\u00e9"])
def test_a_key_is_printable_ascii(alice, key):
    answer = alice.post(NOTES, {"title": "t"}, headers={"Idempotency-Key": key})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["Idempotency-Key"])
    assert create(alice, "x" * 253 + " x", title="t").status_code == 201
