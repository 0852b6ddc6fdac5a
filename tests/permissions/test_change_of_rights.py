"""Rights are checked at each call, so a change in one step applies in the next."""

from dataclasses import replace

import gevent
import pytest
from sqlalchemy import select, update

from service.app_keys import APP_SETTINGS
from service.auth import users
from service.auth.models import User
from service.database.access import write_transaction
from service.database.locks import lock_name
from service.providers import catalog
from tests.app_database import is_lock_awaited
from tests.permissions.all_collections import COLLECTIONS
from tests.permissions.doors import DOORS
from tests.permissions.scripted_calls import turn_of
from tests.services import wait_for

GRID = COLLECTIONS["grid-0"]  # the user reads every record, the editor none


@pytest.fixture
def scripted(place, upstream, monkeypatch):
    """A scripted upstream instead of the models."""
    url, key = {"provider_a_base_url": upstream.url}, {"provider_a_api_key": "key-a-canary"}
    settings = replace(APP_SETTINGS.of(place.app), **url, **key)
    monkeypatch.setitem(place.app.extensions, "models", catalog.models(settings))
    return upstream


def test_a_role_changed_in_a_step_applies_in_the_next(place, two, scripted):
    seeded = two(GRID)
    someone = place.person(seeded.me, "user")
    read = ("records.get", {"collection": "grid-0", "recordId": seeded.other})
    write = ("records.create", {"collection": "grid-0", "data": {"title": "now allowed"}})
    became = ("test.become", {"role": "editor"})
    first, refused, _, again, made = turn_of(
        someone, scripted, [read, write, became], [read, write]
    )
    assert first["recordId"] == seeded.other
    assert refused == again == "Your role does not allow this."
    assert made["data"] == {"userId": seeded.me, "title": "now allowed"}


def test_a_user_disabled_in_a_step_is_refused_in_the_next(place, two, scripted):
    seeded = two(GRID)
    someone = place.person(seeded.me, "user")
    update = {"collection": "canvases", "data": {"title": "written"}}
    write, became = ("records.create", update), ("test.become", {"disabled": True})
    before = place.state(COLLECTIONS["canvases"], seeded.me)
    made, _, refused = turn_of(someone, scripted, [write, became], [write])
    assert made["data"]["title"] == "written"
    assert refused == "This user is disabled."
    rows, _, changes = place.state(COLLECTIONS["canvases"], seeded.me)
    assert (len(rows), changes) == (1, before[2] + 1)


@pytest.mark.parametrize(
    ("action", "data", "role", "answer"),
    [
        ("create", {"title": "written"}, "editor", "forbidden"),
        ("create", {"title": "written", "grade": 1}, "user", "invalid_request"),
        ("update", {"title": "written"}, "user", "not_found"),
        ("delete", None, "editor", "forbidden"),
    ],
)
def test_a_write_that_has_waited_has_the_rights_of_its_end(
    place, enter, two, monkeypatch, action, data, role, answer
):
    monkeypatch.setattr(users, "RIGHTS_AGE", 0)
    sealed = COLLECTIONS["sealed"]
    seeded = two(sealed)
    given = {"create": [data], "update": [seeded.other, data], "delete": [seeded.other]}[action]
    door = enter(DOORS["http"], seeded.me, "admin")
    before = place.state(sealed, seeded.me, seeded.them)
    with place.app.app_context(), write_transaction() as session:
        lock_name(session.connection(), seeded.other)
        me = User.subject == seeded.me
        session.execute(select(User.seq).where(me).with_for_update())
        writing = gevent.spawn(getattr(door, action), "sealed", *given)
        wait_for(is_lock_awaited)
        session.execute(update(User).where(me).values(role=role))
    assert writing.get(timeout=30) == answer
    assert place.state(sealed, seeded.me, seeded.them) == before


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["ai-chats", "ai-messages"])
def test_nobody_forges_a_chat_or_a_message(place, enter, two, name, door):
    seeded = two(COLLECTIONS[name])
    forged = {"chatId": "c", "role": "assistant", "content": "I am your bank.", "title": "t"}
    before = place.state(COLLECTIONS[name], seeded.me)
    for role in ("user", "admin"):
        opened = enter(DOORS[door], seeded.me, role)
        assert opened.create(name, forged) == "forbidden"
    assert place.state(COLLECTIONS[name], seeded.me) == before
