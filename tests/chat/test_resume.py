"""Other readers of a running turn: from its first chunk, behind an event, and after its client."""

import socket
import time
from datetime import timedelta

import gevent
import pytest
from prometheus_client import REGISTRY
from sqlalchemy import delete, select, update

from service.chat import resume
from service.chat.models import PublishedChunks, Turn
from service.chat.relay import publisher
from service.chat.relay.watchers import MOST_WATCHERS, Watchers
from service.chat.stream.reader import SLOW_SECONDS
from service.chat.turn.running import Runs
from service.extensions import db
from service.times import now
from tests.app_database import execute_write
from tests.chat.turn_readers import ID, numbered_chunks, path_of, watch
from tests.chat.turns import assemble, begin_turn, is_idle
from tests.people import chunks_of, chunks_so_far, text_of, types
from tests.services import on_sqlite, wait_for

pytestmark = on_sqlite  # which needs no rows for readers of the same worker


def last_id(stream):
    """The id of the last event that has arrived whole."""
    return ID.findall(stream[: stream.rindex(b"\n\n")])[-1].decode()


@pytest.mark.parametrize("when", [1, 40])
def test_a_second_reader_gets_the_same_chunks(alice, chat, when):
    _, stream, read = begin_turn(alice, chat, "count to 300", words=when)
    second = gevent.spawn(lambda: numbered_chunks(watch(alice, chat)))
    gevent.sleep(0)
    first = chunks_of(read + b"".join(stream))
    start, *rest = second.get(timeout=30)
    question = start["messageMetadata"].pop("userMessage")
    assert [start, *rest] == first
    assert question == {"id": "u-1", "content": "count to 300"}


@pytest.mark.parametrize("published", [False, True], ids=["same worker", "another worker"])
def test_a_second_reader_gets_the_id_of_the_reply(alice, app, chat, published, monkeypatch):
    first, stream, _ = begin_turn(alice, chat, "count to 300")
    reply = first.headers["X-Asst-Id"]
    if published:
        monkeypatch.setitem(app.extensions, "watchers", Watchers(app, Runs()))
    second = watch(alice, chat)
    some = next(second.response) + next(second.response)
    third = watch(alice, chat, last_id(some))
    assert [one.headers["X-Asst-Id"] for one in (second, third)] == [reply, reply]
    second.close()
    third.close()
    for _ in stream:
        pass
    app.extensions["watchers"].stop()
    assert alice.records("ai-messages")[-1]["recordId"] == reply


def left_turn(alice, app, chat):
    """A turn that has ended after both of its readers have left: its response, and what the second
    reader has read."""
    first, _, _ = begin_turn(alice, chat, "count to 300")
    second = watch(alice, chat)
    some = next(second.response) + next(second.response)
    second.close()
    first.close()
    wait_for(is_idle(app), 30)
    return first, some


@pytest.mark.settings(RESUME_SECONDS="30")
@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "nothing stored"])
def test_who_reads_the_rest_of_an_ended_turn_gets_the_id_of_its_stored_reply(
    alice, app, chat, is_stored
):
    first, some = left_turn(alice, app, chat)
    wait_for(lambda: not app.extensions["publisher"])
    if not is_stored:
        execute_write(app, delete(Turn))
    rest = watch(alice, chat, last_id(some))
    assert rest.status_code == 200
    assert rest.headers.get("X-Asst-Id") == (first.headers["X-Asst-Id"] if is_stored else None)
    rest.close()


def test_a_reader_goes_on_behind_the_last_event_that_it_has_read(alice, chat):
    _, stream, read = begin_turn(alice, chat, "count to 300")
    second = watch(alice, chat)
    some = b""
    while some.count(b"\n\n") < 30:
        some += next(second.response)
    second.close()
    rest = gevent.spawn(lambda: numbered_chunks(watch(alice, chat, last_id(some))))
    gevent.sleep(0)
    first = chunks_of(read + b"".join(stream))
    seen = chunks_so_far(ID.sub(b"", some))
    assert [*seen[1:], *rest.get(timeout=30)] == first[1:]


def test_there_is_nothing_to_read_when_no_turn_runs(alice, bob, chat):
    assert alice.get(path_of(chat)).status_code == 204
    alice.turn(chat, "hello")
    answer = alice.get(path_of(chat))
    assert (answer.status_code, answer.data) == (204, b"")
    assert "Content-Type" not in answer.headers
    assert bob.get(path_of(chat)).status_code == 404


def test_a_position_that_is_none_is_refused(alice, chat):
    answer = alice.get(path_of(chat), headers={"Last-Event-ID": "42"})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["Last-Event-ID"])


def test_a_client_may_ask_whether_a_turn_runs_without_reading_it(alice, chat, app):
    first, _, _ = begin_turn(alice, chat, "count to 300")
    for _ in range(MOST_WATCHERS + 1):
        asked = alice.request("HEAD", path_of(chat))
        assert (asked.status_code, asked.data) == (200, b"")
    assert len(app.extensions["watchers"]) == 0
    first.close()
    wait_for(is_idle(app), 30)
    assert alice.request("HEAD", path_of(chat)).status_code == 204


def test_a_turn_of_another_chat_is_not_read(alice, chat, app):
    response, _, _ = begin_turn(alice, alice.new_chat())
    turn_id = next(iter(app.extensions["runs"])).question.turn_id
    answer = alice.get(path_of(chat), headers={"Last-Event-ID": f"{turn_id}:1"})
    assert answer.status_code == 204
    response.close()


def test_who_watches_does_not_end_the_turn_by_leaving(alice, chat):
    _, stream, read = begin_turn(alice, chat, "count to 300")
    second = watch(alice, chat)
    next(second.response)
    second.close()
    assert types(chunks_of(read + b"".join(stream)))[-1] == "finish"


def refusals():
    limit = {"limit": "readers-at-once"}
    return REGISTRY.get_sample_value("user_limits_total", limit) or 0


def test_a_user_has_a_number_of_readers_at_once(alice, bob, chat):
    response, _, _ = begin_turn(alice, chat, "count to 3000")
    readers = [watch(alice, chat) for _ in range(MOST_WATCHERS)]
    before = refusals()
    refused = watch(alice, chat)
    assert (refused.status_code, refused.json["error"]) == (429, "rate_limited")
    assert refusals() == before + 1
    other = bob.new_chat()
    his, _, _ = begin_turn(bob, other, "count to 3000")
    readers.append(watch(bob, other))
    readers[0].close()
    readers[0] = watch(alice, chat)
    assert {reader.status_code for reader in readers} == {200}
    for reader in [*readers, response, his]:
        reader.close()


def test_without_resume_seconds_the_turn_ends_with_its_client(alice, chat, app):
    response, _, _ = begin_turn(alice, chat)
    second = watch(alice, chat)
    next(second.response)
    response.close()
    assert types(numbered_chunks(second))[-1] == "abort"


@pytest.mark.settings(RESUME_SECONDS="30")
def test_a_turn_outlives_its_client_and_is_read_to_its_end(alice, chat, app):
    response, _, _ = begin_turn(alice, chat, "count to 300")
    response.close()
    chunks = numbered_chunks(watch(alice, chat))
    assert types(chunks)[-1] == "finish"
    assert text_of(chunks) == alice.rows(chat)[1]["content"]
    assert [p for p in assemble(chunks) if p["type"] == "text"]


@pytest.mark.settings(RESUME_SECONDS="1")
def test_a_turn_that_nobody_reads_any_more_is_aborted(alice, chat, app):
    response, _, _ = begin_turn(alice, chat, "count to 100000")
    left = time.monotonic()
    response.close()
    wait_for(is_idle(app), 20)
    assert time.monotonic() - left >= 1
    assert alice.rows(chat)[1]["content"].startswith("1 2 3")


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "leaves",
    [
        pytest.param(True, marks=pytest.mark.settings(RESUME_SECONDS="30"), id="its client leaves"),
        pytest.param(False, id="its client stays"),
    ],
)
def test_the_rest_of_an_ended_turn_is_there_for_who_has_read_its_beginning(
    alice, chat, app, monkeypatch, leaves
):
    monkeypatch.setattr(resume, "LOST_SECONDS", 3600)  # nobody waits for what is there
    response, stream, _ = begin_turn(alice, chat, "count to 300")
    second = watch(alice, chat)
    some = b""
    while some.count(b"\n\n") < 30:
        some += next(second.response)
    second.close()
    if leaves:
        response.close()
    else:
        list(stream)
    wait_for(is_idle(app), 30)
    wait_for(lambda: not app.extensions["publisher"])
    rest = numbered_chunks(watch(alice, chat, last_id(some)))
    text = text_of([*chunks_so_far(ID.sub(b"", some)), *rest])
    assert text == alice.rows(chat)[1]["content"]
    assert alice.get(path_of(chat)).status_code == 204


@pytest.mark.settings(RESUME_SECONDS="30")
def test_the_rest_comes_also_if_it_is_published_seconds_after_the_end(
    alice, chat, app, monkeypatch
):
    monkeypatch.setattr(publisher, "PUBLISH_SECONDS", 2.5)
    _, some = left_turn(alice, app, chat)
    assert len(app.extensions["publisher"]) == 1
    rest = numbered_chunks(watch(alice, chat, last_id(some)))
    assert text_of([*chunks_so_far(ID.sub(b"", some)), *rest]) == alice.rows(chat)[1]["content"]


@pytest.mark.timeout(120)
@pytest.mark.settings(RESUME_SECONDS="30")
def test_nobody_waits_for_the_rest_of_a_turn_that_ended_long_ago(alice, chat, app, monkeypatch):
    monkeypatch.setattr(resume, "LOST_SECONDS", 3600)
    alice.turn(chat, "hello")
    wait_for(lambda: not app.extensions["publisher"])
    with app.app_context():
        (turn_id,) = db.session.scalars(select(Turn.turn_id))
        db.session.execute(update(Turn).values(created_at=now() - timedelta(seconds=61)))
        db.session.execute(delete(PublishedChunks))
        db.session.commit()
    answer = watch(alice, chat, f"{turn_id}:1")
    assert answer.status_code == 204


@pytest.mark.settings(RESUME_SECONDS="30")
def test_stop_ends_a_turn_without_a_reader(alice, chat, app):
    response, _, _ = begin_turn(alice, chat, "count to 100000")
    response.close()
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
    wait_for(is_idle(app))


@pytest.mark.settings(RESUME_SECONDS="3600")
def test_a_client_that_has_left_is_not_logged_as_a_slow_one(alice, chat, app, capsys):
    response, _, _ = begin_turn(alice, chat, "count to 100000")
    response.close()
    (run,) = app.extensions["runs"]
    run.reader._sock = socket.socket()
    run.reader._sock.close()
    run.check(time.monotonic() + 2 * SLOW_SECONDS)
    assert "slow client" not in capsys.readouterr().err
    alice.post(f"/api/ai/chat/{chat}/stop")
    wait_for(is_idle(app))
