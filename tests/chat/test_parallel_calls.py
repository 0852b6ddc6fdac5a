"""The calls of one step: reads at the same time, writes in their places, at most twenty."""

import gevent
import pytest

from service.chat.calling.parallel import merge
from service.chat.stream.chunks import TextDelta
from tests import model_streams
from tests.chat import waiting_reads
from tests.people import types
from tests.permissions.scripted_calls import stream_of_calls, turn_of
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

pytestmark = pytest.mark.settings(extensions="tests.chat.waiting_reads,tests.extension")
DONE = Answer(model_streams.anthropic("done"))
NOTES = {"collection": "notes"}


@pytest.fixture
def gate(monkeypatch):
    fresh = waiting_reads.Gate()
    monkeypatch.setattr(waiting_reads, "gate", fresh)
    yield fresh
    assert fresh.inside == 0


def wait(name, behind):
    return "test.wait", {"name": str(name), "behind": behind}


def ended(chunks):
    """The ids of the calls in the order of their results."""
    return [chunk["toolCallId"] for chunk in chunks if chunk["type"].startswith("tool-output")]


def announced(chunks):
    return [chunk["toolCallId"] for chunk in chunks if chunk["type"] == "tool-input-available"]


def begin(person, chat, served_by, *wanted):
    """A turn of one step, read by a greenlet."""
    served_by.answers = [Answer(stream_of_calls(*wanted)), DONE]
    return gevent.spawn(person.turn, chat, "go")


def test_reads_that_follow_each_other_run_at_the_same_time(alice, served_by, gate):
    one, other = turn_of(alice, served_by, [wait("one", "other"), wait("other", "one")])
    assert (one["name"], other["name"]) == ("one", "other")
    assert one["turn"] == other["turn"]
    assert one["turn"].startswith("turn_")


def test_five_reads_run_at_once_and_the_others_later(alice, served_by, gate):
    turn = begin(alice, alice.new_chat(), served_by, *(wait(n, "exit") for n in range(8)))
    wait_for(lambda: gate.inside == 5)
    gevent.idle()
    assert gate.entered == ["0", "1", "2", "3", "4"]
    gate.door("exit").set()
    assert len(ended(turn.get(timeout=10))) == 8
    assert (gate.most, len(gate.entered)) == (5, 8)


def test_a_write_runs_alone_between_the_reads_around_it(alice, served_by, gate):
    read, write = ("records.query", NOTES), ("records.create", {**NOTES, "data": {"title": "a"}})
    before, _, between, _, after = turn_of(alice, served_by, [read, write, read, write, read])
    assert [len(page["records"]) for page in (before, between, after)] == [0, 1, 2]


def test_a_write_waits_for_the_reads_before_it(alice, served_by, gate):
    chat, create = alice.new_chat(), ("records.create", {**NOTES, "data": {"title": "a"}})
    turn = begin(alice, chat, served_by, wait("one", "exit"), create, wait("two", "exit"))
    wait_for(lambda: gate.inside)
    gevent.idle()
    assert (gate.entered, alice.records("notes")) == (["one"], [])
    gate.door("exit").set()
    chunks = turn.get(timeout=10)
    assert ended(chunks) == announced(chunks)
    assert gate.entered == ["one", "two"]


def test_results_come_as_they_are_there_and_the_model_reads_its_own_order(alice, served_by, gate):
    chat = alice.new_chat()
    turn = begin(alice, chat, served_by, wait("slow", "exit"), wait("fast", "fast"))
    wait_for(lambda: len(gate.entered) == 2 and gate.inside == 1)
    gate.door("exit").set()
    chunks = turn.get(timeout=10)
    inputs = announced(chunks)
    assert ended(chunks) == inputs[::-1]
    first = types(chunks).index("tool-output-available")
    assert "tool-input-available" not in types(chunks)[first:]
    told = served_by.seen[-1].json["messages"]
    assert [block["id"] for block in told[-2]["content"]] == inputs
    assert [block["tool_use_id"] for block in told[-1]["content"]] == inputs
    parts = alice.rows(chat)[-1]["parts"]
    assert [part["toolCallId"] for part in parts if "toolCallId" in part] == inputs


@on_sqlite
def test_the_failure_of_one_read_is_its_own(alice, served_by):
    steps = [("test.break", {"how": "raise"}), ("test.add", {"left": 1, "right": 2})]
    assert turn_of(alice, served_by, steps) == ["The tool failed.", {"sum": 3}]


@on_sqlite
def test_a_stop_ends_all_reads_and_begins_no_other(alice, served_by, gate):
    chat = alice.new_chat()
    turn = begin(alice, chat, served_by, *(wait(n, "exit") for n in range(7)))
    wait_for(lambda: gate.inside == 5)
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
    chunks = turn.get(timeout=10)
    assert types(chunks)[-1] == "abort"
    assert types(chunks).count("tool-output-error") == 7
    assert (gate.inside, len(gate.entered)) == (0, 5)
    assert len(served_by.seen) == 1


@on_sqlite
def test_the_twenty_first_call_of_a_step_is_not_run(alice, served_by):
    wanted = [("test.add", {"left": number, "right": 0}) for number in range(22)]
    wanted[21] = ("test.add", {"left": "no number"})
    served_by.answers = [Answer(stream_of_calls(*wanted)), DONE]
    chunks = alice.turn(alice.new_chat(), "go")
    results = [chunk for chunk in chunks if chunk["type"].startswith("tool-output-")]
    sums = {chunk["output"]["sum"] for chunk in results if "output" in chunk}
    assert sums == set(range(20))
    refused = [chunk["errorText"] for chunk in results if "errorText" in chunk]
    assert refused == ["too many calls in one step"]
    assert types(chunks).count("tool-input-error") == 1


class Failure(Exception):
    pass


def endless(log, name):
    """A generator of chunks that notes its end."""
    try:
        while True:
            yield TextDelta(name, "")
            gevent.sleep(0)
    finally:
        log.append(name)


def failing():
    yield TextDelta("failing", "")
    raise Failure


def test_all_reads_end_when_their_results_are_not_needed_any_more():
    log = []
    merged = merge([endless(log, "a"), endless(log, "b"), endless(log, "never begun")], 2)
    assert {next(merged).id for _ in range(4)} == {"a", "b"}
    merged.close()
    assert sorted(log) == ["a", "b"]


def test_all_reads_end_when_one_of_them_raises():
    log = []
    merged = merge([endless(log, "a"), failing(), endless(log, "b")], 3)
    with pytest.raises(Failure):
        list(merged)
    assert sorted(log) == ["a", "b"]
