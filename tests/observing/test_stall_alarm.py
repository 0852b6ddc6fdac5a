"""What the stall alarm tells of samples, of which a test is the clock."""

import json
import time

import gevent
import pytest

from service.observing import attribution, stall
from service.observing.stall_times import Sample

ROUTE = "/stalls"


class PromptLoop:
    """The event loop, as if its current iteration had begun just now."""

    now = staticmethod(time.time)

    def __init__(self, loop):
        self._loop = loop

    def __getattr__(self, name):
        return getattr(self._loop, name)


@pytest.fixture
def alarm(monkeypatch):
    """An alarm whose watched thread is this one. It has the CPU all the time. What a test of a busy
    machine has taken until its first sample is no part of a stall."""
    made = stall.StallAlarm()
    made._previous = Sample(0, 0)
    made._loop = PromptLoop(made._loop)
    monkeypatch.setattr(made, "_read_queue", lambda now: 0.0)
    with attribution.scope():
        attribution.begin(user="alice", route=ROUTE)
        yield made
    gevent.sleep(0)  # for what it counts in the event loop


@pytest.fixture
def look(alarm, monkeypatch):
    """Take samples at these seconds; the pauses that the alarm wants after them."""

    def looking(*moments, cpu=1.0):
        pauses = []
        for moment in moments:
            monkeypatch.setattr(alarm, "_read_clocks", lambda at=moment: Sample(at, at * cpu))
            pauses.append(alarm._look(stall.PERIOD_SECONDS))
        return pauses

    return looking


@pytest.fixture
def lines(capfd):
    return lambda: [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def counted(kind="computing"):
    child = stall.STALLS.labels(ROUTE, kind)
    return sum(bucket.get() for bucket in child._buckets), child._sum.get()


def test_a_stall_is_told_while_it_lasts_and_at_its_end(alarm, look, lines):
    count, seconds = counted()
    look(0.04, 0.1, 0.9, 1.1, 5.0, 10.2, 11.5)
    alarm._end()
    gevent.sleep(0)
    told = lines()
    assert [line["event"] for line in told] == ["stalling", "stalling", "stalled"]
    assert [line["ms"] // 1000 for line in told] == [1, 10, 11]
    assert {(one["user"], one["route"], one["kind"], one["level"]) for one in told} == {
        ("alice", ROUTE, "computing", "warning")
    }
    assert told[-1]["at"][-1].endswith(" _look"), "innermost last"
    assert counted() == (count + 1, pytest.approx(seconds + 11.5, abs=0.1))
    assert stall.LONGEST._value.get() == pytest.approx(11.5, abs=0.1)


def test_the_longest_stall_stays_the_longest(alarm, look):
    for began, end in ((0.0, 2.0), (3.0, 3.5)):
        look(began + 0.04, began + 0.1, end)
        alarm._end()
        gevent.sleep(0)
    assert stall.LONGEST._value.get() == pytest.approx(2, abs=0.1)


def test_shorter_work_is_not_a_stall(alarm, look, lines):
    before = counted()
    look(0.01, 0.02, 0.045)
    alarm._end()
    gevent.sleep(0)
    assert (lines(), counted()) == ([], before)


def test_time_in_which_the_process_was_stopped_is_no_stall(alarm, look, lines):
    """The samples are late, and the watched thread has not used the time either."""
    look(0.04, 0.08, 3.0, 3.04, 3.08, cpu=0.0)
    look(*(3.12 + number * stall.PERIOD_SECONDS for number in range(20)), cpu=0.0)
    alarm._end()
    [told] = [line for line in lines() if line["event"] == "stalled"]
    assert told["kind"] == "blocked"
    assert 800 <= told["ms"] <= 1000, "what came before and after counts"


def test_time_without_a_cpu_is_no_stall(alarm, look, lines, monkeypatch):
    look(0.01)
    monkeypatch.setattr(alarm, "_read_queue", lambda now: now.at)
    look(0.3, cpu=0.0)
    alarm._end()
    assert lines() == []


def test_a_wait_for_a_cpu_that_ends_after_the_last_sample_is_no_stall(
    alarm, look, lines, monkeypatch
):
    """The kernel counts the wait when it is over."""
    look(0.01, 0.03, 0.09, cpu=0.0)
    monkeypatch.setattr(alarm, "_read_queue", lambda now: 0.09)
    alarm._end()
    assert lines() == []


def test_another_iteration_of_the_loop_is_another_piece_of_work(alarm, look, lines):
    look(0.01, 0.04)
    gevent.sleep(0.001)
    look(0.06, 0.09)
    alarm._end()
    assert lines() == []


def test_samples_are_rarer_the_longer_a_stall_is(alarm, look):
    pauses = look(0.04, 0.1, 2.0, 10.0)
    assert pauses[0] == pytest.approx(stall.STALL_SECONDS, abs=0.01)
    assert pauses[1:] == [pytest.approx(pause, rel=0.1) for pause in (0.006, 0.2, 1.0)]
