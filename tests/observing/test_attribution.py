"""Whose work it is: the facts of a greenlet, and of the one that runs."""

import gc

import gevent
import pytest

from service.observing import attribution


@pytest.fixture(autouse=True)
def nobody():
    """No facts of another test, and none for the next one."""
    with attribution.scope():
        attribution.begin()
        yield


def facts_in_another(**facts):
    """What the stall alarm reads while a greenlet with these facts runs."""

    def work():
        attribution.begin(**facts)
        return attribution.facts_of_running_greenlet()

    return gevent.spawn(work).get()


def test_the_running_greenlet_is_none_that_waits_or_has_not_begun():
    """A stall was told of the user whose reply was about to go on."""
    attribution.begin(user="waits")
    waiting, next_one = gevent.spawn(gevent.sleep, 60), gevent.Greenlet(gevent.sleep, 60)
    gevent.sleep(0)
    attribution.give(next_one, {})  # before the facts of the one that runs

    def work():
        attribution.begin(user="runs")
        next_one.start()
        attribution.give(next_one, {"user": "has not begun"})
        return attribution.facts_of_running_greenlet()

    assert gevent.spawn(work).get() == {"user": "runs"}
    gevent.killall([waiting, next_one])


def test_spawned_greenlets_inherit_and_change_their_own():
    attribution.begin(user="alice")
    assert gevent.spawn(attribution.current_facts).get() == {"user": "alice"}

    def work():
        attribution.bind(chat="c1")
        return attribution.current_facts()

    assert gevent.spawn(work).get() == {"user": "alice", "chat": "c1"}
    assert attribution.current_facts() == {"user": "alice"}
    assert facts_in_another(user="bob") == {"user": "bob"}


def test_what_a_scope_binds_is_forgotten_after_an_error_too():
    def fail():
        with attribution.scope():
            attribution.bind(endpoint="weather")
            raise KeyError

    attribution.begin(user="alice")
    with pytest.raises(KeyError):
        fail()
    assert attribution.current_facts() == {"user": "alice"}


def test_facts_end_with_their_greenlet():
    """Or a worker would keep those of every request that it has answered."""
    for facts in ({}, {"user": "alice"}):  # nothing, or something to inherit
        attribution.begin(**facts)
        for act in (attribution.bind, attribution.begin, attribution.current_facts):
            gevent.spawn(act).join()
        attribution.give(gevent.spawn(gevent.sleep, 0), {"user": "bob"})
    gevent.sleep(0.001)
    gc.collect()
    assert [one for one in attribution._facts if one() is None] == []
