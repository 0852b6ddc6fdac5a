"""The commands in the README, on a copy of the tracked files: `make run`, then curl."""

import json
import re
import shutil
import subprocess

import pytest

from config import ROOT
from tests.people import chunks_of, types
from tests.services import free_port, require
from tests.starting import FreshCopy


@pytest.fixture
def started(tmp_path):
    """Run `make run` in a fresh copy; its port and its output."""
    port = free_port()
    with FreshCopy(tmp_path / "copy").serving("make", "run", PORT=str(port)) as printed:
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
