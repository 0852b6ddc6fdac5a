"""The app runs in another greenlet, without a difference for the server or the app."""

import gc
import weakref
from contextvars import ContextVar

import gevent
import pytest
from gevent.event import Event

from service.observing import attribution
from serving.own_stack import IDLE_GREENLETS, OwnStack

REQUEST = {"PATH_INFO": "/"}
USER: ContextVar[object] = ContextVar("user", default="nobody")


class Body(list):
    """A response that a weak reference can watch."""


class Environ(dict):
    """The same of a request."""


def test_the_response_comes_from_another_greenlet():
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


def test_the_next_request_has_the_same_greenlet():
    app = OwnStack(lambda *_: [gevent.getcurrent()])
    assert app(REQUEST, None) == app(REQUEST, None)


def test_requests_at_the_same_time_have_greenlets_of_their_own():
    ran_in = []

    def serve(*_):
        ran_in.append(gevent.getcurrent())
        gevent.sleep(0.01)
        return []

    app = OwnStack(serve)
    for _ in range(2):
        gevent.joinall([gevent.spawn(app, REQUEST, None) for _ in range(IDLE_GREENLETS + 2)])
    assert len(set(ran_in[: IDLE_GREENLETS + 2])) == IDLE_GREENLETS + 2
    assert len(set(ran_in)) == IDLE_GREENLETS + 4, "idle ones work again, and two new ones"


def test_a_greenlet_that_waits_keeps_nothing_of_its_last_request():
    made = []

    def serve(environ, _start_response):
        body, user = Body(), Environ()
        USER.set(user)
        made.extend(weakref.ref(one) for one in (environ, user, body))
        return body

    app = OwnStack(serve)

    def connection() -> None:
        app(Environ(REQUEST), None)

    gevent.spawn(connection).join()
    gevent.sleep(0)
    gc.collect()
    assert [one() for one in made] == [None, None, None]


def test_the_app_has_the_context_of_its_caller_and_of_no_other():
    app = OwnStack(lambda environ, _: [USER.get(), environ["set"] and USER.set("alice")])

    def serve(name: str | None) -> list:
        if name:
            USER.set(name)
        return app({**REQUEST, "set": bool(name)}, None)[:1] + [USER.get()]

    assert gevent.spawn(serve, "bob").get(timeout=5) == ["bob", "alice"]
    assert gevent.spawn(serve, None).get(timeout=5) == ["nobody", "nobody"]


def test_an_upgraded_connection_stays_where_it_is():
    here = gevent.getcurrent()
    environ = {**REQUEST, "HTTP_UPGRADE": "websocket"}
    assert OwnStack(lambda *_: [gevent.getcurrent() is here])(environ, None) == [True]


def test_an_error_is_raised_to_the_server_and_the_next_request_is_served():
    def serve(environ, _start_response):
        if environ.get("fails"):
            raise ValueError("x")
        return [b"hi"]

    app = OwnStack(serve)
    for _ in range(2):
        with pytest.raises(ValueError, match="x"):
            app({**REQUEST, "fails": True}, None)
        assert app(REQUEST, None) == [b"hi"]


def test_facts_that_the_app_learns_are_the_server_s_and_not_the_next_request_s():
    seen = []

    def serve(*_):
        seen.append(attribution.current_facts())
        attribution.begin(user="alice")
        return []

    app = OwnStack(serve)

    def connection() -> dict:
        app(REQUEST, None)
        return attribution.current_facts()

    assert gevent.spawn(connection).get(timeout=5) == {"user": "alice"}
    assert gevent.spawn(connection).get(timeout=5) == {"user": "alice"}
    assert seen == [{}, {}]


def test_the_app_ends_with_a_server_that_is_killed():
    ended = []

    def app(*_):
        try:
            Event().wait()
        finally:
            ended.append(attribution.current_facts())

    def connection():
        attribution.begin(user="alice")
        OwnStack(app)(REQUEST, None)

    serving = gevent.spawn(connection)
    gevent.sleep(0.01)
    serving.kill(timeout=5)
    assert len(ended) == 1
