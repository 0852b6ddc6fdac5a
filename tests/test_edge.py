"""Malformed, incomplete and oversized requests are refused before a view is called."""

import json
import re
import socket
import struct
import time

import pytest

from service.auth.tokens import issue
from service.web.bodies import VALUES
from tests.services import on_sqlite, settings_for, wait_for

LIMIT = 1 << 20


@pytest.fixture
def send(service):
    """Send raw bytes to a service as alice; return the status and the JSON of its answer."""
    token = issue(settings_for(service.database_url), "alice", "user", 600)

    def sending(head: str, *pieces: bytes):
        headers = f"Host: localhost\r\nAuthorization: Bearer {token}\r\n"
        begin, _, rest = f"{head}\r\n".partition("\r\n")
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as sock:
            sock.sendall(f"{begin}\r\n{headers}{rest}\r\n".encode())
            for piece in pieces:
                sock.sendall(piece)
            sock.shutdown(socket.SHUT_WR)
            answer = sock.makefile("rb").read()
        status, body = re.match(rb"HTTP/1.1 (\d+).*?\r\n\r\n(.*)", answer, re.S).groups()
        return int(status), json.loads(body)

    return sending


def chunked(body: bytes) -> bytes:
    parts = [body[start : start + 65536] for start in range(0, len(body), 65536)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])


CREATE = "POST /api/records/notes HTTP/1.1\r\nTransfer-Encoding: chunked"
BROKEN = [
    b"zz\r\nabc\r\n0\r\n\r\n",
    b'3\r\n{"title":"t"}\r\n0\r\n\r\n',
    b"2\r\n{}\r\n0\r\nx\r\n\r\n",
    b"5\r\n{}",
]


def test_a_chunked_body_is_read_completely_or_refused(send):
    note = json.dumps({"title": "whole"}).encode()
    assert send(CREATE, chunked(note))[0] == 201
    assert send(CREATE, chunked(note.ljust(LIMIT)))[0] == 201
    for size in (LIMIT + 1, 3 * LIMIT):
        status, answer = send(CREATE, chunked(note.ljust(size)))
        assert (status, answer["error"]) == (413, "too_large")
        assert answer["message"] == "A body may have at most 1 MiB."
    for broken in BROKEN:
        status, answer = send(CREATE, broken)
        assert (status, answer["error"]) == (400, "invalid_request"), broken


def test_a_body_that_ends_before_its_length_is_refused(send):
    note = b'{"title": "cut off"}'
    head = "POST /api/records/notes HTTP/1.1\r\nContent-Length: "
    assert send(f"{head}{len(note)}", note)[0] == 201
    status, answer = send(f"{head}{len(note) + 5}", note)
    assert (status, answer["message"]) == (400, "The body is shorter than its Content-Length.")


def test_a_client_that_resets_its_connection_within_a_body_is_no_failure(service):
    token = issue(settings_for(service.database_url), "alice", "user", 600)
    head = f"POST /api/ai/chats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"

    def reset():
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as sock:
            sock.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
            time.sleep(0.2)  # until the view waits for the rest
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def told():
        lines = [line for line in service.log.read_text().splitlines() if line.startswith("{")]
        return [one for one in map(json.loads, lines) if one.get("method") == "POST"]

    wait_for(lambda: reset() or told())  # a busy machine may not have read the head by then
    assert {(one["event"], one["status"]) for one in told()} == {("answered", 400)}
    assert "unhandled" not in service.log.read_text()


def test_gunicorns_own_refusals_are_json(send):
    fits = "x" * 8000
    assert send(f"GET /api/records/notes/{fits} HTTP/1.1")[1]["error"] == "not_found"
    status, answer = send(f"GET /api/records/notes/{fits * 2} HTTP/1.1")
    assert (status, list(answer)) == (414, ["error", "message"])
    assert answer["message"].startswith("The address is too long: ")


@on_sqlite
def test_a_nul_in_the_address_is_refused_after_the_token(client, alice):
    for path in ("/api/records/notes%00", "/api/records/notes?where=%00"):
        assert client.get(path).json["error"] == "unauthorized"
    assert alice.get("/api/records/notes/%00").json["error"] == "not_found"
    for query in ("where=%7B%22title%22:%22%00%22%7D", "%00=1", "limit=%00", "limit=1&limit=%00"):
        refused = alice.get(f"/api/records/notes?{query}")
        assert (refused.status_code, refused.json["error"]) == (400, "invalid_request")
        assert refused.json["details"]


@on_sqlite
@pytest.mark.parametrize("path", ["/api/nothing", "/nothing", "/api/record/notes"])
def test_an_unknown_address_is_told_from_an_absent_record(alice, path):
    absent, unknown = alice.get("/api/records/ai-chats/absent"), alice.get(path)
    assert (unknown.status_code, unknown.json["error"]) == (404, absent.json["error"])
    assert unknown.json["message"].startswith("There is no such address. ")
    assert not absent.json["message"].startswith("There is no such address. ")


@on_sqlite
def test_a_name_that_stands_twice_in_the_query_is_refused(alice):
    """Else the second of two filters would be ignored."""
    for query, name in (('where={}&where={"title":"x"}', "where"), ("limit=5&limit=5", "limit")):
        refused = alice.get(f"/api/records/notes?{query}")
        assert (refused.status_code, refused.json["error"]) == (400, "invalid_request"), query
        assert refused.json["details"] == {name: ["Must be given once."]}, query
    assert alice.get("/api/records/notes?where={}&limit=5").status_code == 200


@on_sqlite
def test_a_body_with_too_many_values_is_refused_before_parsing(alice):
    def send(values: object) -> int:
        body = {"title": "x", "io": {"values": values}}
        return alice.post("/api/records/canvases", body).status_code

    assert send([[]] * (VALUES // 2)) == 413, "a list counts with its comma"
    assert send([""] * VALUES) == 413
    hidden = ["\u2200", *[[]] * VALUES, ""]  # in UTF-16, half of this character is a quotation mark
    raw = json.dumps(hidden, ensure_ascii=False).encode("utf-16")
    assert alice.post("/api/ai/chats", data=raw).status_code == 413
    assert send([[]] * (VALUES // 2 - 10)) == 201
    assert send(',[{"' * VALUES) == 201, "one text, whatever is in it"


@on_sqlite
def test_a_text_without_an_end_is_refused_at_once(alice):
    """The search for the end of each escaped quotation mark took half an hour."""
    raw = '"' + r",\"" * 300_000
    assert alice.post("/api/ai/chats", data=raw).status_code == 400


@on_sqlite
@pytest.mark.parametrize("path", ["chat/c/stop", "turns/t/undo"])
def test_a_route_without_a_body_takes_an_empty_one_only(alice, path):
    for raw in ["{bad", "[]", "null", '{"force": true}']:
        answer = alice.post(f"/api/ai/{path}", data=raw)
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), raw
    for taken in [{}, {"data": "{}"}, {"json": {}}, {"data": b"", "content_type": "text/plain"}]:
        assert alice.post(f"/api/ai/{path}", **taken).status_code == 404, taken


@on_sqlite
def test_details_have_at_most_a_hundred_fields(alice):
    body = {f"unknown{number}": 0 for number in range(2_000)}
    for path in ("/api/ai/chats", "/api/records/notes", "/api/integrations/current-weather"):
        assert len(alice.post(path, body).json["details"]) == 100
