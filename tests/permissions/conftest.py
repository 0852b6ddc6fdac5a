"""An app and a real worker on each database, shared by the tests of permissions."""

import uuid
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Select, and_, bindparam, func, select, true

from service import create_app
from service.activity.models import IntegrationCall
from service.app_keys import APP_SETTINGS
from service.auth.models import User
from service.auth.users import enrol, rights_cache
from service.chat.models import Chat, Message, Turn
from service.database.access import write_transaction
from service.extensions import db
from service.records.collection import Collection
from service.records.models import Outbox, Record
from service.sandbox import views
from service.times import now
from tests.people import Person, person
from tests.permissions.all_collections import title_of
from tests.permissions.rule_collections import Base
from tests.services import Databases, Service, close, settings_for, wait_for

EXTENSION = "tests.permissions.rule_collections"


class Place:
    """The app under test, and the service as a process, on one database."""

    def __init__(self, databases: Databases, kind: str) -> None:
        self.kind, url = kind, databases.make(kind)
        self.app = create_app(settings_for(url, extensions=EXTENSION))
        self.client = self.app.test_client()
        self.collections = self.app.extensions["collections"]
        with self.app.app_context():
            Base.metadata.create_all(db.engine)
        self.app.extensions["sandbox"].start()
        self.service = Service(url, EXTENSIONS=EXTENSION).start()

    def remove(self) -> None:
        self.service.remove()
        wait_for(lambda: not self.app.extensions["runs"], 20)
        close(self.app)

    def person(self, subject: str, role: str = "user") -> Person:
        return person(self.client, APP_SETTINGS.of(self.app), subject, role)

    def called(self, name: str) -> str:
        """Create a user with a name that is unique; return the subject."""
        subject = f"{name}-{uuid.uuid4().hex[:8]}"
        with self.app.app_context():
            enrol(subject)
        return subject

    def seed(self, collection: Collection, owner: str) -> str:
        """Insert a record of a user without any check; return its id."""
        if collection.model is User:
            return owner
        with self.app.app_context(), write_transaction() as session:
            for row in rows_of(collection, owner):
                session.add(row)
                session.flush()
            return getattr(row, collection.record_id)

    def state(self, collection: Collection, *owners: str) -> Any:
        """Return the rows of these owners and the collection's numbers of rows and changes."""
        statement = state_of(collection.model, collection.owner_attribute, collection.name)
        with self.app.app_context(), db.engine.connect() as connection:
            found = connection.execute(statement, {"owners": owners}).all()
        records = [row[2:] for row in found if row.seq is not None]
        return records, *found[0][:2]


@cache
def state_of(model: Any, owner: str, name: str) -> Select[Any]:
    """One statement that is made once: three thousand answers are each followed by it."""
    rows = model.__table__
    theirs = getattr(model, owner).in_(bindparam("owners", expanding=True))
    every = rows.c.collection == name if model is Record else true()
    count = select(func.count()).select_from(rows).where(every)
    changes = select(func.count()).where(Outbox.collection == name)
    numbers = select(
        count.scalar_subquery().label("records"), changes.scalar_subquery().label("changes")
    ).subquery()
    both = numbers.outerjoin(rows, and_(theirs, every))
    return select(numbers, rows).select_from(both).order_by(rows.c.seq)


def rows_of(collection: Collection, owner: str) -> list[Any]:
    """Return the rows to store for a record of this collection, the record last."""
    moment, id = now(), f"seed-{uuid.uuid4().hex}"
    times = {"created_at": moment, "updated_at": moment}
    chat = Chat(record_id=f"chat-{id}", user_id=owner, title="seeded", **times)
    match collection.name:
        case "ai-chats":
            return [chat]
        case "ai-messages":
            message = {"role": "user", "content": "seeded"}
            return [chat, Message(record_id=id, chat_id=f"chat-{id}", user_id=owner, **message)]
        case "ai-turns":
            return [seeded_turn(id, owner)]
        case "integration-calls":
            facts = {"endpoint": "seeded", "integration": "seeded", "payer": "user"}
            ended = {"door": "http", "status": "succeeded", "ms": 1, **times}
            return [IntegrationCall(call_id=id, user_id=owner, **facts, **ended)]
        case "tickets":
            return [collection.model(number=id, holder=owner, subject="seeded", **times)]
    stored = {"collection": collection.name, "owner": owner, "record_id": id}
    return [Record(**stored, data={title_of(collection.name): "seeded"}, **times)]


def seeded_turn(id: str, owner: str) -> Turn:
    return Turn(
        turn_id=id,
        chat_id="seeded",
        user_id=owner,
        user_message_id="seeded",
        assistant_message_id="seeded",
        model="seeded",
        status="finished",
        finish_reason="stop",
        steps=1,
        input_tokens=1,
        output_tokens=1,
        usage_estimated=False,
        duration_ms=1,
    )


@pytest.fixture(scope="package", params=["sqlite", "postgresql"])
def place(request, databases):
    rights_cache.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "TOKEN_SECONDS", 0.0005)
        made = Place(databases, request.param)
        yield made
        made.remove()


@pytest.fixture
def two(place):
    """Two users, `me` and `them`, with a record each in a collection."""
    me, them = place.called("me"), place.called("them")

    def seeded(collection: Collection) -> SimpleNamespace:
        return SimpleNamespace(
            me=me, them=them, own=place.seed(collection, me), other=place.seed(collection, them)
        )

    return seeded


@pytest.fixture
def enter(place):
    """Open a door as a user. It is closed when the test ends."""
    opened = []

    def go(door: Any, subject: str, role: str) -> Any:
        opened.append(door(place, subject, role))
        return opened[-1]

    yield go
    for door in opened:
        door.close()
