"""The service behind deploy/nginx.conf, as it stands but for its port and certificate."""

import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from config import ROOT
from tests.records.listening import Subscriber, token_of
from tests.services import flask, free_port, require, wait_for


@pytest.fixture
def front(service, tmp_path):
    """nginx in front of the running service; its base URL."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    require(nginx, "nginx")
    port = free_port()
    (tmp_path / "site.conf").write_text(site(service.port, port))
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;"
        f"events {{}} http {{ access_log off; client_body_temp_path {tmp_path}/body;"
        f"proxy_temp_path {tmp_path}/proxy; include {tmp_path}/site.conf; }}"
    )
    process = subprocess.Popen([nginx, "-p", tmp_path, "-c", tmp_path / "nginx.conf"])
    wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait()


def site(service_port: int, port: int) -> str:
    text = (ROOT / "deploy/nginx.conf").read_text()
    lines = [line for line in text.splitlines() if "ssl_certificate" not in line]
    changed = "\n".join(lines).replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    return changed.replace("127.0.0.1:8000", f"127.0.0.1:{service_port}")


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).ok
    except requests.ConnectionError:
        return False


def test_a_turn_streams_through_nginx_with_its_header(front, service):
    token = flask(service.database_url, "token", "issue", "alice")
    headers = {"Authorization": f"Bearer {token}"}
    chat = requests.post(f"{front}/api/ai/chats", headers=headers, json={}).json()["chat"]
    body = {"chatId": chat["recordId"], "userMessageId": "u", "content": "count to 40"}
    with requests.post(f"{front}/api/ai/chat", headers=headers, json=body, stream=True) as turn:
        pieces = list(turn.iter_content(None))
    assert pieces[0].startswith(b": stream-open")
    assert len(pieces) > 5  # 40 words of 10 ms each, not one block at the end
    assert turn.headers["X-Asst-Id"].startswith("msg_")


def test_the_socket_goes_through_nginx(front, service):
    here = SimpleNamespace(port=int(front.rpartition(":")[2]), database_url=service.database_url)
    alice, token = Subscriber(here, "alice"), token_of(service, "alice")
    assert alice.subscribe("notes") == []
    headers = {"Authorization": f"Bearer {token}"}
    made = requests.post(f"{front}/api/records/notes", headers=headers, json={"title": "t"}).json()
    assert alice.changes(1) == [("added", made)]
    service.stop()
    assert alice.close_code() == 1012
    alice.close()


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_what_is_for_operators_is_not_forwarded(front, path):
    assert requests.get(front + path).status_code == 404


def test_the_unit_file_starts_what_exists():
    unit = (ROOT / "deploy/service.service").read_text()
    assert "gunicorn -c gunicorn.conf.py wsgi:app" in unit
    assert Path(ROOT / "gunicorn.conf.py").exists()
