"""The commands for the first start in docs/deployment.md, on a copy of the tracked files."""

import re
import shutil

import pytest
import requests

from config import ROOT, load
from service.auth.tokens import issue
from tests.fresh_copy import FreshCopy
from tests.services import free_port, require, wait_for

SECTION = (ROOT / "docs/deployment.md").read_text().split("## First start")[1].split("\n##")[0]
# Without the first block, because a test may not install packages.
_, SECRETS, START, LOOK = re.findall(r"```bash\n(.*?)```", SECTION, re.S)
SEEN = re.findall(r"^    (.*)$", SECTION, re.M)
SETTINGS = START.splitlines()[0]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return FreshCopy(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="module")
def url(fresh):
    port = free_port()
    with fresh.serving("bash", "-euc", SECRETS + START, PORT=str(port)):
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers(url), 60)
        yield url


def answers(url):
    try:
        return requests.get(f"{url}/readyz", timeout=5).ok
    except requests.RequestException:  # also one that a busy machine answers too late
        return False


def test_the_first_start_prints_what_the_document_shows(fresh, url):
    require(shutil.which("curl"), "curl")
    script = f"{SETTINGS}\n{LOOK}".replace("http://127.0.0.1:8000", url)
    assert fresh.run("bash", "-c", script).stdout.splitlines() == SEEN


def test_a_reply_needs_the_key_of_the_provider(fresh, url):
    lines = (fresh.place / "instance/service.env").read_text().splitlines()
    token = issue(load(dict(line.split("=", 1) for line in lines)), "alice", "user", 600)
    headers = {"Authorization": f"Bearer {token}"}
    chat = requests.post(f"{url}/api/ai/chats", headers=headers, json={}).json()["chat"]
    body = {"chatId": chat["recordId"], "userMessageId": "u", "content": "hello"}
    answer = requests.post(f"{url}/api/ai/chat", headers=headers, json=body)
    assert (answer.status_code, answer.json()["error"]) == (503, "not_configured")
    assert answer.json()["setting"] == "PROVIDER_A_API_KEY"


def test_a_migration_is_created_without_settings(tmp_path):
    result = FreshCopy(tmp_path).run("make", "migrate", "M=a new column")
    assert result.returncode == 0, result.stdout
    assert list(tmp_path.glob("migrations/versions/*_a_new_column.py"))
