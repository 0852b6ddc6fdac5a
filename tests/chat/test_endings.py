"""How a turn ends before its answer is complete: client left, stop, deletion, drain, credits."""

import json
import time
from types import SimpleNamespace

import gevent
import pytest
from gevent.event import Event
from sqlalchemy.exc import ProgrammingError

from service.auth import users
from service.chat.stream import channel
from service.chat.turn import running
from service.chat.turn.hold import TurnHold
from service.chat.turn.turn import NO_CREDITS, NO_TEXT_AT_ALL
from service.generation import deadline, model_call
from service.upkeep import rights
from tests import model_streams
from tests.chat.turns import assemble, begin_turn, is_idle
from tests.people import chunks_of, text_of, types
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer


def stalled(app):
    """A turn runs, and its reader has not read for so long that it waits."""
    return lambda: any(run.channel.full for run in app.extensions["runs"])


def events(*deltas):
    """Each of the deltas as the OpenAI wire sends it."""
    for delta in deltas:
        yield f"data: {json.dumps({'choices': [{'delta': delta}]})}\n\n".encode()


def called(arguments):
    function = {"name": "user__current", "arguments": arguments}
    return {"tool_calls": [{"index": 0, "id": "c", "function": function}]}


@on_sqlite
def test_what_was_said_is_kept_when_the_client_leaves(alice, chat, app):
    response, _, _ = begin_turn(alice, chat)
    response.close()
    wait_for(is_idle(app))
    user, assistant = alice.rows(chat)
    assert user["content"] == "count to 3000"
    assert assistant["content"].startswith("1 2 3")
    assert assistant["parts"][-1]["state"] == "done"


@on_sqlite
def test_a_stream_that_nobody_reads_ends(alice, chat, app):
    alice.ask(chat, "count to 3000", userMessageId="u").close()
    wait_for(is_idle(app))
    wait_for(lambda: alice.ask(chat, "hello", userMessageId="u").status_code == 200)


@on_sqlite
def test_the_stop_route_ends_the_stream_with_abort(alice, chat):
    _, stream, read = begin_turn(alice, chat)
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-4:] == ["text-end", "finish-step", "message-metadata", "abort"]
    assert chunks[-2]["messageMetadata"]["aborted"] is True
    assert alice.rows(chat)[1]["content"] == text_of(chunks)
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": False}


@on_sqlite
@pytest.mark.settings(extensions="tests.chat.slow_tools")
def test_a_stop_ends_the_turn_though_a_tool_raises_another_error(alice, chat):
    stream = iter(alice.ask(chat, "call test.masking with {}", modelId="gen-5.4").response)
    read = b""
    while b"tool-input-available" not in read:
        read += next(stream)
    alice.post(f"/api/ai/chat/{chat}/stop")
    chunks = chunks_of(read + b"".join(stream))
    assert (types(chunks)[-1], types(chunks).count("start-step")) == ("abort", 1)


@on_sqlite
def test_a_stop_ends_the_turn_though_the_database_raises_another_error(alice, chat, monkeypatch):
    waiting = Event()

    def reserve(*_):
        waiting.set()
        try:
            gevent.sleep(60)
        except BaseException:
            raise ProgrammingError("SELECT", {}, Exception("masked")) from None

    monkeypatch.setattr(TurnHold, "reserve", reserve)
    response = alice.ask(chat, "hello")
    assert waiting.wait(15)
    alice.post(f"/api/ai/chat/{chat}/stop")
    assert types(chunks_of(b"".join(response.response)))[-1] == "abort"


def test_only_the_owner_stops(alice, bob, chat):
    response, _, _ = begin_turn(alice, chat)
    assert bob.post(f"/api/ai/chat/{chat}/stop").status_code == 404
    response.close()


@on_sqlite
def test_the_model_is_told_of_the_interruption(alice, chat, app):
    begin_turn(alice, chat)[0].close()
    wait_for(is_idle(app))
    assert text_of(alice.turn(chat, "repeat after me: ok")) == "ok"
    assert len(alice.rows(chat)) == 4


def test_a_chat_deleted_during_its_turn_takes_the_turn_along(alice, chat):
    _, stream, read = begin_turn(alice, chat)
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "abort"
    assert alice.records("ai-messages") == []


def silent_after(*deltas):
    """An answer that says no more after these deltas, until its reader leaves."""

    def body():
        yield from events(*deltas)
        gevent.sleep(60)

    return Answer(body())


@on_sqlite
def test_a_stop_does_not_wait_for_a_reader_that_has_stopped_reading(alice, chat, app):
    _, stream, read = begin_turn(alice, chat)
    wait_for(stalled(app))
    alice.post(f"/api/ai/chat/{chat}/stop")
    wait_for(is_idle(app))
    _, assistant = alice.rows(chat)
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "abort"
    assert assistant["content"] == text_of(chunks)


@on_sqlite
def test_a_drain_does_not_wait_for_a_reader_that_has_stopped_reading(alice, chat, app, monkeypatch):
    monkeypatch.setattr(running, "DRAIN_MARGIN", 0)
    _, stream, read = begin_turn(alice, chat)
    wait_for(stalled(app))
    app.extensions["lifecycle"].drain(0.05)
    wait_for(is_idle(app))
    assert len(alice.rows(chat)) == 2
    assert types(chunks_of(read + b"".join(stream)))[-1] == "abort"


@on_sqlite
@pytest.mark.parametrize("room", range(6))
def test_wherever_a_stalled_turn_is_stopped_no_chunk_is_lost(alice, chat, app, served_by, room):
    """The channel is full at each of the chunks around a tool call."""
    words = [{"content": f"{n} "} for n in range(channel.MOST_CHUNKS - 2 - room)]
    served_by.answers = [silent_after(*words, called("{}"), {"content": "after"}, *words)]
    response = alice.ask(chat, "x", modelId="gen-5.4")
    wait_for(stalled(app))
    alice.post(f"/api/ai/chat/{chat}/stop")
    chunks = chunks_of(response.get_data())
    assert assemble(chunks) == alice.rows(chat)[1]["parts"]


@on_sqlite
def test_a_turn_that_is_stopped_before_it_begins_has_its_first_chunk(alice, chat, monkeypatch):
    add = running.Runs.add

    def stop_at_once(runs, run):
        add(runs, run)
        runs.interrupt_chat(chat, "stop")

    monkeypatch.setattr(running.Runs, "add", stop_at_once)
    response = alice.ask(chat, "hello")
    start, *rest = chunks_of(response.data)
    assert (start["type"], types(rest)) == ("start", ["message-metadata", "abort"])
    assert start["messageId"] == response.headers["X-Asst-Id"]


@on_sqlite
def test_a_stop_in_a_later_step_takes_no_reason_from_an_earlier_one(alice, chat, served_by):
    call = called("{}") | {"content": ""}
    first = Answer(b"".join([*events(call), b'data: {"choices": [{"finish_reason": "stop"}]}\n\n']))
    served_by.answers = [first, silent_after(*[{"content": "word "}] * 3)]
    _, stream, read = begin_turn(alice, chat, modelId="gen-5.4")
    alice.post(f"/api/ai/chat/{chat}/stop")
    shown = chunks_of(read + b"".join(stream))[-2]["messageMetadata"]
    assert (shown["steps"], shown["finishReason"]) == (2, "other")
    (record,) = alice.records("ai-turns")
    assert (record["data"]["status"], record["data"]["finishReason"]) == ("aborted", "other")


@on_sqlite
def test_a_reply_that_had_only_begun_a_call_is_not_kept(alice, chat, served_by):
    served_by.answers = [silent_after(called("{"))]
    response = alice.ask(chat, "x", modelId="gen-5.4")
    stream, read = iter(response.response), b""
    while b"tool-input-start" not in read:
        read += next(stream)
    alice.post(f"/api/ai/chat/{chat}/stop")
    kinds = types(chunks_of(read + b"".join(stream)))
    assert kinds[-4:] == ["tool-input-error", "finish-step", "message-metadata", "abort"]
    assert alice.rows(chat) == []


@on_sqlite
def test_a_reply_that_had_only_white_space_is_not_kept(alice, chat, served_by):
    served_by.answers = [silent_after({"content": "\n\n"})]
    response = alice.ask(chat, "x", modelId="gen-5.4")
    stream, read = iter(response.response), b""
    while b"text-delta" not in read:
        read += next(stream)
    alice.post(f"/api/ai/chat/{chat}/stop")
    assert types(chunks_of(read + b"".join(stream)))[-1] == "abort"
    assert alice.rows(chat) == []


@on_sqlite
def test_an_interrupted_turn_names_no_chat(alice, chat, app):
    begin_turn(alice, chat)[0].close()
    wait_for(is_idle(app))
    assert alice.records("ai-chats")[0]["data"]["title"] == ""
    alice.turn(chat, "Who are you?")
    assert alice.records("ai-chats")[0]["data"]["title"] == "Who are you?"


@on_sqlite
@pytest.mark.settings(keep_aborted_turns="false")
def test_nothing_is_kept_where_the_operator_says_so(alice, chat, app):
    begin_turn(alice, chat)[0].close()
    wait_for(is_idle(app))
    assert alice.rows(chat) == []
    assert alice.turn(chat, "hello", userMessageId="u-1")[-1]["type"] == "finish"


def test_a_drain_lets_turns_end_in_abort_and_refuses_new_ones(alice, chat, app, monkeypatch):
    monkeypatch.setattr(running, "DRAIN_MARGIN", 0)
    _, stream, read = begin_turn(alice, chat)
    app.extensions["lifecycle"].drain(0.05)
    refused = alice.ask(chat, "hello")
    assert (refused.status_code, refused.json["error"]) == (503, "draining")
    assert alice.get("/readyz").json["accepting"] is False
    assert types(chunks_of(read + b"".join(stream)))[-1] == "abort"
    assert len(alice.rows(chat)) == 2


@on_sqlite
def test_a_drain_interrupts_many_turns_earlier_the_oldest_first(alice, app, monkeypatch):
    """To store three takes longer than the grace time, to store two does not."""
    monkeypatch.setattr(running, "END_SECONDS", 1000)
    chats = [alice.new_chat() for _ in range(3)]
    turns = [begin_turn(alice, chat) for chat in chats]
    app.extensions["lifecycle"].drain(2500)
    _, oldest, _ = turns[0]
    assert types(chunks_of(b"".join(oldest)))[-1] == "abort"
    assert [len(alice.rows(chat)) for chat in chats] == [2, 0, 0]
    for response, _, _ in turns:
        response.close()


@on_sqlite
@pytest.mark.settings(starting_credits="1")
def test_without_credits_there_is_no_first_byte(alice, chat):
    response = alice.ask(chat, "hello", modelId="llm-opus-4-7")
    assert response.status_code == 402
    assert response.json["error"] == "insufficient_credits"
    assert response.json["needed"] > response.json["available"] == 1
    assert alice.turn(chat, "hello", modelId="oss-120b")[-1]["type"] == "finish"


@pytest.mark.settings(starting_credits="8", extensions="tests.extension")
def test_credits_that_run_out_between_steps_end_the_turn_in_a_text(alice, chat):
    """The first hold fits into 8 credits; with the tool's long result the second does not."""
    chunks = alice.turn(chat, "call test.long with {}")
    assert text_of(chunks) == "Your credits do not suffice to go on with this answer."
    assert types(chunks)[-1] == "finish"
    assert len(alice.rows(chat)) == 2
    assert alice.get("/api/credits").json["held"] == 0


def paused(text, used=5):
    """A message that the model means to go on with."""
    message = model_streams.anthropic(text).replace('"end_turn"', '"pause_turn"')
    return Answer(message.replace('"output_tokens": 5', f'"output_tokens": {used}'))


@on_sqlite
def test_credits_that_run_out_while_the_model_pauses_are_told_once(alice, served_by, chat):
    served_by.answers = [paused("One moment.", used=90_000_000)]
    chunks = alice.turn(chat, "hello")
    assert text_of(chunks) == f"One moment.{NO_CREDITS}"
    assert types(chunks)[-1] == "finish"


@on_sqlite
def test_a_model_that_pauses_before_its_text_is_asked_to_go_on(alice, served_by, chat):
    served_by.answers = [paused(" "), Answer(model_streams.anthropic("Here it is."))]
    assert text_of(alice.turn(chat, "hello")).strip() == "Here it is."


@on_sqlite
def test_a_model_that_only_pauses_ends_in_a_text_of_ours(alice, served_by, chat):
    served_by.answers = [paused(" ") for _ in range(9)]
    assert text_of(alice.turn(chat, "hello")).strip() == NO_TEXT_AT_ALL


def test_the_reply_of_a_user_who_is_disabled_ends_and_keeps_what_was_said(alice, chat, app):
    _, stream, read = begin_turn(alice, chat)
    with app.app_context():
        rights.set_disabled("alice", True)
    users.rights_cache.clear()
    assert alice.ask(chat, "who am I").status_code == 401
    assert types(chunks_of(read + b"".join(stream)))[-1] == "abort"
    with app.app_context():
        rights.set_disabled("alice", False)
    users.rights_cache.clear()
    assert "1 2" in alice.rows(chat)[1]["content"]
    assert alice.get("/api/credits").json["held"] == 0
    assert types(alice.turn(chat, "hello"))[-1] == "finish"


@on_sqlite
@pytest.mark.parametrize("limit", ["first", "idle", "step"])
def test_a_model_that_takes_too_long_ends_in_an_error(alice, chat, monkeypatch, limit):
    limits = model_call.TimeLimits(**{"first": 5.0, "idle": 5.0, "step": 5.0, limit: 0.1})
    monkeypatch.setattr(model_call, "LIMITS", dict.fromkeys("ABC", limits))
    fault = {"first": "/fail silent-first", "idle": "/fail silent", "step": ""}[limit]
    chunks = alice.turn(chat, f"{fault} count to 5000")
    assert "took too long" in chunks[-1]["errorText"]
    assert alice.rows(chat) == []


@on_sqlite
def test_a_slow_reader_does_not_count_against_the_models_time(alice, chat, app, monkeypatch):
    """The clock is moved, so that a busy machine has the whole limit for the rest."""
    limits, late = model_call.TimeLimits(first=60, idle=60, step=60), []
    monkeypatch.setattr(model_call, "LIMITS", dict.fromkeys("ABC", limits))
    now = time.monotonic
    clock = SimpleNamespace(monotonic=lambda: now() + sum(late))
    for module in (deadline, running):
        monkeypatch.setattr(module, "time", clock)
    _, stream, read = begin_turn(alice, chat, "count to 600")
    wait_for(stalled(app))  # the turn waits for us
    late.append(100)
    gevent.sleep(2 * running.TICK_SECONDS)  # its watchman looks
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "finish"
    assert text_of(chunks).endswith(" 600")
