"""Of the connections whose requests come together, one goes on in each round of the event loop."""

import gevent
import pytest
from gunicorn.config import Config

from service.fairness import let_others_run
from serving.timed_requests import TimedParser
from tests.serving.arrived_bytes import ArrivedBytes

CONNECTIONS, ROUNDS = 20, 30
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def read():
    """The requests that were read so far."""
    requests = []

    def serve() -> None:
        parser = TimedParser(Config(), ArrivedBytes(REQUEST * 100), ("127.0.0.1", 1))
        requests.extend(request.path for request in parser)

    greenlets = [gevent.spawn(serve) for _ in range(CONNECTIONS)]
    yield requests
    gevent.killall(greenlets)


def test_a_round_takes_no_longer_with_each_further_connection(read):
    for _ in range(ROUNDS):
        let_others_run()
    assert CONNECTIONS + ROUNDS / 2 < len(read) <= CONNECTIONS + ROUNDS + 1
