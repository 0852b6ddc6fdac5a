"""Rights are checked at each call, so a change in one step applies in the next."""

from dataclasses import replace

import pytest

from service.providers import catalog
from tests.permissions.all_collections import COLLECTIONS
from tests.permissions.calling import turn_of
from tests.permissions.doors import DOORS

GRID = COLLECTIONS["grid-0"]  # the user reads every record, the editor none


@pytest.fixture
def scripted(place, upstream, monkeypatch):
    """A scripted upstream instead of the models."""
    url, key = {"provider_a_base_url": upstream.url}, {"provider_a_api_key": "key-a-canary"}
    settings = replace(place.app.config["SETTINGS"], **url, **key)
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
