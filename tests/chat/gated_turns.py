"""Turns that wait for their model until a test lets it answer."""

from gevent.event import Event

from tests import model_streams
from tests.people import chunks_of
from tests.services import wait_for
from tests.upstream import Answer


def gated_answer(*pieces):
    """An answer that is given once its gate is opened, and the gate."""
    gate = Event()

    def body():
        gate.wait()
        yield from pieces

    return Answer(body()), gate


def gated_text(text):
    return gated_answer(model_streams.anthropic(text).encode())


def begin(alice, served_by, chat, **body):
    """A turn that waits for its model."""
    before = len(served_by.seen)
    return wait_until_begun(alice.ask(chat, "hello", userMessageId="u", **body), served_by, before)


def wait_until_begun(response, served_by, before):
    assert response.status_code == 200
    next(iter(response.response))
    wait_for(lambda: len(served_by.seen) == before + 1)
    return response


def end(response, gate):
    gate.set()
    return chunks_of(response.get_data())
