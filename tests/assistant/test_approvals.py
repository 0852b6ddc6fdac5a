"""A call that costs credits or changes something outside waits for the decision of its user."""

import time

import gevent
import pytest
from sqlalchemy import update

from service.assistant import calls
from service.auth.users import Caller
from service.chat import autonomous
from service.chat.calling import approvals, waits
from service.chat.models import Approval, Claim, Lease
from service.chat.tools.tool import ToolContext
from service.chat.turn import claim_watch
from service.database import refresh_leases
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling.time_limit import MARGIN_SECONDS
from service.integrations.consent import authority
from service.upkeep.sweeping import sweep
from service.web.errors import Forbidden
from tests.assistant.endpoint_calls import DONE, call, decide
from tests.chat.turns import assemble
from tests.people import text_of
from tests.services import on_sqlite, wait_for

BODY = {"query": "red kites"}
SEND = "cloudsuite/mail-send"
MAIL = {"to": "bob@example.com", "subject": "Hello", "content": "How are you?"}
PICTURES = call("search-images", **BODY)


def asked(begin, person, chat, served_by, *answers):
    """A turn that waits, and the data of its part."""
    served_by.answers = [*(answers or (PICTURES,)), DONE]
    turn = begin(person, chat)
    return turn, turn.part("data-approval")


def output(chunks):
    return [one for one in chunks if one["type"].startswith("tool-output")][-1]


def balance(person):
    return person.get("/api/credits").json["balance"]


@on_sqlite
def test_the_description_names_the_states_of_a_decision(alice):
    described = alice.get("/openapi.json").json["components"]["schemas"]["Approval"]["properties"]
    assert described["state"]["enum"] == ["once", "chat", "denied"]


@on_sqlite
def test_the_user_sees_what_will_be_sent_and_what_it_costs(alice, begin, chat, served_by):
    _, part = asked(begin, alice, chat, served_by)
    assert part.keys() == {
        "toolCallId", "endpoint", "summary", "body", "credits", "payer", "expiresAt", "state",
    }  # fmt: skip
    assert (part["endpoint"], part["body"], part["credits"]) == ("search-images", BODY, 0.25)
    assert part["payer"] == "user"


@on_sqlite
def test_nobody_is_asked_about_a_call_that_the_operators_settings_rule_out(alice, chat, served_by):
    served_by.answers = [call("teamchat-send-message", channel="C-closed", text="Hi"), DONE]
    chunks = alice.turn(chat, "go")
    assert output(chunks)["errorText"] == "This channel is not open to this service."
    assert "data-approval" not in [chunk["type"] for chunk in chunks]


@on_sqlite
@pytest.mark.settings(integrations_billing="websearch=developer")
def test_the_user_sees_that_the_owner_pays(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    assert part["payer"] == "owner"
    assert decide(alice, chat, part, "once").json["payer"] == "owner"
    assert output(turn.end())["output"]["results"]
    assert "search-images" not in [e["what"] for e in alice.get("/api/credits").json["entries"]]


@on_sqlite
def test_an_allowed_call_is_made_and_the_model_gets_its_answer(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    answer = decide(alice, chat, part, "once")
    assert (answer.status_code, answer.json) == (200, {**part, "state": "once"})
    chunks = turn.end()
    assert turn.part("data-approval", "once")["toolCallId"] == part["toolCallId"]
    assert output(chunks)["output"]["results"]
    assert text_of(chunks) == "done"


@on_sqlite
def test_a_denied_call_is_not_made_and_the_model_goes_on(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    before = balance(alice)
    assert decide(alice, chat, part, "deny").json["state"] == "denied"
    chunks = turn.end()
    assert "did not allow" in output(chunks)["errorText"]
    assert text_of(chunks) == "done"
    assert not [e for e in alice.get("/api/credits").json["entries"] if "search" in e["what"]]
    assert balance(alice) <= before


@on_sqlite
@pytest.mark.settings(approval_seconds=1)
def test_an_approval_that_nobody_decides_ends_in_an_error_and_the_model_goes_on(
    alice, begin, chat, served_by
):
    turn, part = asked(begin, alice, chat, served_by)
    chunks = turn.end()
    assert turn.part("data-approval", "expired")
    assert "did not answer in time" in output(chunks)["errorText"]
    assert text_of(chunks) == "done"
    assert decide(alice, chat, part, "once").status_code == 404


@on_sqlite
@pytest.mark.settings(approval_seconds=1)
def test_in_an_autonomous_call_nobody_can_allow_it(app, served_by):
    served_by.answers = [PICTURES, DONE]
    with app.app_context():
        assert "".join(autonomous.ask(app, "go")) == "done"
    assert b"nobody is here to give it" in served_by.seen[-1].body


@on_sqlite
def test_the_decision_for_the_chat_lets_the_next_call_through(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by, PICTURES, PICTURES)
    decide(alice, chat, part, "chat")
    chunks = turn.end()
    assert len([one for one in chunks if one["type"] == "tool-output-available"]) == 2
    assert len([one for one in chunks if one["type"] == "data-approval"]) == 2
    other = alice.new_chat()
    asked(begin, alice, other, served_by)


@on_sqlite
def test_the_decision_for_the_chat_holds_for_no_other_endpoint(alice, begin, chat, served_by):
    videos = call("search-videos", **BODY)
    turn, part = asked(begin, alice, chat, served_by, PICTURES, videos)
    decide(alice, chat, part, "chat")
    wait_for(lambda: turn.part("data-approval")["endpoint"] == "search-videos")


def test_the_decision_for_the_chat_holds_for_no_dearer_call(alice, begin, chat, served_by):
    boat = {"prompt": "a red boat"}
    pictures = call("generate-image", **boat), call("generate-image", **boat, quality="high")
    turn, part = asked(begin, alice, chat, served_by, *pictures)
    decide(alice, chat, part, "chat")
    wait_for(lambda: turn.part("data-approval")["credits"] > part["credits"])


def test_the_decision_for_the_chat_holds_for_a_day(app, alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    decide(alice, chat, part, "chat")
    turn.end()
    with app.app_context(), write_transaction() as session:
        session.execute(update(Approval).values(created_at=from_now(-24 * 3600)))
    assert asked(begin, alice, chat, served_by)[1]["toolCallId"] != part["toolCallId"]


def test_a_call_that_begins_to_ask_during_the_decision_for_its_chat_is_let_through(
    alice, begin, chat, served_by, monkeypatch
):
    _, part = asked(begin, alice, chat, served_by)
    look = approvals.holds_in_chat

    def look_slowly(*args):
        found = look(*args)
        gevent.spawn(decide, alice, chat, part, "chat")
        gevent.sleep(0.3)
        return found

    monkeypatch.setattr(approvals, "holds_in_chat", look_slowly)
    served_by.answers = [PICTURES, DONE]
    second = begin(alice, chat)
    assert second.part("data-approval", "chat")["toolCallId"] != part["toolCallId"]


def test_a_decision_is_looked_for_at_intervals(alice, begin, chat, served_by, monkeypatch):
    look, looks = approvals.list_decided, []
    monkeypatch.setattr(approvals, "list_decided", lambda *a: looks.append(a) or look(*a))
    monkeypatch.setattr(waits, "LOOK_SECONDS", 0.1)
    began = time.monotonic()
    asked(begin, alice, chat, served_by)
    wait_for(lambda: len(looks) >= 2)
    assert len(looks) <= (time.monotonic() - began) / 0.1


@on_sqlite
def test_a_call_is_decided_once(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    answers = [decide(alice, chat, part, one).status_code for one in ("deny", "once", "deny")]
    assert answers == [200, 409, 409]
    assert "did not allow" in output(turn.end())["errorText"]


def test_a_decision_comes_too_late_once_the_time_is_over(app, alice, begin, chat, served_by):
    """Even if the worker of the turn has not noticed that yet."""
    _, part = asked(begin, alice, chat, served_by)
    with app.app_context(), write_transaction() as session:
        session.execute(update(Approval).values(expires_at=from_now(-1)))
    assert decide(alice, chat, part, "once").status_code == 404


def test_a_decision_is_void_once_another_turn_has_claimed_the_message(
    app, alice, begin, chat, served_by, monkeypatch
):
    """The worker was suspended, and its claim watch has not looked yet."""
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)
    turn, _ = asked(begin, alice, chat, served_by)
    with app.app_context(), write_transaction() as session:
        session.add(Lease(lease_id="another", expires_at=from_now(60)))
        session.execute(update(Claim).values(turn_id="turn_another", lease_id="another"))
        session.execute(update(Approval).values(state="once"))
    assert "was not made" in output(turn.end())["errorText"]
    assert alice.records("integration-calls") == []


@on_sqlite
def test_nobody_decides_for_another(alice, bob, begin, chat, served_by):
    _, part = asked(begin, alice, chat, served_by)
    assert decide(bob, chat, part, "once").status_code == 404
    assert decide(bob, bob.new_chat(), part, "once").status_code == 404
    assert decide(alice, alice.new_chat(), part, "once").status_code == 404
    assert decide(alice, chat, {"toolCallId": "call_forged"}, "once").status_code == 404
    assert decide(alice, chat, part, "yes").status_code == 400


@on_sqlite
def test_a_call_that_waits_for_approval_is_not_made_when_the_client_leaves(
    alice, begin, chat, served_by
):
    turn, part = asked(begin, alice, chat, served_by)
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
    chunks = turn.end()
    assert turn.part("data-approval", "expired")
    assert output(chunks)["errorText"] == "interrupted"
    assert decide(alice, chat, part, "once").status_code == 404


@on_sqlite
def test_the_decision_is_stored_with_the_message(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    decide(alice, chat, part, "once")
    turn.end()
    parts = alice.rows(chat)[-1]["parts"]
    stored = [one for one in parts if one["type"] == "data-approval"]
    assert stored == [
        {"type": "data-approval", "id": part["toolCallId"], "data": {**part, "state": "once"}}
    ]
    again = alice.turn(chat, "go", userMessageId=f"u-{alice.messages}")
    assert assemble(again) == parts


@on_sqlite
def test_models_never_read_the_decision(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    decide(alice, chat, part, "once")
    turn.end()
    served_by.answers = [DONE]
    alice.turn(chat, "and now?")
    assert b"data-approval" not in served_by.seen[-1].body


def test_no_text_of_a_decided_call_is_kept(app, alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    decide(alice, chat, part, "once")
    turn.end()
    with app.app_context():
        assert db.session.get(Approval, part["toolCallId"]).shown is None


@on_sqlite
@pytest.mark.settings(approval_seconds=1)
def test_no_text_of_an_interrupted_call_is_kept(app, alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    alice.post(f"/api/ai/chat/{chat}/stop")
    turn.end()

    def is_forgotten() -> bool:
        with app.app_context():
            sweep()
            return db.session.get(Approval, part["toolCallId"]).shown is None

    wait_for(is_forgotten)


@on_sqlite
@pytest.mark.parametrize(
    ("endpoint", "body", "why"),
    [
        ("search-imagez", BODY, "search-images"),
        ("xyzzy", BODY, "integrations.find tells which there are"),
        ("search-images", {}, "query"),
        ("search-images", {**BODY, "extra": 1}, "extra"),
    ],
)
def test_a_call_that_cannot_be_made_asks_nobody(alice, chat, served_by, endpoint, body, why):
    served_by.answers = [call(endpoint, **body), DONE]
    chunks = alice.turn(chat, "go")
    assert why in output(chunks)["errorText"]
    assert "data-approval" not in {one["type"] for one in chunks}


@on_sqlite
def test_a_free_read_asks_nobody(alice, chat, served_by):
    served_by.answers = [call("geocode-city", city="Berlin"), DONE]
    chunks = alice.turn(chat, "go")
    assert output(chunks)["type"] == "tool-output-available"
    assert "data-approval" not in {one["type"] for one in chunks}


@on_sqlite
def test_a_call_that_nobody_has_allowed_is_not_made_although_it_was_not_asked_for(app, alice):
    """What was found to be answered already may be so no more when the call begins."""
    alice.get("/api/credits")
    context = ToolContext(Caller("alice", "user"), app.extensions["collections"], "turn", "chat")
    with app.app_context(), pytest.raises(Forbidden):
        calls.call(context, "generate-image-llm", {"prompt": "a boat"})
    assert alice.records("integration-calls") == []


@on_sqlite
def test_the_time_of_a_slow_call_has_room_for_its_wait(app):
    """The wait begins once the vendor has accepted the task, and that may take as long as a call
    may: a call that was ended before has been paid, and nobody knows its job."""
    context = ToolContext(Caller("alice", "user"), app.extensions["collections"], "turn", "chat")
    with app.app_context():
        needs = calls.needs(context, "generate-image-hyperflux", {"prompt": "a boat", "wait": 60})
        own = calls.needs(context, "generate-image-hyperflux", {"prompt": "a boat", "wait": 0})
    assert (needs.seconds, own.seconds) == (60 + 60 + MARGIN_SECONDS, 60 + MARGIN_SECONDS)


@on_sqlite
def test_the_time_of_a_call_has_room_for_the_slowest_refresh_of_its_token(app):
    """Otherwise a call that the vendor has carried out would be ended without its charge."""
    context = ToolContext(Caller("alice", "user"), app.extensions["collections"], "turn", "chat")
    with app.app_context():
        needs = calls.needs(context, SEND, MAIL)
        own = app.extensions["proxy"].catalog.named(SEND).seconds
    waits_for_another = refresh_leases.PATIENCE_SECONDS
    refreshes = authority.ANSWER_SECONDS + refresh_leases.INSIST_SECONDS
    assert needs.seconds > own + waits_for_another + refreshes
