"""The app runs in a greenlet of its own, and nobody notices."""

import gevent
import pytest
from gevent.event import Event

from service.observing import attribution
from serving.own_stack import OwnStack

REQUEST = {"PATH_INFO": "/"}


def test_the_response_comes_from_another_greenlet_which_has_ended():
    ran_in = []

    def app(_environ, start_response):
        ran_in.append(gevent.getcurrent())
        gevent.sleep(0)  # as it does for a database
        start_response("200 OK", [])
        return [b"hi"]

    started = []
    assert OwnStack(app)(REQUEST, lambda *given: started.append(given)) == [b"hi"]
    assert started == [("200 OK", [])]
    assert ran_in[0] is not gevent.getcurrent()
    assert ran_in[0].dead


def test_an_upgraded_connection_stays_where_it_is():
    here = gevent.getcurrent()
    environ = {**REQUEST, "HTTP_UPGRADE": "websocket"}
    assert OwnStack(lambda *_: [gevent.getcurrent() is here])(environ, None) == [True]


def test_an_error_is_raised_to_the_server():
    def app(*_):
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        OwnStack(app)(REQUEST, None)


def test_facts_that_the_app_learns_are_the_server_s():
    def serve() -> dict:
        OwnStack(lambda *_: attribution.begin(user="alice") or [])(REQUEST, None)
        return attribution.current_facts()

    assert gevent.spawn(serve).get(timeout=5) == {"user": "alice"}


def test_the_app_ends_with_a_server_that_is_killed():
    ended = []

    def app(*_):
        try:
            Event().wait()
        finally:
            ended.append(True)

    serving = gevent.spawn(OwnStack(app), REQUEST, None)
    gevent.sleep(0.01)
    serving.kill(timeout=5)
    assert ended == [True]
