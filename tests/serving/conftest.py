"""Plain connections to the service."""

import socket

import pytest


@pytest.fixture
def connect(service):
    opened = []

    def connecting() -> socket.socket:
        opened.append(socket.create_connection(("127.0.0.1", service.port), timeout=20))
        return opened[-1]

    yield connecting
    for sock in opened:
        sock.close()
