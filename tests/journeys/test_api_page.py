"""The curl lines of docs/api.md, on a service with its sandbox: one call of each category."""

import json
import re
import shutil
import subprocess

import requests
from jsonschema_rs import Draft202012Validator

from config import ROOT
from service.auth.tokens import issue
from service.integrations.declare.categories import CATEGORIES
from service.integrations.everything import catalog
from tests.services import require, settings_for


def test_the_curl_lines_call_an_endpoint_of_each_category(service):
    require(shutil.which("curl"), "curl")
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    section = (ROOT / "docs/api.md").read_text().split("One call of each category", 1)[1]
    script = re.findall(r"```bash\n(.*?)```", section, re.S)[0]
    names = re.findall(r"\$API/([a-z-]+(?:/[a-z-]+)?)", script)
    assert {catalog().named(name).category for name in names} == CATEGORIES.keys()
    script = script.replace("paste-the-sign-in-token-here", token)
    script = script.replace("http://127.0.0.1:8000", service.url)
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=120)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    headers = {"Authorization": f"Bearer {token}"}
    schemas = requests.get(f"{service.url}/api/integrations/answers-schema", headers=headers).json()
    for name, answer in zip(names, answers, strict=True):
        assert answer["success"] is True, (name, answer)
        fits = Draft202012Validator(schemas["properties"][name])
        assert [error.message for error in fits.iter_errors(answer["data"])] == []
        assert ("requiresOAuth" in answer["data"]) == bool(catalog().named(name).scope)
