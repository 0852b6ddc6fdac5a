"""What ends a connection whose client takes nothing of its answers."""

import errno
import json
import socket
from types import SimpleNamespace

import pytest
from gunicorn.workers.ggevent import GeventWorker

from serving.worker import Worker
from tests.faults.client import client_of
from tests.services import wait_for


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


@pytest.mark.settings(RESPONSE_SECONDS="1")
def test_a_client_that_reads_nothing_of_a_reply_counts_as_gone(service):
    """As docs/deployment.md says of a phone without network."""
    client = client_of(service)
    question = {"chatId": client.new_chat(), "userMessageId": "u", "content": "count to 400"}
    body = json.dumps(question)
    head = f"Authorization: Bearer {client.token}\r\nContent-Type: application/json\r\n"
    head += f"Host: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # the kernel's least
        sock.connect(("127.0.0.1", service.port))
        sock.sendall(f"POST /api/ai/chat HTTP/1.1\r\n{head}{body}".encode())
        wait_for(lambda: '"reason": "gone"' in service.log.read_text())
    assert '"level": "error"' not in service.log.read_text()
