"""The README's own commands, on a copy of what is tracked: `make run`, then its curl lines."""

import json
import os
import re
import shutil
import subprocess

import pytest

from config import ROOT
from tests.people import chunks_of, types
from tests.services import free_port, require, wait_for
from tests.starting import FreshCopy, bare


@pytest.fixture
def started(tmp_path):
    """`make run` in a fresh copy that shares this one's virtual environment."""
    copy, port = tmp_path / "copy", free_port()
    FreshCopy(copy)
    output = tmp_path / "output"
    with output.open("wb") as log:
        process = subprocess.Popen(
            ["make", "run"],
            cwd=copy,
            env=bare(PORT=str(port)),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    wait_for(lambda: process.poll() is not None or b"Booting" in output.read_bytes(), 60)
    assert process.poll() is None, output.read_text()
    yield port, output.read_text()
    os.killpg(process.pid, 15)
    process.wait(timeout=40)


def test_make_run_and_the_curl_lines_hold_a_conversation(started):
    require(shutil.which("curl"), "curl")
    port, output = started
    token = re.search(r"^ey[\w.-]+$", output, re.M)[0]
    readme = (ROOT / "README.md").read_text()
    script = re.search(r"```bash\n(.*?)```", readme, re.S)[1]
    script = script.replace("paste-the-sign-in-token-here", token)
    script = script.replace(":8000", f":{port}")
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=60)
    stream, _, records = done.stdout.partition("data: [DONE]\n\n")
    chunks = chunks_of(stream.encode() + b"data: [DONE]\n\n")
    assert types(chunks).count("tool-output-available") == 2
    assert types(chunks)[-1] == "finish"
    roles = [record["data"]["role"] for record in json.loads(records)["records"]]
    assert roles == ["user", "assistant"]
