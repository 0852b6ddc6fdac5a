"""Requests that gunicorn can't read are refused, and the log repeats nothing of them."""

import json
import socket

import pytest

SECRET = "eyJ0eXAiOiJKV1QifQ.secret"
REQUESTS = {
    "header": f"GET /api/credits HTTP/1.1\r\nHost: x\r\nAuthorization Bearer {SECRET}\r\n\r\n",
    "line": f'{{"content": "it\'s {SECRET}"}} x\r\n\r\n',
    "method": f"{SECRET} / HTTP/1.1\r\nHost: x\r\n\r\n",
    "version": f"GET / {SECRET}\r\nHost: x\r\n\r\n",
    "coding": f"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {SECRET}\r\n\r\n",
}


@pytest.mark.parametrize("part", REQUESTS)
def test_the_log_names_what_is_wrong_and_does_not_repeat_it(service, part):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as sock:
        sock.sendall(REQUESTS[part].encode())
        assert sock.makefile("rb").read().startswith((b"HTTP/1.1 400", b"HTTP/1.1 501"))
    log = service.log.read_text()
    events = [json.loads(line)["event"] for line in log.splitlines() if line.startswith("{")]
    assert sum(event.startswith("Invalid request from ip=127.0.0.1: ") for event in events) == 1
    assert SECRET not in log
