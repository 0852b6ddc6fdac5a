"""When a worker begins to end, and what it waits for."""

import gevent
import pytest

from service.lifecycle import POLL_SECONDS, Lifecycle
from service.observing import measures
from tests.services import on_sqlite


@pytest.fixture
def lifecycle():
    return Lifecycle()


def test_listeners_are_told_once_how_long_the_worker_has(lifecycle):
    told = []
    lifecycle.on_drain(lambda seconds: told.append(("first", seconds)))
    lifecycle.on_drain(lambda seconds: told.append(("second", seconds)))
    for grace in (8.0, 4.0):
        lifecycle.drain(grace)
    assert (told, lifecycle.draining) == ([("first", 8.0), ("second", 8.0)], True)


def test_a_listener_that_fails_does_not_stop_the_others(lifecycle):
    called = []

    def fail(_grace):
        raise RuntimeError("no")

    lifecycle.on_drain(lambda _grace: called.append("before"))
    lifecycle.on_drain(fail)
    lifecycle.on_drain(lambda grace: called.append(grace))
    with pytest.raises(RuntimeError, match="no"):
        lifecycle.drain(3.0)
    assert (called, lifecycle.draining) == (["before", 3.0], True)


def test_the_drain_begins_behind_a_delay_that_counts_as_grace_time(lifecycle):
    """Otherwise turns would be interrupted after the master has killed the worker."""
    told, state = [], {"alive": True}
    lifecycle.on_drain(told.append)
    watching = lifecycle.watch(lambda: state["alive"], 8.0, lambda grace: grace / 8)
    gevent.sleep(2 * POLL_SECONDS)
    state["alive"] = False
    gevent.sleep(POLL_SECONDS + 0.02)
    assert (told, lifecycle.draining) == ([], False)
    watching.join(timeout=5)
    assert told == [7.0]


def test_a_worker_is_done_when_each_of_its_rooms_is(lifecycle):
    assert lifecycle.is_done
    done = {"turns": False, "traces": False}
    for name in done:
        lifecycle.ends_after(lambda name=name: done[name])
    for name in done:
        assert not lifecycle.is_done
        done[name] = True
    assert lifecycle.is_done


@on_sqlite
def test_other_workers_see_at_once_that_one_takes_no_new_work(app):
    app.extensions["sampler"].sample()
    assert measures.WORKERS_READY._value.get() == 1
    app.extensions["lifecycle"].drain(8.0)
    assert measures.WORKERS_READY._value.get() == 0
