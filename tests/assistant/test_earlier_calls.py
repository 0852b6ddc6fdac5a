"""A call outside that an earlier try has sent is not sent again by the next one."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from service.assistant.calls import NOT_CONFIGURED
from service.assistant.repeated_calls import NOT_AGAIN
from service.auth.users import rights_cache
from service.chat.external_calls import CALLED, LEFT
from service.chat.tools.run import UNSURE
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling import idempotency
from service.integrations.declare.endpoint import SAFE_WRITE
from service.integrations.models import IdempotencyKey
from service.integrations.vendors.magnific.tasks import MADE, answered
from service.times import now
from tests import model_streams
from tests.assistant.endpoint_calls import DONE, allow, call, cards
from tests.assistant.team_chat import ARCHIVED, BODY, JSON, POST, POSTED, SEND, TeamChat
from tests.people import text_of
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer
from tests.user_erasure import disable

CUT = Answer("data: {}\n\n")
WAIT = {"approval_seconds": 10}  # for who is asked without being expected to be
pytestmark = pytest.mark.settings(**WAIT)


@pytest.fixture(autouse=True)
def team(app):
    vendor = TeamChat()
    app.extensions["vendor_settings"] |= vendor.settings
    yield vendor
    vendor.stop()


@pytest.fixture
def failed(alice, begin, chat, served_by):
    """A try that makes a call, which its user allows, and then fails."""

    def fail(answer=POST, decision="once"):
        served_by.answers = [answer, CUT]
        turn = begin(alice, chat, userMessageId="u")
        allow(alice, chat, turn.part("data-approval"), decision)
        chunks = turn.end()
        assert chunks[-1]["type"] == "error"
        served_by.seen.clear()
        return results(chunks)

    return fail


@pytest.fixture
def stopped(alice, begin, chat, served_by, team):
    """A try that is stopped while the vendor is about to answer its call."""

    def stop(answer=POST, polls=1):
        """Once the vendor has got so many requests."""
        team.gate.clear()
        served_by.answers = [answer, DONE]
        turn = begin(alice, chat, userMessageId="u")
        allow(alice, chat, turn.part("data-approval"))
        wait_for(lambda: len(team.seen) == polls)
        assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
        assert turn.end()[-1]["type"] == "abort"
        served_by.seen.clear()
        team.gate.set()

    return stop


@pytest.fixture
def again(alice, begin, chat, served_by):
    """The next try, which makes these calls; the user allows those that ask."""

    def retry(*answers, asks=0):
        served_by.answers = [*answers, DONE]
        turn = begin(alice, chat, userMessageId="u")
        for number in range(asks):
            wait_for(lambda n=number: len(cards(turn.chunks)) == 2 * n + 1)
            allow(alice, chat, cards(turn.chunks)[-1])
        chunks = turn.end()
        assert (text_of(chunks), len(cards(chunks))) == ("done", 2 * asks)
        return results(chunks)

    return retry


def results(chunks):
    ends = [one for one in chunks if one["type"].startswith("tool-output")]
    return [one.get("output") or one["errorText"] for one in ends]


def told(served_by):
    """What the model was told before the newest message, in the first prompt."""
    return served_by.seen[0].json["messages"][-1]["content"][0]["text"]


def entries(person):
    of_calls = (e for e in person.get("/api/ai/journal").json["entries"])
    return [(e["tool"], e["recordId"], e["outcome"]) for e in of_calls]


@on_sqlite
def test_a_call_that_was_made_gives_its_answer(alice, failed, again, served_by, team):
    first = failed()
    assert again(POST) == first
    assert team.texts == [BODY["text"]]
    assert f"- integrations.call: integrations {SEND} called" in told(served_by)
    assert entries(alice) == [("integrations.call", SEND, CALLED)]
    assert len(alice.records("integration-calls")) == 1


@on_sqlite
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("SLACK_CHANNELS", "C3", "This channel is not open to this service."),
        ("SLACK_BOT_TOKEN", None, NOT_CONFIGURED.format(SEND, "SLACK_BOT_TOKEN")),
    ],
)
def test_a_call_that_was_made_gives_its_answer_though_settings_now_forbid_it(
    app, failed, again, name, value, told
):
    first = failed()
    app.extensions["vendor_settings"][name] = value
    assert again(POST, POST) == [*first, told]


@on_sqlite
def test_an_earlier_answer_is_given_once_and_the_next_call_asks(alice, failed, again, team):
    failed()
    again(POST, POST, asks=1)
    assert team.texts == [BODY["text"]] * 2
    assert entries(alice) == [("integrations.call", SEND, CALLED)] * 2


@on_sqlite
def test_a_call_with_another_text_is_another_call(failed, again, team):
    failed()
    again(call(SEND, **{**BODY, "text": "other"}), asks=1)
    assert team.texts == [BODY["text"], "other"]


@on_sqlite
def test_tries_that_fail_one_after_the_other_call_once(alice, failed, again, served_by, chat, team):
    first = failed()
    for _ in range(2):
        served_by.answers = [POST, CUT]
        assert alice.turn(chat, "go", userMessageId="u")[-1]["type"] == "error"
    assert again(POST) == first
    assert len(team.seen) == 1


@on_sqlite
def test_a_call_for_another_message_is_made(alice, begin, chat, failed, served_by, team):
    failed()
    served_by.answers = [POST, DONE]
    turn = begin(alice, chat, userMessageId="v")
    allow(alice, chat, turn.part("data-approval"))
    turn.end()
    assert len(team.seen) == 2
    assert "An earlier try" not in str(served_by.seen[0].json)


@on_sqlite
@pytest.mark.settings(**WAIT, assistant_endpoints=SEND)
def test_the_endpoints_own_tool_makes_the_same_call(failed, again, team):
    first = failed()
    assert again(Answer(model_streams.anthropic_call(SEND, BODY))) == first
    assert len(team.seen) == 1


@on_sqlite
def test_the_answer_takes_over_the_call(alice, failed, again, chat):
    failed()
    again(POST)
    turn = alice.records("ai-turns")[-1]["recordId"]
    conflicts = alice.post(f"/api/ai/turns/{turn}/undo").json["conflicts"]
    assert [one["recordId"] for one in conflicts] == [SEND]


@on_sqlite
def test_a_call_that_was_cut_off_may_have_happened(alice, stopped, again, served_by, team):
    stopped()
    assert entries(alice) == [("integrations.call", SEND, LEFT)]
    assert again(POST) == [NOT_AGAIN[LEFT]]
    assert f"- integrations.call: integrations {SEND} may have happened" in told(served_by)
    assert "look whether they have, or ask the user" in told(served_by)
    assert len(team.seen) == 1


@on_sqlite
def test_a_call_that_may_have_happened_is_repeated_only_if_the_user_decides_so(
    stopped, again, team
):
    stopped()
    again(POST, POST, asks=1)
    assert len(team.seen) == 2


@pytest.fixture
def create(app, team):
    """A call of an endpoint that is declared as safe to repeat, at the same vendor."""
    settings = {"URL": team.url, "API_KEY": "key", "API_SECRET": "secret " * 8}
    app.extensions["vendor_settings"] |= {f"LIVEKIT_{name}": settings[name] for name in settings}
    return call("rtc-create-room", name="standup")


@on_sqlite
def test_what_is_safe_to_repeat_is_made_again_if_the_user_agrees(
    alice, create, stopped, again, team
):
    """The call was made in the end, and has one entry."""
    stopped(create)
    team.reply = Answer(json.dumps({"sid": "RM_1"}), headers=JSON)
    [room] = again(create, asks=1)
    assert (room["sid"], len(team.seen)) == ("RM_1", 2)
    assert entries(alice) == [("integrations.call", "rtc-create-room", CALLED)]
    [entry] = alice.get("/api/ai/journal").json["entries"]
    assert entry["turnId"] == alice.records("ai-turns")[-1]["recordId"]


@on_sqlite
def test_a_repetition_that_is_refused_tells_nothing_of_the_first_call(
    alice, create, stopped, again, team
):
    stopped(create)
    refusal = json.dumps({"code": "invalid_argument", "msg": "no"})
    team.reply = Answer(refusal, "400 Bad Request", headers=JSON)
    [error] = again(create, asks=1)
    assert (isinstance(error, str), len(team.seen)) == (True, 2)
    assert entries(alice) == [("integrations.call", "rtc-create-room", LEFT)]


PICTURE = call("generate-image-flux-dev", prompt="a cat")


@pytest.fixture
def painter(app, team):
    """The vendor of pictures, whose tasks have these states."""
    app.extensions["vendor_settings"] |= {"MAGNIFIC_BASE_URL": team.url, "MAGNIFIC_API_KEY": "k"}

    def says(*states):
        team.answers = [Answer(json.dumps(answered(*state)), headers=JSON) for state in states]

    return says


@on_sqlite
def test_a_job_that_ran_when_its_try_died_is_waited_for(painter, stopped, again, team):
    """The picture is paid for, and its first call was cut off while it waited."""
    painter(["CREATED"], ["IN_PROGRESS"])
    stopped(PICTURE, polls=2)
    painter(["COMPLETED", MADE])
    [made] = again(PICTURE)
    assert [image["url"] for image in made["result"]["images"]] == [MADE]
    assert [seen.method for seen in team.seen] == ["POST", "GET", "GET"]


@on_sqlite
def test_a_job_that_is_begun_again_is_waited_for_once(
    app, painter, stopped, again, team, monkeypatch
):
    """Its endpoint is safe to repeat, and the call that begins it waits for it."""
    names, name = app.extensions["proxy"].catalog.names, "generate-image-flux-dev"
    monkeypatch.setitem(names, name, replace(names[name], access=SAFE_WRITE))
    impatient = call(name, prompt="a cat", wait=1)
    stopped(impatient)
    painter(["CREATED"], *[["IN_PROGRESS"]] * 9)
    [job] = again(impatient, asks=1)
    assert job["status"] == "running"
    assert [seen.method for seen in team.seen] == ["POST", "POST", "GET"]


def test_a_job_that_has_failed_is_asked_for_anew(painter, stopped, again, team):
    painter(["CREATED"], ["IN_PROGRESS"])
    stopped(PICTURE, polls=2)
    painter(["FAILED"], ["CREATED"], ["COMPLETED", MADE])
    error, made = again(PICTURE, PICTURE, asks=1)
    assert (isinstance(error, str), made["status"]) == (True, "done")


def test_a_job_that_fails_while_its_call_waits_is_known_to_have_failed(alice, painter, failed):
    """Only of a call whose end nobody knows is the model told so."""
    painter(["CREATED"], ["FAILED"])
    [told] = failed(PICTURE)
    assert UNSURE not in told
    assert entries(alice) == [("integrations.call", "generate-image-flux-dev", CALLED)]


@on_sqlite
def test_a_call_that_the_vendor_refused_is_no_change(alice, failed, again, served_by, team):
    team.reply = ARCHIVED
    [told] = failed()
    assert UNSURE not in told
    assert entries(alice) == []
    team.reply = POSTED
    again(POST, asks=1)
    assert "An earlier try" not in str(served_by.seen[0].json)
    assert entries(alice) == [("integrations.call", SEND, CALLED)]


def test_a_call_whose_outcome_a_gateway_does_not_know_may_have_happened(alice, failed, again, team):
    team.reply = Answer("bad gateway", status="502 Bad Gateway")
    [told] = failed()
    assert told == f"The upstream service failed. {UNSURE}"
    assert entries(alice) == [("integrations.call", SEND, LEFT)]
    assert again(POST) == [NOT_AGAIN[LEFT]]


@pytest.mark.parametrize("is_swept", [False, True])
def test_a_call_whose_answer_is_not_stored_any_more_is_not_made(app, failed, again, team, is_swept):
    failed()
    with app.app_context():
        over = now() - timedelta(seconds=1)
        gone = delete(IdempotencyKey)
        db.session.execute(gone if is_swept else update(IdempotencyKey).values(expires_at=over))
        db.session.commit()
    assert again(POST) == [NOT_AGAIN[CALLED]]
    assert len(team.seen) == 1


@pytest.fixture
def lapse(app):
    """Have the lease on a cut off call's key lapse in that many seconds."""

    def lapsing(seconds):
        with app.app_context():
            db.session.execute(update(IdempotencyKey).values(held_until=from_now(seconds)))
            db.session.commit()

    return lapsing


def test_a_running_call_is_waited_for_until_its_worker_is_known_to_be_lost(
    stopped, again, lapse, team
):
    stopped()
    lapse(2)
    assert again(POST) == [NOT_AGAIN[LEFT]]
    assert len(team.seen) == 1


@on_sqlite
def test_a_call_that_is_under_way_for_longer_is_asked_for_later(
    stopped, again, lapse, team, monkeypatch
):
    monkeypatch.setattr(idempotency, "PATIENCE_SECONDS", 0.1)
    stopped()
    lapse(3600)
    first, second = again(POST, POST)
    assert first == second == "A call with this Idempotency-Key is under way."
    assert len(team.seen) == 1


@on_sqlite
def test_a_user_without_rights_gets_no_earlier_answer(alice, app, chat, failed, served_by):
    failed()

    def disabling(seen):
        disable(app)
        rights_cache.clear()
        return POST

    served_by.answers = [disabling, DONE]
    chunks = alice.turn(chat, "go", userMessageId="u")
    assert results(chunks) == ["This user is disabled."]


@on_sqlite
def test_a_decision_for_the_chat_of_a_dead_try_is_void_in_the_next(failed, again, team):
    failed(decision="chat")
    other = call(SEND, **{**BODY, "text": "other"})
    again(other, asks=1)
    assert team.texts == [BODY["text"], "other"]


@on_sqlite
def test_a_decision_of_a_dead_try_is_void_for_paid_reads(failed, again):
    failed(call("search-images", query="red kites"), decision="chat")
    again(call("search-images", query="owls"), asks=1)


@on_sqlite
def test_a_decision_of_a_dead_try_holds_for_other_messages(alice, chat, failed, served_by, team):
    failed(decision="chat")
    served_by.answers = [POST, DONE]
    assert not cards(alice.turn(chat, "go", userMessageId="v"))
    assert len(team.seen) == 2


@on_sqlite
def test_a_decision_of_an_answered_message_holds_when_it_is_answered_anew(
    alice, begin, chat, served_by, team
):
    served_by.answers = [POST, DONE]
    turn = begin(alice, chat, userMessageId="u")
    allow(alice, chat, turn.part("data-approval"), "chat")
    turn.end()
    served_by.answers = [POST, DONE]
    chunks = alice.turn(chat, "go", userMessageId="u", trigger="regenerate-message")
    assert not cards(chunks)
    assert len(team.seen) == 2


@on_sqlite
def test_a_decision_that_is_made_in_the_next_try_holds_in_that_try(
    failed, begin, chat, alice, served_by, team
):
    failed(decision="chat")
    served_by.answers = [*(call(SEND, **{**BODY, "text": text}) for text in "ab"), DONE]
    turn = begin(alice, chat, userMessageId="u")
    allow(alice, chat, turn.part("data-approval"), "chat")
    assert len(cards(turn.end())) == 2
    assert team.texts == [BODY["text"], "a", "b"]
