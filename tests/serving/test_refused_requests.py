"""Requests that gunicorn can't read are refused, and the log repeats nothing of them."""

import json
import re
import socket
import time

import pytest

from service.observing import attribution
from serving.refusals import write_error

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


LONG = "x" * 9000
UNREAD = {
    "address": (414, f"GET /api/ai/search?q={LONG} HTTP/1.1\r\nHost: x\r\n\r\n"),
    "headers": (431, f"GET /api/credits HTTP/1.1\r\nHost: x\r\nX-A: {LONG}\r\n\r\n"),
    "length": (400, "POST /api/ai/chats HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n"),
    "coding": (501, "POST /api/ai/chats HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\n\r\n"),
    "expectation": (417, "GET /api/credits HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n"),
    "endpoint": (414, f"GET /api/integrations/search-web?query={LONG} HTTP/1.1\r\n\r\n"),
    "status": (431, f"GET /api/integrations/status HTTP/1.1\r\nX-A: {LONG}\r\n\r\n"),
}


MESSAGES = {
    400: "This is not a valid HTTP request.",
    414: "The address is too long: with its query it may have at most 8190 bytes.",
    417: "This value of Expect is not supported.",
    431: "The headers are too long, or too many.",
    501: "This value of Transfer-Encoding is not supported.",
}
DETAILS: dict[int, dict] = {400: {}}  # as every `invalid_request` with the status 400


@pytest.mark.parametrize("part", UNREAD)
def test_a_refusal_has_the_form_of_the_others_and_an_id_that_is_in_the_log(service, part):
    status, sent = UNREAD[part]
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as sock:
        for piece in (sent[:10], sent[10:]):
            sock.sendall(piece.encode())
            time.sleep(0.05)
        head, _, body = sock.makefile("rb").read().decode().partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    request_id = re.search("^X-Request-Id: ([0-9a-f]{32})$", head.replace("\r", ""), re.M)[1]
    begins = ["success", "error"] if "integrations" in sent else ["error", "message"]
    answer = json.loads(body)
    assert (list(answer)[:2], answer["error"]) == (begins, "invalid_request")
    assert (answer["message"], answer.get("details")) == (MESSAGES[status], DETAILS.get(status))
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if "{" in line]
    (line,) = [line for line in lines if line.get("request_id") == request_id]
    assert line["event"].startswith("Invalid request from ip=127.0.0.1: ")


def test_a_refusal_behind_a_request_of_the_same_packet_has_its_form_too(service):
    refused = f"GET /api/integrations/status HTTP/1.1\r\nX-A: {LONG}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as sock:
        sock.sendall(f"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n{refused}".encode())
        body = sock.makefile("rb").read().decode().rpartition("\r\n\r\n")[2]
    assert list(json.loads(body)) == ["success", "error", "message"]


def test_a_client_that_still_sends_gets_the_answer(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as sock:
        sock.sendall(f"GET /api/ai/search?q={LONG * 50} HTTP/1.1\r\n\r\n".encode())
        time.sleep(0.2)  # if the service had closed the connection, it were reset by now
        assert sock.makefile("rb").read().startswith(b"HTTP/1.1 414 ")


@pytest.mark.parametrize(("path", "status"), [("/hidden/healthz", 404), ("/healthz", 200)])
def test_a_client_names_no_part_of_the_address_that_is_left_out(service, path, status):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as sock:
        headers = "Host: x\r\nSCRIPT_NAME: /hidden\r\nConnection: close\r\n"
        sock.sendall(f"GET {path} HTTP/1.1\r\n{headers}\r\n".encode())
        assert sock.makefile("rb").read().startswith(f"HTTP/1.1 {status} ".encode())


def test_a_failure_of_the_server_is_not_called_a_fault_of_the_request():
    attribution.begin()  # of no route, in this greenlet of many tests
    ours, client = socket.socketpair()
    with client:
        with ours:
            write_error(ours, 500, "Internal Server Error", "")
        head, _, body = client.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n")
    message = "The server failed to answer this request."
    assert json.loads(body) == {"error": "internal_error", "message": message}
