"""The commands in the README, on a copy of the tracked files: `make run`, then curl."""

import json
import re
import shutil
import subprocess

import pytest
import requests

from config import ROOT
from tests.fresh_copy import FreshCopy
from tests.people import chunks_of, types
from tests.services import free_port, require


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return FreshCopy(tmp_path_factory.mktemp("readme") / "copy")


@pytest.fixture
def started(copy):
    """Run `make run` in a fresh copy; its port and its output."""
    port = free_port()
    with copy.serving("make", "run", until=b"#token=", PORT=str(port)) as printed:
        yield port, printed


def test_make_run_and_the_curl_lines_hold_a_conversation(started):
    require(shutil.which("curl"), "curl")
    port, output = started
    token = re.search(r"^ey[\w.-]+$", output, re.M)[0]
    readme = (ROOT / "README.md").read_text()
    script = re.search(r"```bash\n(.*?)```", readme, re.S)[1]
    script = script.replace("paste-the-sign-in-token-here", token)
    script = script.replace(":8000", f":{port}")
    result = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=180)
    stream, _, records = result.stdout.partition("data: [DONE]\n\n")
    chunks = chunks_of(stream.encode() + b"data: [DONE]\n\n")
    assert types(chunks).count("tool-output-available") == 2
    assert types(chunks)[-1] == "finish"
    roles = [record["data"]["role"] for record in json.loads(records)["records"]]
    assert roles == ["user", "assistant"]


def test_a_second_start_ends_with_a_link_that_signs_in_too(started, copy):
    port, output = started
    link = [line for line in output.strip().splitlines() if not line.startswith("{")][-1]  # no log
    token = link.removeprefix(f"http://127.0.0.1:{port}/#token=")
    assert token in output.splitlines()  # on a line of its own, for scripts
    headers = {"Authorization": f"Bearer {token}"}
    answer = requests.get(f"http://127.0.0.1:{port}/api/credits", headers=headers, timeout=10)
    assert answer.status_code == 200
    assert {path.name for path in (copy.place / "instance").glob("*.db")} == {"sandbox.db"}
