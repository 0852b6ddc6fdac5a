"""What a stream says beside its chunks, and a user who is disabled in the middle of a turn."""

import json

import gevent
import pytest
import requests

from service.auth.users import rights_cache
from service.chat.stream import reader, sse
from service.chat.stream.channel import Channel
from service.chat.stream.reader import KEEP_ALIVE_SECONDS
from service.chat.turn.running import TICK_SECONDS
from service.upkeep.rights import set_disabled
from tests import model_streams
from tests.faults.client import client_of
from tests.people import chunks_of, text_of, types
from tests.services import on_sqlite
from tests.upstream import Answer
from tests.user_erasure import disable

HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}


@pytest.mark.parametrize("configure", [{"CORS_ORIGINS": "http://app.example"}])
def test_every_header_is_on_the_real_response(service, configure):
    client = client_of(service)
    asked = {"chatId": client.new_chat(), "userMessageId": "u", "content": "hello"}
    for content in ("hello", "hello"):  # answered, then replayed from its rows
        answer = requests.post(
            f"{service.url}/api/ai/chat",
            json={**asked, "content": content},
            headers={"Authorization": f"Bearer {client.token}", "Origin": "http://app.example"},
            timeout=30,
        )
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "X-Asst-Id" in answer.headers["Access-Control-Expose-Headers"]
        assert answer.headers["X-Asst-Id"] == chunks_of(answer.content)[0]["messageId"]
        assert answer.content.startswith(b": stream-open\n\n")
        assert "Content-Length" not in answer.headers


class Silence:
    """A model that says a word, and then nothing for so many ticks of the watchman."""

    def __init__(self, ticks):
        self.ticks = ticks

    def __call__(self, seen):
        def body():
            head, _, rest = model_streams.anthropic("hello you").partition(
                "event: content_block_stop"
            )
            yield head.encode()
            gevent.sleep(self.ticks * TICK_SECONDS)
            yield b"event: content_block_stop" + rest.encode()

        return Answer(body())


@on_sqlite
def test_silence_is_broken_by_keep_alives(alice, served_by, monkeypatch):
    monkeypatch.setattr(reader, "KEEP_ALIVE_SECONDS", 2 * TICK_SECONDS)
    served_by.answers = [Silence(ticks=10)]
    stream = alice.ask(alice.new_chat(), "hello").get_data()
    silence = stream.partition(b'"delta":"hello"')[2]  # on a busy machine, one may come before
    assert 2 <= silence.count(sse.KEEP_ALIVE) <= 7
    assert text_of(chunks_of(stream)) == "hello you"


@on_sqlite
def test_a_stream_with_chunks_gets_no_keep_alives(alice, served_by):
    served_by.answers = [Silence(ticks=4)]
    assert sse.KEEP_ALIVE not in alice.ask(alice.new_chat(), "hello").get_data()


def test_a_keep_alive_follows_ten_seconds_without_a_chunk(monkeypatch):
    """On a moved clock: the channel's reader is nudged after ten seconds, and once for each ten."""
    nudged = []
    monkeypatch.setattr(Channel, "nudge", lambda channel: nudged.append(channel))
    channel = Channel()
    reading = reader.Reader(channel, None, "turn_1")
    reading._waiting_since = 100.0
    reading.check(109.9)
    assert nudged == []
    reading.check(110.0)
    assert nudged == [channel]
    reading._is_writing = True  # a slow client's silence is not ours
    reading.check(200.0)
    assert len(nudged) == 1
    assert KEEP_ALIVE_SECONDS == 10.0


CALLS = {
    "records__create": {"collection": "notes", "data": {"title": "t"}},
    "records__query": {"collection": "notes"},
    "schema__list": {},
    "user__current": {},
}


@on_sqlite
@pytest.mark.parametrize("call", CALLS)
def test_a_user_disabled_in_the_middle_of_a_turn_is_denied_the_next_call(
    alice, admin, app, served_by, call
):
    def disabling(_seen):
        disable(app)
        rights_cache.clear()  # as it is two seconds later
        return Answer(model_streams.anthropic_call(call, CALLS[call]))

    served_by.answers = [disabling, Answer(model_streams.anthropic("sorry"))]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "hello")
    denied = [c["errorText"] for c in chunks if c["type"] == "tool-output-error"]
    assert denied == ["This user is disabled."]
    assert (types(chunks)[-1], text_of(chunks)) == ("finish", "sorry")
    told = json.dumps(served_by.seen[1].json["messages"][-1])
    assert "This user is disabled." in told
    assert alice.get("/api/credits").status_code == 401
    with app.app_context():
        set_disabled("alice", False)
    rights_cache.clear()
    assert alice.records("notes") == []
    assert len(alice.rows(chat)) == 2
    assert alice.get("/api/credits").json["held"] == 0
