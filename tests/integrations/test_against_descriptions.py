"""Every request to GitHub and Exa is one that their published API descriptions allow.

`SPECS_DIR` holds the descriptions, which are not part of this project: a/exa.json (2.0.0),
b/github.openapi.trimmed.json (npm @octokit/openapi 23.0.2), b/google-drive.v3.discovery.json.
"""

import os
from pathlib import Path

import pytest

from service.integrations.everything import catalog
from tests.integrations.bodies import variants
from tests.integrations.descriptions import check
from tests.integrations.scripted import Said
from tests.services import on_sqlite

SPECS = os.environ.get("SPECS_DIR")
pytestmark = pytest.mark.skipif(not SPECS, reason="set SPECS_DIR to the vendors' API descriptions")
FILES = {"exa": "a/exa.json", "github": "b/github.openapi.trimmed.json"}
ENDPOINTS = [item for item in catalog() if item.vendor.name in FILES]


def spec(name):
    return Path(SPECS or "") / name


@on_sqlite
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda item: item.name)
def test_every_request_is_allowed(ask, vendor, endpoint):
    vendor.answers = [lambda asked: Said(answer_to(endpoint, asked.path))]
    for body in variants(endpoint):
        answer = ask(endpoint.name, body)
        assert answer.status_code == 200, (body, answer.json)
    assert len(vendor.seen) >= 2
    for asked in vendor.seen:
        body = asked.json
        if asked.path == "/agent/runs":  # since the description: exa.ai/docs/admin/pricing
            body.pop("budget", None)
        check(spec(FILES[endpoint.vendor.name]), asked.method, asked.path, asked.query, body)


def answer_to(endpoint, path):
    """The example of a repository where one is asked for, else the endpoint's first."""
    is_one = endpoint.vendor.name == "github" and path.count("/") == 3
    return endpoint.examples[-1 if is_one else 0].body


@on_sqlite
def test_a_run_is_asked_for_as_described(ask, alice, vendor):
    research = next(item for item in ENDPOINTS if item.job)
    vendor.answers = [Said(example.body) for example in research.examples]
    job = ask(research.name, {"query": "overviews"}).json["data"]["jobId"]
    assert alice.get(f"/api/integrations/jobs/{job}").json["data"]["status"] == "done"
    asked = vendor.seen[-1]
    name = check(spec(FILES["exa"]), asked.method, asked.path, asked.query, asked.json)
    assert name == "GET /agent/runs/{id}"


GITHUB, EXA, DRIVE = FILES["github"], FILES["exa"], "b/google-drive.v3.discovery.json"


@pytest.mark.parametrize(
    ("description", "method", "path", "query", "body"),
    [
        (GITHUB, "GET", "/repos/o/r/issues", {"state": "open", "per_page": ["5"]}, None),
        (GITHUB, "GET", "/repos/o/r/contents/a/b.md", {}, None),
        (EXA, "POST", "/search", {}, {"query": "a", "contents": {"text": True}}),
        (EXA, "POST", "/answer", {}, {"query": "a", "outputSchema": {"any": ["thing"]}}),
        (DRIVE, "GET", "/drive/v3/files", {"pageSize": "5", "q": "a", "alt": "json"}, None),
        (DRIVE, "PATCH", "/drive/v3/files/f", {"addParents": "p"}, {"name": "a"}),
        (DRIVE, "POST", "/upload/drive/v3/files", {"uploadType": "multipart"}, {"name": "a"}),
    ],
)
def test_what_is_described_is_allowed(description, method, path, query, body):
    check(spec(description), method, path, query, body)


@pytest.mark.parametrize(
    ("description", "method", "path", "query", "body", "why"),
    [
        (GITHUB, "POST", "/repos/o/r/issues", {}, None, "no operation"),
        (GITHUB, "GET", "/repos/o/r/nothing", {}, None, "no operation"),
        (GITHUB, "GET", "/repos/o/r/issues", {"perPage": "5"}, None, "perPage: is unknown"),
        (GITHUB, "GET", "/repos/o/r/issues", {"per_page": "five"}, None, "is no integer"),
        (GITHUB, "GET", "/repos/o/r/issues", {"state": "shut"}, None, "is not one of"),
        (GITHUB, "GET", "/repos/o/r/issues", {"since": "yesterday"}, None, "is no date-time"),
        (GITHUB, "GET", "/repos/o/r/issues", {"state": ["open", "all"]}, None, "is repeated"),
        (GITHUB, "GET", "/search/repositories", {}, None, "q: is missing"),
        (GITHUB, "GET", "/repos/o/r", {}, {"a": 1}, "takes no body"),
        (EXA, "POST", "/search", {}, {"query": "a", "contents": {"texts": 1}}, "is unknown"),
        (EXA, "POST", "/search", {}, {"query": "a", "numResults": 101}, "over maximum"),
        (EXA, "POST", "/search", {}, {"query": "a", "numResults": "9"}, "is no integer"),
        (EXA, "POST", "/search", {}, {"numResults": 9}, "query: is missing"),
        (EXA, "POST", "/search", {}, None, "needs a body"),
        (EXA, "POST", "/contents", {}, {"urls": ["a"], "text": "yes"}, "fits no alternative"),
        (DRIVE, "GET", "/drive/v3/files", {"pagesize": "5"}, None, "pagesize: is unknown"),
        (DRIVE, "GET", "/drive/v3/files", {"pageSize": "many"}, None, "is no integer"),
        (DRIVE, "GET", "/drive/v2/files", {}, None, "no operation"),
        (DRIVE, "PATCH", "/drive/v3/files/f", {}, {"title": "a"}, "title: is unknown"),
        (DRIVE, "PATCH", "/drive/v3/files/f", {}, {"parents": "p"}, "is no array"),
    ],
)
def test_what_is_not_described_is_refused(description, method, path, query, body, why):
    with pytest.raises(AssertionError, match=why):
        check(spec(description), method, path, query, body)
