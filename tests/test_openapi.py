"""Schemathesis compares the OpenAPI document with the service's real answers."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from config import ROOT
from service.auth.tokens import issue
from service.integrations.declare.categories import CATEGORIES
from service.integrations.everything import catalog
from service.web.errors import ServiceError
from service.web.refusals import FACTS
from tests.depth import DEPTH, depth
from tests.running_app import running_app
from tests.services import on_sqlite, settings_for

SAMPLE = ("current-weather", "cloudsuite/drive-list", "neuralsearch-answer", "drive-delete")
EXAMPLES = 3  # of each operation, in addition to the boundary cases of its schemas
# The bench of tests/integrations calls each endpoint; at depth 2 they are asked here as well.
PARTS = ["routes", *(CATEGORIES if DEPTH > 1 else ())]


def paths_of(part: str) -> str:
    """The option for all routes and the endpoints of `SAMPLE`, or for a category's endpoints."""
    names = catalog().names
    if part == "routes":
        return f"--exclude-path-regex={_paths(name for name in names if name not in SAMPLE)}"
    chosen = (name for name, item in names.items() if item.category == part)
    return f"--include-path-regex={_paths(chosen)}"


def _paths(names: Iterable[str]) -> str:
    return f"^/api/integrations/({'|'.join(map(re.escape, names))})$"


@pytest.mark.timeout(1800 if DEPTH > 1 else 300)
@pytest.mark.parametrize("part", PARTS)
def test_every_answer_matches_the_document(service, tmp_path, part):
    settings = settings_for(service.database_url)
    token = issue(settings, "alice", "user", 3600)
    admin = issue(settings, "root", "admin", 3600)  # schemathesis.toml says where it is used
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
        paths_of(part),
    ]
    command = [str(Path(sys.executable).with_name("schemathesis")), *arguments]
    environ = {**os.environ, "ADMIN_TOKEN": admin}
    result = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
    assert "passed" in result.stdout


@pytest.fixture(scope="module")
def document(databases):
    """The same for all tests: to make it takes a tenth of a second."""
    with running_app(settings_for(databases.make("sqlite"))) as app:
        return app.test_client().get("/openapi.json").json


@on_sqlite
def test_the_document_is_sent_again_only_if_it_has_changed(client):
    whole = client.get("/openapi.json")
    again = client.get("/openapi.json", headers={"If-None-Match": whole.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get("/openapi.json", headers={"If-None-Match": '"of-before"'})
    assert (other.status_code, other.data) == (200, whole.data)
    assert client.get("/openapi.json", headers={"If-Match": "*"}).status_code == 200
    assert len(whole.data) < 1_000_000, "what operations share belongs into the components"


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


def test_a_turn_is_described_with_each_of_its_statuses_and_their_headers(document):
    responses = document["paths"]["/api/ai/chat"]["post"]["responses"]
    refusals = {"400", "401", "402", "403", "404", "408", "409", "413", "429", "500", "503"}
    assert set(responses) == {"200", *refusals, "default"}
    assert responses["200"]["headers"]["X-Asst-Id"]["required"] is True
    again = document["paths"]["/api/ai/chat/{chat_id}/stream"]["get"]["responses"]["200"]
    assert again["headers"]["X-Asst-Id"].get("required", False) is False, "nothing may be stored"
    assert responses["401"]["headers"]["WWW-Authenticate"]["required"] is True
    assert responses["429"]["headers"]["Retry-After"]["required"] is True
    assert responses["503"]["headers"]["Retry-After"]["required"] is False, (
        "not_configured has none"
    )


def test_every_operation_with_a_body_describes_a_stalled_one(document):
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert sum("requestBody" in each for each in operations) > 5
    for each in operations:
        assert ("requestBody" in each) == ("408" in each["responses"]), each["operationId"]


def test_every_operation_that_may_have_a_body_describes_it(document):
    """So none ignores what it is sent: `edge.without_body` refuses all parameters."""
    methods = {"post", "put", "patch"}
    for path, operations in document["paths"].items():
        for method in methods & operations.keys():
            assert "requestBody" in operations[method], (method, path)


@on_sqlite
def test_a_change_of_a_chat_needs_a_field(document, alice):
    """The document says so, and the refusal names what may be given."""
    body = document["paths"]["/api/ai/chats/{chat_id}"]["patch"]["requestBody"]
    assert body["required"] is True
    assert document["components"]["schemas"]["ChatChanges"]["minProperties"] == 1
    refused = alice.patch(f"/api/ai/chats/{alice.new_chat()}", {})
    assert refused.status_code == 400
    assert refused.json["details"] == {"title": ["Give a title, or pinned."]}


@on_sqlite
def test_the_list_of_records_describes_its_query(document, alice):
    parameters = document["paths"]["/api/records/{collection}"]["get"]["parameters"]
    query = {each["name"]: each["schema"] for each in parameters if each["in"] == "query"}
    assert query["where"]["type"] == "string"
    for number in range(query["limit"]["default"] + 1):
        alice.post("/api/records/notes", {"title": str(number)})
    page = alice.get("/api/records/notes").json
    assert len(page["records"]) == query["limit"]["default"]


@on_sqlite
def test_the_headers_of_a_kept_answer_are_described(document, alice):
    body = {"city": "Berlin"}
    first, again = (alice.post("/api/integrations/geocode-city", body) for _ in range(2))
    assert "X-Cache" not in first.headers
    for path in ("geocode-city", "{endpoint}"):
        described = document["paths"][f"/api/integrations/{path}"]["post"]["responses"]["200"]
        if "$ref" in described:
            described = document["components"]["responses"][described["$ref"].split("/")[-1]]
        assert {"X-Cache", "Age"} <= described["headers"].keys() & again.headers.keys()
    assert document["components"]["headers"]["X-Cache"]["schema"]["const"] == "hit"


def test_a_refusal_before_any_route_has_the_default_form_of_its_paths(document):
    responses = document["paths"]["/api/integrations/{endpoint}"]["get"]["responses"]
    assert "414" not in responses
    assert "X-Request-Id" in responses["default"]["headers"]


def test_a_create_describes_its_idempotency_key(document):
    parameters = document["paths"]["/api/records/{collection}"]["post"]["parameters"]
    assert "Idempotency-Key" in [each["name"] for each in parameters if each["in"] == "header"]


def _lists(schema: Any, keyword: str) -> Iterator[list[Any]]:
    """The lists that stand under a keyword, anywhere in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get(keyword), list):
            yield schema[keyword]
        schema = list(schema.values())
    if isinstance(schema, list):
        for one in schema:
            yield from _lists(one, keyword)


def test_no_enumeration_mixes_booleans_with_texts(document):
    """Generators of clients refuse such an enumeration, and leave out the whole operation."""
    every = list(_lists(document, "enum"))
    assert len(every) > 100
    mixed = [one for one in every if {bool, str} <= set(map(type, one))]
    assert mixed == []


def test_no_alternative_is_a_constant(document):
    """The client that openapi-python-client makes would accept no other alternative."""
    every = list(_lists(document, "anyOf"))
    assert len(every) > 10
    assert [one for one in every if any("const" in schema for schema in one)] == []


def test_json_answers_have_schemas(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for status, response in operation["responses"].items():
                for kind, content in response.get("content", {}).items():
                    is_text = content["schema"].get("type") == "string"
                    assert not (is_text and "json" in kind), (method, path, status)


PATHS = [
    ("POST", "/api/ai/chats/x", "DELETE, OPTIONS, PATCH"),
    ("POST", "/api/integrations/status", "GET, HEAD, OPTIONS"),
    ("POST", "/api/integrations/jobs/j-1", "GET, OPTIONS"),
    ("PUT", "/api/integrations/catalog", "GET, HEAD, OPTIONS"),
    ("POST", "/api/integrations/oauth/cloudsuite/disconnect", "DELETE, OPTIONS"),
    ("DELETE", "/api/integrations/oauth/cloudsuite/callback", "GET, OPTIONS, POST"),
    ("POST", "/api/records/socket", "GET, HEAD, OPTIONS"),
    ("PUT", "/api/records/notes/n-1", "DELETE, GET, HEAD, OPTIONS, PATCH"),
    ("POST", "/healthz", "GET, HEAD, OPTIONS"),
    ("DELETE", "/", "GET, HEAD, OPTIONS"),
]


@on_sqlite
@pytest.mark.parametrize(("method", "path", "allowed"), PATHS)
def test_a_wrong_method_is_refused_in_json_with_the_allowed_ones(alice, method, path, allowed):
    refused = alice.request(method, path)
    assert (refused.status_code, refused.json["error"]) == (405, "method_not_allowed")
    assert refused.headers["Allow"] == allowed
    *others, last = [name for name in allowed.split(", ") if name not in ("HEAD", "OPTIONS")]
    named = f"{', '.join(others)} and {last}" if others else last
    assert refused.json["message"] == f"This address takes {named}."
    assert alice.request("OPTIONS", path).headers["Allow"] == allowed


@on_sqlite
@pytest.mark.parametrize("path", ["/api//records", "/api/media//link"])
def test_a_wrong_method_with_two_slashes_in_the_path_finds_nothing_there(alice, path):
    refused = alice.post(path)
    assert (refused.status_code, refused.json["error"]) == (404, "not_found")
    assert "Allow" not in refused.headers
