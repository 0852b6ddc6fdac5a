"""The service behind deploy/nginx.conf, with other ports and another certificate."""

import gzip
import json
import re
import shutil
import ssl
import subprocess
import time
from pathlib import Path

import gevent
import pytest
import requests
from gevent.pywsgi import WSGIServer

from config import ROOT
from service.integrations.declare.task import LONGEST_WAIT
from service.integrations.everything import endpoints
from tests.nginx import Nginx, run_nginx, site_file, site_text
from tests.records.subscribers import Subscriber, token_of
from tests.services import flask, require, wait_for


@pytest.fixture
def nginx(service, tmp_path):
    with run_nginx(service.port, tmp_path) as made:
        yield made


def test_a_turn_streams_through_nginx_with_its_header(nginx, service):
    token = flask(service.database_url, "token", "issue", "alice")
    headers = {"Authorization": f"Bearer {token}"}
    chat = nginx.client.post(f"{nginx.url}/api/ai/chats", headers=headers, json={}).json()["chat"]
    body = {"chatId": chat["recordId"], "userMessageId": "u", "content": "count to 40"}
    url = f"{nginx.url}/api/ai/chat"
    with nginx.client.post(url, headers=headers, json=body, stream=True) as turn:
        pieces = list(turn.iter_content(None))
    assert pieces[0].startswith(b": stream-open")
    assert len(pieces) > 5  # 40 words of 10 ms each, not one block at the end
    assert "gzip" in turn.request.headers["Accept-Encoding"]
    assert "Content-Encoding" not in turn.headers
    assert turn.headers["X-Asst-Id"].startswith("msg_")
    assert turn.headers["X-Accel-Buffering"] == "no"  # for another nginx in front of this one


def test_json_is_sent_compressed_and_its_tag_still_counts(nginx):
    with nginx.client.get(f"{nginx.url}/openapi.json", stream=True) as answer:
        sent = answer.raw.read(decode_content=False)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Vary"] == "Accept-Encoding"
    plain = nginx.client.get(f"{nginx.url}/openapi.json", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(sent) == plain.content
    assert len(sent) < len(plain.content) / 5
    for known in (answer.headers["ETag"], plain.headers["ETag"]):
        again = nginx.client.get(f"{nginx.url}/openapi.json", headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")


STREAMS = Path(__file__).with_name("streams.mjs")
BROWSERS_LIMIT = 6  # connections to one host over HTTP/1.1, for all tabs


def test_more_streams_than_a_browser_has_connections_go_through_one(nginx, service):
    node = shutil.which("node")
    require(node, "Node.js (nodejs)")
    turns = []
    for number in range(BROWSERS_LIMIT + 2):
        token = token_of(service, f"person-{number}")
        headers = {"Authorization": f"Bearer {token}"}
        made = nginx.client.post(f"{nginx.url}/api/ai/chats", headers=headers, json={}).json()
        chat = made["chat"]["recordId"]
        turns.append([token, {"chatId": chat, "userMessageId": "u", "content": "count to 200"}])
    command = [node, STREAMS, nginx.url, nginx.client.verify]
    done = subprocess.run(command, input=json.dumps(turns), capture_output=True, text=True)
    assert done.stderr == ""
    said = json.loads(done.stdout)
    assert said["protocol"] == "h2"
    assert len(said["ended"]) == len(turns)
    for turn in said["ended"]:
        assert (turn["status"], turn["id"][:4]) == (200, "msg_")
        assert turn["text"].startswith(": stream-open")
        assert turn["text"].endswith("data: [DONE]\n\n")
        assert len(turn["times"]) > 5
    first_pieces = [turn["times"][0] for turn in said["ended"]]
    assert max(first_pieces) < min(turn["times"][-1] for turn in said["ended"])


def test_nginx_ends_an_idle_connection_before_the_service_does():
    """A request that goes into a connection just when the service ends it is a 502."""
    nginx = re.search(r"upstream .*?keepalive_timeout (\d+)s", site_text(), re.DOTALL)
    service = re.search(
        r"^keepalive = (\d+)", (ROOT / "gunicorn.conf.py").read_text(), re.MULTILINE
    )
    assert int(nginx[1]) < int(service[1])


def test_nginx_waits_for_the_longest_call_of_the_catalog():
    """With a minute more, for which a job holds a call open or a token is refreshed."""
    longest = max(endpoint.seconds for endpoint in endpoints())
    for place in ("/api/integrations/", "= /mcp"):
        assert limit_of(place, "proxy_read_timeout", "s") >= longest + LONGEST_WAIT, place


def test_nginx_lets_the_largest_body_of_the_catalog_through():
    largest = max(endpoint.body_limit for endpoint in endpoints())
    assert limit_of("/api/integrations/", "client_max_body_size", "m") << 20 >= largest


def limit_of(place: str, directive: str, unit: str) -> int:
    """The value of a directive in one location of deploy/nginx.conf."""
    block = re.search(rf"location {re.escape(place)} \{{(.*?)\}}", site_text(), re.DOTALL)[1]
    return int(re.search(rf"{directive} (\d+){unit};", block)[1])


def test_nginx_renews_its_connections(tmp_path):
    """Otherwise the workers that live keep the requests of one that was killed and came back."""
    ports = set()

    def answer(environ, start_response):
        ports.add(environ["REMOTE_PORT"])
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]

    server = WSGIServer(("127.0.0.1", 0), answer, log=None)
    server.start()
    with run_nginx(server.server_port, tmp_path) as nginx, nginx.session() as session:
        began, asked = time.monotonic(), 0
        while len(ports) < 2 and time.monotonic() - began < 60:
            assert session.get(f"{nginx.url}/healthz", timeout=10).ok
            asked += 1
            gevent.sleep(0.2)
    server.stop()
    assert (len(ports), asked > 5) == (2, True)  # the first connection has had several requests


def test_the_socket_goes_through_nginx(nginx, service):
    token = token_of(service, "alice")
    alice = Subscriber(service, "alice", through=nginx.connect())
    assert alice.subscribe("notes") == []
    headers, note = {"Authorization": f"Bearer {token}"}, {"title": "t"}
    url = f"{nginx.url}/api/records/notes"
    made = nginx.client.post(url, headers=headers, json=note).json()
    assert alice.changes(1) == [("added", made)]
    service.stop()
    assert alice.close_code() == 1012
    alice.close()


def test_routes_for_operators_are_not_forwarded(nginx):
    for path in ("/metrics", "/readyz"):
        assert nginx.client.get(nginx.url + path).status_code == 404, path


def test_browsers_are_redirected_to_https(nginx):
    plain = f"http://127.0.0.1:{nginx.plain_port}/some/page?with=query"
    sent_on = requests.get(plain, allow_redirects=False, timeout=10)
    assert sent_on.status_code == 301
    assert sent_on.headers["Location"] == "https://app.example.com/some/page?with=query"
    for path in ("/healthz", "/nowhere"):
        seen = nginx.client.get(nginx.url + path).headers["Strict-Transport-Security"]
        assert seen == "max-age=31536000"


def test_an_acme_client_proves_the_name_over_http(nginx):
    challenges = nginx.directory / "acme/.well-known/acme-challenge"
    challenges.mkdir(parents=True)
    (challenges / "token").write_text("token.key")
    plain = f"http://127.0.0.1:{nginx.plain_port}/.well-known/acme-challenge/"
    proof = requests.get(f"{plain}token", allow_redirects=False, timeout=10)
    assert (proof.status_code, proof.text) == (200, "token.key")
    assert requests.get(f"{plain}other", allow_redirects=False, timeout=10).status_code == 404


QUERIES = {
    "vendor": "/api/integrations/oauth/cloudsuite/callback?code=c4n4ry&state=c4n4ry",
    "sign-in": "/console/callback?code=c4n4ry&state=c4n4ry",
    "media": "/api/media/item?expires=1&signature=c4n4ry",
    "search": "/api/ai/search?q=c4n4ry",
    "records": "/api/records/notes?where=c4n4ry",
    "endpoint": "/api/integrations/geocode-city?city=c4n4ry",
    "admin": "/api/admin/users?search=c4n4ry",
}


def test_a_query_with_a_secret_or_somebodys_words_is_in_no_log(nginx, service):
    """For a request that is answered, one over HTTP, and one without a running service."""
    plain = f"http://127.0.0.1:{nginx.plain_port}"
    for path in QUERIES.values():
        nginx.client.get(nginx.url + path)
        nginx.client.get(f"{nginx.url}/healthz", headers={"Referer": f"{nginx.url}{path}"})
        requests.get(plain + path, allow_redirects=False, timeout=10)
    service.stop()
    for name, path in QUERIES.items():
        assert nginx.client.get(nginx.url + path).status_code == 502, name
        wait_for(lambda path=path: nginx.logged().count(path.partition("?")[0]) >= 3)
    logged = (nginx.logged() + service.log.read_text()).splitlines()
    assert [line for line in logged if "c4n4ry" in line] == []


def test_the_access_log_has_the_ids_of_requests(nginx):
    """The service's log has the same, so that a line here leads to those there."""
    answer = nginx.client.get(f"{nginx.url}/healthz", headers={"X-Request-Id": "of-a-client"})
    assert answer.headers["X-Request-Id"] == "of-a-client"
    wait_for(lambda: '" of-a-client\n' in nginx.logged())


def test_connections_of_one_address_are_limited(nginx):
    limit = int(re.search(r"limit_conn service_clients (\d+);", site_file(1, nginx))[1])
    connections = []
    try:
        for number in range(limit):
            connections.append(half_a_request(nginx))
            if number % 20 == 0:  # nginx closes one that sends nothing for a quarter of a minute
                for sock in connections:
                    sock.sendall(b" ")
        wait_for(lambda: nginx.client.get(f"{nginx.url}/healthz").status_code == 429)
        assert refusal(nginx.client.get(f"{nginx.url}/healthz")) == (429, "rate_limited")
    finally:
        for sock in connections:
            sock.close()
    wait_for(lambda: nginx.client.get(f"{nginx.url}/healthz").ok)


def half_a_request(nginx: Nginx) -> ssl.SSLSocket:
    """Open a connection and send the head of a request, so that nginx counts it."""
    sock = nginx.connect()
    sock.sendall(b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n")
    return sock


def refusal(answer: requests.Response) -> tuple[int, str]:
    """The status and the code of a refusal, which has a message and is shown over https only."""
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert answer.json()["message"]
    return answer.status_code, answer.json()["error"]


def test_nginx_refuses_in_the_services_form(nginx, service):
    """A client reads one form of refusal, whoever refuses."""
    far_too_large = b" " * (13 << 20)
    for path in ("/api/records/notes", "/api/integrations/geocode-city"):
        answer = nginx.client.post(nginx.url + path, data=far_too_large)
        assert refusal(answer) == (413, "too_large")
        assert answer.json().get("success") is (False if "integrations" in path else None)
    assert refusal(nginx.client.get(f"{nginx.url}/metrics")) == (404, "not_found")
    service.stop()
    for path in ("/api/ai/chats", "/api/integrations/geocode-city"):
        answer = nginx.client.get(nginx.url + path)
        assert refusal(answer) == (502, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0


def test_the_services_own_refusals_pass_through_nginx(nginx):
    answer = nginx.client.get(f"{nginx.url}/api/ai/chats")
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
