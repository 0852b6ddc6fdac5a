"""What ends a connection whose client takes nothing of its answers."""

import errno
from types import SimpleNamespace

import pytest
from gunicorn.workers.ggevent import GeventWorker

from serving.worker import Worker


@pytest.mark.parametrize("number", [errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH])
def test_a_client_that_is_gone_is_no_error_of_the_server(monkeypatch, number):
    """gunicorn logs every other with a traceback. A router tells that a phone is unreachable."""

    def send(*_given):
        raise OSError(number, "of the kernel")

    monkeypatch.setattr(GeventWorker, "handle_request", send)
    with pytest.raises(ConnectionResetError):
        Worker.__new__(Worker).handle_request(None, SimpleNamespace(), None, None)


def test_an_error_of_the_app_is_not_taken_for_one_of_the_client(monkeypatch):
    def answer(*_given):
        raise TimeoutError("of something else")

    monkeypatch.setattr(GeventWorker, "handle_request", answer)
    with pytest.raises(TimeoutError):
        Worker.__new__(Worker).handle_request(None, SimpleNamespace(), None, None)
