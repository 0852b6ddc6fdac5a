"""The example of docs/api.md, on a service with its sandbox."""

import json
import re
import shutil
import subprocess

from config import ROOT
from service.auth.tokens import issue
from tests.services import require, settings_for


def test_the_example_of_the_page_does_what_its_comments_say(service):
    require(shutil.which("curl"), "curl")
    scripts = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/api.md").read_text(), re.S)
    [script] = [one for one in scripts if "/tokens" in one]
    expected = [int(status) for status in re.findall(r"# (\d{3})$", script, re.M)]
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    script = script.replace("paste-the-sign-in-token-here", token)
    script = script.replace("http://127.0.0.1:8000", service.url)
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    weather, *refused = answers
    assert weather["success"] is True
    assert [one["error"] for one in refused] == ["forbidden"] * 2
    assert expected == [200, 403, 403]
