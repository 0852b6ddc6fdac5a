"""What the operator, the collections and the clock add to a prompt, and what they cost."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from service.app_keys import APP_SETTINGS
from service.billing.prices import MODEL_PRICES
from service.billing.units import CREDIT
from service.chat import autonomous
from service.chat.turn import admission
from service.providers.tokens import bound
from service.records.collection import APP_COLLECTIONS, Collection, Collections, Column
from tests import model_streams
from tests.chat.long_chats import fill
from tests.people import text_of
from tests.services import on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite
LONG = "Be kind. " * 2_222  # 20 000 characters, less the blank at the end
MODELS = ("llm-sonnet-4-6", "gen-5.4", "oss-120b")
NIGHT = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)  # in Berlin the year has changed
DATE = re.compile(r"it is now (\w+), (\d{4}-\d\d-\d\d), (\d\d:\d\d) for the user")


def system(seen):
    """The system text of a request, whichever wire it is of."""
    body = seen.json
    return body["system"][0]["text"] if "system" in body else body["messages"][0]["content"]


def newest(seen):
    return str(seen.json["messages"][-1]["content"])


@pytest.fixture
def clock(monkeypatch):
    """Turns begin at this moment, which a test may move."""
    times = [NIGHT]
    monkeypatch.setattr(admission, "now", lambda: times[-1])
    return times


def reads_the_date(seen):
    """A model that finds out what tomorrow is."""
    weekday, date, time = DATE.search(newest(seen)).groups()
    said = f"{weekday} {date} {time}"
    whole = model_streams.anthropic if "messages" in seen.path else model_streams.openai
    return Answer(whole(said))


@pytest.mark.parametrize("model", MODELS)
def test_the_model_knows_the_users_day(alice, chat, served_by, clock, model):
    served_by.answers = [reads_the_date]
    told = text_of(alice.turn(chat, "tomorrow?", modelId=model, timeZone="Europe/Berlin"))
    assert told == "Friday 2027-01-01 00:30"
    for zone in ({}, {"timeZone": None}, {"timeZone": "UTC"}):
        assert text_of(alice.turn(chat, "?", modelId=model, **zone)) == "Thursday 2026-12-31 23:30"
    assert text_of(alice.turn(chat, "?", timeZone="Asia/Calcutta")) == "Friday 2027-01-01 05:00"


def test_a_turn_that_runs_past_midnight_keeps_its_day(alice, chat, served_by, clock):
    def midnight(seen):
        clock.append(datetime(2027, 1, 1, tzinfo=UTC))
        return Answer(model_streams.anthropic_call("user__current", {}))

    served_by.answers = [midnight, Answer(model_streams.anthropic("done"))]
    alice.turn(chat, "go")
    assert [seen.body.count(b"2026-12-31, 23:30") for seen in served_by.seen] == [1, 1]


@pytest.mark.parametrize("model", MODELS)
def test_the_time_is_neither_stored_nor_told_again(alice, chat, served_by, clock, model):
    served_by.answers = [reads_the_date]
    alice.turn(chat, "first", modelId=model)
    clock.append(datetime(2027, 1, 2, tzinfo=UTC))
    alice.turn(chat, "second", modelId=model)
    assert alice.rows(chat)[0]["content"] == "first"
    assert served_by.seen[1].body.count(b"Added by the app:") == 1
    assert "2027-01-02, 00:00" in newest(served_by.seen[1])


@pytest.mark.parametrize(
    "zone",
    [
        "Mars/Olympus",
        "Europe",
        "+01:00",
        "../UTC",
        "Europe/../UTC",
        "/etc/localtime",
        "",
        "UTC\n",
        "a" * 200,
        5,
        ["UTC"],
    ],
)
def test_a_zone_that_nobody_knows_is_refused(alice, chat, served_by, zone):
    answer = alice.ask(chat, "hello", timeZone=zone)
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    assert list(answer.json["details"]) == ["timeZone"]
    assert served_by.seen == []


@pytest.mark.settings(ASSISTANT_INSTRUCTIONS="You are called Ada. Grüße! 🌍")
@pytest.mark.parametrize("model", MODELS)
def test_the_operators_text_follows_ours(alice, chat, served_by, model):
    served_by.answers = [reads_the_date]
    alice.turn(chat, "hello", modelId=model)
    told = system(served_by.seen[0])
    assert told.startswith("You are the assistant inside an app.")
    assert told.endswith("\n\nYou are called Ada. Grüße! 🌍")


def test_the_model_knows_the_collections_that_the_role_may_read(app, alice, bob, served_by):
    served_by.answers = [reads_the_date]
    for person in (alice, bob):
        person.turn(person.new_chat(), "hello")
    first, second = map(system, served_by.seen)
    assert first == second
    assert re.search(r"may read: .*ai-chats.*notes", first)


def test_a_collection_of_other_roles_is_not_named(app, alice, admin, served_by):
    served_by.answers = [reads_the_date]
    columns = (Column("userId", required=True, fixed=True),)
    tickets = Collection("tickets", columns=columns, permissions={"admin": {"read": True}})
    APP_COLLECTIONS.set(app, Collections([*APP_COLLECTIONS.of(app), tickets]))
    for person in (alice, admin):
        person.turn(person.new_chat(), "hello")
    assert [" tickets" in system(seen) for seen in served_by.seen] == [False, True]


def held(alice, chat, served_by):
    """The credits that are held while the model is asked for the first time."""
    holds = []

    def look(seen):
        holds.append(alice.get("/api/credits").json["held"])
        return Answer(model_streams.anthropic("done"))

    served_by.answers = [look]
    alice.turn(chat, "hello")
    return holds[0]


def without_instructions(app):
    settings = APP_SETTINGS.of(app)
    APP_SETTINGS.set(app, replace(settings, assistant_instructions=None))


@pytest.mark.settings(ASSISTANT_INSTRUCTIONS=LONG)
def test_the_first_step_holds_credits_for_a_long_text(app, alice, chat, served_by):
    long = held(alice, chat, served_by)
    without_instructions(app)
    short = held(alice, chat, served_by)
    price = MODEL_PRICES["llm-sonnet-4-6"].input / CREDIT
    assert long - short >= bound(LONG) * price > 1


@pytest.mark.settings(ASSISTANT_INSTRUCTIONS=LONG, STARTING_CREDITS=8)
def test_a_long_text_that_somebody_cannot_pay_is_refused_before_the_stream(
    app, alice, chat, served_by
):
    served_by.answers = [Answer(model_streams.anthropic("done"))]
    refused = alice.ask(chat, "hello")
    assert (refused.status_code, refused.json["available"]) == (402, 8)
    without_instructions(app)
    assert text_of(alice.turn(chat, "hello")) == "done"


@pytest.mark.settings(ASSISTANT_INSTRUCTIONS=LONG, TOKEN_CEILING_A=20_000)
def test_a_long_text_leaves_less_room_for_the_history(app, alice, bob, chat, served_by):
    fill(app, alice, chat, 40)
    served_by.answers = [Answer(model_streams.anthropic("done"))]
    end = alice.turn(chat, "hello")[-1]["messageMetadata"]
    assert end["compaction"]["stages"]
    without_instructions(app)
    other = bob.new_chat()
    fill(app, bob, other, 40)
    assert "compaction" not in bob.turn(other, "hello")[-1]["messageMetadata"]


@pytest.mark.settings(ASSISTANT_INSTRUCTIONS="You are called Ada.")
def test_a_call_of_the_server_itself_is_told_the_same(app, served_by):
    served_by.answers = [reads_the_date]
    with app.app_context():
        told = "".join(autonomous.ask(app, "what day is it"))
    assert re.fullmatch(r"\w+day 20\d\d-\d\d-\d\d \d\d:\d\d", told)
    assert "You are called Ada." in system(served_by.seen[0])
