"""The OpenAPI document is true: Schemathesis holds it against what the service answers."""

import subprocess
import sys
from pathlib import Path

import pytest

from config import ROOT
from service.auth.tokens import issue
from service.errors import ServiceError
from service.refusals import FACTS
from tests.depth import depth
from tests.services import on_sqlite, settings_for

EXAMPLES = 8  # of each operation; the cases at the edges of its schemas come beside


def test_no_answer_is_other_than_the_document_says(service, tmp_path):
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    arguments = [
        f"--config-file={ROOT / 'tests/schemathesis.toml'}",
        "run",
        f"{service.url}/openapi.json",
        f"--header=Authorization: Bearer {token}",
        f"--max-examples={depth(EXAMPLES)}",
        "--phases=examples,coverage,fuzzing",
        "--continue-on-failure",
        "--generation-deterministic",
        "--no-color",
    ]
    command = [str(Path(sys.executable).with_name("schemathesis")), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "passed" in done.stdout


@pytest.fixture
def document(client):
    return client.get("/openapi.json").json


@on_sqlite
def test_every_refusal_is_described_with_its_facts(document):
    schemas = document["components"]["schemas"]

    def each(error):
        yield from error.__subclasses__()
        for child in error.__subclasses__():
            yield from each(child)

    for error in each(ServiceError):
        described = schemas[error.__name__]["properties"]
        assert described["error"]["const"] == error.code
        assert set(FACTS.get(error.code, {})) == {
            name + "!" * (name in schemas[error.__name__]["required"])
            for name in set(described) - {"error", "message"}
        }
        ours = schemas[f"Integration{error.__name__}"]
        assert ours["required"][0] == "success"
        assert ours["properties"]["success"]["const"] is False


@on_sqlite
def test_a_turn_is_described_with_each_of_its_statuses_and_their_headers(document):
    responses = document["paths"]["/api/ai/chat"]["post"]["responses"]
    refusals = {"400", "401", "402", "404", "408", "409", "413", "429", "500", "503"}
    assert set(responses) == {"200", *refusals, "default"}
    assert responses["200"]["headers"]["X-Asst-Id"]["required"] is True
    assert responses["401"]["headers"]["WWW-Authenticate"]["required"] is True
    assert responses["429"]["headers"]["Retry-After"]["required"] is True
    assert responses["503"]["headers"]["Retry-After"]["required"] is False, (
        "not_configured has none"
    )


@on_sqlite
def test_whoever_takes_a_body_says_what_becomes_of_one_that_stalls(document):
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert sum("requestBody" in each for each in operations) > 5
    for each in operations:
        assert ("requestBody" in each) == ("408" in each["responses"]), each["operationId"]


@on_sqlite
def test_a_create_says_that_it_takes_a_key(document):
    parameters = document["paths"]["/api/records/{collection}"]["post"]["parameters"]
    assert "Idempotency-Key" in [each["name"] for each in parameters if each["in"] == "header"]


@on_sqlite
def test_no_json_is_declared_as_a_text(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for status, response in operation["responses"].items():
                for kind, content in response.get("content", {}).items():
                    is_text = content["schema"].get("type") == "string"
                    assert not (is_text and "json" in kind), (method, path, status)


PATHS = [
    ("POST", "/api/ai/chats/x", "DELETE, OPTIONS, PATCH"),
    ("POST", "/api/integrations/status", "GET, HEAD, OPTIONS"),
    ("POST", "/api/integrations/jobs/j-1", "GET, HEAD, OPTIONS"),
    ("PUT", "/api/integrations/catalog", "GET, HEAD, OPTIONS"),
    ("POST", "/api/integrations/oauth/cloudsuite/disconnect", "DELETE, OPTIONS"),
    ("DELETE", "/api/integrations/oauth/cloudsuite/callback", "GET, HEAD, OPTIONS, POST"),
    ("POST", "/api/records/socket", "GET, HEAD, OPTIONS"),
    ("PUT", "/api/records/notes/n-1", "DELETE, GET, HEAD, OPTIONS, PATCH"),
    ("POST", "/healthz", "GET, HEAD, OPTIONS"),
    ("DELETE", "/", "GET, HEAD, OPTIONS"),
]


@on_sqlite
@pytest.mark.parametrize(("method", "path", "allowed"), PATHS)
def test_another_method_is_refused_in_json_and_told_which_there_are(alice, method, path, allowed):
    refused = alice.request(method, path)
    assert (refused.status_code, refused.json["error"]) == (405, "method_not_allowed")
    assert refused.headers["Allow"] == allowed
    assert alice.request("OPTIONS", path).headers["Allow"] == allowed
